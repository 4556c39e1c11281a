// The worker's entry: every listener, and what it hands on.
//
// Listeners go before the first await: when Chrome wakes the worker for an event, it
// delivers only to those that were there in the first turn (Chromium 156). Other
// extensions come in through two of them, web pages through none.

import { Extension } from './extension';

const extension = new Extension();

chrome.runtime.onStartup.addListener(() => {}); // starts the worker with the browser
chrome.runtime.onInstalled.addListener(() => {});
chrome.runtime.onConnect.addListener((port) => extension.opened(port));
chrome.runtime.onMessageExternal.addListener((message, sender, answer) => extension.neighbours.probed(message, sender, answer));
chrome.runtime.onConnectExternal.addListener((port) => extension.neighbours.relay.came(port));
chrome.alarms.onAlarm.addListener(() => extension.soon(() => extension.wake()));

chrome.tabs.onCreated.addListener((tab) => {
  if (tab.id === undefined) return;
  extension.book.created(tab.id, tab);
  extension.consent.whereabouts.arrived(tab.id);
});
chrome.tabs.onUpdated.addListener((id, change, tab) => extension.soon(() => extension.events.updated(id, change, tab)));
chrome.tabs.onActivated.addListener(({ tabId, windowId }) => extension.soon(() => extension.events.activated(tabId, windowId)));
chrome.windows.onFocusChanged.addListener((id) => extension.soon(() => extension.events.focused(id)));
chrome.tabs.onRemoved.addListener((id) => extension.soon(() => extension.events.removed(id)));
chrome.tabs.onReplaced.addListener((added, removed) => extension.soon(() => extension.events.replaced(added, removed)));
chrome.webNavigation.onCreatedNavigationTarget.addListener((details) =>
  extension.soon(() => extension.events.opened(details.tabId, details.sourceTabId, details.url)));
chrome.webNavigation.onCommitted.addListener(({ tabId, frameId, url }) => extension.soon(() => {
  if (extension.ownership.of(tabId)) extension.consent.whereabouts.committed(tabId, frameId, url);
}));
chrome.webNavigation.onErrorOccurred.addListener((details) => {
  if (details.frameId === 0) extension.soon(() => extension.consent.failed(details.tabId, details.url, details.error));
});
chrome.tabGroups.onRemoved.addListener((group) => extension.soon(() => extension.groups.gone(group.id)));

// Not through soon once the worker is up: what a tab did comes before the answer of the
// command that made it do so.
chrome.debugger.onEvent.addListener((source, method, params) =>
  extension.debugger.onEvent(source, method, (params ?? {}) as Record<string, unknown>));
chrome.debugger.onDetach.addListener((source, reason) => extension.soon(() => extension.debugger.onDetach(source, reason)));

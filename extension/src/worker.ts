// The worker: keeps the native port and the sockets, and carries commands to tabs.
chrome.runtime.onInstalled.addListener(() => {});

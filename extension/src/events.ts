// Events tells servers what happens in the tabs they use, each no more than its policy
// lets it see, and keeps book, owners and groups by what Chrome tells of tabs.

import type { Book, Entry } from './book';
import type { Debugger } from './debugger';
import { shown } from './gate';
import type { Groups } from './groups';
import type { Link } from './link';
import type { Links } from './links';
import type { Ownership } from './ownership';
import * as redact from './redact';
import type { Whereabouts } from './whereabouts';
import { Sources } from './sources';

// A tab that a page opened comes to the front by itself within this time.
const opening = 1000;

const noWindow = -1; // chrome.windows.WINDOW_ID_NONE

// Parts are the parts of the worker that events need.
export interface Parts {
  book: Book;
  debugger: Debugger;
  groups: Groups;
  links: Links;
  ownership: Ownership;
  panel: { changed(): void };
  consent: { whereabouts: Whereabouts };
}

// Change is what chrome.tabs.onUpdated says has changed.
interface Change {
  url?: string | undefined;
  title?: string | undefined;
  status?: string | undefined;
}

// Events does the telling.
export class Events {
  private readonly users = new Map<number, Set<string>>(); // tab → servers that use it
  private readonly sources = new Sources();
  private readonly focus: { now: number; before: number } = { now: noWindow, before: noWindow };

  constructor(private readonly parts: Parts) {}

  // use notes that a server wants a tab's events.
  use(tab: number, server: string): void {
    const users = this.users.get(tab);
    if (users) users.add(server);
    else this.users.set(tab, new Set([server]));
  }

  // forget drops a server that has ended.
  forget(server: string): void {
    for (const users of this.users.values()) users.delete(server);
  }

  // interested are the servers that use a tab, or own it through one of their sessions.
  private *interested(tab: number): Iterable<Link> {
    const users = this.users.get(tab);
    const owner = this.parts.ownership.of(tab)?.server;
    for (const link of this.parts.links.all()) {
      if (link.state === 'connected' && (link.id === owner || users?.has(link.id))) yield link;
    }
  }

  // tell sends one of our own events.
  tell(tab: number, name: string, data: object): void {
    for (const link of this.interested(tab)) link.event(name, tab, data);
  }

  // forward sends a DevTools event. frame is the root frame of the target it comes
  // from, "" for the tab's own.
  forward(tab: number, frame: string, method: string, params: Record<string, unknown>): void {
    const { book, debugger: attacher } = this.parts;
    const frames = attacher.attached(tab)?.frames;
    const known = frames?.get(frame);
    const url = known?.url || (frame === '' ? book.known(tab)?.url : '') || '';
    const place = this.sources.place({ tab, target: frame, method, params, frames }, { url, origin: known?.origin ?? '' });
    for (const link of this.interested(tab)) {
      const told = redact.event(method, params, place, link.policy);
      if (told) link.event('cdp', tab, frame ? { frame, method, params: told } : { method, params: told });
    }
  }

  updated(id: number, change: Change, tab: chrome.tabs.Tab): void {
    const { url, title } = this.parts.book.set(id, tab);
    if (change.url === undefined && change.title === undefined && change.status === undefined) return;
    for (const link of this.interested(id)) {
      link.event('tab.updated', id, { ...shown({ url, title }, link.policy), status: tab.status });
    }
    if (this.parts.ownership.of(id)) this.parts.panel.changed();
  }

  // opened takes the word of webNavigation that a page opened a tab. The tab is the
  // session's whose page it was.
  opened(id: number, opener: number, url: string): void {
    const { book, groups, ownership, panel } = this.parts;
    book.opened(id, opener);
    const owner = ownership.of(opener);
    // The claim goes first: there is no moment at which no rule is for the tab.
    if (owner) ownership.claim(id, owner);
    this.parts.consent.whereabouts.settle(id, !owner);
    if (owner) {
      void groups.follow(owner.session, id);
      this.giveBack(id);
    }
    for (const link of this.interested(opener)) {
      link.event('tab.created', opener, { tabId: id, url: shown({ url, title: '' }, link.policy).url, opener });
    }
    panel.changed();
  }

  activated(id: number, window: number): void {
    this.parts.book.activated(id, window);
    this.giveBack(id);
  }

  // load notes which window has the focus when the worker starts.
  async load(): Promise<void> {
    const front = await chrome.windows.getLastFocused().catch(() => undefined);
    if (front?.focused) this.focus.now = front.id ?? noWindow;
  }

  focused(window: number): void {
    this.focus.before = this.focus.now;
    this.focus.now = window;
    for (const [id, entry] of this.parts.book.fresh(opening)) {
      if (entry.window === window) this.giveBack(id);
    }
  }

  // giveBack puts the user's tab in front again, and their window, when a session's page
  // in the background opened a tab that Chrome brought to the front.
  private giveBack(id: number): void {
    const { book, ownership } = this.parts;
    const entry = book.known(id);
    if (!entry?.active || !entry.opener || !ownership.of(id) || Date.now() - entry.born > opening) return;
    const opener = book.known(entry.opener);
    if (opener && opener.window !== entry.window) return this.giveWindowBack(entry, opener);
    const before = book.before(entry.window);
    if (before === undefined || before === entry.opener) return;
    entry.born = 0;
    chrome.tabs.update(before, { active: true }).catch(() => {}); // closed meanwhile
  }

  private giveWindowBack(entry: Entry, opener: Entry): void {
    const { now, before } = this.focus;
    if (opener.active || now !== entry.window || before === noWindow) return;
    entry.born = 0;
    chrome.windows.update(before, { focused: true }).catch(() => {});
  }

  removed(id: number): void {
    this.tell(id, 'tab.removed', {});
    this.parts.book.drop(id);
    this.parts.ownership.drop(id);
    this.users.delete(id);
    this.parts.consent.whereabouts.gone(id);
    this.sources.forget(id);
    this.parts.panel.changed();
  }

  // replaced: Chrome gives a tab another number when it discards it.
  replaced(is: number, was: number): void {
    this.tell(was, 'tab.removed', { replacedBy: is });
    this.parts.ownership.replace(was, is);
    const users = this.users.get(was);
    if (users) this.users.set(is, users);
    this.users.delete(was);
    this.parts.book.drop(was);
  }
}

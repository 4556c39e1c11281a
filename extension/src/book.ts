// Book is what Chrome tells of the tabs, kept by its events, so that the gate knows a
// tab's address without asking. It is filled when the worker starts.

import { tabGone } from './failure';

// Entry is one tab. A tab that has no document yet shows the initial empty one, which
// is about:blank, while its address is still pending.
export interface Entry {
  url: string;
  title: string;
  active: boolean;
  window: number;
  loading: boolean;
  discarded: boolean;
  opener: number; // tab whose page opened it; 0 for none
  born: number; // when it came to be, if a worker saw that; milliseconds since the epoch
}

// Book holds the tabs.
export class Book {
  private readonly tabs = new Map<number, Entry>();
  private readonly behind = new Map<number, number>(); // by window

  // load reads all tabs. It keeps what events have told meanwhile.
  async load(): Promise<void> {
    for (const tab of await chrome.tabs.query({})) {
      if (tab.id !== undefined && !this.tabs.has(tab.id)) this.set(tab.id, tab);
    }
  }

  // get returns a tab, asking Chrome only for one it does not know.
  async get(id: number): Promise<Entry> {
    const known = this.tabs.get(id);
    if (known) return known;
    try {
      return this.set(id, await chrome.tabs.get(id));
    } catch {
      throw tabGone(id);
    }
  }

  // ids lists the tabs.
  ids(): number[] {
    return [...this.tabs.keys()];
  }

  // known returns a tab that the book has.
  known(id: number): Entry | undefined {
    return this.tabs.get(id);
  }

  // set notes what Chrome says of a tab.
  set(id: number, tab: chrome.tabs.Tab): Entry {
    const known = this.tabs.get(id);
    const entry: Entry = {
      url: tab.url || 'about:blank',
      title: tab.title ?? '',
      active: tab.active,
      window: tab.windowId,
      loading: tab.status === 'loading',
      discarded: tab.discarded,
      opener: known?.opener ?? 0,
      born: known?.born ?? 0,
    };
    this.tabs.set(id, entry);
    return entry;
  }

  // created notes a new tab.
  created(id: number, tab: chrome.tabs.Tab): void {
    this.set(id, tab).born = Date.now();
  }

  // opened notes that a page opened the tab. Chrome's openerTabId does not say so: for
  // a page in the background it names the tab in front (Chromium 156).
  opened(id: number, opener: number): void {
    const entry = this.tabs.get(id);
    if (entry) entry.opener = opener;
  }

  // fresh lists the tabs that came to be within the last ms.
  fresh(ms: number): [number, Entry][] {
    return [...this.tabs].filter(([, entry]) => Date.now() - entry.born < ms);
  }

  // activated notes which tab is in front in a window.
  activated(id: number, window: number): void {
    for (const [other, entry] of this.tabs) {
      if (entry.window !== window || !entry.active) continue;
      if (other !== id) this.behind.set(window, other);
      entry.active = false;
    }
    const entry = this.tabs.get(id);
    if (entry) entry.active = true;
  }

  // before is the tab that was in front of a window before the one that is now.
  before(window: number): number | undefined {
    return this.behind.get(window);
  }

  drop(id: number): void {
    this.tabs.delete(id);
  }
}

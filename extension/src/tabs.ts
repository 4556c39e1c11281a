// Tabs are the handlers of the methods that open, close, show and list tabs. A session
// works in the background: nothing here takes the focus unless asked to.

import type { Book, Entry } from './book';
import type { Debugger } from './debugger';
import { Failure, fromChrome, isDragging, tabGone } from './failure';
import { judge, shown } from './gate';
import type { Groups } from './groups';
import type { Ownership } from './ownership';
import type { Request } from './router';
import type { Rules } from './policy';
import type { Tab, TabGroupParams, TabNewParams, TabsResult } from './wire.gen';

// Parts are the parts of the worker that tabs need.
export interface Parts {
  book: Book;
  debugger: Debugger;
  groups: Groups;
  ownership: Ownership;
  consent: { egress: { ready(): Promise<void> } };
}

// Tabs does the work.
export class Tabs {
  // titles are the groups' names that sessions asked for; "" is no group.
  private readonly titles = new Map<string, string>();

  constructor(private readonly parts: Parts) {}

  async list(request: Request): Promise<TabsResult> {
    const [tabs, front] = await Promise.all([chrome.tabs.query({}), frontWindow()]);
    return { tabs: tabs.map((tab) => this.tell(tab, request.policy, front)) };
  }

  async open(request: Request): Promise<Tab> {
    const params = request.params as TabNewParams;
    const url = params.url || 'about:blank';
    judge({ url, origin: '' }, 'read', request.policy);
    let tab = await this.create(request.session, params.active === true);
    const id = tab.id ?? 0;
    this.parts.book.set(id, tab);
    this.parts.ownership.claim(id, { session: request.session, server: request.asker.id });
    if (url !== 'about:blank') {
      // Not before the rules for the tab stand: the page may lead elsewhere.
      await this.parts.consent.egress.ready();
      tab = await edited(id, 'tab_new', () => chrome.tabs.update(id, { url })) ?? tab;
    }
    const title = params.group ?? this.titles.get(request.session) ?? '';
    this.titles.set(request.session, title);
    if (title) await this.parts.groups.add(request.session, title, [id]);
    return this.tell(tab, request.policy, 0);
  }

  private async create(session: string, active: boolean): Promise<chrome.tabs.Tab> {
    const url = 'about:blank';
    const windowId = await this.parts.groups.window(session) ?? await normalWindow();
    if (windowId === undefined) {
      const made = await edited(0, 'tab_new', () => chrome.windows.create({ url, focused: active, type: 'normal' }));
      const tab = made?.tabs?.[0];
      if (!tab) throw new Failure('LAUNCH_FAILED', 'Chrome opened no window for the new tab; open one and call again');
      return tab;
    }
    const tab = await edited(0, 'tab_new', () => chrome.tabs.create({ url, active, windowId }));
    if (active) await focus(windowId);
    return tab;
  }

  async close(request: Request): Promise<object> {
    await this.reach(request);
    await edited(request.tab, 'tab_close', () => chrome.tabs.remove(request.tab));
    return {};
  }

  async select(request: Request): Promise<Tab> {
    await this.reach(request);
    const tab = await edited(request.tab, 'tab_select', () => chrome.tabs.update(request.tab, { active: true }));
    if (!tab) throw tabGone(request.tab);
    await focus(tab.windowId);
    return this.tell(tab, request.policy, tab.windowId);
  }

  // reach lets a session at its own tabs, and at the user's where the site is allowed.
  private async reach(request: Request): Promise<void> {
    const { book, ownership } = this.parts;
    if (request.tab === 0) throw new Failure('BAD_ARGS', 'the command names no tab; send tabId');
    ownership.check(request.tab, request.session);
    const { url } = await book.get(request.tab);
    if (!ownership.owns(request.tab, request.session)) judge({ url, origin: '' }, 'read', request.policy);
  }

  async group(request: Request): Promise<object> {
    const { title } = request.params as unknown as TabGroupParams;
    if (typeof title !== 'string') throw new Failure('BAD_ARGS', 'title must be a string; "" removes the group');
    this.titles.set(request.session, title);
    const tabs = this.parts.ownership.tabs(request.session);
    await this.parts.groups.rename(request.session, title, tabs);
    return {};
  }

  // release ends a session in this browser: its tabs stay, but are nobody's.
  async release(session: string): Promise<object> {
    const tabs = this.parts.ownership.release(session);
    this.titles.delete(session);
    await Promise.all([
      this.parts.groups.rename(session, '', []),
      ...tabs.map((tab) => this.parts.debugger.leave(tab)),
    ]);
    return {};
  }

  // tell is a tab as the server may see it.
  tell(tab: chrome.tabs.Tab, policy: Rules, front: number): Tab {
    const id = tab.id ?? 0;
    const entry: Entry = this.parts.book.set(id, tab);
    const out: Tab = {
      id,
      // A tab that is still on its way is known by where it goes.
      ...shown({ url: tab.url || tab.pendingUrl || entry.url, title: entry.title }, policy),
      active: tab.active,
      windowId: tab.windowId,
      index: tab.index,
    };
    if (tab.active && tab.windowId === front) out.focused = true;
    const owner = this.parts.ownership.of(id);
    if (owner) out.owner = owner.session;
    if (entry.opener) out.openerTabId = entry.opener;
    if (entry.loading) out.loading = true;
    if (entry.discarded) out.discarded = true;
    return out;
  }
}

async function focus(windowId: number): Promise<void> {
  await chrome.windows.update(windowId, { focused: true }).catch(() => {});
}

// frontWindow is the window that has the focus; 0 when another program has it.
async function frontWindow(): Promise<number> {
  const window = await chrome.windows.getLastFocused().catch(() => undefined);
  return window?.focused ? (window.id ?? 0) : 0;
}

// normalWindow is the window where a new tab goes: the last that the user was in.
async function normalWindow(): Promise<number | undefined> {
  const window = await chrome.windows.getLastFocused({ windowTypes: ['normal'] }).catch(() => undefined);
  if (window?.id !== undefined && window.type === 'normal') return window.id;
  const all = await chrome.windows.getAll({ windowTypes: ['normal'] }).catch(() => []);
  return all[0]?.id;
}

const drag = { tries: 30, pause: 100 }; // what a person takes to drop a tab, in ms

// edited does something to a tab strip. Chrome lets nobody while the user drags a tab.
export async function edited<T>(tab: number, method: string, change: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await change();
    } catch (thrown) {
      if (tries === drag.tries || !isDragging(thrown)) throw fromChrome(thrown, { tab, method, acts: false });
    }
    await new Promise((resolve) => setTimeout(resolve, drag.pause));
  }
}

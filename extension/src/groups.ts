// Groups keeps one tab group a session, so that a user sees which tabs are whose. A
// group has the session's title and a colour of its own, and goes with the session.

import type { Group } from './store';

const colours = ['blue', 'cyan', 'green', 'orange', 'pink', 'purple', 'red', 'yellow'] as const;

type Colour = (typeof colours)[number];

// colour is a title's colour: the same each time, so that a user comes to know it.
export function colour(title: string): Colour {
  let hash = 0;
  for (const char of title) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0;
  return colours[hash % colours.length] ?? 'blue';
}

// Groups holds the sessions' groups; the map and its saving are the store's.
export class Groups {
  // One change of a session's group at a time: two tabs opened at once make one group.
  private readonly queue = new Map<string, Promise<void>>();

  constructor(private readonly groups: Map<string, Group>, private readonly save: () => void) {}

  // window is where the session's group is, if it is anywhere.
  async window(session: string): Promise<number | undefined> {
    const group = this.groups.get(session);
    if (!group) return undefined;
    return chrome.tabGroups.get(group.id).then((g) => g.windowId, () => undefined);
  }

  // add puts tabs into the session's group, making it where there is none.
  add(session: string, title: string, tabs: number[]): Promise<void> {
    return this.then(session, () => this.join(session, title, tabs));
  }

  // follow puts a tab into the session's group if there is one.
  follow(session: string, tab: number): Promise<void> {
    const group = this.groups.get(session);
    return group ? this.add(session, group.title, [tab]) : Promise.resolve();
  }

  // rename gives the session's group another title; "" removes the group and keeps
  // the tabs.
  rename(session: string, title: string, tabs: number[]): Promise<void> {
    return this.then(session, async () => {
      if (title === '') await this.dissolve(session, tabs);
      else if (this.groups.has(session)) await this.dress(session, title);
      else if (tabs.length > 0) await this.join(session, title, tabs);
    });
  }

  private then(session: string, change: () => Promise<void>): Promise<void> {
    // A group is an ornament: when Chrome refuses one (tabs being dragged, a popup
    // window), the tab is there all the same.
    const next = (this.queue.get(session) ?? Promise.resolve()).then(change).catch(() => {});
    this.queue.set(session, next);
    void next.then(() => {
      if (this.queue.get(session) === next) this.queue.delete(session);
    });
    return next;
  }

  private async join(session: string, title: string, tabs: number[]): Promise<void> {
    const [first, ...others] = tabs;
    if (first === undefined) return;
    const tabIds: [number, ...number[]] = [first, ...others];
    const known = this.groups.get(session);
    if (known) {
      const joined = await chrome.tabs.group({ groupId: known.id, tabIds }).then(() => true, () => false);
      if (joined) return known.title === title ? undefined : this.dress(session, title);
    }
    const { windowId } = await chrome.tabs.get(first);
    const id = await chrome.tabs.group({ createProperties: { windowId }, tabIds });
    this.groups.set(session, { id, title: '' });
    await this.dress(session, title);
  }

  private async dress(session: string, title: string): Promise<void> {
    const group = this.groups.get(session);
    if (!group) return;
    await chrome.tabGroups.update(group.id, { title, color: colour(title) });
    group.title = title;
    this.save();
  }

  private async dissolve(session: string, tabs: number[]): Promise<void> {
    const group = this.groups.get(session);
    this.groups.delete(session);
    this.save();
    if (!group) return;
    const inside = await chrome.tabs.query({ groupId: group.id });
    const ids = inside.map((tab) => tab.id).filter((id): id is number => id !== undefined && (tabs.length === 0 || tabs.includes(id)));
    const [first, ...others] = ids;
    if (first !== undefined) await chrome.tabs.ungroup([first, ...others]);
  }

  // gone forgets a group that Chrome removed: its last tab left it.
  gone(id: number): void {
    for (const [session, group] of this.groups) {
      if (group.id !== id) continue;
      this.groups.delete(session);
      this.save();
    }
  }
}

// Ownership is who may work in which tab: one session a tab. A session owns the tabs
// it opened, the tabs that those opened, and the user's tabs that it acted on first.

import { Failure } from './failure';
import type { Owner } from './store';

// Ownership holds the owners; the map and its saving are the store's.
export class Ownership {
  constructor(private readonly owners: Map<number, Owner>, private readonly save: () => void) {}

  // of is the tab's owner, if it has one.
  of(tab: number): Owner | undefined {
    return this.owners.get(tab);
  }

  // owns reports whether the tab is the session's.
  owns(tab: number, session: string): boolean {
    return this.owners.get(tab)?.session === session;
  }

  // check throws when the tab is another session's.
  check(tab: number, session: string): void {
    const owner = this.owners.get(tab);
    if (!owner || owner.session === session) return;
    throw new Failure('TAB_OWNED', `tab ${tab} belongs to another session; open your own with tab_new or pick one from tabs_list`);
  }

  // claim makes the tab the session's, unless it has an owner. It says whether it did.
  claim(tab: number, owner: Owner): boolean {
    if (this.owners.has(tab)) return false;
    this.owners.set(tab, owner);
    this.save();
    return true;
  }

  // drop forgets a tab.
  drop(tab: number): void {
    if (this.owners.delete(tab)) this.save();
  }

  // replace moves ownership to the number that Chrome gave a tab instead of its old one.
  replace(was: number, is: number): void {
    const owner = this.owners.get(was);
    if (!owner) return;
    this.owners.delete(was);
    this.owners.set(is, owner);
    this.save();
  }

  // tabs lists a session's tabs.
  tabs(session: string): number[] {
    return [...this.owners].filter(([, owner]) => owner.session === session).map(([tab]) => tab);
  }

  // servers lists the servers whose sessions own tabs.
  servers(): Set<string> {
    return new Set([...this.owners.values()].map((owner) => owner.server));
  }

  // sessions lists the sessions of a server.
  sessions(server: string): string[] {
    const owners = [...this.owners.values()].filter((owner) => owner.server === server);
    return [...new Set(owners.map((owner) => owner.session))];
  }

  // release frees a session's tabs and returns them.
  release(session: string): number[] {
    const tabs = this.tabs(session);
    for (const tab of tabs) this.owners.delete(tab);
    if (tabs.length > 0) this.save();
    return tabs;
  }
}

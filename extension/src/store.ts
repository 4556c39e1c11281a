// Store is all that outlives the worker: Chrome may stop it after any event, and the
// next one goes on with what is here. What belongs to the profile is in storage.local;
// what ends with the browser, tab numbers above all, is in storage.session, which is
// never written to disk.

import type { Kept as Grant } from './grants';
import type { AskState, CallerState } from './state';
import type { ExtProvider, Policy, Server } from './wire.gen';

// Stopped says whether and how the user stopped the work. After Cancel in Chrome's
// debugging bar the sockets stay, so that servers can tell the agent; Stop closes them.
export type Stopped = '' | 'cancelled' | 'stopped';

// Owner is whose tab it is.
export interface Owner {
  session: string;
  server: string; // the server that the session came through
}

// Group is a session's tab group.
export interface Group {
  id: number;
  title: string;
}

// Known is what a server said in its last welcome. Rules of its tabs stand while no
// socket does.
export interface Known {
  client: string;
  policy: Policy;
}

// Serve is what other extensions may do, by the user's word: nothing until they say so.
export interface Serve {
  enabled: boolean;
  writes: boolean; // they may do more than read
  review: boolean; // each write waits for the user's click
  callers: { id: string; name: string; word: CallerWord; at: number }[]; // the name is what it called itself
}

// CallerWord is the user's word on an extension that calls.
export type CallerWord = 'allow' | 'deny';

interface Local {
  instance: string; // random, one per profile
  name: string; // of this browser, as servers show it
  enabled: boolean; // the user pressed Pair once: the native port is kept open
  paired: boolean; // a server has said welcome once
  stopped: Stopped;
  always: Grant[]; // grants that outlive the browser
  serve: Serve; // to other extensions
  providers: ExtProvider[]; // that the user named, in this order
}

interface Session {
  run: string; // random, one per run of the browser
  owners: [number, Owner][];
  groups: [string, Group][];
  scripts: [number, string][]; // attached tabs, see debugger.ts
  grants: Grant[]; // all others
  pending: CallerState[]; // extensions that wait for the user's word
  asks: AskState[];
  known: [string, Known][]; // by server
  manual: Server[]; // servers that the user named by hand
}

// Store is loaded once per worker.
export class Store {
  local: Local = { instance: '', name: '', enabled: false, paired: false, stopped: '', always: [], serve: { enabled: false, writes: false, review: true, callers: [] }, providers: [] };
  run = '';
  manual: Server[] = [];
  readonly owners = new Map<number, Owner>();
  readonly groups = new Map<string, Group>();
  readonly scripts = new Map<number, string>();
  readonly grants: Grant[] = [];
  pending: CallerState[] = [];
  readonly asks: AskState[] = [];
  readonly known = new Map<string, Known>();

  // load reads what is there and makes what is missing.
  async load(brand: string): Promise<void> {
    const [local, session] = await Promise.all([
      chrome.storage.local.get() as Promise<Partial<Local>>,
      chrome.storage.session.get() as Promise<Partial<Session>>,
    ]);
    Object.assign(this.local, local);
    if (!this.local.instance) await this.setLocal({ instance: crypto.randomUUID() });
    if (!this.local.name) await this.setLocal({ name: `${brand}-${this.local.instance.slice(0, 4)}` });
    for (const [tab, owner] of session.owners ?? []) this.owners.set(tab, owner);
    for (const [id, group] of session.groups ?? []) this.groups.set(id, group);
    for (const [tab, script] of session.scripts ?? []) this.scripts.set(tab, script);
    this.grants.push(...session.grants ?? [], ...this.local.always);
    this.grants.sort((a, b) => b.given - a.given);
    this.asks.push(...session.asks ?? []);
    this.pending = session.pending ?? [];
    for (const [server, known] of session.known ?? []) this.known.set(server, known);
    this.manual = session.manual ?? [];
    this.run = session.run ?? crypto.randomUUID();
    if (!session.run) await chrome.storage.session.set({ run: this.run });
  }

  async setLocal(change: Partial<Local>): Promise<void> {
    Object.assign(this.local, change);
    await chrome.storage.local.set(change);
  }

  // The maps are written as a whole and nobody waits: this worker goes by its memory,
  // and Chrome finishes the write if the worker is stopped.
  saveOwners(): void {
    void chrome.storage.session.set({ owners: [...this.owners] });
  }

  saveGroups(): void {
    void chrome.storage.session.set({ groups: [...this.groups] });
  }

  saveScripts(): void {
    void chrome.storage.session.set({ scripts: [...this.scripts] });
  }

  saveGrants(): void {
    const always = this.grants.filter((g) => g.until === 'always');
    void this.setLocal({ always });
    void chrome.storage.session.set({ grants: this.grants.filter((g) => g.until !== 'always') });
  }

  saveAsks(): void {
    void chrome.storage.session.set({ asks: this.asks });
  }

  saveServing(serve: Serve, pending: CallerState[]): void {
    this.pending = pending;
    void this.setLocal({ serve });
    void chrome.storage.session.set({ pending });
  }

  saveProviders(providers: ExtProvider[]): void {
    void this.setLocal({ providers });
  }

  saveKnown(): void {
    void chrome.storage.session.set({ known: [...this.known] });
  }

  setManual(servers: Server[]): void {
    this.manual = servers;
    void chrome.storage.session.set({ manual: servers });
  }
}

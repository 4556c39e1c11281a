// Extension puts the parts of the worker together and says what follows from what:
// which servers are dialled when, who is told of a tab, what Stop and Resume do.

import { Book } from './book';
import { pageBundle } from './bundle';
import type { Bundle } from './bundle';
import { Commands } from './commands';
import { Debugger } from './debugger';
import { halted } from './failure';
import { decide, shown } from './gate';
import { Groups } from './groups';
import { Host } from './host';
import type { Link } from './link';
import { Links } from './links';
import { Ownership } from './ownership';
import { isProblem, readHandshake } from './pairing';
import { Panel, uiState } from './panel';
import * as redact from './redact';
import { Router } from './router';
import type { Handler } from './router';
import type { Message, Problem, Request, TabState, UiState } from './state';
import { Store } from './store';
import type { Stopped } from './store';
import { Tabs } from './tabs';
import { Protocol } from './wire.gen';
import type { Command, ErrorFrame, Hello, NativeHello, Result, Server } from './wire.gen';

const alarm = 'wake';

// A tab that a page opened comes to the front by itself within this time.
const opening = 1000;

// Extension is the worker.
export class Extension {
  readonly store = new Store();
  readonly book = new Book();
  readonly ownership = new Ownership(this.store.owners, () => this.store.saveOwners());
  readonly groups = new Groups(this.store.groups, () => this.store.saveGroups());
  readonly debugger: Debugger;
  readonly tabs: Tabs;
  readonly host: Host;
  readonly links: Links;
  readonly panel: Panel;
  private readonly router: Router<Link>;
  private readonly users = new Map<number, Set<string>>(); // tab → servers that use it
  private manualProblem: Problem | undefined;
  private bundle: Bundle | undefined;
  private chrome = '';
  private readonly booted: Promise<void>;
  private up = false;

  constructor() {
    this.debugger = new Debugger({
      bundle: async () => (await this.page()).source,
      scripts: this.store.scripts,
      save: () => this.store.saveScripts(),
      event: (tab, frame, method, params) => this.forward(tab, frame, method, params),
      left: (tab, reason) => this.left(tab, reason),
      stopped: () => this.store.local.stopped !== '',
    });
    this.tabs = new Tabs(this);
    this.host = new Host({
      hello: () => this.nativeHello(),
      servers: (servers) => this.listed(servers),
      changed: () => this.panel.changed(),
    });
    this.links = new Links({
      dial: (url) => new WebSocket(url),
      hello: (token) => this.hello(token),
      command: (link, command) => this.command(link, command),
      changed: (link) => this.linkChanged(link),
      refused: () => this.host.ask(),
    }, (server) => this.serverGone(server));
    this.panel = new Panel(() => this.state(), () => this.store.local.enabled, (request) => this.request(request));
    this.router = new Router(this.handlers());
    this.booted = this.boot();
  }

  // soon runs what an event asks for, in order, once the worker knows its state.
  soon(work: () => void): void {
    if (this.up) work();
    else void this.booted.then(work);
  }

  // opened takes a page's port. What the page asks before the worker knows its state
  // waits.
  opened(port: chrome.runtime.Port): void {
    if (this.panel.open(port)) this.soon(() => this.panel.greet(port));
  }

  private async boot(): Promise<void> {
    const [brand, version] = await browserVersion();
    this.chrome = version;
    await Promise.all([this.store.load(brand), this.book.load(), this.page()]);
    this.up = true;
    if (this.store.local.stopped === 'stopped') await this.debugger.leaveAll(halted);
    else if (this.store.local.enabled || this.store.manual.length > 0) this.start();
    this.panel.changed();
  }

  private start(): void {
    if (this.store.local.stopped === '') this.debugger.resume();
    if (this.store.local.enabled) this.host.connect();
    for (const server of this.store.manual) this.links.add(server);
    void this.setAlarm();
  }

  // setAlarm leaves an alarm alone that is set: setting it anew would put it off.
  private async setAlarm(): Promise<void> {
    if (!await chrome.alarms.get(alarm)) await chrome.alarms.create(alarm, { periodInMinutes: 0.5 });
  }

  // wake is the alarm: what was lost and could not be had again is tried once more.
  wake(): void {
    if (this.store.local.stopped === 'stopped') return;
    if (this.store.local.enabled) this.host.connect();
    this.host.ask();
    this.links.wake();
  }

  private async page(): Promise<Bundle> {
    this.bundle ??= await pageBundle();
    return this.bundle;
  }

  private nativeHello(): NativeHello {
    const { id, version } = identity();
    return { v: Protocol, type: 'hello', ext: { id, version, instance: this.store.local.instance } };
  }

  private hello(token: string): Hello {
    const { local, run } = this.store;
    const ext = { ...identity(), chrome: this.chrome, instance: local.instance, run, profileName: local.name, bundle: this.bundle?.hash ?? '' };
    return { v: Protocol, type: 'hello', token, ext };
  }

  // Servers.

  private listed(servers: Server[]): void {
    if (this.store.local.stopped === 'stopped') return;
    this.links.update(servers);
    // Sessions whose server ended while no worker ran.
    for (const server of this.ownership.servers()) {
      if (!this.links.get(server)) this.serverGone(server);
    }
    this.panel.changed();
  }

  private linkChanged(link: Link): void {
    if (link.state === 'connected' && !this.store.local.paired) void this.store.setLocal({ paired: true });
    this.panel.changed();
  }

  private serverGone(server: string): void {
    for (const users of this.users.values()) users.delete(server);
    if (this.store.manual.some((s) => s.sessionId === server)) {
      this.store.setManual(this.store.manual.filter((s) => s.sessionId !== server));
    }
    for (const session of this.ownership.sessions(server)) void this.tabs.release(session);
    this.panel.changed();
  }

  // Commands.

  private handlers(): ConstructorParameters<typeof Router<Link>>[0] {
    const commands = new Commands({
      book: this.book,
      debugger: this.debugger,
      ownership: this.ownership,
      bundle: async () => (await this.page()).source,
      used: (tab, asker) => this.use(tab, asker.id),
    });
    const live = (handler: Handler<Link>): Handler<Link> => (request) => {
      if (this.store.local.stopped) return Promise.reject(halted());
      return handler(request);
    };
    return {
      ping_probe: () => Promise.resolve({}),
      release: (r) => this.tabs.release(r.session),
      detach: (r) => commands.detach(r),
      tabs_list: live((r) => this.tabs.list(r)),
      tab_new: live((r) => this.tabs.open(r)),
      tab_close: live((r) => this.tabs.close(r)),
      tab_select: live((r) => this.tabs.select(r)),
      tab_group: live((r) => this.tabs.group(r)),
      attach: live((r) => commands.attach(r)),
      cdp: live((r) => commands.cdp(r)),
      cdp_batch: live((r) => commands.batch(r)),
      page: live((r) => commands.page(r)),
      frames: live((r) => commands.frames(r)),
      capture: live((r) => commands.capture(r)),
    };
  }

  private command(link: Link, command: Command): Promise<Result | ErrorFrame | undefined> {
    return this.router.handle(link, command);
  }

  // Events.

  private use(tab: number, server: string): void {
    const users = this.users.get(tab);
    if (users) users.add(server);
    else this.users.set(tab, new Set([server]));
  }

  private *interested(tab: number): Iterable<Link> {
    const users = this.users.get(tab);
    const owner = this.ownership.of(tab)?.server;
    for (const link of this.links.all()) {
      if (link.state === 'connected' && (link.id === owner || users?.has(link.id))) yield link;
    }
  }

  private forward(tab: number, frame: string, method: string, params: Record<string, unknown>): void {
    const known = this.debugger.attached(tab)?.frames.get(frame);
    const place = { url: known?.url || (frame ? '' : this.book.known(tab)?.url ?? ''), origin: known?.origin ?? '' };
    for (const link of this.interested(tab)) {
      const told = redact.event(method, params, place, link.policy);
      if (told) link.event('cdp', tab, frame ? { frame, method, params: told } : { method, params: told });
    }
  }

  private tell(tab: number, name: string, data: object): void {
    for (const link of this.interested(tab)) link.event(name, tab, data);
  }

  private left(tab: number, reason: string): void {
    this.tell(tab, 'tab.detached', { reason });
    if (reason === 'canceled_by_user' && this.store.local.stopped === '') void this.halt('cancelled');
  }

  tabUpdated(id: number, change: { url?: string | undefined; title?: string | undefined; status?: string | undefined }, tab: chrome.tabs.Tab): void {
    const { url, title } = this.book.set(id, tab);
    if (change.url === undefined && change.title === undefined && change.status === undefined) return;
    for (const link of this.interested(id)) {
      link.event('tab.updated', id, { ...shown({ url, title }, link.policy), status: tab.status });
    }
    if (this.ownership.of(id)) this.panel.changed();
  }

  // tabOpened takes the word of webNavigation that a page opened a tab. The tab is the
  // session's whose page it was.
  tabOpened(id: number, opener: number, url: string): void {
    this.book.opened(id, opener);
    const owner = this.ownership.of(opener);
    if (owner) {
      this.ownership.claim(id, owner);
      const group = this.store.groups.get(owner.session);
      if (group) void this.groups.add(owner.session, group.title, [id]);
      this.giveBack(id);
    }
    for (const link of this.interested(opener)) {
      link.event('tab.created', opener, { tabId: id, url: shown({ url, title: '' }, link.policy).url, opener });
    }
    this.panel.changed();
  }

  tabActivated(id: number, window: number): void {
    this.book.activated(id, window);
    this.giveBack(id);
  }

  // giveBack puts the user's tab in front again when a session's page in the background
  // opened one that Chrome brought to the front.
  private giveBack(id: number): void {
    const entry = this.book.known(id);
    if (!entry?.active || !entry.opener || !this.ownership.of(id) || Date.now() - entry.born > opening) return;
    const before = this.book.before(entry.window);
    if (before === undefined || before === entry.opener) return;
    entry.born = 0;
    chrome.tabs.update(before, { active: true }).catch(() => {});
  }

  tabRemoved(id: number): void {
    this.tell(id, 'tab.removed', {});
    this.book.drop(id);
    this.ownership.drop(id);
    this.users.delete(id);
    this.panel.changed();
  }

  // tabReplaced: Chrome gives a tab another number when it discards it.
  tabReplaced(is: number, was: number): void {
    this.tell(was, 'tab.removed', { replacedBy: is });
    this.ownership.replace(was, is);
    const users = this.users.get(was);
    if (users) this.users.set(is, users);
    this.users.delete(was);
    this.book.drop(was);
  }

  // The user's switches.

  private async halt(stopped: Exclude<Stopped, ''>): Promise<void> {
    await this.store.setLocal({ stopped });
    for (const tab of this.debugger.tabs()) this.tell(tab, 'tab.detached', { reason: 'canceled_by_user' });
    this.panel.changed();
    await this.debugger.leaveAll(halted);
    if (stopped !== 'stopped') return;
    this.links.closeAll();
    this.host.close();
    await chrome.alarms.clear(alarm);
  }

  private async pair(): Promise<void> {
    this.manualProblem = undefined;
    await this.store.setLocal({ enabled: true, stopped: '' });
    this.start();
    this.host.fresh();
    this.links.retry();
  }

  private manual(text: string): void {
    const server = readHandshake(text, chrome.runtime.id);
    this.manualProblem = isProblem(server) ? server : undefined;
    if (isProblem(server)) return;
    this.store.setManual([...this.store.manual.filter((s) => s.sessionId !== server.sessionId), server]);
    this.start();
    this.links.retry();
  }

  private async request(request: Request): Promise<Message | undefined> {
    await this.booted;
    switch (request.type) {
      case 'pair':
        await this.pair();
        break;
      case 'resume':
        await this.store.setLocal({ stopped: '' });
        this.start();
        if (this.store.local.enabled) this.host.fresh();
        this.links.retry();
        break;
      case 'stop':
        await this.halt('stopped');
        break;
      case 'manual':
        this.manual(request.text);
        break;
      case 'site':
        return { type: 'site', url: request.url, servers: this.site(request.url) };
    }
    this.panel.changed();
    return undefined;
  }

  private site(url: string): Extract<Message, { type: 'site' }>['servers'] {
    return this.links.all().filter((link) => link.state === 'connected').map((link) => {
      const place = { url, origin: '' };
      const read = decide(place, 'read', link.policy);
      const act = decide(place, 'act', link.policy);
      return { client: link.welcome?.client ?? '', read: read.allow, act: act.allow, ...(read.rule ? { rule: read.rule } : {}) };
    });
  }

  private state(): UiState {
    const { local } = this.store;
    return uiState({
      stopped: local.stopped !== '',
      paired: local.paired,
      enabled: local.enabled,
      name: local.name,
      host: this.host.state,
      links: this.links.all(),
      manualProblem: this.manualProblem,
      tabs: (server) => this.serverTabs(server),
    });
  }

  private serverTabs(server: string): TabState[] {
    return [...this.store.owners].filter(([, owner]) => owner.server === server).map(([id]) => {
      const entry = this.book.known(id);
      return { id, title: entry?.title ?? '', url: entry?.url ?? '' };
    });
  }
}

function identity(): { id: string; version: string } {
  return { id: chrome.runtime.id, version: chrome.runtime.getManifest().version };
}

interface Brands {
  getHighEntropyValues(hints: string[]): Promise<{ fullVersionList?: { brand: string; version: string }[] }>;
}

// browserVersion is the browser's name in one word, and its full version.
async function browserVersion(): Promise<[brand: string, version: string]> {
  const data = (navigator as { userAgentData?: Brands }).userAgentData;
  const list = (await data?.getHighEntropyValues(['fullVersionList']))?.fullVersionList ?? [];
  const real = list.filter((entry) => !/not.?a.?brand/i.test(entry.brand.replace(/[^a-z]/gi, '')));
  const named = real.find((entry) => entry.brand !== 'Chromium') ?? real[0];
  return [(named?.brand ?? 'Chrome').replace(/^(Google|Microsoft) /, '').toLowerCase().replace(/\W+/g, '-'), named?.version ?? ''];
}

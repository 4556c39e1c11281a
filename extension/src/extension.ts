// Extension puts the parts of the worker together and says what follows from what:
// which servers are dialled when, who is told of a tab, what Stop and Resume do.

import { Book } from './book';
import { browserVersion, identity } from './browser';
import { pageBundle } from './bundle';
import type { Bundle } from './bundle';
import { Commands } from './commands';
import { Debugger } from './debugger';
import { Downloads } from './downloads';
import { halted } from './failure';
import { Events } from './events';
import { Consent } from './consent';
import { Groups } from './groups';
import { Host } from './host';
import type { Link } from './link';
import { Links } from './links';
import { Neighbours } from './neighbours';
import { Ownership } from './ownership';
import { isProblem, readHandshake } from './pairing';
import { Panel, uiState } from './panel';
import { callOf, Router } from './router';
import type { Handler } from './router';
import type { Message, Problem, Request, TabState, UiState } from './state';
import { Store } from './store';
import type { Stopped } from './store';
import { Tabs } from './tabs';
import { Protocol } from './wire.gen';
import type { Command, ErrorFrame, Hello, NativeHello, Result, Server } from './wire.gen';

const alarm = 'wake';

// Extension is the worker.
export class Extension {
  readonly store = new Store();
  readonly book = new Book();
  readonly ownership = new Ownership(this.store.owners, () => this.owned());
  readonly groups = new Groups(this.store.groups, () => this.store.saveGroups());
  readonly downloads = new Downloads(this.ownership);
  readonly debugger: Debugger;
  readonly tabs: Tabs;
  readonly host: Host;
  readonly links: Links;
  readonly panel: Panel;
  readonly events: Events;
  readonly consent: Consent;
  readonly neighbours: Neighbours;
  private readonly router: Router<Link>;
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
      event: (tab, frame, method, params) => {
        if (method === 'Page.downloadWillBegin') {
          const page = this.debugger.attached(tab)?.frames.get('');
          this.downloads.began(tab, { url: page?.url ?? '', origin: page?.origin ?? '' }, params);
        }
        this.events.forward(tab, frame, method, params);
      },
      left: (tab, reason) => this.left(tab, reason),
      owned: (tab) => this.ownership.of(tab) !== undefined,
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
      rules: (link, call) => this.consent.rules(link, call),
      welcomed: (link) => this.welcomed(link),
      changed: (link) => this.linkChanged(link),
      refused: () => this.host.ask(),
    }, (server) => this.serverGone(server));
    this.panel = new Panel(() => this.state(), () => this.store.local.enabled, (request) => this.request(request));
    this.consent = new Consent({ store: this.store, book: this.book, links: this.links, ownership: this.ownership, changed: () => this.panel.changed() });
    this.events = new Events(this);
    this.neighbours = new Neighbours({
      store: this.store, links: this.links, host: this.host, soon: (work) => this.soon(work), changed: () => this.panel.changed(),
    });
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
    await Promise.all([this.store.load(brand), this.book.load(), this.events.load(), this.page()]);
    this.up = true;
    this.consent.start();
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
    this.consent.answered();
  }

  private owned(): void {
    this.store.saveOwners();
    this.consent.egress.changed();
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
    for (const server of this.store.known.keys()) {
      if (!this.links.get(server)) this.consent.gone(server);
    }
    // Sessions whose server ended while no worker ran.
    for (const server of this.ownership.servers()) {
      if (!this.links.get(server)) this.serverGone(server);
    }
    this.panel.changed();
  }

  private welcomed(link: Link): void {
    this.consent.welcomed(link);
    this.neighbours.welcomed(link);
  }

  private linkChanged(link: Link): void {
    if (link.state !== 'connected') this.neighbours.relay.lost(link);
    if (link.state === 'connected' && !this.store.local.paired) void this.store.setLocal({ paired: true });
    this.panel.changed();
  }

  private serverGone(server: string): void {
    this.events.forget(server);
    this.neighbours.gone(server);
    if (this.store.manual.some((s) => s.sessionId === server)) {
      this.store.setManual(this.store.manual.filter((s) => s.sessionId !== server));
    }
    for (const session of this.ownership.sessions(server)) void this.tabs.release(session);
    this.consent.gone(server);
    this.panel.changed();
  }

  // Commands.

  private handlers(): ConstructorParameters<typeof Router<Link>>[0] {
    const commands = new Commands({
      book: this.book,
      debugger: this.debugger,
      ownership: this.ownership,
      bundle: async () => (await this.page()).source,
      used: (tab, asker) => this.events.use(tab, asker.id),
      claimed: (tab) => this.consent.claimed(tab),
      use: (request, place, access, pageTool) => this.consent.use(request, place, access, pageTool),
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
      download: live((r) => this.downloads.step(r)),
      refused: (r) => this.consent.refused(r),
      ...this.neighbours.handlers(live),
    };
  }

  private command(link: Link, command: Command): Promise<Result | ErrorFrame | undefined> {
    const call = callOf(link, command);
    this.consent.grants.began(call);
    return this.router.handle(link, command).finally(() => this.consent.grants.ended(call));
  }

  // left: Cancel in Chrome's debugging bar is the user's stop, of everything.
  private left(tab: number, reason: string): void {
    this.events.tell(tab, 'tab.detached', { reason });
    if (reason === 'canceled_by_user' && this.store.local.stopped === '') void this.halt('cancelled');
  }

  // The user's switches.

  private async halt(stopped: Exclude<Stopped, ''>): Promise<void> {
    await this.store.setLocal({ stopped });
    this.consent.egress.changed();
    for (const tab of this.debugger.tabs()) this.events.tell(tab, 'tab.detached', { reason: 'canceled_by_user' });
    this.neighbours.relay.closeAll('the user stopped chrome-mcp in this browser');
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
    this.consent.egress.changed();
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
        this.consent.egress.changed();
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
        return { type: 'site', url: request.url, servers: this.consent.site(request.url, request.tab) };
      case 'grant':
        this.consent.choose(request);
        break;
      case 'revoke':
        this.consent.grants.remove(request.id);
        break;
      case 'free':
        await this.free(request.tab);
        break;
      default:
        this.neighbours.request(request);
    }
    this.panel.changed();
    return undefined;
  }

  // free gives a tab back to the user. What Chrome's rules stopped there is tried again.
  private async free(tab: number): Promise<void> {
    const denied = this.consent.denied(tab);
    this.ownership.drop(tab);
    await Promise.all([this.debugger.leave(tab), this.consent.egress.ready()]);
    await chrome.tabs.ungroup(tab).catch(() => {});
    if (denied) await chrome.tabs.reload(tab).catch(() => {});
  }

  private state(): UiState {
    const { local } = this.store;
    return uiState({
      stopped: local.stopped !== '',
      paired: local.paired,
      enabled: local.enabled,
      name: local.name,
      asks: [...this.consent.asks.list()],
      grants: this.consent.granting(),
      others: this.neighbours.state(),
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

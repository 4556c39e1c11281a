// Consent is the user's part in what agents may do: what they granted, what they may be
// asked for, and Chrome's rules that follow from it. The popup and the options page are
// the only ones who change it.

import { Asks } from './asks';
import type { Book } from './book';
import { Egress } from './egress';
import type { Scope } from './egress';
import { Failure } from './failure';
import { decide, decidePageTool } from './gate';
import type { Place } from './gate';
import { Grants } from './grants';
import type { Choice, Kept } from './grants';
import type { Link } from './link';
import type { Links } from './links';
import type { Ownership } from './ownership';
import { grantOrigin, grantSite } from './policy';
import type { Rules } from './policy';
import type { Request } from './router';
import type { AskState, GrantState, SiteAccess } from './state';
import type { Store } from './store';
import { Whereabouts } from './whereabouts';
import { EventGrants } from './wire.gen';
import type { Access, Decision, Grant, GrantsEvent, RefusedParams } from './wire.gen';

// What Chrome says of a navigation that a rule of ours stopped; also of one that
// another extension stopped, so the rules are asked again.
const stopped = 'net::ERR_BLOCKED_BY_CLIENT';

// Parts are the parts of the worker that consent needs.
export interface Parts {
  store: Store;
  book: Book;
  links: Links;
  ownership: Ownership;
  changed(): void; // the pages show something else
}

// Consent does the work.
export class Consent {
  readonly grants: Grants;
  readonly asks: Asks;
  readonly egress: Egress;
  readonly whereabouts: Whereabouts;

  constructor(private readonly parts: Parts) {
    this.grants = new Grants(parts.store.grants, () => this.granted());
    this.asks = new Asks(parts.store.asks, () => {
      parts.store.saveAsks();
      parts.changed();
    });
    this.egress = new Egress(() => this.scopes(), () => this.settled());
    this.whereabouts = new Whereabouts({ changed: () => this.egress.changed(), mine: (tab) => void this.again(tab) });
  }

  // start goes on with what the store has.
  start(): void {
    this.grants.watch();
    this.egress.changed();
    for (const tab of this.parts.store.owners.keys()) void this.whereabouts.look(tab);
  }

  // claimed waits until Chrome's rules are those of a tab that a session has come to.
  async claimed(tab: number): Promise<void> {
    await this.whereabouts.look(tab);
    await this.egress.ready();
  }

  // choose takes the user's word on a site, which answers what was asked about it.
  choose(choice: Choice): void {
    this.grants.choose(choice);
    this.asks.keep((ask) => ask.site !== choice.site || ask.client !== choice.client || ask.pageTool !== choice.pageTool);
  }

  // denied reports whether a tab stands where its owner may not read, which is to say
  // that it was stopped on the way there.
  denied(tab: number): boolean {
    const owner = this.parts.ownership.of(tab);
    const link = owner && this.parts.links.get(owner.server);
    const url = this.parts.book.known(tab)?.url ?? '';
    return link !== undefined && !decide({ url, origin: '' }, 'read', link.policy).allow;
  }

  // rules are what a server's client may do: with a call, what is left for that one.
  rules(link: Link, call?: string): Rules {
    return { ...link.welcome?.policy, grants: this.grants.of(link.client, call) };
  }

  // welcomed tells a server what is granted, before all else.
  welcomed(link: Link): void {
    const policy = link.welcome?.policy ?? {};
    this.parts.store.known.set(link.id, { client: link.client, policy });
    this.parts.store.saveKnown();
    this.tell(link);
    this.egress.changed();
  }

  // gone forgets a server that has ended.
  gone(server: string): void {
    if (this.parts.store.known.delete(server)) this.parts.store.saveKnown();
    this.asks.keep((ask) => ask.server !== server);
    this.egress.changed();
  }

  private tell(link: Link): void {
    link.event(EventGrants, 0, { grants: this.grants.of(link.client) } satisfies GrantsEvent);
  }

  private granted(): void {
    this.parts.store.saveGrants();
    for (const link of this.parts.links.all()) this.tell(link);
    this.answered();
    this.egress.changed();
    this.parts.changed();
  }

  // answered drops the asks that need no answer any more.
  answered(): void {
    this.asks.keep((ask) => this.open(ask));
  }

  // open reports whether an answer would change something. What was granted for one call
  // and is taken does not count: that call has it.
  private open(ask: AskState): boolean {
    const link = this.parts.links.get(ask.server);
    if (!link) return false;
    const rules = this.rules(link, '');
    if (ask.pageTool) return decidePageTool({ url: `${ask.site}/`, origin: '' }, ask.pageTool, rules).site !== undefined;
    return decide({ url: `https://${ask.site}/`, origin: '' }, ask.access, rules).site !== undefined ||
      decide({ url: `http://${ask.site}/`, origin: '' }, ask.access, rules).site !== undefined;
  }

  // use lets a call have what was granted for once, where it needs that: for the site, and
  // for the page's tool that it calls.
  use(request: Request<Link>, place: Place, access: Access, pageTool = ''): void {
    const rest = (once: (g: Grant) => boolean): Rules =>
      ({ ...request.policy, grants: (request.policy.grants ?? []).filter((g) => g.until !== 'once' || !once(g)) });
    this.take(request, access, decide(place, access, rest(() => true)));
    if (pageTool) this.take(request, access, decidePageTool(place, pageTool, rest((g) => g.pageTool === pageTool)));
  }

  // take takes the grant that would lift a refusal.
  private take(request: Request<Link>, access: Access, without: Decision): void {
    if (without.allow) return;
    const { site = '', pageTool } = without;
    const about = { site, ...(pageTool ? { pageTool } : {}) };
    if (this.grants.take(about, request.asker.client, request.call)) return;
    throw new Failure('POLICY_DENIED', without.reason ?? '', { data: { ...about, access } });
  }

  // refused takes a server's word that a call was refused for want of a grant.
  async refused(request: Request<Link>): Promise<object> {
    const { site, access, pageTool } = request.params as unknown as RefusedParams;
    if (typeof pageTool === 'string' && pageTool !== '') {
      if (typeof site === 'string' && grantOrigin(site) === site) {
        this.ask(request.asker, { site, access: 'act', tool: request.tool, pageTool }, request.tab || undefined);
      }
      return {};
    }
    const tab = request.tab || undefined;
    const url = tab === undefined ? undefined : (await this.parts.book.get(tab).catch(() => undefined))?.url;
    const name = typeof site === 'string' && site !== '' ? site : grantSite(url ?? '');
    if (name && (access === 'read' || access === 'act')) this.ask(request.asker, { site: name, access, tool: request.tool }, tab);
    return {};
  }

  // failed takes Chrome's word that a navigation failed.
  failed(tab: number, url: string, error: string): void {
    const owner = this.parts.ownership.of(tab);
    if (error === stopped && !owner) this.whereabouts.stopped(tab);
    const link = owner && this.parts.links.get(owner.server);
    const site = error === stopped && link ? decide({ url, origin: '' }, 'read', link.policy).site : undefined;
    if (link && site) this.ask(link, { site, access: 'read', tool: '' }, tab);
  }

  // again loads what was stopped in a tab that is the user's after all.
  private async again(tab: number): Promise<void> {
    await this.egress.ready();
    await chrome.tabs.reload(tab).catch(() => {});
  }

  private ask(link: Link, what: Pick<AskState, 'site' | 'access' | 'tool' | 'pageTool'>, tab: number | undefined): void {
    const ask = { ...what, client: link.client, server: link.id, ...(tab === undefined ? {} : { tab }) };
    if (this.open({ ...ask, id: '', at: 0 })) this.asks.put(ask);
  }

  // scopes are the tabs that Chrome's rules are for. While the user has stopped the
  // work there are none.
  private scopes(): Scope[] {
    const { store } = this.parts;
    if (store.local.stopped !== '') return [];
    return [...store.known].map(([server, { client, policy }]) => {
      const tabs = [...store.owners].filter(([, owner]) => owner.server === server).map(([tab]) => tab);
      return { tabs, hosts: this.whereabouts.hosts(tabs), rules: { ...policy, grants: this.grants.of(client) } };
    });
  }

  // settled are the tabs that are known to be the user's or a session's.
  private settled(): number[] {
    return this.parts.book.ids().filter((tab) => this.parts.ownership.of(tab) || !this.whereabouts.fresh(tab));
  }

  // Pages.

  // granting lists the grants as the pages show them. One for once that a call has is
  // spent for everybody else.
  granting(): GrantState[] {
    return this.grants.list().filter((g) => g.call === undefined).map(shown);
  }

  // site is what each client may do on a page, clients alike in one row.
  site(url: string, tab: number | undefined): SiteAccess[] {
    const rows = this.parts.links.all().filter((link) => link.state === 'connected').map((link) => this.access(link, url, tab));
    return rows.filter((row, i) => rows.findIndex((other) => JSON.stringify(other) === JSON.stringify(row)) === i);
  }

  private access(link: Link, url: string, tab: number | undefined): SiteAccess {
    const place = { url, origin: '' };
    const read = decide(place, 'read', link.policy);
    const act = decide(place, 'act', link.policy);
    const name = grantSite(url);
    const grant = this.grants.list().find((g) => !g.pageTool && g.site === name && (g.client === '' || g.client === link.client));
    return {
      client: link.client,
      read: read.allow,
      act: act.allow,
      ...(read.rule ? { rule: read.rule } : {}),
      ...(read.site || act.site || grant ? { site: name ?? '' } : {}),
      ...(grant ? { grant: shown(grant) } : {}),
      ...(link.policy.noSiteGrants ? { flagsOnly: true } : {}),
      ...(tab !== undefined && this.parts.ownership.of(tab)?.server === link.id ? { here: true } : {}),
    };
  }
}

function shown({ id, site, client, level, until, pageTool }: Kept): GrantState {
  return { id, site, client, level, until, ...(pageTool ? { pageTool } : {}) };
}

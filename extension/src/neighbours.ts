// Neighbours are the other extensions of the browser: those that use the tools of our
// servers, and those whose tools our servers use.

import { identity } from './browser';
import { isProbe, senderOf } from './extproto';
import type { Host } from './host';
import type { Link } from './link';
import type { Links } from './links';
import { Providers } from './providers';
import { Relay } from './relay';
import { Reviews } from './reviews';
import type { Handler, Request as Asked } from './router';
import { Serving } from './serving';
import type { OthersState, Request } from './state';
import type { Store } from './store';
import { EventExtProviders, EventExtServing } from './wire.gen';
import type { ExtReportParams, ExtReviewParams, ExtReviewResult, Method } from './wire.gen';

// Street is what neighbours need of the rest of the worker.
export interface Street {
  readonly store: Store;
  readonly links: Links;
  readonly host: Host;
  soon(work: () => void): void;
  changed(): void;
}

// Neighbours puts together what has to do with other extensions.
export class Neighbours {
  readonly serving: Serving;
  readonly reviews: Reviews;
  readonly relay: Relay;
  readonly providers: Providers;
  private problem = ''; // with what the user entered last

  constructor(private readonly street: Street) {
    this.serving = new Serving(street.store, () => this.served());
    this.reviews = new Reviews(() => street.changed());
    this.providers = new Providers(street.store, chrome.runtime.id, () => this.named());
    this.relay = new Relay({
      links: () => street.links.all(),
      identity,
      refusal: (extension) => this.serving.refusal(extension),
      name: (extension) => this.serving.name(extension),
      stopped: () => this.street.store.local.stopped !== '',
      dialling: () => this.dialling(),
      unready: () => this.unready(),
      closed: (port) => this.reviews.drop(port),
      soon: (work) => street.soon(work),
    });
  }

  // probed answers the probe of another extension, and nothing else.
  probed(message: unknown, sender: chrome.runtime.MessageSender, answer: (a: unknown) => void): boolean {
    if (!isProbe(message)) return false;
    this.street.soon(() => void this.serving.probe(senderOf(sender), message, identity().version, () => this.relay.ready()).then(answer));
    return true;
  }

  welcomed(link: Link): void {
    link.event(EventExtServing, 0, this.serving.told());
    link.event(EventExtProviders, 0, this.providers.told());
  }

  // gone forgets a server.
  gone(server: string): void {
    if (this.providers.gone(server)) this.street.changed();
  }

  // handlers are those of the wire's methods.
  handlers(live: (handler: Handler<Link>) => Handler<Link>): Pick<Record<Method, Handler<Link>>, 'ext_port_open' | 'ext_port_message' | 'ext_port_close' | 'ext_probe' | 'ext_review' | 'ext_report'> {
    return {
      ext_port_open: live((r) => this.relay.open(r)),
      ext_port_message: live((r) => this.relay.message(r)),
      ext_port_close: (r) => this.relay.close(r),
      ext_probe: live((r) => this.relay.probe(r)),
      ext_review: live((r) => this.review(r)),
      ext_report: (r) => this.report(r),
    };
  }

  // request does what the user asks for; false for what is not about other extensions.
  request(request: Request): boolean {
    switch (request.type) {
      case 'serve':
        this.serving.set(request);
        return true;
      case 'caller':
        this.serving.say(request.id, request.word);
        return true;
      case 'review':
        this.reviews.say(request.id, request.allowed);
        return true;
      case 'provider':
        this.problem = this.providers.change(request.id, request.change, request.namespace);
        return true;
      case 'ask':
        this.named();
        return true;
    }
    return false;
  }

  state(): OthersState {
    const { serving, reviews, providers } = this;
    return { ...serving.switches, callers: serving.callers(), reviews: reviews.list(), providers: providers.list(), problem: this.problem };
  }

  // served tells what the user lets other extensions do now.
  private served(): void {
    for (const link of this.street.links.all()) link.event(EventExtServing, 0, this.serving.told());
    this.relay.judged((extension) => this.serving.allowed(extension));
    this.street.changed();
  }

  // named tells which providers the user named, and has them asked.
  private named(): void {
    for (const link of this.street.links.all()) link.event(EventExtProviders, 0, this.providers.told());
    this.street.changed();
  }

  private review({ asker, params }: Asked<Link>): Promise<ExtReviewResult> {
    const asked = params as unknown as ExtReviewParams;
    const caller = this.relay.of(asker, asked.port);
    if (!caller) return Promise.resolve({ allowed: false, reason: 'the caller is gone' });
    return this.reviews.ask(caller, asked);
  }

  private report({ asker, params }: Asked<Link>): Promise<object> {
    this.providers.report(asker, params as unknown as ExtReportParams);
    this.street.changed();
    return Promise.resolve({});
  }

  // dialling reports whether a server may be connected in a moment: the worker has just
  // begun, or lost its socket.
  private dialling(): boolean {
    const { host, links } = this.street;
    return host.state.state === 'connecting' || links.all().some((link) => link.state === 'dialing' || link.state === 'closed');
  }

  // unready is why no server can be used, in words for whoever asks.
  private unready(): string {
    const { local, manual } = this.street.store;
    if (local.stopped) return 'the user stopped chrome-mcp in this browser; only they can let it go on, with Resume in its popup';
    if (!local.enabled && manual.length === 0) return 'chrome-mcp is not paired; the user has to press Pair on its options page';
    return 'no chrome-mcp server runs; the user has to start an MCP client that uses chrome-mcp';
  }
}

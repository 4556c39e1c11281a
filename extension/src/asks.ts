// Asks are the sites that clients were refused lately and that the user could grant.
// A server may report one; it is shown, and nothing else comes of it.

import { grantOrigin, grantSite } from './policy';
import type { AskState } from './state';

// most bounds the list: a page may lead an agent to any number of sites.
const most = 20;

// lasts is how long an ask is shown.
const lasts = 10 * 60_000;

// Asks holds them, the newest first. The list and its saving are the store's.
export class Asks {
  constructor(private readonly asks: AskState[], private readonly changed: () => void) {}

  list(): readonly AskState[] {
    return this.asks;
  }

  // put adds an ask. One site of one client is one ask, with the most that was wanted.
  put(ask: Omit<AskState, 'id' | 'at'>): void {
    if (!judgeable(ask)) return;
    const known = this.asks.find((a) => a.site === ask.site && a.client === ask.client && a.pageTool === ask.pageTool);
    const access = known?.access === 'act' ? 'act' : ask.access;
    const left = this.asks.filter((a) => a !== known).slice(0, most - 1);
    const { tab, ...rest } = { ...ask, access, id: known?.id ?? crypto.randomUUID(), at: Date.now() };
    this.replace([tab === undefined ? rest : { ...rest, tab }, ...left]);
  }

  // keep drops the asks that are answered, and those whose time is over.
  keep(open: (ask: AskState) => boolean): void {
    const left = this.asks.filter((a) => Date.now() - a.at < lasts && open(a));
    if (left.length < this.asks.length) this.replace(left);
  }

  private replace(asks: AskState[]): void {
    this.asks.splice(0, this.asks.length, ...asks);
    this.changed();
  }
}

// judgeable reports whether a person could judge it: a host, or an origin and a tool of
// a name that can be shown.
function judgeable({ site, pageTool }: Pick<AskState, 'site' | 'pageTool'>): boolean {
  if (pageTool) return grantOrigin(site) === site && pageTool.length <= 128;
  return ['https', 'http'].some((scheme) => grantSite(`${scheme}://${site}/`) === site);
}

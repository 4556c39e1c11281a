// Providers are extensions whose tools the servers offer: the user names them here, the
// servers ask them and report how they stand. The worker only keeps both.

import { isExtensionId, printable } from './extproto';
import type { Link } from './link';
import type { ProviderState } from './state';
import type { ExtProvider, ExtProviders, ExtReportParams, ExtStanding } from './wire.gen';

// most bounds the list.
const most = 32;

// Shelf is what the store keeps of it.
export interface Shelf {
  readonly local: { readonly providers: ExtProvider[] };
  saveProviders(providers: ExtProvider[]): void;
}

// Change is what a user may do to a provider.
export type Change = 'add' | 'remove' | 'on' | 'off' | 'write' | 'read';

// Providers holds the list and the latest reports.
export class Providers {
  private reports = new Map<string, ExtStanding[]>(); // by server, the latest last

  constructor(private readonly shelf: Shelf, private readonly self: string, private readonly changed: () => void) {}

  // told is what servers are told.
  told(): ExtProviders {
    return { providers: this.shelf.local.providers };
  }

  // change does what the user says, and returns what is wrong with it, "" for nothing.
  change(id: string, change: Change, namespace = ''): string {
    const { providers } = this.shelf.local;
    if (!isExtensionId(id)) return 'That is no extension id. It has 32 letters from a to p; chrome://extensions shows it.';
    if (id === this.self) return 'That is chrome-mcp itself.';
    const known = providers.find((p) => p.extension === id);
    if (change === 'add') {
      if (providers.length >= most && !known) return `${most} providers are the most; remove one first.`;
      const added: ExtProvider = { ...known, extension: id, ...namespace && { namespace } };
      this.save(known ? providers.map((p) => (p === known ? added : p)) : [...providers, added]);
      return '';
    }
    if (!known) return '';
    this.save(change === 'remove' ? providers.filter((p) => p !== known) : providers.map((p) => (p === known ? turned(p, change) : p)));
    return '';
  }

  private save(providers: ExtProvider[]): void {
    this.shelf.saveProviders(providers);
    this.changed();
  }

  // report takes what a server says of its providers, those of its command line too.
  report(link: Link, { providers }: ExtReportParams): void {
    if (!Array.isArray(providers)) return;
    this.reports.delete(link.id);
    this.reports.set(link.id, providers.filter((p) => isExtensionId(p?.extension)));
  }

  // gone forgets a server's report.
  gone(server: string): boolean {
    return this.reports.delete(server);
  }

  // list has the user's own and what servers were told on their command lines.
  list(): ProviderState[] {
    const said = new Map<string, ExtStanding>();
    for (const report of this.reports.values()) {
      for (const standing of report) said.set(standing.extension, standing);
    }
    const { providers } = this.shelf.local;
    const named = providers.map((p) => state(p, said.get(p.extension), true));
    const others = [...said.values()].filter((s) => !providers.some((p) => p.extension === s.extension));
    return [...named, ...others.map((s) => state({ extension: s.extension }, s, false))];
  }
}

function turned(p: ExtProvider, change: Change): ExtProvider {
  const { off, writes, ...rest } = p;
  const next = { off: off ?? false, writes: writes ?? false };
  if (change === 'on' || change === 'off') next.off = change === 'off';
  else next.writes = change === 'write';
  return { ...rest, ...next.off && { off: true }, ...next.writes && { writes: true } };
}

function state(p: ExtProvider, s: ExtStanding | undefined, own: boolean): ProviderState {
  return {
    id: p.extension,
    namespace: s?.namespace ?? p.namespace ?? '',
    name: printable(s?.name ?? '', 60),
    off: p.off ?? false,
    writes: p.writes ?? false,
    own,
    state: p.off ? 'off' : s?.state ?? 'waiting',
    text: p.off ? '' : printable(s?.text ?? '', 300),
    tools: s?.tools ?? 0,
    held: s?.held ?? 0,
    refused: (s?.refused ?? []).map((r) => printable(r, 300)),
  };
}

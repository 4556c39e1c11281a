// Grants are what the user said in the popup: which client may do what on which site,
// and for how long. Only the extension's own pages can make one; servers are told.
//
// Always is for every client and kept with the profile. Session is for one client, by
// its name, and ends with the browser. Once is for one tool call of one client: the
// call that first reads or acts on the site takes it, going there does not. It ends
// when that call has been quiet for a while, or when nobody takes it in time. Deny is
// for one client and stays until the user takes it back.

import type { Grant, Level, Until } from './wire.gen';

// Kept is a grant as the extension keeps it.
export interface Kept extends Grant {
  id: string;
  client: string; // "" is every client
  given: number; // milliseconds since the epoch
  used: number; // the same; of those for once
  call?: string; // that took it; only of those for once
}

// Choice is what the user pressed.
export interface Choice {
  site: string;
  client: string;
  level: Level;
  until: Until;
  pageTool?: string; // of the site, which is a whole origin then
}

// About is what a grant is about: a site, or a tool that pages of an origin offer.
type About = Pick<Choice, 'site' | 'pageTool'>;

const same = (a: About, b: About): boolean => a.site === b.site && (a.pageTool ?? '') === (b.pageTool ?? '');

// quiet is how long a call that took a grant may pause; tools wait for pages so long.
const quiet = 20_000;

// untaken is how long a grant for once waits for its call.
const untaken = 10 * 60_000;

// Grants holds them, the latest word first. The list and its saving are the store's.
export class Grants {
  private readonly running = new Map<string, number>(); // call → its commands under way
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly kept: Kept[], private readonly changed: () => void) {}

  list(): readonly Kept[] {
    return this.kept;
  }

  // of is what a client has. A call gets none that another call took; without a call
  // it is all that holds for somebody.
  of(client: string, call?: string): Grant[] {
    return this.kept
      .filter((g) => this.holds(g, client) && (call === undefined || g.call === undefined || g.call === call))
      .map(({ site, level, until, pageTool }) => ({ site, level, until, ...(pageTool ? { pageTool } : {}) }));
  }

  private holds(g: Kept, client: string): boolean {
    return g.client === '' || g.client === client;
  }

  // choose takes the user's word. It replaces earlier ones for the same site that it
  // speaks about; one for once leaves those that last longer to come back.
  choose(choice: Choice): void {
    const word = choice.level === 'deny' ? { ...choice, until: 'always' as const } : choice;
    const client = word.level !== 'deny' && word.until === 'always' ? '' : word.client;
    this.drop((g) => same(g, word) && (client === '' || g.client === client) &&
      (word.until !== 'once' || g.until === 'once' || g.level === 'deny'));
    this.kept.unshift({ ...word, client, id: crypto.randomUUID(), given: Date.now(), used: 0 });
    this.told();
  }

  // remove takes a grant back.
  remove(id: string): void {
    if (this.drop((g) => g.id === id)) this.told();
  }

  private drop(which: (g: Kept) => boolean): boolean {
    const left = this.kept.filter((g) => !which(g));
    const some = left.length < this.kept.length;
    this.kept.splice(0, this.kept.length, ...left);
    return some;
  }

  // take lets a call have the grant for once that it needs. It is false when another call
  // has it.
  take(about: About, client: string, call: string): boolean {
    const grant = this.kept.find((g) => same(g, about) && this.holds(g, client));
    if (grant?.until !== 'once') return true;
    if (grant.call !== undefined && grant.call !== call) return false;
    const first = grant.call === undefined;
    grant.call = call;
    grant.used = Date.now();
    if (first) this.told();
    return true;
  }

  // began notes a command of a call.
  began(call: string): void {
    this.running.set(call, (this.running.get(call) ?? 0) + 1);
  }

  // ended notes its answer: from now on the call is quiet.
  ended(call: string): void {
    const left = (this.running.get(call) ?? 1) - 1;
    if (left > 0) this.running.set(call, left);
    else this.running.delete(call);
    for (const g of this.kept) {
      if (g.call === call) g.used = Date.now();
    }
  }

  private told(): void {
    this.watch();
    this.changed();
  }

  // watch ends grants whose time is over, now and when the next one's is.
  watch(): void {
    clearTimeout(this.timer);
    const now = Date.now();
    const rest = (g: Kept): number => {
      if (g.until !== 'once') return Infinity;
      if (g.call === undefined) return g.given + untaken - now;
      return this.running.has(g.call) ? quiet : g.used + quiet - now;
    };
    if (this.drop((g) => rest(g) <= 0)) this.changed();
    const next = Math.min(...this.kept.map(rest));
    if (next !== Infinity) this.timer = setTimeout(() => this.watch(), next);
  }
}

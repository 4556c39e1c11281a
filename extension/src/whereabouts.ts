// Whereabouts is what Chrome's rules for navigations need to know of tabs: whose pages a
// session's tabs show, and which tabs are so new that nobody can tell whose they are.

// Chrome tells within this time which page opened a tab, if one did.
const soon = 1000;

// The word that a rule stopped a tab's first navigation comes within this time.
const late = 3000;

// A newcomer is a tab that nobody knows yet, or that turned out to be the user's only now.
interface Newcomer {
  timer: ReturnType<typeof setTimeout>;
  mine: boolean;
  stopped: boolean; // a rule stopped its navigation
}

// Keeper is what whereabouts needs of the rest of the worker.
export interface Keeper {
  changed(): void; // the rules have to be made anew
  mine(tab: number): void; // a tab that was stopped turned out to be the user's
}

// Whereabouts keeps book of it by Chrome's events.
export class Whereabouts {
  private readonly shown = new Map<number, Set<string>>();
  private readonly newcomers = new Map<number, Newcomer>();

  constructor(private readonly keeper: Keeper) {}

  // committed notes a new document in a session's tab. The hosts of its frames stay
  // until the page itself changes.
  committed(tab: number, frame: number, url: string): void {
    const host = hostOf(url);
    const known = frame === 0 ? undefined : this.shown.get(tab);
    if (known && (!host || known.has(host))) return;
    this.shown.set(tab, new Set([...known ?? [], ...host ? [host] : []]));
    this.keeper.changed();
  }

  // look reads what a tab shows that a session has just come to.
  async look(tab: number): Promise<void> {
    const frames = await chrome.webNavigation.getAllFrames({ tabId: tab }).catch(() => null);
    const hosts = (frames ?? []).map((frame) => hostOf(frame.url)).filter((host) => host !== '');
    this.shown.set(tab, new Set([...this.shown.get(tab) ?? [], ...hosts]));
    this.keeper.changed();
  }

  // hosts are all that tabs show.
  hosts(tabs: number[]): string[] {
    return [...new Set(tabs.flatMap((tab) => [...this.shown.get(tab) ?? []]))].sort();
  }

  // arrived notes a new tab.
  arrived(tab: number): void {
    const timer = setTimeout(() => this.settle(tab, true), soon);
    this.newcomers.set(tab, { timer, mine: false, stopped: false });
  }

  // fresh reports whether nobody knows yet whose a tab is.
  fresh(tab: number): boolean {
    return this.newcomers.get(tab)?.mine === false;
  }

  // settle says whose a tab is: the user's, or a session's.
  settle(tab: number, mine: boolean): void {
    const newcomer = this.newcomers.get(tab);
    if (!newcomer || newcomer.mine) return;
    clearTimeout(newcomer.timer);
    newcomer.mine = mine;
    if (!mine || newcomer.stopped) this.newcomers.delete(tab);
    else newcomer.timer = setTimeout(() => this.newcomers.delete(tab), late);
    this.keeper.changed();
    if (mine && newcomer.stopped) this.keeper.mine(tab);
  }

  // stopped notes that a rule stopped a navigation in a tab without an owner. When it is
  // known to be the user's, it goes on.
  stopped(tab: number): void {
    const newcomer = this.newcomers.get(tab);
    if (!newcomer) return;
    newcomer.stopped = true;
    if (!newcomer.mine) return;
    this.gone(tab);
    this.keeper.mine(tab);
  }

  // gone forgets a tab.
  gone(tab: number): void {
    clearTimeout(this.newcomers.get(tab)?.timer);
    this.newcomers.delete(tab);
    this.shown.delete(tab);
  }
}

function hostOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.hostname.replace(/\.$/, '') : '';
}

// Panel tells the extension's own pages, and the badge, what is going on. It builds
// their state from the parts of the worker; it decides nothing.

import type { Host } from './host';
import type { Link } from './link';
import { PORT } from './state';
import type { AskState, GrantState, HostState, Message, OthersState, Problem, Request, ServerState, Step, UiState } from './state';

// Facts are what the state is made of.
export interface Facts {
  stopped: boolean;
  paired: boolean;
  enabled: boolean;
  name: string;
  host: Host['state'];
  links: Link[];
  asks: AskState[];
  grants: GrantState[];
  others: OthersState;
  manualProblem?: Problem | undefined;
  tabs(server: string): ServerState['tabs'];
}

// uiState builds the pages' state.
export function uiState(facts: Facts): UiState {
  const servers = facts.links.map((link) => server(link, facts));
  const state: UiState = {
    stopped: facts.stopped,
    paired: facts.paired,
    host: facts.host,
    steps: steps(facts.host, servers, facts.paired),
    servers,
    asks: facts.asks,
    grants: facts.grants,
    others: facts.others,
    browserName: facts.name,
  };
  const problem = facts.manualProblem ?? first(facts, servers);
  if (problem) state.problem = problem;
  return state;
}

// A missing host is no problem while servers that were named by hand are connected, nor
// before the user pressed Pair.
function first(facts: Facts, servers: ServerState[]): Problem | undefined {
  const refused = servers.find((s) => s.problem)?.problem;
  if (facts.stopped) return undefined;
  if (refused) return refused;
  const connected = servers.some((s) => s.state === 'connected');
  return facts.host.state === 'error' && connected ? undefined : facts.host.problem;
}

function server(link: Link, facts: Facts): ServerState {
  const out: ServerState = {
    sessionId: link.id,
    client: link.client,
    version: link.welcome?.serverVersion ?? '',
    port: link.server.port,
    pid: link.welcome?.pid ?? link.server.pid,
    since: link.since,
    state: link.state,
    tabs: facts.tabs(link.id),
  };
  if (link.problem) out.problem = link.problem;
  return out;
}

// steps are the steps of pairing as they stand.
export function steps(host: HostState, servers: ServerState[], paired: boolean): Step[] {
  const count = (state: ServerState['state']): number => servers.filter((s) => s.state === state).length;
  const all: Step[] = [hostStep(host), serverStep(host, servers.length, paired)];
  const reached = servers.length > 0;
  const connected = count('connected');
  const refused = servers.find((s) => s.state === 'refused');
  const dialled = connected > 0 || refused !== undefined;
  all.push(step('dial', !reached ? 'idle' : dialled ? 'done' : 'doing', reached && !dialled ? 'Dialling 127.0.0.1…' : undefined));
  if (connected > 0) all.push(step('welcome', 'done', connected === 1 ? 'One server' : `${connected} servers`));
  else if (refused) all.push(step('welcome', 'failed', refused.problem?.what));
  else all.push(step('welcome', 'idle'));
  return all;
}

function hostStep(host: HostState): Step {
  switch (host.state) {
    case 'ready':
      return step('host', 'done', `chrome-mcp ${host.version ?? ''}`.trim());
    case 'connecting':
      return step('host', 'doing');
    case 'error':
      return step('host', 'failed', host.problem?.what);
    default:
      return step('host', 'idle');
  }
}

// Once paired, no server is the usual state between two uses, and nothing to wait for.
function serverStep(host: HostState, count: number, paired: boolean): Step {
  if (count > 0) return step('servers', 'done', count === 1 ? 'One server runs' : `${count} servers run`);
  if (host.state !== 'ready') return step('servers', 'idle');
  return step('servers', paired ? 'idle' : 'doing', 'None runs now. Your MCP client starts it; this page follows by itself.');
}

function step(id: Step['id'], state: Step['state'], text?: string): Step {
  return text ? { id, state, text } : { id, state };
}

// Badge is what the toolbar icon says.
export interface Badge {
  text: string;
  colour: string;
  title: string;
}

// badge is the icon's sign for a state.
export function badge(state: UiState, enabled: boolean): Badge {
  const connected = state.servers.filter((s) => s.state === 'connected').length;
  if (state.stopped) return { text: 'off', colour: '#5f6368', title: 'chrome-mcp: stopped. Press Resume to go on.' };
  if (state.problem && enabled) return { text: '!', colour: '#b3261e', title: `chrome-mcp: ${state.problem.what}` };
  const caller = wanting(state.others);
  if (caller) return { text: '?', colour: '#8a5a00', title: `chrome-mcp: ${caller}` };
  const ask = state.asks[0];
  if (ask) return asking(ask, state.asks.length);
  if (connected > 0) return { text: String(connected), colour: '#1a7f37', title: `chrome-mcp: ${connected} connected` };
  return { text: '', colour: '#5f6368', title: 'chrome-mcp' };
}

// wanting is what another extension waits for, "" if none does.
function wanting({ callers, reviews }: OthersState): string {
  const [review] = reviews;
  if (review) return `the extension ${review.name || review.extension} wants to use ${review.tool}. Click to allow or deny.`;
  const caller = callers.find((c) => c.state === 'pending');
  return caller ? `the extension ${caller.name || caller.id} asks for access. Click to allow or deny.` : '';
}

// asking is the icon's sign for a site that waits for the user's word. It is on the
// icon of every tab: agents work in the background, and the user looks elsewhere.
function asking(ask: AskState, count: number): Badge {
  const wants = `${ask.client} was refused ${ask.site}`;
  const more = count > 1 ? `, and ${count - 1} more` : '';
  return { text: '?', colour: '#8a5a00', title: `chrome-mcp: ${wants}${more}. Click to allow or deny.` };
}

// Panel holds the ports of the open pages.
export class Panel {
  private readonly ports = new Set<chrome.runtime.Port>();
  private last = '';
  private shown = ''; // sign on the icon
  private due = false;

  constructor(private readonly state: () => UiState, private readonly enabled: () => boolean, private readonly request: (r: Request) => Promise<Message | undefined>) {}

  // open takes a page's port; false for a port that is not a page's.
  open(port: chrome.runtime.Port): boolean {
    // Only our own pages can connect at all; the user's word is taken from nobody else.
    if (port.name !== PORT || !port.sender?.url?.startsWith(chrome.runtime.getURL(''))) return false;
    this.ports.add(port);
    port.onDisconnect.addListener(() => this.ports.delete(port));
    port.onMessage.addListener((request: Request) => {
      void this.request(request).then((answer) => {
        if (answer && this.ports.has(port)) port.postMessage(answer);
      });
    });
    return true;
  }

  // greet tells a page the state for the first time.
  greet(port: chrome.runtime.Port): void {
    if (this.ports.has(port)) post(port, this.state());
  }

  // changed tells the pages and the badge, once for all changes of a turn.
  changed(): void {
    if (this.due) return;
    this.due = true;
    queueMicrotask(() => {
      this.due = false;
      this.publish();
    });
  }

  private publish(): void {
    const state = this.state();
    const text = JSON.stringify(state);
    if (text === this.last) return;
    this.last = text;
    for (const port of this.ports) post(port, state);
    this.show(badge(state, this.enabled()));
  }

  // show draws the icon anew only when it says something else: each time the browser
  // draws its whole tool bar, three times over, which navigations would wait for.
  private show(sign: Badge): void {
    const shown = JSON.stringify(sign);
    if (shown === this.shown) return;
    this.shown = shown;
    void chrome.action.setBadgeText({ text: sign.text });
    void chrome.action.setBadgeBackgroundColor({ color: sign.colour });
    void chrome.action.setTitle({ title: sign.title });
  }
}

function post(port: chrome.runtime.Port, state: UiState): void {
  port.postMessage({ type: 'state', state } satisfies Message);
}

// What the pages say about a state. Pure: the words are tested without a browser.
import { undrivable } from './gate.ts';
import type { AskState, CallerState, GrantState, HostState, Problem, ProviderState, ReviewState, ServerState, SiteAccess, Step, UiState } from './state.ts';

// Tone is the colour and shape of the dot beside a status.
export type Tone = 'ok' | 'busy' | 'bad' | 'off' | 'idle';

// Summary is the headline of both pages. Tools read status: it is exactly
// "connected" while a server is, and never has that word otherwise.
export interface Summary {
  status: string;
  tone: Tone;
  detail: string;
}

export function summary(s: UiState): Summary {
  const live = s.servers.filter((v) => v.state === 'connected');
  if (s.stopped) {
    return { status: 'stopped', tone: 'off', detail: 'No agent can use this browser until you press Resume.' };
  }
  if (live.length > 0) {
    return { status: 'connected', tone: 'ok', detail: work(live) };
  }
  const problem = mainProblem(s);
  if (s.steps.some((v) => v.state === 'doing') || s.host.state === 'connecting') {
    return { status: s.paired ? 'reconnecting…' : 'pairing…', tone: 'busy', detail: 'This takes a moment.' };
  }
  if (problem) {
    return { status: 'needs your help', tone: 'bad', detail: 'The step that failed is marked below, with what mends it.' };
  }
  if (s.paired) {
    return { status: 'ready', tone: 'idle', detail: 'Paired. The next server that starts joins by itself, without a click.' };
  }
  return {
    status: 'not paired',
    tone: 'idle',
    detail: 'Press Pair once. After that, every server that starts joins by itself.',
  };
}

function work(live: ServerState[]): string {
  const tabs = live.reduce((n, v) => n + v.tabs.length, 0);
  const who = live.length === 1 ? live[0]?.client || 'One server' : `${live.length} servers`;
  if (tabs === 0) {
    return `${who} ${live.length === 1 ? 'has' : 'have'} no tab open.`;
  }
  return `${who} ${live.length === 1 ? 'works' : 'work'} in ${count(tabs, 'tab')}.`;
}

// mainProblem is the one to show beside the steps. While others work, what is wrong with
// one server is said in its row only.
export function mainProblem(s: UiState): Problem | undefined {
  if (s.stopped) {
    return undefined;
  }
  const failed = s.steps.find((v) => v.state === 'failed');
  const main = s.problem ?? s.host.problem ?? (failed && { what: failed.text || `The step “${failed.id}” failed.` });
  const works = s.servers.some((v) => v.state === 'connected');
  return works && s.servers.some((v) => same(v.problem, main)) ? undefined : main;
}

// serverProblem is the one to show in a server's row, if it is not said already.
export function serverProblem(v: ServerState, s: UiState): Problem | undefined {
  return same(v.problem, mainProblem(s)) ? undefined : v.problem;
}

function same(a: Problem | undefined, b: Problem | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

// serverLine is the state of one server, in words and tone. After Cancel in Chrome's
// debugging bar sockets stay open, and no server may do anything.
export function serverLine(v: ServerState, stopped: boolean): { text: string; tone: Tone } {
  if (stopped) {
    return { text: 'stopped', tone: 'off' };
  }
  switch (v.state) {
    case 'connected':
      return { text: '', tone: 'ok' };
    case 'dialing':
      return { text: 'dialing…', tone: 'busy' };
    case 'refused':
      return { text: 'refused', tone: 'bad' };
    case 'closed':
      return { text: 'closed', tone: 'off' };
  }
}

// serverMeta is the small print of a server.
export function serverMeta(v: ServerState, now: number): string {
  const parts = [];
  if (v.since > 0) {
    parts.push(`since ${clock(v.since, now)}`);
  }
  if (v.version) {
    parts.push(`v${v.version}`);
  }
  parts.push(`port ${v.port}`);
  return parts.join(' · ');
}

// clock tells a time of today by hour and minute, and an older one with its day.
export function clock(at: number, now: number): string {
  const time = new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  if (new Date(at).toDateString() === new Date(now).toDateString()) {
    return time;
  }
  return `${new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${time}`;
}

// stepWord is a step's state for those who do not see its mark.
export function stepWord(s: Step['state']): string {
  return { idle: 'not started', doing: 'in progress', done: 'done', failed: 'failed' }[s];
}

// versions is the footer: what is installed, and where.
export function versions(extension: string, host: HostState): string {
  const parts = [`extension ${extension}`];
  if (host.version) {
    parts.push(`host ${host.version}`);
  }
  if (host.dataDir) {
    parts.push(host.dataDir);
  }
  return parts.join(' · ');
}

// siteName is how a person calls a page, and whether any agent could ever reach it.
export function siteName(url: string): { name: string; drivable: boolean } {
  const drivable = undrivable(url) === '';
  const u = URL.canParse(url) ? new URL(url) : undefined;
  switch (u?.protocol) {
    case undefined:
      return { name: 'This page', drivable };
    case 'http:':
    case 'https:':
      return { name: u?.host ?? '', drivable };
    case 'file:':
      return { name: 'A file on this computer', drivable };
    case 'about:':
      return { name: url, drivable };
  }
  return { name: 'A page of the browser', drivable };
}

// missingFlags are the server's arguments that would permit what is refused now.
export function missingFlags(url: string, servers: SiteAccess[]): string {
  const flags = [];
  const { name, drivable } = siteName(url);
  if (drivable && url.startsWith('http') && servers.some((v) => !v.read)) {
    flags.push(`--allow-domain ${name}`);
  }
  if (drivable && servers.some((v) => !v.act)) {
    flags.push('--enable-mutations');
  }
  return flags.join(' ');
}

// plain is a name that a page gave, without what could make it look like other words: it
// cannot turn the direction of text, or begin a line.
export function plain(name: string): string {
  return name.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
}

// askText says who was refused a site, and in what.
export function askText(a: AskState): string {
  if (a.pageTool) {
    return `${a.client} wants to use a tool of this page, “${plain(a.pageTool)}”`;
  }
  if (a.tool === '') {
    return `A page led ${a.client} here`;
  }
  return `${a.client} was refused to ${a.access === 'act' ? 'act on it' : 'read it'} (${a.tool})`;
}

const levels = { read: 'Read only', full: 'Read and act', deny: 'Denied' };

// grantLevel is how much the user granted.
export function grantLevel(g: GrantState): string {
  if (g.pageTool) {
    return `${g.level === 'deny' ? 'Denied' : 'Use'}: its tool “${plain(g.pageTool)}”`;
  }
  return levels[g.level];
}

// grantFor is for whom and how long.
export function grantFor(g: GrantState): string {
  const who = g.client || 'every agent';
  switch (g.until) {
    case 'once':
      return `${who}, for one call`;
    case 'session':
      return `${who}, until the browser closes`;
    case 'always':
      return who;
  }
}

// grantText is both, as the popup says it of a site.
export function grantText(g: GrantState): string {
  const who = g.client || 'every agent';
  const how = { once: ', for one call', session: ' until the browser closes', always: '' }[g.until];
  return g.level === 'deny' ? `You denied it to ${who}.` : `You let ${who} ${g.level === 'read' ? 'read' : 'read and act'}${how}.`;
}

// ruleText says why a client may do on a site what it may.
export function ruleText(v: SiteAccess): string {
  if (v.grant && (v.grant.level === 'deny' || !v.flagsOnly)) {
    return grantText(v.grant);
  }
  if (v.rule && v.read) {
    return `by the rule ${v.rule}`;
  }
  return v.flagsOnly ? 'by its flags only (--no-site-grants)' : '';
}

// hereText says why a tab of a session goes nowhere else.
export function hereText(rows: SiteAccess[]): string {
  const here = rows.find((v) => v.here);
  if (!here) {
    return '';
  }
  return here.read
    ? `${here.client} works in this tab. It opens only sites that you allowed.`
    : `${here.client} works in this tab, so sites that you have not allowed do not open in it.`;
}

// callerName is what another extension calls itself, which proves nothing.
export function callerName(name: string): string {
  return name ? `“${name}”` : 'An extension without a name';
}

// callerWord is the user's word on it.
export function callerWord(c: CallerState): string {
  return { allowed: 'allowed', denied: 'denied', pending: 'asks for access' }[c.state];
}

// reviewText is what another extension wants to do.
export function reviewText(r: ReviewState): string {
  return `${callerName(r.name)} wants to use ${r.tool}${r.target ? ` on ${r.target}` : ''}`;
}

// providerWord is how a provider stands. What the servers say of it is theirs to word.
export function providerWord(p: ProviderState): string {
  const word = standing(p);
  return p.own ? word : `${word}; named on a server’s command line`;
}

function standing(p: ProviderState): string {
  switch (p.state) {
    case 'connected':
      return p.held > 0 ? `${count(p.tools, 'tool')}, ${p.held} of them held until it may change things` : count(p.tools, 'tool');
    case 'error':
      return p.text || 'it cannot be used';
    case 'off':
      return 'switched off';
  }
  return p.text || 'asked once a server runs';
}

// providerRefused is what of a provider is not offered, and why.
export function providerRefused(p: ProviderState): string {
  const [first = '', ...more] = p.refused;
  return `Not offered: ${first}${more.length > 0 ? `; and ${more.length} more, see chrome_status` : ''}`;
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

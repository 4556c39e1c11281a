// The contract between the worker and the extension's own pages (options, popup).
//
// A page opens a port named PORT. The worker posts a UiState at once and after every
// change; the page posts Requests. The page holds no truth of its own.

import type { Level, Until } from './wire.gen';

// PORT is the name that chrome.runtime.connect gets.
export const PORT = 'ui';

// Problem is what went wrong, and what mends it.
export interface Problem {
  what: string; // one sentence, for a person
  why?: string; // Chrome's or the peer's own words
  command?: string; // a line to run in a terminal
}

// HostState is the native messaging host as the worker sees it.
export interface HostState {
  state: 'off' | 'connecting' | 'ready' | 'error';
  version?: string;
  dataDir?: string;
  problem?: Problem;
}

// StepId names the steps of pairing, in order.
export type StepId = 'host' | 'servers' | 'dial' | 'welcome';

// Step is one step of pairing.
export interface Step {
  id: StepId;
  state: 'idle' | 'doing' | 'done' | 'failed';
  text?: string; // what was found, or why it failed
}

// TabState is a tab that a session works in.
export interface TabState {
  id: number;
  title: string;
  url: string;
}

// ServerState is one server and the socket to it.
export interface ServerState {
  sessionId: string;
  client: string;
  version: string; // "" until welcome
  port: number;
  pid: number;
  since: number; // milliseconds since the epoch, of the welcome; 0 before
  state: 'dialing' | 'connected' | 'refused' | 'closed';
  tabs: TabState[];
  problem?: Problem;
}

// AskState is a site that a client was refused and that the user could grant.
export interface AskState {
  id: string;
  site: string;
  client: string;
  server: string;
  access: 'read' | 'act';
  tool: string; // that was refused; "" for a page that went there by itself
  pageTool?: string; // the tool of the page that it wanted; site is its origin then
  tab?: number; // it was refused in
  at: number; // milliseconds since the epoch
}

// GrantState is what the user said about a site.
export interface GrantState {
  id: string;
  site: string;
  client: string; // "" is every client
  level: Level;
  until: Until;
  pageTool?: string; // a tool of the page; site is its origin then
}

// CallerState is another extension that called, or wants to.
export interface CallerState {
  id: string;
  name: string; // what it calls itself; "" if it has not said
  state: 'allowed' | 'denied' | 'pending';
  at: number; // milliseconds since the epoch, of the user's word or of the first call
}

// ReviewState is a write of another extension that waits for the user's click.
export interface ReviewState {
  id: string;
  extension: string;
  name: string; // what the extension calls itself
  tool: string;
  target: string; // site or tab
  detail: string; // arguments, cut short
  until: number; // milliseconds since the epoch
}

// ProviderState is an extension whose tools the servers offer.
export interface ProviderState {
  id: string;
  namespace: string;
  name: string; // what it calls itself; "" if it has not said
  off: boolean;
  writes: boolean; // it may do more than read
  own: boolean; // named here, not on a server's command line
  state: string; // connected, error, off, or waiting
  text: string; // why it is not connected
  tools: number;
  held: number; // of them, that wait for writes to be allowed
  refused: string[]; // what exceeds the limits, and why
}

// OthersState is what other extensions may do, and what they want.
export interface OthersState {
  enabled: boolean;
  writes: boolean;
  review: boolean;
  callers: CallerState[]; // those that wait first, then newest first
  reviews: ReviewState[]; // oldest first
  providers: ProviderState[];
  problem: string; // with what was entered last
}

// UiState is everything that the pages show.
export interface UiState {
  stopped: boolean; // the user pressed Stop, or Cancel in Chrome's debugging bar
  paired: boolean; // a server has said welcome once
  host: HostState;
  steps: Step[];
  servers: ServerState[];
  asks: AskState[]; // newest first
  grants: GrantState[]; // newest first
  others: OthersState;
  browserName: string; // of this profile, as servers show it
  problem?: Problem; // the one to show first
}

// SiteAccess is what one client may do on a site.
export interface SiteAccess {
  client: string;
  read: boolean;
  act: boolean;
  rule?: string;
  site?: string; // that the user may grant to it; none where it takes no grants
  grant?: GrantState; // the one that counts
  here?: boolean; // the tab is its own
  flagsOnly?: boolean; // it takes no grants (--no-site-grants)
}

// Request is what a page may ask of the worker.
export type Request =
  | { type: 'pair' } // starts the host port (and resumes) and runs the steps
  | { type: 'stop' }
  | { type: 'resume' }
  | { type: 'manual'; text: string } // the content of a handshake file
  | { type: 'site'; url: string; tab?: number }
  | { type: 'grant'; site: string; client: string; level: Level; until: Until; pageTool?: string }
  | { type: 'revoke'; id: string } // takes a grant back
  | { type: 'free'; tab: number } // takes a tab back from the session that owns it
  | { type: 'serve'; enabled?: boolean; writes?: boolean; review?: boolean } // to other extensions
  | { type: 'caller'; id: string; word: 'allow' | 'deny' | 'forget' }
  | { type: 'review'; id: string; allowed: boolean }
  | { type: 'provider'; id: string; change: 'add' | 'remove' | 'on' | 'off' | 'write' | 'read'; namespace?: string }
  | { type: 'ask' }; // all providers once more

// Message is what the worker posts.
export type Message =
  | { type: 'state'; state: UiState }
  | { type: 'site'; url: string; servers: SiteAccess[] };

// Host is the native messaging host: it tells which servers live. The port to it stays
// open while the user has the extension on, which also keeps the worker alive.

import type { HostState, Problem } from './state';
import { HostName, Protocol } from './wire.gen';
import type { AnyNative, NativeBye, NativeHello, Server } from './wire.gen';

// Desk is what the host needs of the rest of the worker.
export interface Desk {
  hello(): NativeHello;
  servers(servers: Server[]): void;
  changed(): void;
}

// Pauses before connecting again; after the last the alarm goes on.
const pauses = [0, 500, 2000, 5000];

// How long the host has to read why the port closes.
const farewell = 300;

// Host holds the port.
export class Host {
  state: HostState = { state: 'off' };
  private port: chrome.runtime.Port | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private tries = 0;

  constructor(private readonly desk: Desk) {}

  // connect opens the port, unless it is open.
  connect(): void {
    if (this.port) return;
    clearTimeout(this.again);
    this.set({ ...this.state, state: this.state.state === 'error' ? 'error' : 'connecting' });
    const port = chrome.runtime.connectNative(HostName);
    this.port = port;
    port.onMessage.addListener((message: AnyNative) => {
      if (this.port === port) this.read(message);
    });
    port.onDisconnect.addListener(() => {
      const said = chrome.runtime.lastError?.message ?? '';
      if (this.port === port) this.lost(said);
    });
    port.postMessage(this.desk.hello());
  }

  // fresh is connect without regard to earlier failures: the user asked.
  fresh(): void {
    this.tries = 0;
    if (!this.port) this.set({ state: 'connecting' });
    this.connect();
    this.ask();
  }

  // ask asks for the list of servers.
  ask(): void {
    if (this.state.state === 'ready') this.port?.postMessage({ v: Protocol, type: 'get_handshakes' });
  }

  // close closes the port: the user stopped the work. The host is told why and ends by
  // itself; Chrome would drop the word of a port that is hung up at once.
  close(): void {
    clearTimeout(this.again);
    const port = this.port;
    this.port = undefined;
    if (port) {
      const bye: NativeBye = { v: Protocol, type: 'bye', reason: 'stopped' };
      port.postMessage(bye);
      setTimeout(() => port.disconnect(), farewell);
    }
    this.set({ state: 'off' });
  }

  private read(message: AnyNative): void {
    switch (message.type) {
      case 'ready':
        this.tries = 0;
        this.set(ready(message.hostVersion, message.dataDir));
        this.desk.servers(message.servers ?? []);
        break;
      case 'handshakes':
        this.desk.servers(message.servers ?? []);
        break;
      case 'error':
        this.set({ ...this.state, state: this.state.state === 'ready' ? 'ready' : 'error', problem: refusal(message.code, message.message) });
        break;
    }
  }

  private lost(said: string): void {
    this.port = undefined;
    // What the host said before it went tells more than that it went.
    const problem = this.state.state === 'error' && this.state.problem && said.includes('has exited') ? this.state.problem : lastError(said);
    this.set({ state: 'error', problem });
    const pause = pauses[this.tries++];
    if (pause !== undefined) this.again = setTimeout(() => this.connect(), pause);
  }

  private set(state: HostState): void {
    this.state = state;
    this.desk.changed();
  }
}

const install = 'chrome-mcp install';

// lastError names what is behind Chrome's sentence, and the command that mends it.
export function lastError(said: string): Problem {
  if (/host not found/i.test(said)) {
    return { what: 'chrome-mcp is not installed for this browser, or its program was moved.', why: said, command: install };
  }
  if (/forbidden/i.test(said)) {
    return { what: 'The installed chrome-mcp does not know this extension: another program or version wrote its manifest.', why: said, command: install };
  }
  if (/has exited/i.test(said)) {
    return { what: 'The chrome-mcp program started and ended at once.', why: said, command: 'chrome-mcp doctor' };
  }
  if (/Error when communicating/i.test(said)) {
    return { what: 'What answered is not the chrome-mcp host of this version.', why: said, command: install };
  }
  if (/exceeded maximum allowed size/i.test(said)) {
    return { what: 'A message to the chrome-mcp program was too large.', why: said };
  }
  return { what: 'The connection to the chrome-mcp program ended.', ...(said ? { why: said } : {}), command: 'chrome-mcp doctor' };
}

function refusal(code: string, message: string): Problem {
  const command = code === 'HANDSHAKE_UNREADABLE' ? 'chrome-mcp doctor' : install;
  return { what: message, why: code, command };
}

function ready(version: string, dataDir: string): HostState {
  const problem = versionProblem(version, chrome.runtime.getManifest().version, dataDir);
  return { state: 'ready', version, dataDir, ...(problem ? { problem } : {}) };
}

// versionProblem says which side is old. Both are released together.
export function versionProblem(host: string, extension: string, dataDir: string): Problem | undefined {
  if (host === extension) return undefined;
  const why = `VERSION_MISMATCH: chrome-mcp is ${host}, this extension is ${extension}`;
  return older(extension, host)
    ? { what: `The extension is older than chrome-mcp. Reload it at chrome://extensions from ${dataDir}/extension.`, why, command: install }
    : { what: 'chrome-mcp is older than the extension. Install the newer program, then run this.', why, command: install };
}

function older(a: string, b: string): boolean {
  const numbers = (version: string): number[] => version.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0);
  const [left, right] = [numbers(a), numbers(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [l, r] = [left[i] ?? 0, right[i] ?? 0];
    if (l !== r) return l < r;
  }
  return false;
}

// A Link is the socket to one server: hello, welcome, heartbeat, commands in, answers
// and events out. It dials again by itself while its server lives, and does not when
// the server has refused it or another connection took its place.

import type { Problem, ServerState } from './state';
import { CloseRefused, CloseReplaced, CloseStopped, HeartbeatMS, HelloTimeoutMS, Protocol } from './wire.gen';
import type { Rules } from './policy';
import type { AnyFrame, Command, ErrorFrame, EventFrame, Hello, Result, Server, Unauthorized, Welcome } from './wire.gen';

// Socket is the part of a WebSocket that a Link uses.
export type Socket = Pick<WebSocket, 'send' | 'close' | 'readyState' | 'bufferedAmount' | 'onopen' | 'onmessage' | 'onclose'>;

// Office is what a Link needs of the rest of the worker.
export interface Office {
  dial(url: string): Socket;
  hello(token: string): Hello;
  command(link: Link, command: Command): Promise<Result | ErrorFrame | undefined>; // undefined: it is answered already
  rules(link: Link, call?: string): Rules;
  welcomed(link: Link): void; // nothing was sent to the server yet
  changed(link: Link): void;
  refused(link: Link): void; // the token may have changed: ask the host
}

// Pauses before dialling again, while the server is in the list.
const pauses = [50, 200, 500, 1000, 2000, 5000];

const opened = 1; // WebSocket.OPEN

// Link is one server.
export class Link {
  state: ServerState['state'] = 'closed';
  welcome: Welcome | undefined;
  since = 0;
  problem: Problem | undefined;
  tries = 0; // since the last welcome
  private socket: Socket | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private beat: ReturnType<typeof setInterval> | undefined;
  private silent = 0; // heartbeats without a word from the server
  private ended = false;

  constructor(public server: Server, private readonly office: Office, readonly manual = false) {}

  // id is the server's session id, which names the link.
  get id(): string {
    return this.server.sessionId;
  }

  // client is the name of the server's client.
  get client(): string {
    return this.welcome?.client || this.server.client || 'MCP client';
  }

  // rules are the server's policy with what the user granted to its client: of a call
  // what is left for that, without one all.
  rules(call?: string): Rules {
    return this.office.rules(this, call);
  }

  get policy(): Rules {
    return this.rules();
  }

  // dial opens the socket, unless it is open or the link is at its end.
  dial(): void {
    if (this.ended || this.socket || this.state === 'refused') return;
    clearTimeout(this.again);
    this.tries++;
    this.set('dialing');
    let socket: Socket;
    try {
      socket = this.office.dial(`ws://127.0.0.1:${this.server.port}`);
    } catch {
      this.lost(1006);
      return;
    }
    this.socket = socket;
    const late = setTimeout(() => this.drop(socket), HelloTimeoutMS);
    socket.onopen = () => this.post(this.office.hello(this.server.token));
    socket.onmessage = (event) => {
      if (this.socket === socket) this.read(event.data);
      if (this.state !== 'dialing') clearTimeout(late);
    };
    socket.onclose = (event) => {
      clearTimeout(late);
      if (this.socket === socket) this.lost(event.code);
    };
  }

  // retry dials even a server that refused.
  retry(): void {
    if (this.state === 'refused') this.set('closed');
    this.dial();
  }

  // update takes what the host says of the server now; true when it is another start
  // of it, or another token.
  update(server: Server): boolean {
    const was = this.server;
    const changed = was.port !== server.port || was.token !== server.token || was.pid !== server.pid || was.ts !== server.ts;
    this.server = server;
    if (!changed) return false;
    this.problem = undefined;
    this.hangUp(1000);
    this.set('closed');
    this.tries = 0;
    return true;
  }

  // close ends the link for good.
  close(stopped = false): void {
    this.ended = true;
    this.hangUp(stopped ? CloseStopped : 1000);
    this.set('closed');
  }

  // event tells the server what happened.
  event(name: string, tabId: number, data: unknown): void {
    if (this.state !== 'connected') return;
    const frame: EventFrame = { v: Protocol, type: 'event', event: name, tabId, data };
    this.post(frame);
  }

  // backlog is how many bytes wait to be sent.
  get backlog(): number {
    return this.socket?.bufferedAmount ?? 0;
  }

  private post(frame: AnyFrame): void {
    if (this.socket?.readyState === opened) this.socket.send(JSON.stringify(frame));
  }

  private read(data: unknown): void {
    this.silent = 0;
    const frame = parse(data);
    if (!frame) return;
    if (this.state === 'connected') this.frame(frame);
    else if (frame.type === 'welcome') this.welcomed(frame as Welcome);
    else if (frame.type === 'unauthorized') this.unauthorized(frame as Unauthorized);
  }

  private frame(frame: AnyFrame): void {
    switch (frame.type) {
      case 'command':
        void this.answer(frame);
        break;
      case 'ping':
        this.post({ v: Protocol, type: 'pong', ts: frame.ts });
        break;
    }
  }

  private async answer(command: Command): Promise<void> {
    const socket = this.socket;
    const frame = await this.office.command(this, command);
    // An answer belongs to the connection that asked; the next one knows no such id.
    if (frame && this.socket === socket) this.post(frame);
  }

  private welcomed(welcome: Welcome): void {
    this.welcome = welcome;
    this.since = Date.now();
    this.tries = 0;
    this.problem = undefined;
    this.beat = setInterval(() => this.heartbeat(), welcome.heartbeatMs || HeartbeatMS);
    this.state = 'connected';
    this.office.welcomed(this);
    this.set('connected');
  }

  private heartbeat(): void {
    if (this.silent >= 2) {
      if (this.socket) this.drop(this.socket);
      return;
    }
    this.silent++;
    this.post({ v: Protocol, type: 'ping', ts: Date.now() });
  }

  private unauthorized(frame: Unauthorized): void {
    const who = this.server.client || 'the server';
    this.problem = { what: refusals[frame.reason] ?? `${who} refused this browser.`, why: frame.message || frame.reason };
    this.hangUp(1000);
    this.set('refused');
    this.office.refused(this);
  }

  // drop gives up a socket that answers nothing. Closing may take long with a peer
  // that is gone, so nobody waits for it.
  private drop(socket: Socket): void {
    if (this.socket !== socket) return;
    socket.close();
    this.lost(1006);
  }

  private lost(code: number): void {
    this.clear();
    if (code === CloseReplaced) {
      this.problem = { what: 'Another browser window with a copy of this profile took over this connection.', why: 'close code 4000' };
      this.set('refused');
      return;
    }
    if (code === CloseRefused) {
      this.set('refused');
      this.office.refused(this);
      return;
    }
    this.set('closed');
    if (this.ended) return;
    this.again = setTimeout(() => this.dial(), pauses[Math.min(this.tries, pauses.length - 1)]);
  }

  private hangUp(code: number): void {
    const socket = this.socket;
    this.clear();
    clearTimeout(this.again);
    socket?.close(code);
  }

  private clear(): void {
    this.socket = undefined;
    this.silent = 0;
    clearInterval(this.beat);
  }

  private set(state: ServerState['state']): void {
    this.state = state;
    this.office.changed(this);
  }
}

const refusals: Record<string, string> = {
  bad_token: 'The server does not know this token; it was changed after the browser read it.',
  bad_version: 'Server and extension are of different versions.',
  bad_bundle: 'Server and extension are of different builds.',
  timeout: 'The server waited too long for this browser.',
};

function parse(data: unknown): AnyFrame | undefined {
  try {
    const frame = JSON.parse(String(data)) as AnyFrame | null;
    return frame && typeof frame === 'object' && frame.v === Protocol ? frame : undefined;
  } catch {
    return undefined; // a server that sends this is broken; what it asks times out there
  }
}

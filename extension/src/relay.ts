// Relay carries messages between ports of other extensions and the servers. It is a
// pipe: MCP is spoken at the server. It decides who may open a port towards us, by the
// user's word, and bounds what comes.
//
// A port belongs to the socket of one server and ends with it; a new one begins with a
// new initialize.

import { Failure } from './failure';
import { Doorkeeper, Flow } from './flow';
import { isExtensionId, isOurPort, keepAlive, refusalOf, senderOf } from './extproto';
import type { Link } from './link';
import type { Request as AnyRequest } from './router';
import { EventExtPortClose, EventExtPortMessage, EventExtPortOpen, EventExtRefused, MaxCallerPorts, MaxMessage, MaxPorts, MaxWaiting, MaxWaitingBytes, ProbeChannel, ProbeVersion, ProbeWithinMS } from './wire.gen';
import type { ExtClose, ExtMessage, ExtPort, ExtProbeParams, ExtProbeResult, Probe } from './wire.gen';

type Request = AnyRequest<Link>;
type RuntimePort = chrome.runtime.Port;

// Parts are the parts of the worker that the relay needs.
export interface Parts {
  links(): Link[];
  identity(): { id: string; version: string };
  refusal(extension: string): string; // why a caller may not come, "" if it may
  name(extension: string): string;
  stopped(): boolean; // by the user
  dialling(): boolean; // a server may be there in a moment
  unready(): string; // why no server can take a port
  closed(port: string): void;
  soon(work: () => void): void; // once the worker knows its state
}

// A port waits so long for a server that is being dialled.
const patience = 3000;

// A probe has to be answered in half the time that it has.
const probing = ProbeWithinMS / 2;

// The answer to a probe is a few sentences. A socket takes no frame of any size, and
// with it all tabs of a server would be lost.
const maxAnswer = 64 << 10;

// A refused port stays open so long, so that what it asks is answered.
const farewell = 1000;

// Refusals of one caller for one reason are told of once in this time.
const quiet = 10_000;

// Held is an open port.
interface Held {
  id: string;
  link: Link;
  port: RuntimePort;
  extension: string;
  caller: boolean; // it was opened towards us
  flow: Flow;
}

// Relay holds the ports.
export class Relay {
  private readonly held = new Map<string, Held>();
  private readonly door = new Doorkeeper();
  private readonly told = new Map<string, { at: number; count: number }>();
  private waiting = 0; // callers that no server has yet

  constructor(private readonly parts: Parts) {}

  // Towards other extensions, for a server.

  open(request: Request): Promise<object> {
    const { port: id, extension, name } = request.params as unknown as ExtPort;
    this.checkId(extension);
    if (typeof id !== 'string' || id === '' || this.held.has(key(request.asker, id))) throw new Failure('BAD_ARGS', 'a port needs an id of its own');
    const port = chrome.runtime.connect(extension, { name: String(name) });
    this.hold({ id, link: request.asker, port, extension, caller: false, flow: new Flow() });
    return Promise.resolve({});
  }

  message(request: Request): Promise<object> {
    const { port: id, message } = request.params as unknown as ExtMessage;
    const held = this.held.get(key(request.asker, id));
    if (!held) throw new Failure('TARGET_GONE', 'the port is closed; open another');
    held.port.postMessage(message);
    return Promise.resolve({});
  }

  close(request: Request): Promise<object> {
    const { port: id, reason } = request.params as unknown as ExtClose;
    const held = this.held.get(key(request.asker, id));
    if (held) this.end(held, reason ?? '', false);
    return Promise.resolve({});
  }

  async probe(request: Request): Promise<ExtProbeResult> {
    const { extension } = request.params as unknown as ExtProbeParams;
    this.checkId(extension);
    const { id, version } = this.parts.identity();
    const probe: Probe = { channel: ProbeChannel, version: ProbeVersion, id: crypto.randomUUID(), client: { id, name: 'chrome-mcp', version } };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<ExtProbeResult>((resolve) => {
      timer = setTimeout(() => resolve({ late: true, problem: `no answer to the probe within ${ProbeWithinMS} ms` }), ProbeWithinMS);
    });
    const asked = chrome.runtime.sendMessage(extension, probe).then(
      (answer: unknown): ExtProbeResult => answer === undefined ? { problem: 'it gave no answer' } : small(answer) ? { answer } : { problem: 'its answer is too large' },
      (thrown: unknown): ExtProbeResult => ({ problem: thrown instanceof Error ? thrown.message : String(thrown) }),
    );
    return Promise.race([asked, late]).finally(() => clearTimeout(timer));
  }

  private checkId(extension: unknown): void {
    if (!isExtensionId(extension)) throw new Failure('BAD_ARGS', 'an extension id has 32 letters from a to p');
    if (extension === this.parts.identity().id) throw new Failure('BAD_ARGS', 'that is the id of chrome-mcp itself');
  }

  // Towards us.

  // came takes a port that another extension opened. It is called in the event's own
  // turn: messages that come before it is known who may come are kept.
  came(port: RuntimePort): void {
    const extension = senderOf(port.sender);
    if (extension === undefined || !isOurPort(port.name) || !this.door.enter(extension)) {
      port.disconnect();
      return;
    }
    const before = new Before(port, (why) => {
      this.door.ban(extension);
      this.turnAway(extension, why);
    });
    this.parts.soon(() => void this.admit(before, extension));
  }

  private async admit(before: Before, extension: string): Promise<void> {
    const refusal = this.parts.refusal(extension) || this.full(extension);
    if (refusal) return this.refuse(before, extension, refusal);
    this.waiting++;
    const link = await this.server(Date.now() + patience, () => before.gone).finally(() => this.waiting--);
    if (before.gone) return;
    // Policy is asked again: it may have changed while the port waited.
    const why = this.parts.refusal(extension) || (link ? '' : this.parts.unready());
    if (why || !link) return this.refuse(before, extension, why);
    const id = crypto.randomUUID();
    const { port } = before;
    const held: Held = { id, link, port, extension, caller: true, flow: new Flow() };
    const opened: ExtPort = { port: id, extension, name: port.name };
    const name = this.parts.name(extension);
    link.event(EventExtPortOpen, 0, name ? { ...opened, caller: name } : opened);
    const kept = before.leave();
    this.hold(held);
    for (const message of kept) this.take(held, message);
  }

  private full(extension: string): string {
    const callers = [...this.held.values()].filter((h) => h.caller);
    if (callers.filter((h) => h.extension === extension).length >= MaxCallerPorts) return `this extension has ${MaxCallerPorts} ports open; close one`;
    return callers.length + this.waiting >= MaxPorts ? `${MaxPorts} ports are open; try again later` : '';
  }

  // server is the one that serves callers: of those connected the one that has been there
  // longest, so that it stays the same while others come and go.
  private async server(until: number, gone: () => boolean): Promise<Link | undefined> {
    for (;;) {
      if (this.parts.stopped()) return undefined;
      const [first] = this.parts.links().filter((l) => l.state === 'connected').sort((a, b) => a.since - b.since);
      if (first || gone() || Date.now() >= until || !this.parts.dialling()) return first;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  // ready is why no server can take a port, "" if one can. One that is being dialled is
  // waited for, as long as a probe may wait.
  async ready(): Promise<string> {
    return await this.server(Date.now() + probing, () => false) ? '' : this.parts.unready();
  }

  private refuse(before: Before, extension: string, reason: string): void {
    this.turnAway(extension, reason);
    before.refuse(reason);
  }

  // turnAway tells the servers of a caller that was refused, for their logs.
  private turnAway(extension: string, reason: string): void {
    const id = `${extension} ${reason}`;
    const last = this.told.get(id) ?? { at: -quiet, count: 0 };
    last.count++;
    if (Date.now() - last.at >= quiet) {
      const [link] = this.parts.links().filter((l) => l.state === 'connected').sort((a, b) => a.since - b.since);
      if (link) {
        link.event(EventExtRefused, 0, { extension, reason, count: last.count });
        last.count = 0;
        last.at = Date.now();
      }
    }
    this.told.set(id, last);
    if (this.told.size > 200) this.told.clear();
  }

  // Both ways.

  private hold(held: Held): void {
    this.held.set(key(held.link, held.id), held);
    held.port.onMessage.addListener((message: unknown) => this.take(held, message));
    held.port.onDisconnect.addListener(() => {
      // Without lastError the other end closed it, or its worker was stopped.
      const said = chrome.runtime.lastError?.message;
      this.end(held, said ?? 'the other extension closed it, or was stopped', true);
    });
  }

  private take(held: Held, message: unknown): void {
    if (!this.held.has(key(held.link, held.id))) return;
    const size = JSON.stringify(message)?.length ?? 0;
    if (size > MaxMessage) return this.offence(held, `it sent a message of ${Math.ceil(size / 2 ** 20)} MB; at most ${MaxMessage / 2 ** 20} MB are taken`);
    if (!held.flow.take(size)) return this.offence(held, 'it sent more than is taken in that time');
    if (held.link.backlog > MaxWaitingBytes) return this.offence(held, 'it sent more than the server takes');
    const alive = keepAlive(message);
    if (alive === undefined) held.link.event(EventExtPortMessage, 0, { port: held.id, message });
    else if (alive) held.port.postMessage(alive);
  }

  private offence(held: Held, reason: string): void {
    this.door.ban(held.extension);
    if (held.caller) this.turnAway(held.extension, reason);
    this.end(held, reason, true);
  }

  // end closes a port at both ends, or at the one that does not know yet.
  private end(held: Held, reason: string, tell: boolean): void {
    if (!this.held.delete(key(held.link, held.id))) return;
    held.port.disconnect();
    this.parts.closed(held.id);
    if (tell) held.link.event(EventExtPortClose, 0, { port: held.id, reason });
  }

  // of finds an open port of a server.
  of(link: Link, id: string): { extension: string; name: string } | undefined {
    const held = this.held.get(key(link, id));
    return held?.caller ? { extension: held.extension, name: this.parts.name(held.extension) } : undefined;
  }

  // lost closes the ports of a server whose socket ended.
  lost(link: Link): void {
    for (const held of [...this.held.values()]) {
      if (held.link === link) this.end(held, '', false);
    }
  }

  // closeAll closes every port, and tells both ends why.
  closeAll(reason: string): void {
    for (const held of [...this.held.values()]) this.end(held, reason, true);
  }

  // judged closes the ports of callers that may not come any more.
  judged(allowed: (extension: string) => boolean): void {
    for (const held of [...this.held.values()]) {
      if (held.caller && !allowed(held.extension)) this.end(held, 'the user took the permission back', true);
    }
  }

  get count(): number {
    return this.held.size;
  }
}

// Before is a caller's port before a server has it: what comes is kept, in bounds.
class Before {
  gone = false;
  private kept: unknown[] = [];
  private bytes = 0;
  private refused = '';
  private readonly onMessage = (message: unknown): void => this.keep(message);
  private readonly onDisconnect = (): void => {
    void chrome.runtime.lastError; // read, so that Chrome does not log it
    this.gone = true;
  };

  constructor(readonly port: RuntimePort, private readonly offended: (why: string) => void) {
    port.onMessage.addListener(this.onMessage);
    port.onDisconnect.addListener(this.onDisconnect);
  }

  private keep(message: unknown): void {
    if (this.refused) return this.answer(message);
    this.bytes += JSON.stringify(message)?.length ?? 0;
    if (this.kept.length >= MaxWaiting || this.bytes > MaxWaitingBytes) {
      this.gone = true;
      this.port.disconnect();
      this.kept = [];
      this.offended('it sent more than is kept before it is let in');
      return;
    }
    this.kept.push(message);
  }

  private answer(message: unknown): void {
    const answer = refusalOf(message, this.refused);
    if (answer && !this.gone) this.port.postMessage(answer);
  }

  // refuse answers what was asked with the reason, for there is no other way to say it,
  // and closes the port.
  refuse(reason: string): void {
    this.refused = reason;
    for (const message of this.kept) this.answer(message);
    const asked = this.kept.length > 0;
    this.kept = [];
    if (asked) this.port.disconnect();
    else setTimeout(() => this.port.disconnect(), farewell);
  }

  // leave gives out what was kept.
  leave(): unknown[] {
    this.port.onMessage.removeListener(this.onMessage);
    this.port.onDisconnect.removeListener(this.onDisconnect);
    const { kept } = this;
    this.kept = [];
    return kept;
  }
}

function small(answer: unknown): boolean {
  return (JSON.stringify(answer)?.length ?? 0) <= maxAnswer;
}

function key(link: { id: string }, id: string): string {
  return `${link.id} ${id}`;
}

// The router answers each command exactly once and never throws: whatever happens to a
// command becomes its result or its error.

import { Failure, toWire } from './failure';
import { Methods, Protocol } from './wire.gen';
import type { Rules } from './policy';
import type { Command, ErrorFrame, Method, Result } from './wire.gen';

// Asker is who a command came from.
export interface Asker {
  id: string; // the server's session id
  rules(call: string): Rules; // for one tool call
}

// Request is a command on its way to a handler.
export interface Request<A extends Asker = Asker> {
  asker: A;
  session: string;
  call: string; // the tool call that the command is a part of
  policy: Rules;
  tab: number; // 0 when the command names none
  tool: string;
  params: Record<string, unknown>;
}

// Handler does one method.
export type Handler<A extends Asker = Asker> = (request: Request<A>) => Promise<unknown>;

// Router has a handler for every method of the wire.
export class Router<A extends Asker> {
  private readonly running = new Set<string>();

  // The constructor throws when handlers and the wire's methods are not the same: a
  // worker that could not do all it says would be worse than one that does not start.
  constructor(private readonly handlers: Record<Method, Handler<A>>) {
    const have = Object.keys(handlers).sort().join(' ');
    const want = [...Methods].sort().join(' ');
    if (have !== want) throw new Error(`the router has ${have}, the wire has ${want}; build both from one source`);
  }

  // handle does a command. An id that is under way already is answered by the first.
  async handle(asker: A, command: Command): Promise<Result | ErrorFrame | undefined> {
    const id = String(command.id);
    const key = `${asker.id} ${id}`;
    if (this.running.has(key)) return undefined;
    this.running.add(key);
    try {
      return { v: Protocol, type: 'result', id, data: await this.inTime(asker, command) };
    } catch (thrown) {
      return { v: Protocol, type: 'error', id, error: toWire(thrown) };
    } finally {
      this.running.delete(key);
    }
  }

  private async inTime(asker: A, command: Command): Promise<unknown> {
    const handler = Object.hasOwn(this.handlers, command.method) ? this.handlers[command.method] : undefined;
    if (!handler) throw new Failure('UNKNOWN_METHOD', `this extension has no ${command.method}; update the older of server and extension`);
    const request = requestOf(asker, command);
    const { timeoutMs } = command;
    if (!(timeoutMs > 0)) return handler(request);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooLate(command)), timeoutMs);
    });
    try {
      return await Promise.race([handler(request), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooLate(command: Command): Failure {
  const where = command.tabId ? ` in tab ${command.tabId}` : '';
  return new Failure('TIMEOUT', `${command.tool || command.method}${where} took longer than ${command.timeoutMs} ms; the page may be busy or have a dialog open`,
    { unknown: command.method === 'cdp' || command.method === 'cdp_batch' || command.method === 'page' });
}

// callOf names a tool call among those of all servers. A command without one is its own.
export function callOf(asker: Asker, command: Command): string {
  return `${asker.id} ${command.call || command.id}`;
}

function requestOf<A extends Asker>(asker: A, command: Command): Request<A> {
  const params = command.params ?? {};
  if (typeof params !== 'object' || Array.isArray(params)) throw new Failure('BAD_ARGS', `params of ${command.method} must be an object`);
  const tab = command.tabId ?? 0;
  if (!Number.isSafeInteger(tab) || tab < 0) throw new Failure('BAD_ARGS', 'tabId must be one of tabs_list');
  const call = callOf(asker, command);
  return {
    asker,
    session: command.session || asker.id,
    call,
    policy: asker.rules(call),
    tab,
    tool: command.tool ?? '',
    params: params as Record<string, unknown>,
  };
}

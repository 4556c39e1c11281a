// Commands are the handlers of the methods that work in a tab: they judge, attach and
// pass on, and judge again what comes back.

import type { Attachment } from './attachment';
import type { Book } from './book';
import { capture } from './capture';
import type { Debugger } from './debugger';
import { Failure, gone, toWire } from './failure';
import { accessOf, accessOfFunction, aboutNode, acts, admit, answered, claims, judge, judgePageTool, onlyFrame, pageToolOf, travels } from './gate';
import type { Ask, Place } from './gate';
import type { Ownership } from './ownership';
import * as redact from './redact';
import type { Link } from './link';
import type { Request as AnyRequest } from './router';
import { nodeIn, prepare, runPage } from './runner';
import type { Access, BatchCall, BatchResult, CaptureParams, CaptureResult, CDPParams, FramesResult, PageParams, PageResult } from './wire.gen';

type Request = AnyRequest<Link>;

// Tools are the parts of the worker that commands work with.
export interface Tools {
  book: Book;
  debugger: Debugger;
  ownership: Ownership;
  bundle(): Promise<string>;
  used(tab: number, asker: Link): void; // the asker wants the tab's events from now on
  claimed(tab: number): Promise<void>; // it has an owner: the rules for it are in place
  use(request: Request, place: Place, access: Access, pageTool: string): void; // takes what was granted for once, or throws
}

// loads are the commands that give a tab another document.
const loads = new Set(['Page.navigate', 'Page.reload', 'Page.navigateToHistoryEntry']);

// Visit is how a command comes to a frame: what it judges and whether it makes the tab
// its session's own.
interface Visit {
  frame?: string | undefined;
  claim?: boolean;
  use?: Access | undefined; // it does something there, not only goes there
  pageTool?: string; // it calls this tool of the page
  // pass throws what keeps the command from this document: the tab's own, as long as the
  // debugger is not attached, then the frame's.
  pass(place: Place, attached: boolean): void;
}

// Commands does the work.
export class Commands {
  constructor(private readonly tools: Tools) {}

  async attach(request: Request): Promise<object> {
    await this.visit(request, reading(request));
    return {};
  }

  async detach(request: Request): Promise<object> {
    this.tools.ownership.check(named(request), request.session);
    await this.tools.debugger.leave(request.tab);
    return {};
  }

  cdp(request: Request): Promise<unknown> {
    const call = cdpParams(request.params);
    return this.twice(() => this.send(request, call));
  }

  async batch(request: Request): Promise<BatchResult> {
    const calls = batchParams(request.params);
    // All are judged before the first is sent: a batch that cannot end does not begin.
    await this.twice(() => this.visit(request, { pass: (place) => {
      for (const call of calls) {
        const access = accessOf(call.method);
        if (!call.frame) admit(this.ask(request, call, place), access, request.policy);
      }
    } }));
    const results: Promise<unknown>[] = [];
    for (const [i, call] of calls.entries()) {
      if (call.delayMs) await new Promise((resolve) => setTimeout(resolve, call.delayMs));
      const sent = this.twice(() => this.send(request, call));
      results.push(sent);
      if (flows(call, calls[i + 1])) continue;
      if (await sent.then(() => false, () => true)) break;
    }
    return settled(results);
  }

  page(request: Request): Promise<PageResult> {
    const params = pageParams(request.params);
    const access = accessOfFunction(params.fn);
    const act = access !== 'read';
    const pageTool = pageToolOf(params.fn, params.args);
    const { policy } = request;
    return this.twice(async () => {
      const attachment = await this.visit(request, {
        frame: params.frame, claim: act, use: travels(params.fn) ? undefined : access, pageTool,
        pass: (place, attached) => {
          judge(place, access, policy);
          if (pageTool && attached) judgePageTool(place, pageTool, policy);
        },
      });
      if (act || params.fn === 'waitFor') attachment.wake();
      const result = await runPage({ attachment, params, acts: act, bundle: this.tools.bundle });
      return answered(result, this.known(attachment, params.frame), access, policy);
    });
  }

  frames(request: Request): Promise<FramesResult> {
    return this.twice(async () => {
      // Where its own tab is a session may always know: it is told the origin of a denied
      // page, no more, and has to be able to leave it.
      const own = this.tools.ownership.owns(request.tab, request.session);
      const attachment = await this.visit(request, own ? { pass: () => {} } : reading(request));
      await attachment.grown();
      let frames = attachment.frames.list();
      if (frames.length === 0 || frames.some((frame) => frame.url === '')) {
        await attachment.refresh();
        frames = attachment.frames.list();
      }
      return { frames: frames.map((frame) => redact.frame(frame, request.policy)) };
    });
  }

  capture(request: Request): Promise<CaptureResult> {
    return this.twice(async () => {
      const attachment = await this.visit(request, { ...reading(request), use: 'read' });
      const picture = await capture(attachment, request.params as unknown as CaptureParams);
      judge(this.known(attachment), 'read', request.policy);
      return picture;
    });
  }

  private async send(request: Request, call: CDPParams): Promise<unknown> {
    const { method } = call;
    const access = accessOf(method);
    let params = {};
    const use = travels(method) ? undefined : access;
    const attachment = await this.visit(request, { frame: call.frame, claim: claims(method, access), use, pass: (place) => {
      params = admit(this.ask(request, call, place), access, request.policy);
    } });
    const session = await attachment.route(call.frame ?? '', method);
    if (!onlyFrame(method)) params = admit(this.ask(request, call, this.known(attachment, attachment.root(session))), access, request.policy);
    if (method.startsWith('Input.')) attachment.wake();
    if (loads.has(method)) {
      attachment.rest();
      attachment.arrived = (of, frame) => prepare(attachment, of, frame);
    }
    const value = await this.inFrame(attachment, call, params, (exact) => attachment.send(session, method, exact, acts(method, access)));
    hold(attachment, call);
    return redact.result({ method, access, place: this.known(attachment, call.frame), policy: request.policy }, value);
  }

  // inFrame binds what a command names by a number or an id to the frame that was judged.
  private async inFrame(attachment: Attachment, call: CDPParams, params: Record<string, unknown>, send: (params: Record<string, unknown>) => Promise<unknown>): Promise<unknown> {
    const frame = call.frame || attachment.frames.main;
    if (call.method === 'DOM.getFrameOwner') {
      const inner = attachment.frames.get(String(params.frameId));
      if (!inner || inner.parent !== frame) throw gone({ tab: attachment.tab, method: call.method, acts: false }, 'frame');
    }
    if (!aboutNode(call.method)) return send(params);
    const { backendNodeId, nodeId: _node, objectId: _object, ...rest } = params;
    if (!Number.isSafeInteger(backendNodeId)) throw new Failure('BAD_ARGS', `${call.method} takes a backendNodeId`);
    const { objectId, release } = await nodeIn(attachment, frame, backendNodeId as number);
    return send({ ...rest, objectId }).finally(release);
  }

  private ask(request: Request, call: CDPParams, place: Place): Ask {
    const own = this.tools.ownership.owns(request.tab, request.session);
    return { method: call.method, params: (call.params ?? {}) as Record<string, unknown>, place, own };
  }

  // visit passes the tab's owner and the gate, and attaches. A tab that is not yet
  // attached is judged by its own address first: no denied page is ever attached to.
  private async visit(request: Request, visit: Visit): Promise<Attachment> {
    const { book, debugger: attacher, ownership } = this.tools;
    const tab = named(request);
    ownership.check(tab, request.session);
    if (!attacher.attached(tab)) {
      const entry = await book.get(tab);
      visit.pass({ url: entry.url, origin: '' }, false);
      // A tab that Chrome put aside to save memory has no page until it is loaded.
      if (entry.discarded) await chrome.tabs.reload(tab).catch(() => {});
    }
    if (visit.claim && ownership.claim(tab, { session: request.session, server: request.asker.id })) await this.tools.claimed(tab);
    this.tools.used(tab, request.asker);
    const attachment = await attacher.use(tab);
    const place = await this.place(attachment, visit.frame);
    visit.pass(place, true);
    if (visit.use) this.tools.use(request, place, visit.use, visit.pageTool ?? '');
    return attachment;
  }

  private async place(attachment: Attachment, frame = ''): Promise<Place> {
    await attachment.route(frame, 'the command');
    if (!attachment.frames.get(frame)?.url) await attachment.refresh();
    return this.known(attachment, frame);
  }

  // known is a frame's document as the events have told it.
  private known(attachment: Attachment, frame = ''): Place {
    const known = attachment.frames.get(frame);
    const entry = this.tools.book.known(attachment.tab);
    // A renderer that is stuck, or just begins, has told nothing; Chrome knows the tab's
    // own address.
    if (!known?.url) return { url: frame === '' ? (entry?.url ?? '') : '', origin: '' };
    // A blank page that no other page opened is nobody's; see evaluate.
    const nobodys = !known.parent && known.origin === 'null' && known.url.startsWith('about:blank') && !entry?.opener;
    return { url: known.url, origin: nobodys ? '' : known.origin };
  }

  // twice does a command again if the attachment turns out to be gone before anything
  // was sent.
  private async twice<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof Failure) || thrown.code !== 'DETACHED' || !thrown.more.unsent) throw thrown;
      return work();
    }
  }
}

// flows reports whether the next command may follow before this one is answered. A
// move of the mouse is answered with the next frame, but what comes after it in the
// page's queue makes it take effect at once.
function flows(call: BatchCall, next: BatchCall | undefined): boolean {
  return next !== undefined && !next.delayMs && next.method.startsWith('Input.') &&
    call.method === 'Input.dispatchMouseEvent' && (call.params as { type?: unknown }).type === 'mouseMoved';
}

// settled is the results up to the first error.
async function settled(sent: Promise<unknown>[]): Promise<BatchResult> {
  const results: unknown[] = [];
  for (const outcome of await Promise.allSettled(sent)) {
    if (outcome.status === 'rejected') return { results, error: toWire(outcome.reason) };
    results.push(outcome.value);
  }
  return { results };
}

function reading(request: Request): Visit {
  return { pass: (place) => judge(place, 'read', request.policy) };
}

function named(request: Request): number {
  if (request.tab === 0) throw new Failure('BAD_ARGS', 'the command names no tab; send tabId');
  return request.tab;
}

// hold keeps the debugger on the tab while something is switched on there that ends
// with it.
function hold(attachment: Attachment, call: CDPParams): void {
  const [domain = '', command] = call.method.split('.');
  const params = (call.params ?? {}) as { enabled?: boolean };
  if (accessOf(call.method) === 'observe') {
    if (command === 'enable' && !call.frame) attachment.observe(call.method, params as Record<string, unknown>);
    if (command === 'disable' && !call.frame) attachment.observed.delete(`${domain}.enable`);
    return;
  }
  if (command === 'enable' || params.enabled === true) attachment.holds.add(domain);
  else if (command === 'disable' || params.enabled === false) attachment.holds.delete(domain);
}

function cdpParams(params: unknown): CDPParams {
  const { frame, method, params: inner } = (params ?? {}) as Partial<CDPParams>;
  if (typeof method !== 'string') throw new Failure('BAD_ARGS', 'a DevTools command needs its method');
  if (frame !== undefined && typeof frame !== 'string') throw new Failure('BAD_ARGS', `frame of ${method} must be a frame id`);
  if (inner !== undefined && inner !== null && (typeof inner !== 'object' || Array.isArray(inner))) {
    throw new Failure('BAD_ARGS', `params of ${method} must be an object`);
  }
  const call: CDPParams = { method, params: inner ?? {} };
  if (frame) call.frame = frame;
  return call;
}

function batchParams(params: Record<string, unknown>): BatchCall[] {
  if (!Array.isArray(params.calls)) throw new Failure('BAD_ARGS', 'calls must be a list of DevTools commands');
  return params.calls.map((call: Partial<BatchCall> | null) => ({ ...cdpParams(call), delayMs: Math.max(0, Number(call?.delayMs) || 0) }));
}

function pageParams(params: Record<string, unknown>): PageParams {
  const { frame, fn, args, nodes } = params as Partial<PageParams>;
  if (typeof fn !== 'string') throw new Failure('BAD_ARGS', 'fn must be the name of a page function');
  if (nodes !== undefined && !(Array.isArray(nodes) && nodes.every(Number.isSafeInteger))) {
    throw new Failure('BAD_ARGS', 'nodes must be a list of backend node ids');
  }
  return { fn, args: args ?? {}, frame: typeof frame === 'string' ? frame : '', nodes: nodes ?? [] };
}

// An Attachment is the debugger on one tab: the tab's own target, the targets of its
// out-of-process frames, and the commands that wait for them. It is told Chrome's
// events and keeps the frame tree by them. It judges nothing and runs no page code.

import { detached, fromChrome, gone, unsent } from './failure';
import type { Doing, Failure } from './failure';
import { FrameTree, MAIN } from './frames';
import type { ProtocolFrame, ProtocolTree } from './frames';
import { PageWorkers } from './pageworkers';
import { World } from './wire.gen';

// Params are the parameters of a DevTools command.
export type Params = Record<string, unknown>;

// Child is the target of an out-of-process frame.
interface Child {
  root: string; // frame id, which is the target's id
  ready: Promise<unknown>; // set up
  crashed: boolean;
}

interface Pending {
  session: string;
  doing: Doing;
  reject: (f: Failure) => void;
}

// A renderer that is busy, or stopped by a dialog, answers nothing: setting up then
// goes on by itself and commands are let through.
const setupTime = 2000;

const reasonTime = 250;

// A crashed page answers nothing either, but the browser process still does these.
const worksCrashed = new Set(['Page.navigate', 'Page.reload', 'Page.navigateToHistoryEntry', 'Page.getNavigationHistory', 'Page.handleJavaScriptDialog']);

// A tab in the background draws once a second or not at all, and input that waits for
// the next frame waits with it; pictures may never come. While something is recorded
// from it, a tab draws as if it were in front (Chromium 156). One pixel is enough.
const recording = { format: 'jpeg', quality: 1, maxWidth: 1, maxHeight: 1 };

// awakeTime is how long a tab is kept drawing after it was last needed.
const awakeTime = 5000;

// Worlds are the isolated worlds of a tab's documents, as runner.ts uses them, by frame.
export class Worlds {
  private readonly known = new Map<string, { id: number; key: string }>();
  private readonly turns = new Map<string, number>();
  private readonly made = new Map<string, Promise<unknown>>();

  get(frame: string): { id: number; key: string } | undefined {
    return this.known.get(frame);
  }

  // turn counts a frame's documents.
  turn(frame: string): number {
    return this.turns.get(frame) ?? 0;
  }

  // set notes a world, unless the frame has had another document since turn.
  set(frame: string, world: { id: number; key: string }, turn: number): boolean {
    if (this.turn(frame) !== turn) return false;
    this.known.set(frame, world);
    return true;
  }

  // making is the world that is being made for a frame's document, if one is.
  making(frame: string): Promise<unknown> | undefined {
    return this.made.get(frame);
  }

  // make notes a world that is being made until it is.
  make(frame: string, world: Promise<unknown>): void {
    this.made.set(frame, world);
    world.catch(() => {}).finally(() => { if (this.made.get(frame) === world) this.made.delete(frame); });
  }

  delete(frame: string): void {
    this.known.delete(frame);
    this.made.delete(frame);
    this.turns.set(frame, this.turn(frame) + 1);
  }

  clear(): void {
    for (const frame of [...this.known.keys()]) this.delete(frame);
  }
}

// Attachment is one attached tab.
export class Attachment {
  private static webmcp = true; // until the browser says otherwise
  readonly frames = new FrameTree();
  readonly worlds = new Worlds();
  // holds are reasons to stay attached while nobody calls, as an open dialog is.
  readonly holds = new Set<string>();
  // observed are the commands that switched observers on in the tab's own target.
  readonly observed = new Map<string, Params>();
  plain = false; // at the last picture a CSS pixel was one of the screen
  script = ''; // identifier of the page bundle's new-document script
  ended: ((doing: Doing) => Failure) | undefined;
  // arrived is called once, when the tab's next document is there.
  arrived: ((session: string, frame: string) => void) | undefined;
  private crashed = false;
  private asleep: ReturnType<typeof setTimeout> | undefined; // while the tab is kept awake
  private moved = false; // to another document since then
  private readonly children = new Map<string, Child>();
  readonly workers = new PageWorkers();
  private readonly pending = new Set<Pending>();

  constructor(readonly tab: number, private readonly bundle: string) {}

  // busy reports whether a command is under way.
  get busy(): boolean {
    return this.pending.size > 0;
  }

  // send sends one DevTools command. It fails at once when the target crashes or
  // leaves, for which Chrome itself would keep it waiting.
  send<T = unknown>(session: string, method: string, params: Params = {}, acts = false): Promise<T> {
    const doing = { tab: this.tab, method, acts };
    if (this.ended) return Promise.reject(unsent(this.ended({ ...doing, acts: false })));
    const crashed = session === MAIN ? this.crashed : this.children.get(session)?.crashed;
    if (crashed && !worksCrashed.has(method)) return Promise.reject(gone({ ...doing, acts: false }, 'crashed'));
    return new Promise<T>((resolve, reject) => {
      const call: Pending = { session, doing, reject };
      this.pending.add(call);
      const to = this.workers.answering(method, params) ?? session;
      const target = to === MAIN ? { tabId: this.tab } : { tabId: this.tab, sessionId: to };
      chrome.debugger.sendCommand(target, method, params).then((result) => {
        this.pending.delete(call);
        resolve(result as T);
      }, (thrown: unknown) => this.failed(call, fromChrome(thrown, doing)));
    });
  }

  // failed takes Chrome's refusal of a command. That the debugger left the tab is told
  // here first; why it did, by an event that follows and says it better.
  private failed(call: Pending, failure: Failure): void {
    if (failure.code === 'DETACHED' && !failure.more.unsent) {
      setTimeout(() => this.fail((other) => other === call, () => failure), reasonTime);
      return;
    }
    if (failure.code === 'DETACHED') this.ended ??= detached;
    this.pending.delete(call);
    call.reject(failure);
  }

  // observe notes a command that switched an observer on in the tab's own target. Frames
  // that get a target of their own later are observed from their first moment: they wait
  // for it, because what they ask for as they load is told to nobody later.
  observe(method: string, params: Params): void {
    if (this.observed.size === 0) this.send(MAIN, 'Target.setAutoAttach', autoAttach(true)).catch(() => {});
    this.observed.set(method, params);
    for (const worker of this.workers.sessions()) this.send(worker, method, params).catch(() => {});
  }

  // wake keeps the tab drawing for a while. It waits for nothing: commands of a target
  // are taken in order. anew begins the recording again, which after a navigation does
  // not always go on by itself (Chromium 156).
  wake(anew = this.moved): void {
    if (this.asleep && anew) this.record('Page.stopScreencast');
    if (!this.asleep || anew) this.record('Page.startScreencast', recording);
    this.moved = false;
    clearTimeout(this.asleep);
    this.asleep = setTimeout(() => {
      if (this.busy) this.wake();
      else this.rest();
    }, awakeTime);
  }

  // rest lets the tab draw as Chrome likes: a page loads sooner when nobody records it
  // (Chromium 156).
  rest(): void {
    if (!this.asleep) return;
    clearTimeout(this.asleep);
    this.asleep = undefined;
    this.record('Page.stopScreencast');
  }

  private record(method: string, params?: Params): void {
    if (!this.ended) this.send(MAIN, method, params).catch(() => {}); // drawing is a help, not a need
  }

  // setup makes a target ready: events, the page bundle, its child targets. known is
  // the script's identifier when the target has it already.
  async setup(session: string, known = '', parent = ''): Promise<void> {
    const send = (method: string, params?: Params): Promise<unknown> => this.send(session, method, params);
    // First of all, see observe.
    if (session !== MAIN) for (const [method, params] of this.observed) send(method, params).catch(() => {});
    const essential = send('Page.enable');
    const rest = [
      known ? undefined : this.install(session),
      send('Target.setAutoAttach', autoAttach(this.observed.size > 0)),
      // Without this, input to a tab in the background is lost (headed Chromium 156).
      send('Emulation.setFocusEmulationEnabled', { enabled: true }),
      send('Page.setLifecycleEventsEnabled', { enabled: true }),
      send('Inspector.enable'),
      this.offers(session),
      this.load(session, parent),
      // It may wait: observers may have come on while it began.
      session === MAIN ? undefined : send('Runtime.runIfWaitingForDebugger'),
    ];
    const settled = Promise.allSettled(rest);
    await within(setupTime, Promise.all([essential, settled]));
  }

  // grown waits until the child targets known are set up, and those they bring.
  async grown(): Promise<void> {
    const end = Date.now() + setupTime;
    for (let known = -1; known < this.children.size && Date.now() < end;) {
      known = this.children.size;
      await within(end - Date.now(), Promise.allSettled([...this.children.values()].map((child) => child.ready)));
    }
  }

  private async install(session: string): Promise<void> {
    const params = { source: this.bundle, worldName: World, runImmediately: true };
    const { identifier } = await this.send<{ identifier: string }>(session, 'Page.addScriptToEvaluateOnNewDocument', params);
    if (session === MAIN) this.script = identifier;
  }

  // offers has the page's own tools counted, where the browser knows of such.
  private async offers(session: string): Promise<void> {
    if (!Attachment.webmcp) return;
    await this.send(session, 'WebMCP.enable').catch((thrown: Failure) => {
      if (/wasn't found/.test(thrown.message)) Attachment.webmcp = false;
    });
  }

  private async load(session: string, parent: string): Promise<void> {
    const { frameTree } = await this.send<{ frameTree: ProtocolTree }>(session, 'Page.getFrameTree');
    if (session === MAIN || this.children.has(session)) this.frames.load(frameTree, session, parent);
  }

  // reset drops child targets that a worker before this one attached, so that Chrome
  // tells of them again.
  async reset(): Promise<void> {
    await this.send(MAIN, 'Target.setAutoAttach', { autoAttach: false, flatten: true, waitForDebuggerOnStart: false });
  }

  // refresh reads the frame trees of all targets again.
  async refresh(): Promise<void> {
    const sessions = [MAIN, ...this.children.keys()];
    await within(setupTime, Promise.allSettled(sessions.map((session) => this.load(session, ''))));
  }

  // route is the session that hosts a frame, once it is set up; "" is the main frame.
  async route(frame: string, method: string): Promise<string> {
    if (frame === '') return MAIN;
    if (!this.frames.get(frame)) await this.refresh();
    const known = this.frames.get(frame);
    if (!known) throw gone({ tab: this.tab, method, acts: false }, 'frame');
    await this.children.get(known.session)?.ready;
    return this.frames.get(frame)?.session ?? known.session;
  }

  // root is the root frame of a session's target as events name it: "" for the tab's own.
  root(session: string): string {
    return this.children.get(session)?.root ?? this.workers.root(session) ?? '';
  }

  // on takes an event of one of the tab's targets.
  on(session: string, method: string, params: Params): void {
    if (this.workers.root(session) !== undefined && !method.startsWith('Target.')) return;
    handlers[method]?.(this, session, params);
  }

  // joined starts the setup of a child target.
  joined(session: string, root: string, url: string, parent: string): void {
    this.frames.moved(root, url, session, parent);
    this.worlds.delete(root);
    const child: Child = { root, ready: Promise.resolve(), crashed: false };
    this.children.set(session, child);
    child.ready = this.setup(session, '', parent).catch(() => {});
  }

  // listens has a worker tell what it does, from its first line on. The workers that it
  // starts are its page's too.
  listens(session: string, root: string, frame: string): void {
    this.workers.joined(session, root, frame);
    const send = (method: string, params?: Params): void => void this.send(session, method, params).catch(() => {}); // ended already
    for (const [method, params] of this.observed) send(method, params);
    send('Target.setAutoAttach', autoAttach(true));
    send('Runtime.runIfWaitingForDebugger');
  }

  // left ends what waits for a child target.
  left(session: string): void {
    this.children.delete(session);
    this.workers.left(session);
    this.frames.dropped(session);
    this.fail((call) => call.session === session, (doing) => gone(doing, 'navigated'));
  }

  // crash ends what waits for a crashed target; for the tab's own that is everything.
  crash(session: string): void {
    const child = this.children.get(session);
    if (child) {
      child.crashed = true;
    } else {
      this.crashed = true;
      clearTimeout(this.asleep);
      this.asleep = undefined;
    }
    this.worlds.clear();
    this.holds.delete('dialog');
    this.fail((call) => !child || call.session === session, (doing) => gone(doing, 'crashed'));
  }

  // alive notes that a target runs again, with a new document.
  alive(session: string): void {
    const child = this.children.get(session);
    if (child) child.crashed = false;
    if (session !== MAIN) return;
    this.crashed = false;
    this.moved = true;
  }

  // end fails what waits, and every later command.
  end(why: (doing: Doing) => Failure = detached): void {
    this.ended = why;
    clearTimeout(this.asleep);
    this.fail(() => true, why);
  }

  private fail(which: (call: Pending) => boolean, why: (doing: Doing) => Failure): void {
    for (const call of [...this.pending]) {
      if (!which(call)) continue;
      this.pending.delete(call);
      call.reject(why(call.doing));
    }
  }
}

// autoAttach are the parameters with which frames' targets are attached to as they
// come. Where they are observed, workers are too, and all wait until they are told to
// go on.
function autoAttach(observed: boolean): Params {
  const types = observed ? ['iframe', 'worker'] : ['iframe'];
  return { autoAttach: true, flatten: true, waitForDebuggerOnStart: observed, filter: types.map((type) => ({ type })) };
}

type EventHandler = (a: Attachment, session: string, params: Params) => void;

// handlers keep the attachment by the events that change it.
const handlers: Record<string, EventHandler | undefined> = {
  'Target.attachedToTarget': (a, session, p) => {
    const info = p.targetInfo as { targetId: string; type: string; url: string; parentFrameId?: string };
    if (info.type === 'iframe') a.joined(String(p.sessionId), info.targetId, info.url, info.parentFrameId ?? '');
    if (info.type === 'worker') a.listens(String(p.sessionId), a.root(session), info.parentFrameId ?? '');
  },
  'Target.detachedFromTarget': (a, _, p) => a.left(String(p.sessionId)),
  'Page.frameAttached': (a, session, p) => a.frames.attached(String(p.frameId), String(p.parentFrameId), session),
  'Page.frameNavigated': (a, session, p) => {
    const frame = p.frame as ProtocolFrame;
    a.worlds.delete(frame.id);
    a.frames.navigated(frame, session);
    if (!frame.parentId || a.root(session) === frame.id) a.alive(session);
    if (session === MAIN && !frame.parentId) {
      a.arrived?.(session, frame.id);
      a.arrived = undefined;
    }
  },
  'Page.navigatedWithinDocument': (a, _, p) => a.frames.within(String(p.frameId), String(p.url)),
  'Page.frameDetached': (a, session, p) => {
    a.worlds.delete(String(p.frameId));
    a.frames.detached(String(p.frameId), session, String(p.reason));
  },
  'Page.javascriptDialogOpening': (a) => a.holds.add('dialog'),
  'Page.javascriptDialogClosed': (a) => a.holds.delete('dialog'),
  'Inspector.targetCrashed': (a, session) => a.crash(session),
  'Inspector.targetReloadedAfterCrash': (a, session) => a.alive(session),
};

// within waits for a promise, but no longer than ms; then it goes on by itself.
export async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => { timer = setTimeout(resolve, ms); });
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => {}); // told to nobody once it is late
  }
}

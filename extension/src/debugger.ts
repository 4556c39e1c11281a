// Debugger attaches to tabs when they are used and leaves them when they are not.
//
// Attaching and detaching are serialised per tab; commands are not. An attachment
// outlives the worker: a worker that was stopped adopts what its forerunner left.

import { Attachment } from './attachment';
import type { Params } from './attachment';
import { detached, Failure, fromChrome, gone, halted, tabGone, text } from './failure';
import type { Doing } from './failure';
import { MAIN } from './frames';
import { IdleDetachMS } from './wire.gen';

const protocol = '1.3';

type Why = (doing: Doing) => Failure;

// Host is what the debugger needs of the rest of the worker.
export interface Host {
  bundle(): Promise<string>; // source of the page bundle
  scripts: Map<number, string>; // attached tab → identifier of its bundle script, kept beyond the worker
  save(): void; // scripts changed
  event(tab: number, frame: string, method: string, params: Params): void;
  left(tab: number, reason: string): void; // not for what leave was called for, but for "idle"
  owned(tab: number): boolean; // by a session
  stopped(): boolean;
}

interface Entry {
  attachment: Attachment | undefined; // set once attached
  ready: Promise<Attachment>;
  timer: ReturnType<typeof setTimeout> | undefined;
  used: number;
}

// Debugger holds the attachments.
export class Debugger {
  private readonly entries = new Map<number, Entry>();
  private readonly leaving = new Map<number, Promise<void>>();

  constructor(private readonly host: Host) {}

  // attached is the tab's attachment, if there is one and it is ready.
  attached(tab: number): Attachment | undefined {
    return this.entries.get(tab)?.attachment;
  }

  // tabs lists the attached tabs.
  tabs(): number[] {
    return [...this.entries.keys()];
  }

  // use returns the tab's attachment, attaching first where needed.
  use(tab: number): Promise<Attachment> {
    if (this.host.stopped()) return Promise.reject(halted());
    let entry = this.entries.get(tab);
    if (entry?.attachment?.ended) {
      this.forget(tab);
      entry = undefined;
    }
    if (!entry) {
      entry = { attachment: undefined, ready: this.start(tab), timer: undefined, used: 0 };
      this.entries.set(tab, entry);
      this.watch(tab, entry);
    }
    entry.used = Date.now();
    return entry.ready;
  }

  private watch(tab: number, entry: Entry): void {
    entry.ready.then((attachment) => {
      if (this.early.get(tab) === attachment) this.early.delete(tab);
      if (this.entries.get(tab) !== entry) return;
      entry.attachment = attachment;
      entry.timer = setTimeout(() => this.idle(tab, entry), IdleDetachMS);
    }, () => {
      if (this.entries.get(tab) === entry) this.entries.delete(tab);
      this.early.delete(tab);
    });
  }

  // early are attachments whose setup still runs: events are for them already.
  private readonly early = new Map<number, Attachment>();

  private async start(tab: number): Promise<Attachment> {
    await this.leaving.get(tab);
    const attachment = new Attachment(tab, await this.host.bundle());
    this.early.set(tab, attachment);
    const doing = { tab, method: 'attach', acts: false };
    let known = '';
    try {
      await chrome.debugger.attach({ tabId: tab }, protocol);
    } catch (thrown) {
      if (!/Another debugger/.test(text(thrown))) throw await named(fromChrome(thrown, doing), tab);
      known = await this.adopt(attachment, thrown);
    }
    attachment.script = known;
    await attachment.setup(MAIN, known);
    if (attachment.ended) throw attachment.ended(doing);
    this.host.scripts.set(tab, attachment.script);
    this.host.save();
    return attachment;
  }

  // adopt takes over the attachment that this extension had before its worker was
  // stopped: attaching is refused then, but commands work. If they do not, the
  // debugger is somebody else's.
  private async adopt(attachment: Attachment, refused: unknown): Promise<string> {
    try {
      await attachment.reset();
    } catch {
      throw fromChrome(refused, { tab: attachment.tab, method: 'attach', acts: false });
    }
    return this.host.scripts.get(attachment.tab) ?? '';
  }

  private idle(tab: number, entry: Entry): void {
    const attachment = entry.attachment;
    if (this.entries.get(tab) !== entry || !attachment) return;
    const rest = entry.used + IdleDetachMS - Date.now();
    // In a session's own tabs observers go on; one that only reads a tab of the user's
    // does not keep the debugger's bar there.
    const held = attachment.holds.size > 0 || (attachment.observed.size > 0 && this.host.owned(tab));
    if (rest > 0 || attachment.busy || held) {
      entry.timer = setTimeout(() => this.idle(tab, entry), rest > 0 ? rest : IdleDetachMS);
      return;
    }
    void this.leave(tab).then(() => this.host.left(tab, 'idle'));
  }

  // leave detaches from a tab.
  async leave(tab: number, why: Why = detached): Promise<void> {
    const attachment = this.forget(tab, why);
    if (!attachment && !this.host.scripts.has(tab)) return;
    const done = chrome.debugger.detach({ tabId: tab }).catch(() => {}); // gone already
    this.leaving.set(tab, done);
    await done;
    if (this.leaving.get(tab) === done) this.leaving.delete(tab);
    this.host.scripts.delete(tab);
    this.host.save();
  }

  // leaveAll detaches from every tab, those of a stopped worker included.
  async leaveAll(why?: Why): Promise<void> {
    const tabs = new Set([...this.entries.keys(), ...this.host.scripts.keys()]);
    await Promise.all([...tabs].map((tab) => this.leave(tab, why)));
  }

  private forget(tab: number, why?: Why): Attachment | undefined {
    const entry = this.entries.get(tab);
    const attachment = entry?.attachment ?? this.early.get(tab);
    clearTimeout(entry?.timer);
    this.entries.delete(tab);
    this.early.delete(tab);
    if (why) attachment?.end(why);
    return attachment;
  }

  // resume takes over what a stopped worker left attached; unused, it goes idle.
  resume(): void {
    for (const tab of this.host.scripts.keys()) {
      this.use(tab).catch(() => {
        this.host.scripts.delete(tab);
        this.host.save();
      });
    }
  }

  // onEvent takes Chrome's event.
  onEvent(source: chrome.debugger.DebuggerSession, method: string, params: Params): void {
    const tab = source.tabId;
    if (tab === undefined) return;
    const attachment = this.attached(tab) ?? this.early.get(tab);
    if (!attachment) return;
    const session = source.sessionId ?? MAIN;
    const root = attachment.root(session);
    const told = attachment.workers.told(session, method, params);
    attachment.on(session, method, params);
    if (told) this.host.event(tab, root, method, told);
  }

  // onDetach takes Chrome's word that a debugger left a tab.
  onDetach(source: chrome.debugger.Debuggee, reason: string): void {
    const tab = source.tabId;
    if (tab === undefined) return;
    const was = reason === 'target_closed' ? this.forget(tab) : this.forget(tab, reason === 'canceled_by_user' ? halted : detached);
    if (was && reason === 'target_closed') void whyClosed(tab).then((why) => was.end(why));
    const kept = this.host.scripts.delete(tab);
    if (!was && !kept) return;
    this.host.save();
    this.host.left(tab, reason);
  }
}

// whyClosed tells what Chrome does not: it ends an attachment with target_closed when
// the tab is closed, but also when it goes to a page that must not be debugged.
async function whyClosed(tab: number): Promise<Why> {
  try {
    await chrome.tabs.get(tab);
    return (doing) => gone(doing, 'navigated');
  } catch {
    return (doing) => tabGone(doing.tab);
  }
}

// named adds to a failure what the user needs to act on it: which tab is gone, and
// whose frame is in the way.
async function named(failure: Failure, tab: number): Promise<Failure> {
  if ((failure.more.data as { reason?: string } | undefined)?.reason !== 'foreign_extension') {
    return failure.code === 'TAB_NOT_FOUND' ? tabGone(tab) : failure;
  }
  const ids = await foreignFrames();
  if (ids.length === 0) return failure;
  return new Failure(failure.code, `${failure.message}. Extensions with frames open now: ${ids.join(', ')}`, { data: { reason: 'foreign_extension', extensions: ids } });
}

// foreignFrames lists the extensions that have frames open. Chrome does not say in which
// tab.
async function foreignFrames(): Promise<string[]> {
  const targets = await chrome.debugger.getTargets().catch(() => []);
  const ids = targets.filter((target) => target.type === 'other').map((target) => /^chrome-extension:\/\/([a-p]{32})/.exec(target.url)?.[1]);
  return [...new Set(ids.filter((id) => id !== undefined && id !== chrome.runtime.id))] as string[];
}

// Failure is the error of every command, with one of the wire's codes. This file also
// turns what Chrome says into it: each of Chrome's sentences that a user can meet has
// a row that says what happened and what to do next.

import type { BrowserError, Code } from './wire.gen';

// Failure is an error that may go to a server.
export class Failure extends Error {
  constructor(
    readonly code: Code,
    message: string,
    readonly more: { data?: unknown; unknown?: boolean; unsent?: boolean } = {},
  ) {
    super(message);
  }
}

// toWire makes any thrown value an error for the wire. What is no Failure is a fault
// of ours, told as one.
export function toWire(thrown: unknown): BrowserError {
  if (!(thrown instanceof Failure)) {
    return { code: 'CDP_ERROR', message: `the extension failed: ${text(thrown)}; reload it at chrome://extensions if this repeats` };
  }
  const error: BrowserError = { code: thrown.code, message: thrown.message };
  if (thrown.more.data !== undefined) error.data = thrown.more.data;
  if (thrown.more.unknown) error.unknown = true;
  return error;
}

// Doing says what was under way when Chrome refused.
export interface Doing {
  tab: number;
  method: string;
  acts: boolean; // it changes something each time it runs
}

// gone is the failure of a command whose document, frame or renderer went away.
export function gone(doing: Doing, reason: 'navigated' | 'crashed' | 'frame'): Failure {
  const what = {
    navigated: `the page in tab ${doing.tab} was replaced while ${doing.method} ran`,
    crashed: `the page in tab ${doing.tab} has crashed; load it again with reload`,
    frame: `the frame that ${doing.method} names is no longer in tab ${doing.tab}; call frames_list`,
  }[reason];
  const lost = doing.acts && reason !== 'frame';
  return new Failure('TARGET_GONE', what + (lost ? unknownOutcome : ''), { data: { reason }, unknown: lost });
}

const unknownOutcome = '; whether the action happened is not known: look at the page before repeating it';

// tabGone is the failure of commands for a tab that does not exist.
export function tabGone(tab: number): Failure {
  return new Failure('TAB_NOT_FOUND', `tab ${tab} is closed; call tabs_list for the tabs there are`);
}

// halted answers commands after the user pressed Cancel in Chrome's debugging bar.
export function halted(): Failure {
  return new Failure('DETACHED', 'the user stopped chrome-mcp in this browser (Cancel in the bar, or Stop). ' +
    'Nothing more is done until they press Resume in the chrome-mcp popup; tell them so', { data: { reason: 'canceled_by_user' } });
}

// detached is the failure of a command that Chrome cut off.
export function detached(doing: Doing): Failure {
  const lost = doing.acts ? unknownOutcome : '; call again';
  return new Failure('DETACHED', `the debugger left tab ${doing.tab} while ${doing.method} ran${lost}`, { unknown: doing.acts });
}

// unsent marks a failure before which nothing happened, so that trying again is safe.
export function unsent(failure: Failure): Failure {
  return new Failure(failure.code, failure.message, { ...failure.more, unsent: true });
}

const dragging = /cannot be edited right now/;

type Row = [RegExp, (doing: Doing, said: string) => Failure];

const rows: Row[] = [
  [/chrome-extension:\/\/ URL of different extension/, (d) => new Failure('DETACHED',
    `another extension has put a frame into the page of tab ${d.tab}, and Chrome lets nobody debug it there; ` +
    'ask the user to switch that extension off for this site (often a password manager), then call again', { data: { reason: 'foreign_extension' } })],
  [/Cannot access (a|contents of) .*(chrome|devtools|edge|brave|about)(-untrusted)?:/, (d) => new Failure('POLICY_DENIED',
    `tab ${d.tab} shows a page of the browser itself, which cannot be driven; open a web page with tab_new`)],
  [/Cannot access (a|contents of) .*file:/, (d) => new Failure('POLICY_DENIED',
    `Chrome keeps extensions from the file in tab ${d.tab}; ask the user to switch "Allow access to file URLs" on for chrome-mcp at chrome://extensions`)],
  [/extensions gallery cannot be scripted|Cannot attach to this target|cannot be (scripted|accessed)/, (d) => new Failure('POLICY_DENIED',
    `Chrome protects the page in tab ${d.tab} (the Web Store, or a rule of the administrator); use another page`)],
  [/Another debugger is already attached/, (d) => new Failure('DEVTOOLS_OPEN',
    `DevTools or another extension debugs tab ${d.tab} and does not share it; ask the user to close that there, then call again`)],
  [/Debugger is not attached/, (d) => new Failure('DETACHED',
    `the debugger is not attached to tab ${d.tab}; call again`, { unsent: true })],
  [dragging, () => new Failure('CDP_ERROR',
    'the user is dragging a tab, and Chrome changes none meanwhile; call again in a moment', { unsent: true })],
  [/showing error page/, (d) => new Failure('TARGET_GONE',
    `tab ${d.tab} shows an error page of the browser; call navigate or reload`)],
  [/No window with id/, () => new Failure('TARGET_GONE', 'the window is closed; open a tab in another with tab_new')],
  [/No tab with (given )?id|No target with given id/, (d) => tabGone(d.tab)],
  [/Detached while handling command/, (d) => detached(d)],
  [/Cannot find (default )?(execution )?context|uniqueContextId not found/, (d) => unsent(gone({ ...d, acts: false }, 'navigated'))],
  [/[Cc]ontext was destroyed|Promise was collected|Inspected target navigated/, (d) => gone(d, 'navigated')],
  [/[Tt]arget crashed/, (d) => gone(d, 'crashed')],
  [/No frame (for|with)|Frame with the given|Session with given id|frame was not found|No session/, (d) => gone(d, 'frame')],
  [/No node (with|found for)|Could not find node|Node with given id|Node is detached|does not belong to the document/, (d) => new Failure('REF_EXPIRED',
    `the element is no longer in the page of tab ${d.tab}; take a new snapshot`)],
  [/No dialog is showing/, (d) => new Failure('CDP_ERROR',
    `no dialog that can be answered is open in tab ${d.tab}; one that opened before chrome-mcp came to the tab goes away with reload`)],
  [/wasn't found|Method not found|not supported|Not allowed/, (d, said) => new Failure('CDP_ERROR',
    `this browser refuses ${d.method}: ${said}`)],
];

/** isDragging says whether Chrome refused because the user drags a tab at this moment. */
export const isDragging = (thrown: unknown): boolean => dragging.test(text(thrown));

// fromChrome maps what chrome.debugger or chrome.tabs threw.
export function fromChrome(thrown: unknown, doing: Doing): Failure {
  if (thrown instanceof Failure) return thrown;
  const said = text(thrown);
  for (const [pattern, make] of rows) {
    if (pattern.test(said)) return make(doing, said);
  }
  return new Failure('CDP_ERROR', `${doing.method} failed in tab ${doing.tab}: ${said}`);
}

// text is the sentence in a thrown value. chrome.debugger wraps the protocol's own
// error objects as JSON in the message.
export function text(thrown: unknown): string {
  const said = thrown instanceof Error ? thrown.message : String((thrown as { message?: unknown })?.message ?? thrown);
  if (!said.startsWith('{')) return said;
  try {
    const error = JSON.parse(said) as { message?: string; data?: string };
    return error.data ? `${error.message}: ${error.data}` : (error.message ?? said);
  } catch {
    return said;
  }
}

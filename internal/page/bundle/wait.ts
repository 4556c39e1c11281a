// Waiting that costs nothing when the thing is there and also works in hidden tabs, where
// animation frames never come and timers come once a second.
import { docHidden } from './dom';
import { Failure } from './failure';
import { freshStyles } from './style';

const now = () => performance.now();

/** pause resolves after ms, in hidden tabs too. */
export function pause(ms: number): Promise<void> {
  if (docHidden(document)) {
    const late = engineTimer(ms);
    if (late) return late;
  }
  return new Promise(done => setTimeout(done, ms));
}

let cell: Int32Array | null | undefined;

// Timers of the script engine are not throttled with the page's. Shared memory comes by
// way of WebAssembly, since its own constructor is kept from pages that are not isolated.
function engineTimer(ms: number): Promise<void> | null {
  if (cell === undefined) {
    try {
      cell = new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer as unknown as ArrayBuffer);
    } catch {
      cell = null;
    }
  }
  const atomics = Atomics as unknown as { waitAsync?: (a: Int32Array, i: number, v: number, ms: number) => { value: unknown } };
  if (!cell || !atomics.waitAsync) return null;
  return Promise.resolve(atomics.waitAsync(cell, 0, 0, ms).value).then(() => undefined);
}

/** change resolves at the next change of the document, or after ms. */
function change(ms: number): Promise<void> {
  return new Promise(done => {
    const observer = new MutationObserver(() => end());
    const end = () => {
      observer.disconnect();
      done();
    };
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    void pause(ms).then(end);
  });
}

/** Reasons that may pass with time. */
const passing = new Set(['SELECTOR_NOT_FOUND', 'NOT_ACTIONABLE']);

/** Patience says how long to try, and whether a missing element is worth any of it. */
export interface Patience {
  timeoutMs: number;
  now?: boolean;
}

/**
 * retry calls attempt until it returns, for as long as it fails for a reason that may
 * pass. The first call is at once; then it follows the document's changes.
 */
export async function retry<T>(p: Patience, attempt: (left: number) => T | Promise<T>): Promise<T> {
  const start = now();
  const end = start + Math.max(0, p.timeoutMs || 0);
  for (let tries = 0; ; tries++) {
    const began = now();
    try {
      freshStyles();
      return await attempt(end - began);
    } catch (e) {
      if (!(e instanceof Failure) || !passing.has(e.code)) throw e;
      if (p.now && e.code === 'SELECTOR_NOT_FOUND') throw e;
      const left = end - now();
      if (left <= 0 || now() - start >= e.patience) throw e;
      // A page that changes all the time, or is slow to look through, is not looked at
      // all the time.
      const rest = Math.max(8, 2 * (now() - began));
      await pause(Math.min(rest, left));
      await change(Math.min(tries < 10 ? 20 : 80, Math.max(0, end - now())));
    }
  }
}

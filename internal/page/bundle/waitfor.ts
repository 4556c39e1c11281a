// Waiting for something to be there or to be gone.
import { alike, bodyOf, documentElement } from './dom';
import { Failure } from './failure';
import { Hosts, requireHosts } from './hosts';
import { resolve } from './locate';
import { numberOf } from './numbers';
import type { Locator, Wait, WaitArgs } from './pagefn.gen';
import { isVisible } from './style';
import { visibleText } from './text';
import { retry } from './wait';

/** waitFor answers when the condition holds, or with matched false at the deadline. */
export async function waitFor(args: WaitArgs): Promise<Wait> {
  try {
    return await retry({ timeoutMs: args.timeoutMs }, () => {
      const found = args.target ? seen(args.target, !!args.gone) : says(args.textContains ?? '');
      if (!!found === !!args.gone) throw new Failure('NOT_ACTIONABLE', 'not yet');
      return { matched: true, ...(typeof found === 'number' ? { node: found } : {}) };
    });
  } catch (e) {
    if (e instanceof Failure && (e.code === 'NOT_ACTIONABLE' || e.code === 'SELECTOR_NOT_FOUND')) return { matched: false };
    throw e;
  }
}

// The number of the visible target, or 0.
function seen(target: Locator, gone: boolean): number {
  try {
    const el = resolve(target);
    return isVisible(el) ? numberOf(el) : 0;
  } catch (e) {
    if (e instanceof Hosts || !(e instanceof Failure)) throw e;
    if (e.code === 'SELECTOR_NOT_FOUND' || (e.code === 'REF_EXPIRED' && gone)) return 0;
    if (e.code === 'AMBIGUOUS') return -1;
    throw e;
  }
}

function says(want: string): boolean {
  if (alike(visibleText(bodyOf(document) ?? documentElement(document))).includes(alike(want))) return true;
  requireHosts();
  return false;
}

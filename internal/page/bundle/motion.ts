// Whether an element holds still long enough to be pressed.
import { attr, docAnimations, flatParent, hasAttrs, rectOf, within } from './dom';
import { fail } from './failure';
import { label } from './describe';
import { pause } from './wait';

/** Motion is why an element may not be where it was a moment ago. */
export interface Motion {
  waited: boolean; // it has just appeared
  scrolled: boolean; // we have just scrolled
}

const frame = 17;
const paint = /color|opacity|shadow|background|outline|radius|filter|visibility|fill|stroke|^offset$|^easing$|^composite$|^computedOffset$|content|cursor/i;

/** still resolves when the element does not move; at once if nothing suggests it might. */
export async function still(el: Element, motion: Motion, left: number): Promise<void> {
  const end = performance.now() + Math.max(left, frame);
  const running = moving(el);
  if (running.length) {
    // A hidden tab may stop the clock of animations: then they never end, nor move.
    const patience = Math.min(end - performance.now(), 3000);
    await Promise.race([Promise.allSettled(running.map(a => a.finished)), pause(patience)]);
  } else if (!motion.waited && !motion.scrolled && !scripted(el)) return;
  let last = rectOf(el);
  for (;;) {
    await pause(frame);
    const now = rectOf(el);
    if (Math.abs(now.x - last.x) < 1 && Math.abs(now.y - last.y) < 1 && Math.abs(now.width - last.width) < 1) return;
    if (performance.now() > end) fail('NOT_ACTIONABLE', `${label(el)} keeps moving`);
    last = now;
  }
}

// Animations and transitions that change where the element is and that end.
function moving(el: Element): Animation[] {
  const all = docAnimations(document);
  return all.filter(a => {
    const effect = a.effect;
    if (a.playState !== 'running' || !(effect instanceof KeyframeEffect) || !effect.target) return false;
    if (effect.getComputedTiming().endTime === Infinity || !within(el, effect.target)) return false;
    return effect.getKeyframes().some(k => Object.keys(k).some(name => !paint.test(name)));
  });
}

// A script that moves things writes inline styles.
function scripted(el: Element): boolean {
  let at: Element | null = el;
  for (let n = 0; at && n < 12; at = flatParent(at), n++) {
    if (hasAttrs(at) && /transform|translate|left\s*:|top\s*:|right\s*:|bottom\s*:/i.test(attr(at, 'style') ?? '')) return true;
  }
  return false;
}

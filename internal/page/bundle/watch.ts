// Where the next press lands. Between the check of a point and the press the page may
// have changed; so the press itself is watched, and one that would hit something else is
// stopped before the page hears of it.
import { fromPoint, isConnected, listen, shadowOf } from './dom';
import { checkedOf } from './controls';
import { infoOf } from './describe';
import { coverName, reaches } from './hit';
import { elementOf, numberOf } from './numbers';
import type { Outcome, OutcomeArgs } from './pagefn.gen';
import type { Point } from './points';
import { statesOf } from './states';
import { freshStyles } from './style';
import { pause } from './wait';

const sequence = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu', 'dragstart'];

interface Watch {
  el: Element;
  at: Element;
  point: Point;
  pressed: boolean;
  landed: boolean;
  instead: string;
  blocking: boolean;
  end: () => void;
}

let current: Watch | null = null;

// Listeners of one target hear in the order in which they were added. So ours are added
// as the document begins, before any of the page's, and do nothing until there is a
// watch. document.open takes them away: each watch adds them again, which is nothing
// where they still are.
const hear = (e: Event): void => {
  if (current) onEvent(current, e);
};
function install(): void {
  for (const type of sequence) listen(window, type, hear, { capture: true, passive: false });
}
install();

/** watch begins to watch for one press, double ones included, until outcome is asked for. */
export function watch(el: Element, at: Element, point: Point): void {
  current?.end();
  install();
  const w: Watch = { el, at, point, pressed: false, landed: false, instead: '', blocking: false, end: () => {} };
  // A server that dies between prepare and outcome must not leave the user a page that
  // swallows presses.
  const timer = setTimeout(() => w.end(), 15000);
  w.end = () => {
    clearTimeout(timer);
    if (current === w) current = null;
  };
  current = w;
}

function onEvent(w: Watch, e: Event): void {
  if (!e.isTrusted) return;
  const press = e.type === 'pointerdown' || (e.type === 'mousedown' && !w.pressed);
  if (press) {
    if (!ours(w, e as MouseEvent)) {
      w.blocking = false; // the user's own press elsewhere
      return;
    }
    judge(w, e as MouseEvent);
  }
  if (!w.blocking) return;
  e.preventDefault();
  e.stopImmediatePropagation();
}

// In a frame that is zoomed or turned the point may be off by some pixels.
function ours(w: Watch, e: MouseEvent): boolean {
  const near = window === window.top ? 3 : 40;
  return Math.abs(e.clientX - w.point.x) <= near && Math.abs(e.clientY - w.point.y) <= near;
}

function judge(w: Watch, e: MouseEvent): void {
  freshStyles();
  w.pressed = true;
  const hit = innermost(e);
  w.blocking = !reaches(hit, w.at) && !reaches(hit, w.el);
  if (w.blocking) w.instead = coverName(hit);
  else w.landed = true;
}

// The event tells the host of a closed root only; the point tells what is in it.
function innermost(e: MouseEvent): Element | null {
  const first = e.composedPath()[0];
  let el = first instanceof Element ? first : fromPoint(e.clientX, e.clientY);
  for (let root = el && shadowOf(el); root; root = el && shadowOf(el)) {
    const inner: Element | null = root.elementFromPoint(e.clientX, e.clientY);
    if (!inner || inner === el) break;
    el = inner;
  }
  return el;
}

/** outcome tells what became of the watched press and ends the watch. */
export async function outcome(args: OutcomeArgs): Promise<Outcome> {
  const w = current && numberOf(current.el) === args.node ? current : null;
  // The browser may acknowledge a press a moment before the page hears of it.
  for (let waited = 0; w && !w.pressed && waited < 100; waited += 5) await pause(5);
  w?.end();
  freshStyles();
  const out: Outcome = { landed: !!w?.landed };
  if (w?.instead) out.instead = w.instead;
  const el = w?.el ?? elementOf(args.node);
  if (!el || !isConnected(el)) return { ...out, gone: true };
  const role = infoOf(el).role;
  const checked = checkedOf(el, role);
  if (checked !== null) out.checked = checked === true;
  const states = statesOf(el, role);
  if (states.length) out.states = states;
  return out;
}

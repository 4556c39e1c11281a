// Where the next press lands. Between the check of a point and the press the page may
// have changed; so the press itself is watched, and one that would hit something else is
// stopped before the page hears of it.
import { activeElement, fromPoint, isConnected, listen, localName, rectOf, shadowOf } from './dom';
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

/** Aim is what is acted on and where: the target, or the label that stands for it. */
export interface Aim {
  el: Element;
  at: Element;
}

interface Watch extends Aim {
  node: number; // of the target when the watch began
  again: () => Aim; // finds the target anew, or throws
  point: Point;
  had: Element | null; // the focus before the press
  box: DOMRect; // of the target at the press
  calm: boolean; // it is where it was when the page has heard of the press
  clicked: boolean; // a click came to the target, not only its press
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
// The last to hear of a press.
const heard = (e: Event): void => {
  if (current?.landed && e.isTrusted) current.calm = !movedFrom(current.box, current.at);
};
function install(): void {
  for (const type of sequence) listen(window, type, hear, { capture: true, passive: false });
  listen(window, 'mousedown', heard, { capture: false, passive: true });
}
install();

/** watch begins to watch for one press, double ones included, until outcome is asked for. */
export function watch(aim: Aim, point: Point, again: () => Aim): void {
  current?.end();
  install();
  const w: Watch = { ...aim, node: numberOf(aim.el), again, point, had: null, box: rectOf(aim.at), calm: false, clicked: false, pressed: false, landed: false, instead: '', blocking: false, end: () => {} };
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
  if (e.type === 'click' && w.landed) w.clicked ||= aimed(w, innermost(e as MouseEvent));
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
  if (!w.pressed) w.had = activeElement();
  w.pressed = true;
  const hit = innermost(e);
  if (!isConnected(w.el)) redrawn(w);
  w.blocking = !aimed(w, hit);
  if (w.blocking) w.instead = coverName(hit);
  else w.landed = true;
  w.box = rectOf(w.at);
}

// The image of a map is hit also where none of its areas is; the event tells them apart.
const aimed = (w: Watch, hit: Element | null) => (localName(w.at) === 'area' ? hit === w.at : reaches(hit, w.at) || reaches(hit, w.el));

// The page has drawn its elements anew since the check: what answers to the locator now
// is the target.
function redrawn(w: Watch): void {
  try {
    Object.assign(w, w.again());
  } catch {
    // Then the press is not on the target.
  }
}

// The field that lost the focus to the press may have moved everything, as one that shows
// or hides a message does: then the release comes down beside the target, which gets no
// click. What moves by the press itself has done what it does.
function slipped(w: Watch): boolean {
  if (!w.landed || w.clicked || !w.calm || !w.had || w.had === activeElement() || !isConnected(w.el)) return false;
  // A menu that opens at the press covers the target, but leaves it where it is.
  return movedFrom(w.box, w.at) && !aimed(w, fromPoint(w.point.x, w.point.y));
}

function movedFrom(box: DOMRect, el: Element): boolean {
  freshStyles();
  const now = rectOf(el);
  return Math.abs(now.x - box.x) > 1 || Math.abs(now.y - box.y) > 1;
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
  const w = current?.node === args.node ? current : null;
  // The browser may acknowledge a press a moment before the page hears of it.
  for (let waited = 0; w && !w.pressed && waited < 100; waited += 5) await pause(5);
  w?.end();
  freshStyles();
  const out: Outcome = { landed: !!w?.landed };
  if (w?.instead) out.instead = w.instead;
  if (w && slipped(w)) out.slipped = true;
  const el = w?.el ?? elementOf(args.node);
  if (!el || !isConnected(el)) return { ...out, gone: true };
  const role = infoOf(el).role;
  if (checkedOf(el, role) !== null) {
    await pause(0); // a page that puts it back does so in a task of its own
    freshStyles();
  }
  const checked = checkedOf(el, role);
  if (checked !== null) out.checked = checked === true;
  const states = statesOf(el, role);
  if (states.length) out.states = states;
  return out;
}

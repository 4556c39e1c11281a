// Scrolling without a wheel.
import { bodyOf, clientHeight, clientWidth, documentElement, flatParent, localName, query, scrollHeight, scrollingElement, scrollLeft, scrollTo, scrollTop, scrollWidth, within } from './dom';
import { hitAt, reaches } from './hit';
import { resolve } from './locate';
import type { ScrollArgs, Scrolled } from './pagefn.gen';
import { inView, pointsOf, viewport, type Point } from './points';
import { freshStyles, styleOf, topModal } from './style';

/** scroll moves the scroller of the target, or the page's, and says where it is then. */
export function scroll(args: ScrollArgs): Scrolled {
  freshStyles();
  const el = scroller(args.target ? resolve(args.target) : null);
  if (!el) return { x: 0, y: 0, maxX: 0, maxY: 0 };
  const left = (args.x ?? scrollLeft(el)) + (args.deltaX ?? 0);
  const top = (args.y ?? scrollTop(el)) + (args.deltaY ?? 0);
  scrollTo(el, { left, top, behavior: 'instant' });
  const out: Scrolled = { x: scrollLeft(el), y: scrollTop(el), maxX: scrollWidth(el) - clientWidth(el), maxY: scrollHeight(el) - clientHeight(el) };
  const wheel = args.wheel ? wheelPoint(el, args.target ? resolve(args.target) : null, args.wheel) : null;
  if (wheel) out.wheel = wheel;
  return out;
}

// Where the wheel turns this scroller and nothing that scrolls in it or over it.
function wheelPoint(el: Element, target: Element | null, axes: string): Point | null {
  const inside = target ?? (isPage(el) ? null : el);
  for (const p of inside ? pointsOf(inside) : viewPoints()) {
    const hit = inView(p) ? hitAt(p) : null;
    if (hit && (!inside || reaches(hit, inside)) && turns(hit, inside ?? el, axes)) return p;
  }
  return null;
}

function turns(hit: Element, whole: Element, axes: string): boolean {
  for (let at: Element | null = hit; at && at !== whole; at = flatParent(at)) {
    if (/^(iframe|frame|object|embed)$/.test(localName(at))) return false;
    if (!isPage(at) && takesWheel(at, axes)) return false;
  }
  return true;
}

function takesWheel(el: Element, axes: string): boolean {
  const style = styleOf(el);
  return (axes.includes('y') && scrollHeight(el) - clientHeight(el) > 1 && /auto|scroll/.test(style.overflowY))
    || (axes.includes('x') && scrollWidth(el) - clientWidth(el) > 1 && /auto|scroll/.test(style.overflowX));
}

const isPage = (el: Element) => el === scrollingElement(document) || el === documentElement(document) || el === bodyOf(document);

function viewPoints(): Point[] {
  const v = viewport();
  const at = [0.5, 0.25, 0.75, 0.1, 0.9, 0.02, 0.98];
  return at.flatMap(fy => at.map(fx => ({ x: v.width * fx, y: v.height * fy })));
}

function scroller(el: Element | null): Element | null {
  const page = scrollingElement(document) ?? documentElement(document);
  for (let at = el; at && at !== page && at !== bodyOf(document); at = flatParent(at)) if (canScroll(at)) return at;
  const modal = topModal();
  if (el || !page || (room(page) > 1 && !modal && !locked())) return page;
  // A page that does not scroll itself usually has one pane that does.
  let best: Element | null = null;
  for (const pane of query(document, 'body,main,div,section,ul,article,dialog')) {
    if (canScroll(pane) && !(pane === bodyOf(document) && !locked()) && area(pane) > area(best) && (!modal || within(pane, modal))) best = pane;
  }
  return best && (modal || area(best) > 0.3 * innerWidth * innerHeight) ? best : page;
}

// locked says whether the page keeps a person from scrolling it, as behind a dialog.
function locked(): boolean {
  const root = documentElement(document);
  const body = bodyOf(document);
  const own = root ? styleOf(root).overflowY : 'visible';
  return /hidden|clip/.test(own !== 'visible' || !body ? own : styleOf(body).overflowY);
}

const room = (el: Element) => Math.max(scrollHeight(el) - clientHeight(el), scrollWidth(el) - clientWidth(el));
const area = (el: Element | null) => (el ? clientWidth(el) * clientHeight(el) : 0);

function canScroll(el: Element): boolean {
  if (room(el) <= 1) return false;
  const style = styleOf(el);
  return /auto|scroll|hidden|overlay/.test(style.overflowY + style.overflowX);
}

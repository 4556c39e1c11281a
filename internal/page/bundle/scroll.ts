// Scrolling without a wheel.
import { bodyOf, clientHeight, clientWidth, documentElement, flatParent, query, scrollHeight, scrollingElement, scrollLeft, scrollTo, scrollTop, scrollWidth } from './dom';
import { resolve } from './locate';
import type { ScrollArgs, Scrolled } from './pagefn.gen';
import { freshStyles, styleOf } from './style';

/** scroll moves the scroller of the target, or the page's, and says where it is then. */
export function scroll(args: ScrollArgs): Scrolled {
  freshStyles();
  const el = scroller(args.target ? resolve(args.target) : null);
  if (!el) return { x: 0, y: 0, maxX: 0, maxY: 0 };
  const left = (args.x ?? scrollLeft(el)) + (args.deltaX ?? 0);
  const top = (args.y ?? scrollTop(el)) + (args.deltaY ?? 0);
  scrollTo(el, { left, top, behavior: 'instant' });
  return { x: scrollLeft(el), y: scrollTop(el), maxX: scrollWidth(el) - clientWidth(el), maxY: scrollHeight(el) - clientHeight(el) };
}

function scroller(el: Element | null): Element | null {
  const page = scrollingElement(document) ?? documentElement(document);
  for (let at = el; at && at !== page && at !== bodyOf(document); at = flatParent(at)) if (canScroll(at)) return at;
  if (el || !page || room(page) > 1) return page;
  // A page that does not scroll itself usually has one pane that does.
  let best: Element | null = null;
  for (const pane of query(document, 'main,div,section,ul,article')) {
    if (canScroll(pane) && area(pane) > area(best)) best = pane;
  }
  return best && area(best) > 0.3 * innerWidth * innerHeight ? best : page;
}

const room = (el: Element) => Math.max(scrollHeight(el) - clientHeight(el), scrollWidth(el) - clientWidth(el));
const area = (el: Element | null) => (el ? clientWidth(el) * clientHeight(el) : 0);

function canScroll(el: Element): boolean {
  if (room(el) <= 1) return false;
  const style = styleOf(el);
  return /auto|scroll|hidden|overlay/.test(style.overflowY + style.overflowX);
}

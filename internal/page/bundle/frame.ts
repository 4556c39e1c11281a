// Points of a child frame in this frame's viewport, through borders, transforms and zoom.
import {
  attr, clientHeight, clientLeft, clientTop, clientWidth, cssZoom, firstChild, flatParent, idOf, isElement, localName, nextSibling, offsetHeight, offsetWidth, parentNode, query, rectOf,
  rootOf, scrollBy, scrollIntoView,
} from './dom';
import { fail } from './failure';
import { coverName, hitAt } from './hit';
import type { FrameOwnerArgs, FramePoint } from './pagefn.gen';
import { inView, type Point } from './points';
import { frameOwners } from './snapshot';
import { freshStyles, isVisible, styleOf } from './style';

/** frameOwner maps a point of the child frame into this frame. */
export function frameOwner(args: FrameOwnerArgs, owner: Node | undefined): FramePoint {
  if (!(owner instanceof Element)) return fail('BAD_ARGS', 'frameOwner needs the element that holds the frame');
  freshStyles();
  const was = map(owner, args);
  let p = was;
  if (args.into && !inView(p)) {
    scrollIntoView(owner, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
    freshStyles();
    p = map(owner, args);
    if (!inView(p)) p = pull(owner, args, p);
  }
  if (args.wake && attr(owner, 'loading') === 'lazy' && !inView(p)) scrollIntoView(owner, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
  let hit = hitAt(p);
  if (args.into && inView(p) && hit !== owner) {
    // From under a bar at an edge the point gets into the open in the middle.
    p = toMiddle(owner, args, p);
    hit = hitAt(p);
  }
  const out: FramePoint = { x: p.x, y: p.y, index: frameOwners().indexOf(owner) + 1 };
  if (inView(p) ? hit !== owner : args.into) out.covered = inView(p) ? coverName(hit) : 'the edge of the viewport';
  if (args.into && (p.x !== was.x || p.y !== was.y)) out.moved = true;
  out.selector = selectorOf(owner);
  if (!frameShows(owner)) out.hidden = true;
  return out;
}

/** frameShows says whether a person can see something of what a frame holds. */
export function frameShows(owner: Element): boolean {
  return isVisible(owner) && clientWidth(owner) > 1 && clientHeight(owner) > 1;
}

// A frame taller than the viewport: scroll what scrolls until the point itself is inside.
function pull(owner: Element, args: Point, p: Point): Point {
  for (let at: Element | null = owner; at && !inView(p); at = flatParent(at)) {
    scrollBy(at, { left: p.x - innerWidth / 2, top: p.y - innerHeight / 2, behavior: 'instant' });
    freshStyles();
    p = map(owner, args);
  }
  return p;
}

function toMiddle(owner: Element, args: Point, p: Point): Point {
  for (let at: Element | null = owner; at && hitAt(p) !== owner; at = flatParent(at)) {
    scrollBy(at, { left: 0, top: p.y - innerHeight / 2, behavior: 'instant' });
    freshStyles();
    p = map(owner, args);
  }
  return p;
}

// Any affine map takes the middle of the box to the middle of its bounding rectangle, so
// only the linear part is needed, and that is the product of the ancestors' transforms.
function map(owner: Element, child: Point): Point {
  const style = styleOf(owner);
  const zoom = cssZoom(owner) ?? 1;
  const box = rectOf(owner);
  const linear = linearPart(owner);
  const width = owner instanceof HTMLElement ? offsetWidth(owner) : box.width;
  const height = owner instanceof HTMLElement ? offsetHeight(owner) : box.height;
  // The child's own pixels are zoomed like the owner's.
  const x = clientLeft(owner) + parseFloat(style.paddingLeft) + child.x - width / 2;
  const y = clientTop(owner) + parseFloat(style.paddingTop) + child.y - height / 2;
  return {
    x: box.left + box.width / 2 + (linear.a * x + linear.c * y) * zoom,
    y: box.top + box.height / 2 + (linear.b * x + linear.d * y) * zoom,
  };
}

function linearPart(el: Element): DOMMatrix {
  let total = new DOMMatrix();
  for (let at: Element | null = el; at; at = flatParent(at)) {
    const style = styleOf(at);
    const own = new DOMMatrix();
    if (style.rotate && style.rotate !== 'none') own.multiplySelf(new DOMMatrix(`rotate(${style.rotate})`));
    if (style.scale && style.scale !== 'none') own.multiplySelf(new DOMMatrix(`scale(${style.scale.split(' ').join(',')})`));
    if (style.transform && style.transform !== 'none') own.multiplySelf(new DOMMatrix(style.transform));
    if (!own.isIdentity) total = own.multiply(total);
  }
  return total;
}

function siblings(el: Element): Element[] {
  const found: Element[] = [];
  const parent = parentNode(el);
  for (let n = parent && firstChild(parent); n; n = nextSibling(n)) if (isElement(n)) found.push(n);
  return found;
}

/** selectorOf is a CSS selector of an element, unique in its root. */
function selectorOf(el: Element): string {
  const root = rootOf(el) as Document | ShadowRoot;
  const id = idOf(el);
  const unique = (s: string) => query(root, s).length === 1;
  if (id && unique('#' + CSS.escape(id))) return '#' + CSS.escape(id);
  for (const name of ['name', 'title', 'src']) {
    const value = attr(el, name);
    const s = value && value.length < 120 ? `${localName(el)}[${name}="${CSS.escape(value)}"]` : '';
    if (s && unique(s)) return s;
  }
  const steps: string[] = [];
  for (let at: Element | null = el; at; at = isElement(parentNode(at)) ? (parentNode(at) as Element) : null) {
    const same = siblings(at).filter(s => localName(s) === localName(at!));
    steps.unshift(same.length > 1 ? `${localName(at)}:nth-of-type(${same.indexOf(at) + 1})` : localName(at));
    const s = steps.join(' > ');
    if (unique(s)) return s;
  }
  return steps.join(' > ');
}

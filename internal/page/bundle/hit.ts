// What receives the pointer at a point, and whether that is as good as the target.
import { flatParent, fromPoint, localName, rootOf, shadowOf, within, isShadowRoot, hostOf, composedParent } from './dom';
import { labelledControl } from './controls';
import { infoOf, kindOf, label } from './describe';
import { imageOfArea, styleOf } from './style';
import type { Point } from './points';

/** reaches says whether a press on hit is a press on el. */
export function reaches(hit: Element | null, el: Element): boolean {
  if (!hit) return false;
  if (hit === el || within(hit, el)) return true;
  if (labelledControl(hit) === el) return true;
  if (localName(el) === 'area' && hit === imageOfArea(el)) return true;
  if (hit instanceof HTMLOptionElement || localName(el) === 'option') return localName(hit) === 'select' && within(el, hit);
  return throughPart(hit, el) || unseenHost(hit, el);
}

// The icon of a button lets the pointer through to it: to press one is to press the other.
function throughPart(hit: Element, el: Element): boolean {
  if (kindOf(el).act || styleOf(el).pointerEvents !== 'none') return false;
  for (let at = flatParent(el); at; at = flatParent(at)) if (kindOf(at).act) return within(hit, at);
  return false;
}

// A closed root that is not known yet shows only its host.
function unseenHost(hit: Element, el: Element): boolean {
  for (let root = rootOf(el); isShadowRoot(root); root = rootOf(hostOf(root))) if (hostOf(root) === hit && shadowOf(hit) !== root) return true;
  return false;
}

/** nested says whether the press would work a control inside the target instead of it. */
export function nested(hit: Element | null, el: Element): boolean {
  for (let at = hit; at && at !== el; at = flatParent(at)) if (kindOf(at).act) return true;
  return false;
}

/** hitAt is the element at a point. */
export function hitAt(p: Point): Element | null {
  return fromPoint(p.x, p.y);
}

/** coverName names what lies over a target: the element and the thing it belongs to. */
export function coverName(hit: Element | null): string {
  if (!hit) return 'nothing of this page';
  const own = label(hit);
  if (infoOf(hit).act || /dialog|alert/.test(infoOf(hit).role)) return own;
  for (let at = composedParent(hit), n = 0; at && n < 10; at = composedParent(at), n++) {
    const info = infoOf(at);
    if (info.role && info.role !== 'iframe' && (info.name || /dialog/.test(info.role))) return `${own} in ${label(at)}`;
  }
  return own;
}

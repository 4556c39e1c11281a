// Closed shadow roots. A script cannot see them, the debugger can: so the bundle names
// the elements that may hold one, the runner looks and hands in the roots it finds.
import {
  allRoots, checkVisibility, composedParent, data, eachElement, firstChild, firstElement, isHTML, isText, localName, matches, nextSibling, offsetHeight, offsetWidth,
  query, shadowOf,
} from './dom';

/** Hosts is thrown by a function that wants closed roots looked for; nothing was done yet. */
export class Hosts {
  constructor(readonly count: number) {}
}

const most = 400;
const looked = new WeakMap<Element, string>();
// Custom elements without a closed root, by tag: after a few of one kind the rest are
// taken to be the same.
const barren = new Map<string, number>();
let pending: Element[] = [];

const attachable = new Set('article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '));

/** requireHosts throws Hosts if there are elements that nobody looked into. */
export function requireHosts(): void {
  pending = search();
  if (pending.length) throw new Hosts(pending.length);
}

/** candidates hands the elements out and marks them as looked at. */
export function candidates(): Element[] {
  const out = pending.length ? pending : search();
  pending = [];
  for (const el of out) {
    looked.set(el, signature(el));
    if (isCustom(el)) barren.set(localName(el), (barren.get(localName(el)) ?? 0) + 1);
  }
  return out;
}

/** fertile notes that an element did hold a closed root. */
export function fertile(host: Element): void {
  barren.set(localName(host), -1e9);
}

function search(): Element[] {
  const found: Element[] = [];
  eachElement((el, root) => {
    if (!root && found.length < most && mayHost(el) && looked.get(el) !== signature(el)) found.push(el);
  });
  for (const root of allRoots()) {
    for (const child of query(root, '[slot]')) {
      const host = composedParent(child);
      if (host && !shadowOf(host) && attachable.has(localName(host)) && looked.get(host) !== signature(host) && !found.includes(host)) found.push(host);
    }
  }
  return found;
}

const isCustom = (el: Element) => localName(el).includes('-');

// What changes when a root is attached later.
function signature(el: Element): string {
  return isCustom(el) ? String(matches(el, ':defined')) : `${offsetWidth(el)}x${offsetHeight(el)}`;
}

function mayHost(el: Element): boolean {
  const name = localName(el);
  if (name.includes('-')) return isHTML(el) && (barren.get(name) ?? 0) < 3;
  if (!attachable.has(name)) return false;
  // A plain element with a root shows something though it holds nothing, or holds
  // elements that are not shown anywhere.
  const only = firstElement(el);
  if (only) return !settled.has(el) && unslotted(el, only);
  return blank(el) && isHTML(el) && offsetHeight(el) > 0 && offsetWidth(el) > 0;
}

// Outside the flat tree an element has no computed style at all.
function unslotted(host: Element, child: Element): boolean {
  if (checkVisibility(child)) return settled.add(host), false;
  return window.getComputedStyle(child).display === '' && window.getComputedStyle(host).display !== '';
}

// Elements whose children are shown: looked at once, since every snapshot passes by.
const settled = new WeakSet<Element>();

function blank(el: Element): boolean {
  for (let n = firstChild(el); n; n = nextSibling(n)) if (isText(n) && data(n).trim()) return false;
  return true;
}

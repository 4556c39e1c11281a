// What is rendered and visible. Answers are kept for one synchronous pass only: see
// freshStyles.
import { checkVisibility, composedParent, flatParent, freshRoots, hasAttr, hasAttrs, attr, isHTML, localName, queryDoc } from './dom';

const compute = window.getComputedStyle.bind(window) as (el: Element) => CSSStyleDeclaration;

// Reading a property of a computed style costs more than to look it up here.
interface Look {
  style?: CSSStyleDeclaration;
  display?: string;
  shows?: boolean;
  pointer?: boolean;
}

let looks = new Map<Element, Look>();
let visible = new Map<Element, boolean>();
let passes: (() => void)[] = [];

/** onFresh registers another cache to be emptied with this one. */
export function onFresh(f: () => void): void {
  passes.push(f);
}

/** freshStyles forgets what was computed: to be called at the start of each pass. */
export function freshStyles(): void {
  looks = new Map();
  visible = new Map();
  freshRoots();
  for (const f of passes) f();
}

/** styleOf is getComputedStyle, once per element and pass. */
export function styleOf(el: Element): CSSStyleDeclaration {
  const l = lookOf(el);
  return (l.style ??= compute(el));
}

function lookOf(el: Element): Look {
  let l = looks.get(el);
  if (!l) looks.set(el, (l = { style: undefined, display: undefined, shows: undefined, pointer: undefined }));
  return l;
}

/** displayOf is the computed display. */
export function displayOf(el: Element): string {
  const l = lookOf(el);
  return (l.display ??= styleOf(el).display);
}

/** shows says whether the element's own visibility is visible. */
export function shows(el: Element): boolean {
  const l = lookOf(el);
  return (l.shows ??= styleOf(el).visibility === 'visible');
}

/** hasPointer says whether the cursor over the element is a hand. */
export function hasPointer(el: Element): boolean {
  const l = lookOf(el);
  return (l.pointer ??= styleOf(el).cursor === 'pointer');
}

/** rendered says whether the element takes part in layout, hidden visibility included. */
export function rendered(el: Element): boolean {
  if (checkVisibility(el)) return !(hasAttrs(el) && attr(el, 'hidden') === 'until-found');
  const name = isHTML(el) ? localName(el) : '';
  if (name === 'option' || name === 'optgroup') return optionRendered(el);
  if (name === 'area') return areaRendered(el);
  if (displayOf(el) !== 'contents') return false;
  const parent = flatParent(el);
  return !parent || rendered(parent);
}

// The options of a collapsed select have no box of their own.
function optionRendered(el: Element): boolean {
  const parent = composedParent(el);
  if (hasAttr(el, 'hidden') || !parent) return false;
  return rendered(parent);
}

function areaRendered(el: Element): boolean {
  const img = imageOfArea(el);
  return !!img && rendered(img);
}

/** imageOfArea is the image whose map the area belongs to. */
export function imageOfArea(area: Element): Element | null {
  let map = composedParent(area);
  while (map && localName(map) !== 'map') map = composedParent(map);
  const name = map && attr(map, 'name');
  return name ? (queryDoc(document, `[usemap="#${CSS.escape(name)}" i]`)[0] ?? null) : null;
}

/** isVisible says whether a person can see the element: rendered and not visibility:hidden. */
export function isVisible(el: Element): boolean {
  let v = visible.get(el);
  if (v === undefined) {
    v = rendered(el) && shows(el);
    visible.set(el, v);
  }
  return v;
}

/** closedDetails says whether all but the summary of the element is out of sight. */
export function closedDetails(el: Element): boolean {
  return localName(el) === 'details' && el instanceof HTMLDetailsElement && !el.open;
}

/** ariaHidden says whether the element or one it is in is taken out of the accessible tree. */
export function ariaHidden(el: Element): boolean {
  for (let at: Element | null = el; at; at = flatParent(at)) if (hasAttrs(at) && attr(at, 'aria-hidden') === 'true') return true;
  return false;
}

/** topModal is the modal dialog that makes the rest of the document inert. */
export function topModal(): Element | null {
  const open = queryDoc(document, 'dialog:modal');
  return open.length ? open[open.length - 1]! : null;
}

/** inertBy names what makes the element inert: an inert attribute or a modal dialog. */
export function inertBy(el: Element): Element | null {
  const modal = topModal();
  let inModal = !modal;
  for (let at: Element | null = el; at; at = flatParent(at)) {
    if (at === modal) inModal = true;
    if (hasAttrs(at) && hasAttr(at, 'inert') && isHTML(at)) return at;
  }
  return inModal ? null : modal;
}

// Accessible names by accname 1.2 and HTML-AAM.
import {
  attr, byId, data, eachChild, firstChild, fold, hasAttr, hasAttrs, HTML, isElement, isHTML, isText, labelledByElements, localName,
  namespaceURI, nextSibling, queryDoc, SVG, tagOf, isConnected,
} from './dom';
import { withoutGlyphs } from './contentstring';
import { namedByContent, roleOf } from './roles';
import { ariaHidden, closedDetails, displayOf, isVisible, onFresh, styleOf } from './style';
import { generatedForName } from './pseudo';
import { inputType, isPassword, labelsOf, selectedLabels } from './controls';

interface Walk {
  root: boolean; // this is the element that is being named
  reference: boolean; // inside an aria-labelledby traversal
  content: boolean; // inside a name from content or label
  hidden: boolean; // hidden nodes count, because the traversal began at a hidden one
  seen: Set<Element>;
}

let cache = new Map<Element, string>();
onFresh(() => (cache = new Map()));

/** nameOf is the element's accessible name, white space folded. */
export function nameOf(el: Element): string {
  let name = cache.get(el);
  if (name === undefined) {
    name = fold(text(el, { root: true, reference: false, content: false, hidden: false, seen: new Set() }));
    cache.set(el, name);
  }
  return name;
}

/** contentName is the text of an element as a name would have it, whatever its role. */
export function contentName(el: Element): string {
  return fold(fromContent(el, { root: false, reference: false, content: true, hidden: false, seen: new Set([el]) }));
}

/** ownName is the name without name from content: what labels the element from outside. */
export function ownName(el: Element): string {
  const w: Walk = { root: true, reference: false, content: false, hidden: false, seen: new Set([el]) };
  return fold(fromReferences(el, w) || ariaLabel(el) || native(el, w) || attr(el, 'title') || '');
}

const ariaLabel = (el: Element) => (attr(el, 'aria-label') ?? '').trim();

const isHidden = (el: Element) => !isVisible(el) || attr(el, 'aria-hidden') === 'true';

function text(el: Element, w: Walk): string {
  if (w.seen.has(el)) return '';
  if (!w.root && !w.hidden && isHidden(el)) return '';
  w.seen.add(el);
  if (!w.root && !hasAttrs(el) && plain.has(localName(el))) return fromContent(el, w); // nothing but content can name it
  if (!w.reference) {
    const referenced = fromReferences(el, w);
    if (referenced) return referenced;
  }
  if (!w.root && w.content) {
    const value = embedded(el);
    if (value !== null) return value;
  }
  const label = ariaLabel(el);
  if (label) return label;
  const own = native(el, w);
  if (own) return own;
  const role = roleOf(el);
  if (namedByContent.has(role) || w.content || w.reference || tagOf(el) === 'summary' || tagOf(el) === 'label' || tagOf(el) === 'legend') {
    const content = fromContent(el, w);
    if (fold(content) || w.content) return content || tooltip(el);
  }
  return tooltip(el) || (hasAttr(el, 'placeholder') ? placeholder(el) : '');
}

const plain = new Set('div span p li ul b i strong em small'.split(' '));

const tooltip = (el: Element) => attr(el, 'title') ?? '';
const placeholder = (el: Element) => attr(el, 'placeholder') ?? attr(el, 'aria-placeholder') ?? '';

/** referenced returns the elements that aria-labelledby names, missing ones left out. */
function referenced(el: Element): Element[] {
  const ids = attr(el, 'aria-labelledby');
  if (ids === null) return [];
  if (ids.trim() === '') return [...(labelledByElements(el) ?? [])];
  return ids.trim().split(/\s+/).map(id => byId(el, id)).filter(t => t !== null);
}

function fromReferences(el: Element, w: Walk): string {
  if (!hasAttrs(el)) return '';
  const parts = referenced(el).map(target =>
    text(target, {
      root: false, reference: true, content: target !== el,
      hidden: w.hidden || isHidden(target) || ariaHidden(target), seen: new Set(),
    }),
  );
  return fold(parts.join(' '));
}

// A control inside the label of another one stands for its value.
function embedded(el: Element): string | null {
  const role = roleOf(el);
  if (isPassword(el)) return '';
  switch (role) {
    case 'textbox':
    case 'searchbox':
      return hasValue(el) ? (el as HTMLInputElement).value : null;
    case 'combobox':
    case 'listbox':
      if (el instanceof HTMLSelectElement) return selectedLabels(el).join(' ');
      if (el instanceof HTMLInputElement) return el.value;
      return chosenOption(el);
    case 'slider':
    case 'spinbutton':
    case 'progressbar':
    case 'scrollbar':
    case 'meter':
      return attr(el, 'aria-valuetext') ?? attr(el, 'aria-valuenow') ?? (hasValue(el) || el instanceof HTMLMeterElement || el instanceof HTMLProgressElement ? String((el as HTMLInputElement).value) : null);
  }
  return null;
}

const hasValue = (el: Element) => el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement;

function chosenOption(el: Element): string | null {
  const chosen: string[] = [];
  const visit = (n: Node) => {
    if (!isElement(n)) return;
    if (roleOf(n) === 'option' && attr(n, 'aria-selected') === 'true') chosen.push(contentName(n));
    else eachChild(n, visit);
  };
  eachChild(el, visit);
  return chosen.length ? chosen.join(' ') : null;
}

// Names that the host language gives.
function native(el: Element, w: Walk): string {
  const ns = namespaceURI(el);
  if (ns === SVG) return svgTitle(el);
  if (ns !== HTML) return attr(el, 'alttext') ?? '';
  switch (localName(el)) {
    case 'input':
      return inputName(el as HTMLInputElement, w);
    case 'button':
    case 'select':
    case 'textarea':
    case 'meter':
    case 'progress':
    case 'output':
      return fromLabels(el, w);
    case 'img':
    case 'area':
      return attr(el, 'alt') ?? '';
    case 'fieldset':
      return child(el, 'legend', w);
    case 'figure':
      return child(el, 'figcaption', w);
    case 'table':
      return child(el, 'caption', w);
    case 'optgroup':
      return attr(el, 'label') ?? '';
    case 'option':
      return attr(el, 'label') ?? '';
    case 'details': // not named by its summary: the summary is a node of its own
      return '';
  }
  return localName(el).includes('-') ? fromLabels(el, w) : '';
}

function inputName(el: HTMLInputElement, w: Walk): string {
  const type = inputType(el);
  const label = fromLabels(el, w);
  if (label) return label;
  switch (type) {
    case 'button':
      return attr(el, 'value') ?? '';
    case 'submit':
      return attr(el, 'value') ?? 'Submit';
    case 'reset':
      return attr(el, 'value') ?? 'Reset';
    case 'image':
      return attr(el, 'alt') || attr(el, 'title') || attr(el, 'value') || 'Submit';
    case 'file':
      return tooltip(el) || (el.multiple ? 'Choose Files' : 'Choose File');
  }
  return '';
}

function fromLabels(el: Element, w: Walk): string {
  if (w.reference && w.content) return ''; // named by reference: its content counts, not its label
  const parts = labelsOf(el).map(label =>
    text(label, { root: false, reference: w.reference, content: true, hidden: isHidden(label), seen: new Set([...w.seen].filter(e => e !== label)) }),
  );
  return fold(parts.filter(Boolean).join(' '));
}

function child(el: Element, tag: string, w: Walk): string {
  for (let n = firstChild(el); n; n = nextSibling(n)) {
    if (isElement(n) && localName(n) === tag && isHTML(n)) {
      return text(n, { ...w, root: false, content: true });
    }
  }
  return '';
}

function svgTitle(el: Element): string {
  for (let n = firstChild(el); n; n = nextSibling(n)) {
    if (isElement(n) && localName(n) === 'title' && namespaceURI(n) === SVG) return fold(textOf(n));
  }
  return localName(el) === 'a' ? (attr(el, 'xlink:title') ?? '') : '';
}

function textOf(n: Node): string {
  let s = '';
  for (let c = firstChild(n); c; c = nextSibling(c)) s += isText(c) ? data(c) : isElement(c) ? textOf(c) : '';
  return s;
}

const silent = new Set('script style template noscript head meta link svg:title svg:desc svg:defs svg:style'.split(' '));

function fromContent(el: Element, w: Walk): string {
  const inner: Walk = { ...w, root: false, content: true };
  let out = generatedForName(el, '::before');
  const add = (n: Node) => {
    if (isText(n)) {
      if (inner.hidden || (textShown(el) && !closedDetails(el))) out += withoutGlyphs(data(n));
      return;
    }
    if (!isElement(n) || silent.has(tagOf(n))) return;
    if (w.root && ownBranch(el, n)) return;
    if (tagOf(n) === 'br') return void (out += ' ');
    const part = text(n, inner);
    out += inlineBox(n) ? part : ` ${part} `;
  };
  eachChild(el, add);
  for (const owned of ownedBy(el)) {
    const part = text(owned, inner);
    out += ` ${part} `;
  }
  return out + generatedForName(el, '::after');
}

// The branch of a tree item and the submenu of a menu item have nodes of their own.
function ownBranch(el: Element, child: Element): boolean {
  const role = hasAttrs(el) ? attr(el, 'role') : null;
  return (role === 'treeitem' || role === 'menuitem') && /^(group|menu|tree)$/.test(roleOf(child));
}

// Text straight inside an element is seen if the element is; a slot or display:contents
// element has no box but its text has.
const textShown = (el: Element) => styleOf(el).visibility !== 'hidden' || !isConnected(el);

function inlineBox(el: Element): boolean {
  const display = displayOf(el);
  return display === 'inline' || display === 'contents' || display === '';
}

/** ownedBy returns the elements that aria-owns brings in. */
export function ownedBy(el: Element): Element[] {
  const ids = hasAttrs(el) ? attr(el, 'aria-owns') : null;
  if (!ids) return [];
  return ids.trim().split(/\s+/).map(id => byId(el, id)).filter(t => t !== null);
}

/** anyOwned says whether the document uses aria-owns at all. */
export function anyOwned(): boolean {
  return queryDoc(document, '[aria-owns]').length > 0;
}

// What an element is called: the role and name that a snapshot shows, that a locator
// matches and that a stale reference is checked against. One place, so that the three
// cannot differ.
import {
  activeElement, allRoots, attr, bodyOf, documentElement, eachChild, flatParent, fold, hasAttr, hasAttrs, idOf, isElement, isText, data, localName, query, tagOf,
} from './dom';
import { hiddenControl, controlOf } from './controls';
import { clip } from './failure';
import { contentName, nameOf, ownName } from './names';
import { focusable, interactive, isDisclosure, roleOf } from './roles';
import { displayOf, hasPointer, isVisible, onFresh } from './style';

/** Info is how an element is shown. */
export interface Info {
  role: string; // "" for what is not shown
  name: string;
  act: boolean; // a user works with it
}

/** Names are shown up to this length. */
export const maxName = 300;
// The content of a clickable box is its name only if it is short; a card is shown as a tree.
const maxClickable = 120;

let infos = new Map<Element, Info>();
onFresh(() => (infos = new Map()));

/** infoOf describes an element. */
export function infoOf(el: Element): Info {
  let i = infos.get(el);
  if (!i) infos.set(el, (i = describe(el)));
  return i;
}

/** shownName is the name as a snapshot shows it. */
export const shownName = (name: string) => clip(name, maxName);

/** shownAs is "role name", for reports and for the check of stale references. */
export function shownAs(el: Element): string {
  const i = infoOf(el);
  return `${i.role || 'generic'} ${shownName(i.name)}`.trim();
}

function describe(el: Element): Info {
  const { role, act } = kindOf(el);
  return { role, act, name: role ? nameFor(el, role, act) : '' };
}

/** kindOf is role and act without the name, which costs most. */
export function kindOf(el: Element): { role: string; act: boolean } {
  const role = roleOf(el);
  if (interactive.has(role)) return { role, act: role !== 'scrollbar' || focusable(el) };
  if (!role && localName(el) === 'label') {
    const control = hiddenControl(el);
    if (control) return { role: roleOf(control), act: true };
  }
  if (isClickable(el, role)) return { role: role || 'clickable', act: true };
  return { role, act: role === 'canvas' || role === 'video' || role === 'audio' };
}

function nameFor(el: Element, role: string, act: boolean): string {
  if (role === 'row') return rowName(el);
  if (localName(el) === 'label') {
    const control = hiddenControl(el);
    if (control) return nameOf(control);
  }
  if (interactive.has(role) && role !== 'clickable') return nameOf(el);
  if (!act || role === 'canvas') return nameOf(el);
  const name = role === 'clickable' ? ownName(el) : nameOf(el);
  if (name) return name;
  const content = contentName(el);
  return content.length <= maxClickable ? content : '';
}

/** isClickable says whether an element without interactive role looks made to be clicked. */
export function isClickable(el: Element, role: string): boolean {
  return (handled(el, role) || (ownPointer(el) && role !== 'iframe' && !redundantPointer(el))) && el !== bodyOf(document) && el !== documentElement(document);
}

function handled(el: Element, role: string): boolean {
  if (marked().has(el)) {
    if (hasAttr(el, 'onclick') || hasAttr(el, 'onmousedown') || hasAttr(el, 'onpointerdown')) return true;
    if (hasAttr(el, 'tabindex') && Number(attr(el, 'tabindex')) >= 0 && role !== 'dialog' && role !== 'iframe') return true;
  }
  return false;
}

let marks: Set<Element> | null = null;
onFresh(() => (marks = null));

// One query is quicker than to ask each element for each attribute.
function marked(): Set<Element> {
  if (!marks) {
    marks = new Set();
    for (const root of allRoots()) for (const el of query(root, '[onclick],[onmousedown],[onpointerdown],[tabindex]')) marks.add(el);
  }
  return marks;
}

function ownPointer(el: Element): boolean {
  if (!hasPointer(el)) return false;
  const parent = flatParent(el);
  return !parent || !hasPointer(parent);
}

// The pointer on a part of a control or of its label says nothing new.
function redundantPointer(el: Element): boolean {
  if (localName(el) === 'label' && controlOf(el) && isVisible(controlOf(el)!)) return true;
  if (localName(el) === 'summary' && isDisclosure(el)) return true;
  for (let at = flatParent(el); at; at = flatParent(at)) {
    if (interactive.has(roleOf(at))) return true;
    if (at === bodyOf(document)) break;
  }
  return false;
}

/** rowName is the text of a row's cells; buttons and fields in them are nodes of their own. */
export function rowName(row: Element): string {
  const given = hasAttrs(row) && (attr(row, 'aria-label') || attr(row, 'aria-labelledby')) ? nameOf(row) : '';
  if (given) return given;
  const cells: string[] = [];
  eachChild(row, n => {
    if (!isElement(n) || !isVisible(n)) return;
    cells.push(fold(plainText(n)));
  });
  return fold(cells.join(' | ').replace(/(\s*\|\s*)+$/, ''));
}

// Links are part of what a row says.
function ownNode(el: Element): boolean {
  const { role, act } = kindOf(el);
  return act && role !== 'link' && role !== 'clickable';
}

function plainText(el: Element): string {
  let out = '';
  eachChild(el, n => {
    if (isText(n)) out += data(n);
    else if (isElement(n) && isVisible(n) && !ownNode(n) && attr(n, 'aria-hidden') !== 'true' && !/^(script|style|template)$/.test(localName(n))) {
      const inline = displayOf(n) === 'inline';
      const text = roleOf(n) === 'img' ? nameOf(n) : plainText(n);
      out += inline ? text : ` ${text} `;
    }
  });
  return out;
}

/** label names an element in a message: what it is to a person and where it is in the markup. */
export function label(el: Element): string {
  const i = infoOf(el);
  const tag = `<${tagOf(el).replace('svg:', '')}${idOf(el) ? '#' + idOf(el) : ''}${classes(el)}>`;
  const name = i.name ? ` ${JSON.stringify(clip(i.name, 60))}` : '';
  return i.role ? `${i.role}${name} ${tag}` : tag;
}

function classes(el: Element): string {
  if (idOf(el)) return '';
  const list = (attr(el, 'class') ?? '').trim().split(/\s+/).filter(Boolean).slice(0, 2);
  return list.map(c => '.' + clip(c, 30)).join('');
}

/** surroundings names the nearest thing with a name that an element is in. */
export function surroundings(el: Element): string {
  for (let at = flatParent(el), n = 0; at && n < 12; at = flatParent(at), n++) {
    const role = roleOf(at);
    if (!/^(row|listitem|dialog|alertdialog|form|region|navigation|group|article|tabpanel|main|banner|contentinfo|table|list)$/.test(role)) continue;
    const name = role === 'listitem' || role === 'article' ? contentName(at) : infoOf(at).name;
    if (name) return `in ${role} ${JSON.stringify(clip(name, 50))}`;
    if (/^(navigation|main|banner|contentinfo)$/.test(role)) return `in ${role}`;
  }
  return '';
}

/** activeName is the focused element as shown. */
export function activeName(): string {
  const el = activeElement();
  return el ? shownAs(el) : '';
}

// From a locator to one element, or to a message that says how to name one.
import { activeElement, alike, allRoots, attr, fold, innerText, isHTML, query, textContent } from './dom';
import { Failure, fail, quote } from './failure';
import { infoOf, kindOf, label, shownAs, shownName, surroundings } from './describe';
import { requireHosts } from './hosts';
import { documentId, elementOf, numberOf } from './numbers';
import type { Locator } from './pagefn.gen';
import { canonicalRole } from './roles';
import { ariaHidden, inertBy, isVisible } from './style';
import { nearest } from './nearest';

/** Candidate is one of several matches, for the error's data. */
export interface Candidate {
  node: number;
  role: string;
  name: string;
  where: string;
}

/** Several is the AMBIGUOUS failure with its candidates. */
export class Several extends Failure {
  constructor(
    message: string,
    readonly data: { candidates: Candidate[] },
  ) {
    super('AMBIGUOUS', message);
  }
}

/** resolve finds the one element of a locator or throws a Failure. */
export function resolve(loc: Locator): Element {
  if (loc.node) return byNode(loc);
  let found = matchesOf(loc);
  if (!found.length) {
    requireHosts();
    fail('SELECTOR_NOT_FOUND', missing(loc));
  }
  found = preferred(found);
  if (loc.nth != null) {
    const el = found[loc.nth < 0 ? found.length + loc.nth : loc.nth];
    if (!el) fail('SELECTOR_NOT_FOUND', `${wording(loc)} has ${count(found.length)}, so there is no nth ${loc.nth}; nth counts from 0`);
    return el;
  }
  if (found.length > 1) throw several(loc, found);
  return found[0]!;
}

function matchesOf(loc: Locator): Element[] {
  if (loc.selector) return bySelector(loc.selector);
  if (loc.role) return byRole(loc.role, loc.name);
  return fail('BAD_ARGS', 'a target needs a selector, a ref, or a role with a name');
}

function byNode(loc: Locator): Element {
  if (loc.document && loc.document !== documentId) {
    fail('REF_EXPIRED', `the page was replaced since ${wording(loc)} was listed; take a new snapshot`);
  }
  const el = elementOf(loc.node!);
  if (!el) return fail('REF_EXPIRED', `${wording(loc)} is no longer on the page; take a new snapshot`);
  if (loc.shownAs && isVisible(el) && !stillShown(el, loc.shownAs)) {
    fail('REF_EXPIRED', `the element listed as ${quote(loc.shownAs)} is now ${quote(shownAs(el))}; take a new snapshot`);
  }
  return el;
}

// White space and the role of a hidden part do not matter, everything else does.
function stillShown(el: Element, was: string): boolean {
  const want = fold(was);
  if (fold(shownAs(el)) === want) return true;
  // Found by its text: the text has to be there still.
  const text = /^text (.*?)…?$/s.exec(want);
  return !!text && fold(innerTextOf(el)).includes(fold(text[1]!).slice(0, 200));
}

const innerTextOf = (el: Element) => (isHTML(el) ? innerText(el) : textContent(el)) ?? '';

function bySelector(selector: string): Element[] {
  const found: Element[] = [];
  try {
    for (const root of allRoots()) for (const el of query(root, selector)) found.push(el);
  } catch (e) {
    const hint = /^\s*\/|text=|:has-text|>>|:contains\(|xpath/.test(selector) ? '; only CSS is understood here, text is found by role and name' : '';
    fail('BAD_ARGS', `${quote(selector, 200)} is not a CSS selector (${(e as Error).message.replace(/^.*?: /, '')})${hint}`);
  }
  // A host that hands the focus on matches along with what has it inside.
  const active = found.length > 1 && /:focus\b(?!-)/.test(selector) ? activeElement() : null;
  return active && found.includes(active) ? [active] : found;
}

const tags: Record<string, string> = {
  button: 'button,summary,input,label,[role]', link: 'a,area,[role]', textbox: 'input,textarea,[contenteditable],[role],body,div',
  searchbox: 'input,[role]', spinbutton: 'input,[role]', slider: 'input,[role]', checkbox: 'input,label,[role]', radio: 'input,label,[role]',
  switch: 'input,label,[role]', combobox: 'select,input,[role]', listbox: 'select,[role]', option: 'option,[role]',
  heading: 'h1,h2,h3,h4,h5,h6,[role]', tab: '[role]', menuitem: '[role]', treeitem: '[role]', menuitemcheckbox: '[role]', menuitemradio: '[role]',
  dialog: 'dialog,[role]', iframe: 'iframe,frame,fencedframe,object,embed', list: 'ul,ol,menu,[role]', listitem: 'li,[role]', row: 'tr,[role]', table: 'table,[role]',
};

/** ofRole returns the elements of a role in all roots. */
export function ofRole(role: string): Element[] {
  const found: Element[] = [];
  const want = canonicalRole(role);
  for (const root of allRoots()) for (const el of query(root, tags[want] ?? '*')) if (kindOf(el).role === want) found.push(el);
  return found;
}

function byRole(role: string, name: string | undefined): Element[] {
  const all = ofRole(role);
  if (!name) return all;
  const want = fold(name);
  const like = alike(name);
  const found = all.filter(el => {
    const has = infoOf(el).name;
    return alike(has) === like || (has.length > 100 && alike(shownName(has)) === like);
  });
  if (found.length < 2) return found;
  const exact = found.filter(el => infoOf(el).name === want);
  return exact.length ? exact : found;
}

// Hidden duplicates are nobody's target as long as something visible matches, and what
// a dialog covers is not meant either.
function preferred(found: Element[]): Element[] {
  if (found.length < 2) return found;
  for (const good of [isVisible, (el: Element) => !ariaHidden(el), (el: Element) => !inertBy(el)]) {
    const some = found.filter(good);
    if (some.length) found = some;
  }
  return found;
}

function several(loc: Locator, found: Element[]): Several {
  const listed = found.slice(0, 5);
  const lines = listed.map((el, i) => `nth ${i}: ${[label(el), surroundings(el)].filter(Boolean).join(' ')}`);
  const more = found.length > listed.length ? `; … ${found.length - listed.length} more` : '';
  return new Several(`${wording(loc)} has ${count(found.length)}: ${lines.join('; ')}${more}. Say which with nth, a ref or a narrower target`, {
    candidates: listed.map(el => ({ node: numberOf(el), role: infoOf(el).role, name: shownName(infoOf(el).name), where: surroundings(el) })),
  });
}

const count = (n: number) => (n === 1 ? 'one match' : `${n} matches`);

/** wording names what a locator asks for. */
export function wording(loc: Locator): string {
  if (loc.selector) return `selector ${quote(loc.selector, 120)}`;
  if (loc.role) return loc.name ? `${loc.role} ${quote(loc.name)}` : `role ${loc.role}`;
  return loc.shownAs ? quote(loc.shownAs) : 'the element';
}

function missing(loc: Locator): string {
  if (loc.selector) return `nothing matches ${wording(loc)} in this frame${idHint(loc.selector)}`;
  return `there is no ${wording(loc)} in this frame${nearest(canonicalRole(loc.role!), loc.name ?? '')}`;
}

// A selector that names an id which almost exists.
function idHint(selector: string): string {
  const id = /#([\w-]+)/.exec(selector)?.[1]?.toLowerCase();
  if (!id) return '';
  const near: string[] = [];
  for (const el of query(document, '[id]')) {
    const has = attr(el, 'id')!;
    if (has.toLowerCase() !== id && !has.toLowerCase().includes(id)) continue;
    near.push('#' + has);
    if (near.length === 3) break;
  }
  return near.length ? `; there is ${near.join(', ')}` : '';
}


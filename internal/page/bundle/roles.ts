// Roles by WAI-ARIA 1.2, HTML-AAM and SVG-AAM. "" is generic or none.
import {
  activeElement, attr, closest, composedParent, createNS, designMode, editContext, flatParent, hasAttr, hasAttrs, HTML, isContentEditable, isHTML, localName, namespaceURI, objectWindow,
  queryIn, SVG, tabIndex,
} from './dom';
import { onFresh } from './style';

const known = new Set(
  ('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox ' +
    'complementary contentinfo definition deletion dialog directory document emphasis feed figure form grid gridcell group ' +
    'heading img insertion link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox ' +
    'menuitemradio meter navigation note option paragraph progressbar radio radiogroup region row rowgroup rowheader ' +
    'scrollbar search searchbox separator slider spinbutton status strong subscript superscript suggestion switch tab table ' +
    'tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem').split(' '),
);
const aliases: Record<string, string> = { image: 'img', directory: 'list' };

/** Roles that a user works with: offered with interactiveOnly. */
export const interactive = new Set(
  ('button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox slider ' +
    'spinbutton switch tab textbox treeitem clickable').split(' '),
);

/** Roles that take their name from their content when nothing else names them. */
export const namedByContent = new Set(
  ('button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader ' +
    'switch tab tooltip treeitem').split(' '),
);

const inputs: Record<string, string> = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', checkbox: 'checkbox', radio: 'radio',
  range: 'slider', number: 'spinbutton', search: 'searchbox', hidden: '',
};

const simple: Record<string, string> = {
  address: 'group', article: 'article', blockquote: 'blockquote', button: 'button', caption: 'caption', code: 'code',
  datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog', dt: 'term',
  em: 'emphasis', fieldset: 'group', figure: 'figure', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading',
  h5: 'heading', h6: 'heading', hgroup: 'group', hr: 'separator', ins: 'insertion', legend: '', main: 'main', menu: 'list', meter: 'meter',
  nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar',
  search: 'search', strong: 'strong', sub: 'subscript', sup: 'superscript', textarea: 'textbox', time: 'time', ul: 'list', iframe: 'iframe', frame: 'iframe', fencedframe: 'iframe', canvas: 'canvas',
  video: 'video', audio: 'audio',
};

const sections = 'article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]';

let cache = new Map<Element, string>();
onFresh(() => (cache = new Map()));

/** roleOf is the element's role; "" for generic, none and presentation. */
export function roleOf(el: Element): string {
  let r = cache.get(el);
  if (r === undefined) cache.set(el, (r = compute(el)));
  return r;
}

function compute(el: Element): string {
  const explicit = hasAttrs(el) ? attr(el, 'role') : null;
  if (explicit) {
    for (const token of explicit.toLowerCase().split(/\s+/)) {
      if (token === 'none' || token === 'presentation') {
        if (!keepsRole(el)) return '';
        break;
      }
      if (token === 'generic') return '';
      const role = aliases[token] ?? token;
      if (!known.has(role) || ((role === 'form' || role === 'region') && !labelled(el))) continue;
      return role;
    }
  }
  return implicitRole(el);
}

// Presentational role conflict resolution: what can have the focus, or has a global ARIA
// attribute, keeps its role.
function keepsRole(el: Element): boolean {
  if (focusable(el)) return true;
  return globals.some(name => hasAttr(el, name));
}
const globals = ('aria-atomic aria-busy aria-controls aria-current aria-describedby aria-details aria-dropeffect aria-flowto ' +
  'aria-grabbed aria-label aria-labelledby aria-live aria-owns aria-relevant aria-roledescription aria-keyshortcuts').split(' ');

/** focusable says whether the element can have the focus at all. */
export function focusable(el: Element): boolean {
  if (!isHTML(el)) return hasAttr(el, 'tabindex') || (localName(el) === 'a' && (hasAttr(el, 'href') || hasAttr(el, 'xlink:href')));
  if (hasAttr(el, 'tabindex') && !isNaN(parseInt(attr(el, 'tabindex') ?? '', 10))) return true;
  if (hasAttr(el, 'disabled')) return false;
  return tabIndex(el) >= 0 || el === activeElement();
}

const labelled = (el: Element) =>
  !!(attr(el, 'aria-label') ?? '').trim() || !!(attr(el, 'aria-labelledby') ?? '').trim() || !!(attr(el, 'title') ?? '').trim();

/** implicitRole is the role the markup gives without a role attribute. */
export function implicitRole(el: Element): string {
  const ns = namespaceURI(el);
  const name = localName(el);
  if (ns === SVG) return svgRole(el, name);
  if (ns !== HTML) return name === 'math' ? 'math' : '';
  const context = contextual[name];
  if (context) return context(el);
  const role = simple[name];
  if (role !== undefined) return role;
  if (name === 'summary') return isDisclosure(el) ? 'button' : '';
  return editableRoot(el) ? 'textbox' : '';
}

/** isDisclosure says whether a summary opens and closes its details. */
export function isDisclosure(el: Element): boolean {
  const parent = composedParent(el);
  if (!parent || localName(parent) !== 'details') return false;
  return queryIn(parent, ':scope > summary')[0] === el;
}

/** editableRoot says whether el is the outermost element of a rich text editor. */
export function editableRoot(el: Element): boolean {
  if (!isHTML(el)) return false;
  if (localName(el) === 'body' && designMode(document) === 'on') return true;
  if (editContext(el)) return true;
  if (!hasAttrs(el) || !hasAttr(el, 'contenteditable') || !isContentEditable(el)) return false;
  const parent = composedParent(el);
  return !parent || !isHTML(parent) || !isContentEditable(parent);
}

const contextual: Record<string, (el: Element) => string> = {
  object: el => (objectWindow(el) ? 'iframe' : 'object'),
  embed: el => (/^($|text\/html|application\/xhtml|image\/svg)/.test(attr(el, 'type') ?? '') ? 'iframe' : 'embed'),
  a: el => (hasAttr(el, 'href') ? 'link' : editableRoot(el) ? 'textbox' : ''),
  area: el => (hasAttr(el, 'href') ? 'link' : ''),
  aside: el => (!closest(parentOr(el), 'article,aside,nav,section') || labelled(el) ? 'complementary' : ''),
  footer: el => (closest(parentOr(el), sections) ? '' : 'contentinfo'),
  header: el => (closest(parentOr(el), sections) ? '' : 'banner'),
  form: el => (labelled(el) ? 'form' : ''),
  section: el => (labelled(el) ? 'region' : ''),
  img: el => (attr(el, 'alt') === '' && !attr(el, 'aria-label') && !attr(el, 'aria-labelledby') && !attr(el, 'title') ? '' : 'img'),
  input: inputRole,
  li: el => (/^(ol|ul|menu)$/.test(localName(flatParent(el) ?? el)) || roleOf(flatParent(el) ?? el) === 'list' ? 'listitem' : ''),
  select: el => (hasAttr(el, 'multiple') || Number(attr(el, 'size') ?? 0) > 1 ? 'listbox' : 'combobox'),
  table: el => (isLayoutTable(el) ? '' : 'table'),
  tbody: el => (tableRole(el) ? 'rowgroup' : ''),
  td: el => cellRole(el, 'cell'),
  tfoot: el => (tableRole(el) ? 'rowgroup' : ''),
  th: headerRole,
  thead: el => (tableRole(el) ? 'rowgroup' : ''),
  tr: el => (tableRole(el) ? 'row' : ''),
};

const nowhere = createNS(document, HTML, 'i');
const parentOr = (el: Element) => composedParent(el) ?? nowhere;

function inputRole(el: Element): string {
  const type = (attr(el, 'type') ?? 'text').toLowerCase();
  const role = inputs[type];
  if (type === 'checkbox' && hasAttr(el, 'switch')) return 'switch';
  if (role !== undefined && role !== 'searchbox') return role;
  const list = attr(el, 'list');
  if (list && closest(el, 'html') && /^(text|search|email|tel|url|)$/.test(type)) return 'combobox';
  return role ?? 'textbox';
}

function tableRole(el: Element): string {
  const table = closest(el, 'table');
  return table ? roleOf(table) : '';
}

// A table without any header markup that holds another table, or has a single row or
// column, arranges the page and says nothing about data.
function isLayoutTable(table: Element): boolean {
  if (labelled(table) || hasAttr(table, 'summary') || focusable(table)) return false;
  if (queryIn(table, 'th,caption,thead,tfoot,colgroup,[headers],[scope]').length) return false;
  if (queryIn(table, 'table').length) return true;
  const rows = (table as HTMLTableElement).rows;
  return rows.length < 2 || Array.prototype.every.call(rows, (r: HTMLTableRowElement) => r.cells.length < 2);
}

function cellRole(el: Element, plain: string): string {
  const table = tableRole(el);
  if (table === 'grid' || table === 'treegrid') return plain === 'cell' ? 'gridcell' : plain;
  return table ? plain : '';
}

function headerRole(el: Element): string {
  const scope = (attr(el, 'scope') ?? '').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return cellRole(el, 'rowheader');
  if (scope === 'col' || scope === 'colgroup') return cellRole(el, 'columnheader');
  const row = composedParent(el);
  if (row && !closest(row, 'thead') && queryIn(row, ':scope > td').length && queryIn(row, ':scope > th')[0] === el) {
    return cellRole(el, 'rowheader');
  }
  return cellRole(el, 'columnheader');
}

function svgRole(el: Element, name: string): string {
  if (name === 'a' && (hasAttr(el, 'href') || hasAttr(el, 'xlink:href'))) return 'link';
  if (name === 'svg') return 'img';
  if (name === 'image') return 'img';
  if (!labelled(el) && !queryIn(el, ':scope > title').length) return '';
  return name === 'g' ? 'group' : /^(circle|ellipse|line|path|polygon|polyline|rect|use)$/.test(name) ? 'img' : '';
}

/** headingLevel is a heading's level. */
export function headingLevel(el: Element): number {
  const given = parseInt(attr(el, 'aria-level') ?? '', 10);
  if (given > 0) return given;
  const m = /^h([1-6])$/.exec(localName(el));
  return m ? Number(m[1]) : 2;
}

/** canonicalRole maps what a caller may call a role to ours. */
export function canonicalRole(role: string): string {
  const r = role.trim().toLowerCase();
  return aliases[r] ?? (r === 'generic' ? 'clickable' : r);
}

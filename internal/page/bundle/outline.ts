// Which elements and roles a snapshot shows, and how.
import { attr, clientHeight, clientWidth, flatParent, hasAttr, localName, namespaceURI, queryIn, SVG } from './dom';
import { controlOf } from './controls';
import { infoOf } from './describe';
import { contentName } from './names';
import { roleOf } from './roles';
import { isVisible } from './style';

/** Elements that are never shown. */
export const skipped = new Set('script style template noscript head meta link title base param source track col colgroup datalist'.split(' '));

// Roles that say nothing a reader needs: their content stands in their place.
export const folded = new Set('paragraph strong emphasis code subscript superscript insertion deletion time rowgroup document application caption none suggestion'.split(' '));

// Shown only if they hold something.
export const structure = new Set(
  ('list listitem table grid treegrid row cell gridcell columnheader rowheader term definition blockquote article figure complementary main banner ' +
    'contentinfo navigation search region form group status alert log note feed toolbar tablist menu menubar radiogroup tree listbox tabpanel dialog ' +
    'alertdialog directory marquee timer heading').split(' '),
);

// Where an agent finds its way with interactiveOnly; kept when there is something in them.
export const frames = new Set('dialog alertdialog main navigation banner contentinfo complementary search form region menu listbox toolbar tablist tree grid radiogroup'.split(' '));

// What has a number even if it cannot be acted on: something to point at.
export const pointed = new Set('heading img list table grid treegrid tree dialog alertdialog iframe canvas video audio form region main navigation complementary article group figure tabpanel alert status'.split(' '));

// The text of a label is the name of its control, the text of a legend that of its group.
export const quieting = new Set('label legend caption figcaption'.split(' '));

/** saidElsewhere says whether the text of a label, legend or caption is a name above or beside it. */
export function saidElsewhere(el: Element, name: string): boolean {
  if (name === 'label') {
    const control = controlOf(el);
    return !!control && isVisible(control) && !hasAttr(control, 'aria-label') && !hasAttr(control, 'aria-labelledby');
  }
  const parent = flatParent(el);
  return !!parent && !!roleOf(parent) && infoOf(parent).name === contentName(el);
}

const origin = self.origin;

/** linkURL is where a link goes, if that is short: the path alone on the same origin. */
export function linkURL(el: Element): string {
  const raw = (attr(el, 'href') ?? attr(el, 'xlink:href') ?? '').trim();
  if (!raw || /^(javascript|data|blob):/i.test(raw)) return '';
  if (raw.startsWith('#')) return raw.length <= 40 && raw.length > 1 ? raw : '';
  const full = el instanceof HTMLAnchorElement || el instanceof HTMLAreaElement ? el.href : raw;
  const short = full.startsWith(origin + '/') ? full.slice(origin.length) : full;
  return short.length <= 80 ? short : '';
}

// Larger than this a drawing is no icon: what is in it may be meant to be clicked.
const icon = 48;

/** isDrawing says whether a picture holds what can be read or used by itself: a map, a chart, a plan of seats. */
export function isDrawing(el: Element): boolean {
  if (namespaceURI(el) !== SVG) return queryIn(el, 'a[href],button,input,select,textarea,[tabindex],[onclick]').length > 0;
  return (localName(el) === 'svg' && clientWidth(el) > icon && clientHeight(el) > icon) || queryIn(el, 'a,text,foreignObject,[tabindex],[onclick],[role=button],[role=link]').length > 0;
}

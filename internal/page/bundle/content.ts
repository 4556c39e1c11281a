// The rendered document as clean HTML: the flat tree with what a person does not see
// left out, in a small vocabulary that says what things are. Go makes Markdown of it.
import {
  attr, baseURI, bodyOf, data, docTitle, documentElement, eachChild, flatParent, hasAttr, hasAttrs, HTML, isElement, isText, localName, namespaceURI, queryIn, rectOf,
  rectsOf, SVG, textContent,
} from './dom';
import { codeBlock, codeTable, isCodeBlock, type Code } from './code';
import { inputType, notePasswords } from './controls';
import { withoutGlyphs } from './contentstring';
import { resolve } from './locate';
import { texOfMath } from './math';
import { nameOf } from './names';
import type { Content, ContentArgs } from './pagefn.gen';
import { generated } from './pseudo';
import { frameShows } from './frame';
import { frameOwners } from './snapshot';
import { closedDetails, displayOf, rendered, shows, styleOf } from './style';
import { blocks, fieldText, silent } from './text';
import { retry } from './wait';

const maxLength = 8 << 20;

/** content serialises the document or one element. */
export function content(args: ContentArgs): Promise<Content> {
  return retry({ timeoutMs: args.timeoutMs ?? 0, now: args.target?.now }, () => {
    notePasswords();
    const root = args.target ? resolve(args.target) : (bodyOf(document) ?? documentElement(document));
    const out = new Writer(args.maxBytes || maxLength, !args.target);
    if (root) out.element(root, { opened: false, link: false, heading: false });
    const title = docTitle(document);
    return { html: out.parts.join(''), ...(title && { title }), ...(out.full && { cut: true }) };
  });
}

/** address is an absolute address that means something outside the page too, or "". */
export function address(el: Element, value: string | null): string {
  if (value === null) return '';
  try {
    const url = new URL(value, baseURI(el));
    return /^(javascript|vbscript|data|blob|about|filesystem):$/.test(url.protocol) ? '' : url.href;
  } catch {
    return '';
  }
}

interface At {
  opened: boolean; // inside what its reader can open in place, and has not
  link: boolean;
  heading: boolean;
}

const same = 'h1 h2 h3 h4 h5 h6 p ul ol li dl dt dd table thead tbody tfoot tr th td caption blockquote figure figcaption details summary main article section header footer nav aside strong em del code sub sup'.split(' ');
const tags = new Map<string, string>([
  ...same.map(t => [t, t] as const),
  ['b', 'strong'], ['i', 'em'], ['var', 'em'], ['dfn', 'em'], ['s', 'del'], ['strike', 'del'], ['kbd', 'code'], ['samp', 'code'], ['tt', 'code'], ['menu', 'ul'], ['dir', 'ul'],
]);
const roles = new Map<string, string>([
  ['list', 'ul'], ['listitem', 'li'], ['table', 'table'], ['grid', 'table'], ['treegrid', 'table'], ['row', 'tr'], ['cell', 'td'], ['gridcell', 'td'],
  ['columnheader', 'th'], ['rowheader', 'th'], ['main', 'main'], ['navigation', 'nav'], ['banner', 'header'], ['contentinfo', 'footer'], ['complementary', 'aside'],
  ['article', 'article'], ['search', 'nav'],
]);
const inline = new Set('strong em del code sub sup a'.split(' '));
const phrasing = new Set('a abbr b bdi bdo button cite code data del dfn em i img input ins kbd label mark q s samp select small span strike strong sub sup svg time u var'.split(' '));
const frames = new Set('iframe frame fencedframe object embed'.split(' '));
const framed = new Set('div section article main aside header footer nav p ul ol table figure blockquote'.split(' ')); // of use to whoever looks for the main part

const escapeText = (s: string) => s.replace(/[&<>]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]!);
const escapeAttr = (s: string) => s.replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);

type Attrs = Record<string, string | null | undefined>;

class Writer {
  readonly parts: string[] = [];
  full = false;
  private length = 0;
  private said = 0; // pieces of text and pictures so far
  private owners: Map<Element, number> | null = null;

  constructor(
    private readonly max: number,
    private readonly named: boolean, // with id and class, by which the main part is found
  ) {}

  private put(s: string): void {
    this.full ||= this.length + s.length > this.max;
    if (this.full) return;
    this.length += s.length;
    this.parts.push(s);
  }

  private say(s: string): void {
    if (s.trim()) this.said++;
    if (s) this.put(escapeText(s));
  }

  // within writes an element around what inner writes, or nothing if that is nothing.
  private within(tag: string, attrs: Attrs, inner: () => void): void {
    let open = '<' + tag;
    for (const [name, value] of Object.entries(attrs)) if (value) open += ` ${name}="${escapeAttr(value)}"`;
    const before = this.parts.length;
    this.parts.push(open + '>');
    this.length += open.length + tag.length + 4;
    inner();
    // What is open is closed, also when the rest is cut.
    if (this.parts.length === before + 1 && !/^t[hd]$/.test(tag)) this.parts.length = before;
    else this.parts.push(`</${tag}>`);
  }

  element(el: Element, at: At): void {
    if (this.full) return;
    const ns = namespaceURI(el);
    if (ns !== HTML) return this.foreign(el, at);
    const name = localName(el);
    if (name === 'br') return this.put('<br>');
    if (silent.has(name) && !frames.has(name) && name !== 'video' && name !== 'audio') return;
    if (hasAttrs(el) && attr(el, 'hidden') === 'until-found') at = { ...at, opened: true };
    if (!(at.opened ? displayOf(el) !== 'none' : rendered(el)) || (!at.opened && offStage(el))) return;
    this.shown(el, name, at);
  }

  private shown(el: Element, name: string, at: At): void {
    switch (name) {
      case 'hr': return this.put('<hr>');
      case 'img': return this.image(el);
      case 'video': case 'audio': return this.media(el, name);
      case 'input': return this.input(el as HTMLInputElement);
      case 'select': case 'textarea': return this.spaced(() => this.lines(fieldText(el) ?? ''));
      case 'pre': return this.code(codeBlock(el));
      case 'wbr': return;
    }
    if (frames.has(name)) return this.frame(el, name, at);
    if (name === 'code' && isCodeBlock(el)) return this.code(codeBlock(el));
    if (name === 'table') {
      const code = codeTable(el);
      if (code) return this.code(code);
    }
    const tex = texOf(el);
    if (tex) return this.math(tex.text, tex.display);
    this.box(el, name, at);
  }

  // box writes an element that holds others, as block or inline by its layout.
  private box(el: Element, name: string, at: At): void {
    const tag = tagOf(el, name);
    const display = displayOf(el);
    const row = phrasing.has(name) && rowChild(el);
    const block = (blocks.test(display) || (!tag && display === 'table-cell')) && !row;
    const inside = () => this.tagged(el, name, tag, at);
    if (row || /^inline-(block|flex|grid|table)$/.test(display)) return this.spaced(inside);
    if (tag && !inline.has(tag)) return inside();
    if (block) return this.within('div', this.marks(el, name), inside);
    inside();
  }

  private tagged(el: Element, name: string, tag: string, at: At): void {
    if (name === 'a') return this.link(el, at);
    const inner = () => this.content(el, /^h\d$/.test(tag) ? { ...at, heading: true } : at);
    if (name === 'q' || name === 'rt') {
      const [open, close] = name === 'q' ? ['“', '”'] : ['(', ')'];
      this.put(open!);
      inner();
      return this.put(close!);
    }
    if (!tag) return inner();
    const attrs = this.marks(el, name);
    for (const a of attributes[tag] ?? []) attrs[a] = attr(el, a);
    if (attrs.reversed === '') attrs.reversed = 'reversed';
    if (tag === 'details') attrs.open = hasAttr(el, 'open') ? 'open' : null;
    this.within(tag, attrs, inner);
  }

  private marks(el: Element, name: string): Attrs {
    if (!this.named || !hasAttrs(el) || !(framed.has(name) || name.includes('-') || attr(el, 'id'))) return hasAttrs(el) && attr(el, 'id') ? { id: attr(el, 'id') } : {};
    return { id: attr(el, 'id'), class: attr(el, 'class')?.slice(0, 200) };
  }

  private content(el: Element, at: At): void {
    const visible = shows(el);
    const closed = !at.opened && closedDetails(el);
    if (visible) this.generated(el, '::before');
    eachChild(el, n => {
      if (isText(n)) {
        if (visible) this.text(data(n), el);
      } else if (isElement(n)) this.element(n, closed && localName(n) !== 'summary' ? { ...at, opened: true } : at);
    });
    if (visible) this.generated(el, '::after');
  }

  // Most of what style sheets write is decoration; words, numbers and currencies are not.
  private generated(el: Element, pseudo: '::before' | '::after'): void {
    const s = generated(el, pseudo);
    if (/[\p{L}\p{N}\p{Sc}]/u.test(s)) this.say(s);
  }

  private text(s: string, el: Element): void {
    const clean = withoutGlyphs(s).replace(/[\u00ad\u200b\u2060\ufeff\0]/g, '');
    if (!clean || isLigature(clean, el)) return;
    if (/\n/.test(clean) && /^(preserve|break-spaces)/.test(styleOf(el).whiteSpaceCollapse)) return this.lines(clean);
    this.say(clean);
  }

  private lines(s: string): void {
    s.split('\n').forEach((line, i) => {
      if (i) this.put('<br>');
      this.say(line);
    });
  }

  private spaced(inner: () => void): void {
    this.put(' ');
    inner();
    this.put(' ');
  }

  private link(el: Element, at: At): void {
    const href = address(el, attr(el, 'href'));
    if (!href || at.link) return this.content(el, at);
    if (at.heading && isPermalink(el)) return;
    const before = this.said;
    const title = attr(el, 'title');
    this.within('a', { id: attr(el, 'id'), href, title: title && title.trim() !== (textContent(el) ?? '').trim() ? title : null, role: attr(el, 'role')?.startsWith('doc-') ? attr(el, 'role') : null }, () => {
      this.content(el, { ...at, link: true });
      if (this.said === before && shows(el)) this.say(nameOf(el));
    });
  }

  private image(el: Element): void {
    if (!shows(el)) return;
    const alt = attr(el, 'alt');
    const src = pictureOf(el as HTMLImageElement);
    const box = rectOf(el);
    // Decoration, and pixels that count visitors.
    if ((alt !== null && !alt.trim()) || (box.width <= 3 && box.height <= 3 && !alt)) return;
    if (!alt && !src) return;
    this.said++;
    this.put(`<img${src ? ` src="${escapeAttr(src)}"` : ''}${alt ? ` alt="${escapeAttr(alt)}"` : ''}>`);
  }

  private media(el: Element, name: string): void {
    const media = el as HTMLMediaElement;
    const href = address(el, media.currentSrc || attr(el, 'src'));
    if (href) this.within('a', { href }, () => this.say(nameOf(el) || name));
  }

  private input(el: HTMLInputElement): void {
    const type = inputType(el);
    if (type === 'checkbox' || type === 'radio') return this.put(`<input type="${type}"${el.checked ? ' checked="checked"' : ''}>`);
    if (type === 'image') return this.spaced(() => this.say(attr(el, 'alt') ?? ''));
    this.spaced(() => this.say(fieldText(el) ?? ''));
  }

  private code(code: Code): void {
    if (!code.text) return;
    this.said++;
    this.within('pre', { lang: code.lang }, () => this.put(escapeText(code.text)));
  }

  private math(tex: string, display: boolean): void {
    this.within('math', { display: display ? 'block' : null }, () => this.say(tex));
  }

  private frame(el: Element, name: string, at: At): void {
    if (!frameShows(el)) return;
    this.owners ??= new Map(frameOwners().map((owner, i) => [owner, i + 1]));
    this.put(`<frame n="${this.owners.get(el) ?? 0}" name="${name}" title="${escapeAttr(attr(el, 'title') ?? '')}">`);
    if (name === 'object') this.content(el, at);
  }

  private foreign(el: Element, at: At): void {
    if (localName(el) === 'math') {
      const tex = texOf(el) ?? { text: texOfMath(el), display: attr(el, 'display') === 'block' };
      if (tex.text && rendered(el)) this.math(tex.text, tex.display);
      return;
    }
    if (namespaceURI(el) !== SVG || !rendered(el)) return;
    const name = attr(el, 'role') === 'img' || hasAttr(el, 'aria-label') ? nameOf(el) : '';
    if (name && !at.link) {
      this.said++;
      return this.put(`<img alt="${escapeAttr(name)}">`);
    }
    for (const text of queryIn(el, 'text')) if (shows(text as Element)) this.spaced(() => this.say(textContent(text as Element) ?? ''));
  }
}

const attributes: Record<string, string[]> = { ol: ['start', 'reversed'], li: ['value'], td: ['colspan', 'rowspan'], th: ['colspan', 'rowspan'], a: ['href'] };

// tagOf is what an element is, by its role first; "" for a generic one.
function tagOf(el: Element, name: string): string {
  const role = hasAttrs(el) ? (attr(el, 'role') ?? '').trim().toLowerCase() : '';
  if (role === 'heading') return 'h' + Math.min(6, Math.max(1, Number(attr(el, 'aria-level')) || 2));
  if (/^(none|presentation)$/.test(role) && /^(table|ul|ol|li)$/.test(name)) return '';
  if (/^(tr|td|th|tbody|thead|tfoot)$/.test(name)) return layoutTable(el) ? '' : name;
  return (!tags.has(name) && roles.get(role)) || tags.get(name) || '';
}

function layoutTable(part: Element): boolean {
  for (let at = flatParent(part); at; at = flatParent(at)) {
    if (localName(at) === 'table') return /^(none|presentation)$/.test(attr(at, 'role') ?? '');
  }
  return false;
}

// Layout makes blocks of words that stand in a row; to a reader they are one line.
function rowChild(el: Element): boolean {
  const parent = flatParent(el);
  return !!parent && /flex$/.test(displayOf(parent)) && styleOf(parent).flexDirection.startsWith('row');
}

/** offStage says whether text is there for screen readers only. */
function offStage(el: Element): boolean {
  if (!hasAttrs(el)) return false;
  const style = styleOf(el);
  if (style.position !== 'absolute' && style.position !== 'fixed') return false;
  if (/^rect\(\s*(0|1)px[ ,]+(0|1)px[ ,]+(0|1)px/.test(style.clip) || /^inset\((50|100)%/.test(style.clipPath)) return true;
  const box = rectOf(el);
  if (box.width <= 1 && box.height <= 1 && style.overflow !== 'visible') return true;
  return rectsOf(el).length > 0 && (box.right + scrollX <= 0 || box.bottom + scrollY <= 0);
}

// The sign beside a heading that links to the heading itself.
function isPermalink(el: Element): boolean {
  if (!/^#/.test(attr(el, 'href') ?? '')) return false;
  const text = (textContent(el) ?? '').trim();
  return /^[^\p{L}\p{N}]{0,2}$/u.test(text) || /(^|[\s_-])(anchor|headerlink|hash-?link|header-?anchor|permalink)(?=$|[\s_-])/i.test(attr(el, 'class') ?? '');
}

// Icon fonts draw a picture for a word.
function isLigature(s: string, el: Element): boolean {
  return /^\s*[a-z0-9_]+\s*$/.test(s) && /material (icons|symbols)/i.test(styleOf(el).fontFamily);
}

// pictureOf is the address of a picture, also of one that is loaded late.
function pictureOf(img: HTMLImageElement): string {
  for (const src of [img.currentSrc, attr(img, 'src'), attr(img, 'data-src'), attr(img, 'data-original'), attr(img, 'data-lazy-src')]) {
    const url = src ? address(img, src) : '';
    if (url) return url;
  }
  return '';
}

// texOf is the TeX that KaTeX, MathJax and MathML carry along.
function texOf(el: Element): { text: string; display: boolean } | null {
  const katex = hasAttrs(el) && /(^|\s)katex(\s|$)/.test(attr(el, 'class') ?? '');
  const math = localName(el) === 'math';
  if (!katex && !math && localName(el) !== 'mjx-container') return null;
  const note = queryIn(el, 'annotation[encoding="application/x-tex"]')[0] as Element | undefined;
  const inner = math ? el : (queryIn(el, 'math')[0] as Element | undefined);
  const text = (note && textContent(note)) || (inner && (attr(inner, 'alttext') || (!math && texOfMath(inner)))) || '';
  if (!text.trim()) return null;
  const parent = flatParent(el);
  const display = attr(el, 'display') || (inner && attr(inner, 'display')) || (parent && /katex-display/.test(attr(parent, 'class') ?? '') ? 'block' : '');
  return { text: text.replace(/\s+/g, ' ').trim(), display: display === 'block' || display === 'true' };
}

// What a person reads on the page, and its markup.
import {
  allRoots, attributesOf, bodyOf, data, documentElement, eachChild, firstChild, HTML, innerHTML, isElement, isText, localName, namespaceURI,
  nextSibling, nodeType, outerHTML, queryIn, rootOf, shadowOf,
} from './dom';
import { isPassword, notePasswords, selectedLabels } from './controls';
import { resolve } from './locate';
import type { HTMLArgs, Locator, Text, TextArgs } from './pagefn.gen';
import { cut } from './cut';
import { generated } from './pseudo';
import { closedDetails, displayOf, rendered, shows, styleOf } from './style';
import { retry } from './wait';

const maxBytes = 8 << 20;

/** text reads an element or the page as a person sees it. */
export function text(args: TextArgs): Promise<Text> {
  return retry({ timeoutMs: args.timeoutMs ?? 0, now: args.target?.now }, () => cut(visibleText(rootOrTarget(args.target)), args.maxBytes || maxBytes));
}

/** html reads markup. */
export function html(args: HTMLArgs): Promise<Text> {
  return retry({ timeoutMs: args.timeoutMs ?? 0, now: args.target?.now }, () => {
    const el = args.target ? resolve(args.target) : documentElement(document);
    if (!el) return cut('', 1);
    return cut(markup(el, args.target ? !!args.outer : true), args.maxBytes || maxBytes);
  });
}

const rootOrTarget = (target: Locator | null | undefined) => (target ? resolve(target) : (bodyOf(document) ?? documentElement(document)));

/** Elements that show no text of their own. */
export const silent = new Set('script style template noscript head title meta link datalist iframe frame object embed canvas audio video'.split(' '));
/** Displays that put an element on lines of its own. */
export const blocks = /^(block|flex|grid|list-item|table|table-caption|flow-root|table-row|table-row-group|table-header-group|table-footer-group)$/;

/** visibleText is innerText through shadow roots, with what fields hold. */
export function visibleText(root: Element | null): string {
  if (!root) return '';
  const out = new Lines(2);
  if (rendered(root)) walk(root, out);
  return out.done();
}

/** typedText is the text of an editor: a line for each paragraph, as it was typed. */
export function typedText(editor: Element): string {
  const out = new Lines(1);
  walk(editor, out);
  return out.done();
}

/** Lines collects text and the breaks that are owed between its pieces. */
class Lines {
  private parts: string[] = [];
  private owed = 0; // line breaks before the next text
  private space = false; // a space before the next text
  private empty = true;
  private rough = false; // there may be spaces at ends of lines, or too many empty lines

  constructor(readonly paragraph: number) {}

  text(s: string): void {
    if (!s) return;
    const lead = /^\s/.test(s);
    // Most text has single spaces only, and to replace each by itself takes long.
    const body = (uneven.test(s) ? s.replace(/[ \t\n\r\f]+/g, ' ') : s).trim();
    if (!body) {
      this.space = true;
      return;
    }
    this.put((lead || this.space) && !this.owed && !this.empty ? ' ' + body : body);
    this.space = /\s$/.test(s);
  }

  raw(s: string): void {
    this.rough ||= s.includes('\n') || s.endsWith(' ') || s.endsWith('\t');
    if (s) this.put(this.space && !this.owed && !this.empty ? ' ' + s : s);
  }

  private put(s: string): void {
    if (this.owed && !this.empty) this.parts.push('\n'.repeat(this.owed));
    this.parts.push(s);
    this.owed = 0;
    this.space = false;
    this.empty = false;
  }

  break(n: number): void {
    this.owed = Math.max(this.owed, n);
    this.space = false;
  }

  newline(): void {
    if (++this.owed > 2) this.rough = true;
    this.space = false;
  }

  tab(): void {
    if (this.owed || this.empty) return;
    this.parts.push('\t');
    this.rough = true;
    this.space = false;
  }

  done(): string {
    const s = this.parts.join('');
    return (this.rough ? s.replace(/[ \t]+\n/g, '\n').replace(/\n{3,}/g, '\n\n') : s).trim();
  }
}

const uneven = /[\t\n\r\f]|  /;

function walk(el: Element, out: Lines): void {
  const display = displayOf(el);
  const html = namespaceURI(el) === HTML;
  if (html && localName(el) === 'br') return out.newline();
  const gap = blocks.test(display) ? (html && localName(el) === 'p' ? out.paragraph : 1) : 0;
  if (gap) out.break(gap);
  else if (/^inline-(block|flex|grid|table)$/.test(display)) out.text(' ');
  if (display === 'table-cell' && cellBefore(el)) out.tab();
  const own = html ? fieldText(el) : null;
  const visible = shows(el);
  if (own !== null) {
    if (visible && own) {
      out.raw(own);
      out.text(' ');
    }
  } else content(el, out, visible);
  if (gap) out.break(gap);
  else if (/^inline-(block|flex|grid|table)$/.test(display)) out.text(' ');
}

function content(el: Element, out: Lines, visible: boolean): void {
  let pre: boolean | undefined;
  const closed = closedDetails(el);
  if (visible) out.text(generated(el, '::before'));
  eachChild(el, n => {
    if (isText(n)) {
      if (!visible || closed) return;
      pre ??= /^preserve/.test(styleOf(el).whiteSpaceCollapse);
      if (pre) out.raw(data(n));
      else out.text(data(n));
    } else if (isElement(n)) {
      const ns = namespaceURI(n);
      if (ns === HTML ? silent.has(localName(n)) : /^(title|desc|defs|style|script|metadata)$/.test(localName(n))) return;
      if (rendered(n)) walk(n, out);
    }
  });
  if (visible) out.text(generated(el, '::after'));
}

function cellBefore(el: Element): boolean {
  for (let n = el.previousElementSibling; n; n = n.previousElementSibling) if (displayOf(n) === 'table-cell') return true;
  return false;
}

const fields = new Set(['select', 'textarea', 'input']);

/** fieldText is what a field holds, as on the screen; passwords say nothing. null for what is no field. */
export function fieldText(el: Element): string | null {
  if (!fields.has(localName(el))) return null;
  if (el instanceof HTMLSelectElement) return selectedLabels(el).join(', ');
  if (isPassword(el)) return '';
  if (el instanceof HTMLTextAreaElement) return el.value;
  if (!(el instanceof HTMLInputElement)) return null;
  if (/^(checkbox|radio|hidden|file|image|range|color)$/.test(el.type)) return '';
  if (el.type === 'submit' || el.type === 'reset') return el.value || (el.type === 'submit' ? 'Submit' : 'Reset');
  return el.value;
}

/** markup is outerHTML or innerHTML with password values blanked and shadow roots written out. */
function markup(el: Element, outer: boolean): string {
  notePasswords();
  if (!needsCare(el)) return outer ? outerHTML(el) : innerHTML(el);
  const parts: string[] = [];
  if (outer) serialize(el, parts);
  else children(el, parts);
  return parts.join('');
}

function needsCare(el: Element): boolean {
  if (allRoots().some(r => r !== document && (rootOf(el) === r || r instanceof ShadowRoot))) return true;
  if (isPassword(el)) return true;
  return Array.from(queryIn(el, 'input[value],textarea')).some(i => isPassword(i as Element));
}

const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
const rawText = new Set('style script xmp iframe noembed noframes plaintext noscript'.split(' '));
const escapeText = (s: string) => s.replace(/[&<>\u00a0]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '\u00a0': '&nbsp;' })[c]!);
const escapeAttr = (s: string) => s.replace(/[&"\u00a0<>]/g, c => ({ '&': '&amp;', '"': '&quot;', '\u00a0': '&nbsp;', '<': '&lt;', '>': '&gt;' })[c]!);

function serialize(el: Element, parts: string[]): void {
  const name = localName(el);
  parts.push('<', name);
  const blank = isPassword(el);
  for (const a of attributesOf(el)) parts.push(' ', a.name, '="', blank && a.name === 'value' ? '' : escapeAttr(a.value), '"');
  parts.push('>');
  if (namespaceURI(el) === HTML && empty.has(name)) return;
  const root = shadowOf(el);
  if (root) {
    parts.push(`<template shadowrootmode="${root.mode}">`);
    children(root, parts);
    parts.push('</template>');
  }
  if (!blank) children(el, parts);
  parts.push('</', name, '>');
}

function children(el: Element | ShadowRoot, parts: string[]): void {
  const from = el instanceof HTMLTemplateElement ? el.content : el;
  const raw = isElement(el) && namespaceURI(el) === HTML && rawText.has(localName(el));
  for (let n = firstChild(from); n; n = nextSibling(n)) {
    if (isElement(n)) serialize(n, parts);
    else if (isText(n)) parts.push(raw ? data(n) : escapeText(data(n)));
    else if (nodeType(n) === 8) parts.push('<!--', data(n), '-->');
  }
}


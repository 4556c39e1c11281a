// Code as it was written: from highlighted markup, with line numbers and buttons left
// out. What is shown as code and what a gutter is are decided here.
import { attr, composedParent, data, eachChild, hasAttr, HTML, isElement, isText, localName, namespaceURI, queryIn, textContent } from './dom';
import { displayOf, styleOf } from './style';

/** Code is a block of code. */
export interface Code {
  text: string;
  lang: string;
}

/** codeBlock is the code of a pre, or of a code element that is laid out like one. */
export function codeBlock(el: Element): Code {
  const out = new Source(styleOf(el).userSelect !== 'none');
  out.children(el);
  return { text: out.done(), lang: language(el) };
}

/** isCodeBlock says whether a code element without a pre shows lines as they are. */
export function isCodeBlock(el: Element): boolean {
  return displayOf(el) === 'block' && /^preserve/.test(styleOf(el).whiteSpaceCollapse) && /\n/.test((textContent(el) ?? '').trim());
}

/**
 * codeTable is the code in a table that highlighters make to set line numbers beside
 * it: one row with two columns of lines, or a row for each line.
 */
export function codeTable(table: Element): Code | null {
  const rows = cellRows(table);
  if (!rows.length || rows.some(r => r.length < 2 || r.length > 3 || localName(r[0]!) === 'th')) return null;
  if (!rows.every(r => r.slice(0, -1).every(isGutter))) return null;
  const codes = rows.map(r => r[r.length - 1]!);
  if (!codes.every(c => queryIn(c, 'pre,code').length || codeCell.test(attr(c, 'class') ?? '') || /^preserve/.test(styleOf(c).whiteSpaceCollapse))) return null;
  const texts = codes.map(c => codeBlock(c).text);
  return { text: texts.join('\n'), lang: language(codes[0]!) || language(table) };
}

const codeCell = /(^|[\s_-])(code|blob-code|line-content)\b/;
const gutterClass = /(^|[\s_-])(line-?numbers?(-rows)?|line-?nos?|linenodiv|gutters?|ln-num|blob-num|hljs-ln-n(umbers)?|rouge-gutter|react-syntax-highlighter-line-number)(?=$|[\s_-])/i;

function cellRows(table: Element): Element[][] {
  const rows: Element[][] = [];
  const walk = (el: Element) => eachChild(el, n => {
    if (!isElement(n)) return;
    if (localName(n) === 'tr') {
      const cells: Element[] = [];
      eachChild(n, c => void (isElement(c) && cells.push(c)));
      rows.push(cells);
    } else if (/^(tbody|thead|tfoot)$/.test(localName(n))) walk(n);
  });
  walk(table);
  return rows;
}

// Numbers in order, or nothing at all where they are drawn from an attribute.
function isGutter(cell: Element): boolean {
  const text = (textContent(cell) ?? '').trim();
  if (!text) return gutterClass.test(attr(cell, 'class') ?? '') || hasAttr(cell, 'data-line-number');
  return /^\d+(\s+\d+)*$/.test(text);
}

// Source collects text; a block owes a line break to what follows, and the break that
// the markup has after it is the same one.
class Source {
  private out = '';
  private owed = false;

  constructor(private readonly selectable: boolean) {}

  children(el: Element): void {
    eachChild(el, n => {
      if (isText(n)) this.text(data(n));
      else if (isElement(n)) this.element(n);
    });
  }

  private text(s: string): void {
    if (!s) return;
    if (this.owed && !s.startsWith('\n')) this.out += '\n';
    this.owed = false;
    this.out += s;
  }

  private boundary(): void {
    this.owed = this.out !== '' && !this.out.endsWith('\n');
  }

  private element(el: Element): void {
    const name = namespaceURI(el) === HTML ? localName(el) : '';
    if (name === 'br') {
      if (this.owed) this.text('\n');
      return this.text('\n');
    }
    if (/^(button|script|style|template|)$/.test(name) || displayOf(el) === 'none' || this.gutter(el)) return;
    if (name === 'table') {
      const code = codeTable(el);
      if (code) return this.text(code.text);
    }
    const block = /^(block|flex|grid|list-item|table|table-row)$/.test(displayOf(el));
    if (block) this.boundary();
    this.children(el);
    if (block) this.boundary();
  }

  private gutter(el: Element): boolean {
    if (gutterClass.test(attr(el, 'class') ?? '')) return true;
    return this.selectable && styleOf(el).userSelect === 'none' && /^[\s\d$>#%]*$/.test(textContent(el) ?? '');
  }

  done(): string {
    return this.out.replace(/[ \t]+(?=\n|$)/g, '').replace(/^\n+|\s+$/g, '');
  }
}

const named = [
  /(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.-]+)/i,
  /(?:^|\s)(?:brush:\s*|sourceCode\s+)([\w+#.-]+)/i, // SyntaxHighlighter, Pandoc
];
const plain = /^(none|plain|plaintext|text|txt|nohighlight|no-highlight|default|source|code|wrapper|container|table|undefined|block)$/i;

/** language is the language that the class names around code give it, or "". */
function language(el: Element): string {
  const inner = queryIn(el, 'code,pre');
  const chain: Element[] = inner.length ? [inner[inner.length - 1] as Element, el] : [el];
  for (let at = composedParent(el), n = 0; at && n < 4; at = composedParent(at), n++) chain.push(at);
  for (const at of chain) {
    const lang = languageOf(at);
    if (lang) return lang;
  }
  return '';
}

function languageOf(el: Element): string {
  for (const name of ['data-lang', 'data-language', 'data-code-language']) {
    const value = attr(el, name);
    if (value && /^[\w+#.-]{1,30}$/.test(value) && !plain.test(value)) return value.toLowerCase();
  }
  const classes = attr(el, 'class') ?? '';
  const found = named.map(n => n.exec(classes)?.[1]).find(Boolean);
  if (found && !plain.test(found)) return found.toLowerCase();
  // highlight.js gives the bare name beside its own class.
  if (/(^|\s)hljs(\s|$)/.test(classes)) {
    const bare = classes.split(/\s+/).find(c => /^[a-z][\w+#]{0,15}$/.test(c) && c !== 'hljs' && !plain.test(c));
    if (bare) return bare;
  }
  return '';
}

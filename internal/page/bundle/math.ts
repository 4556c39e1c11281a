// TeX for MathML that carries none along.
import { firstChild, isElement, localName, nextSibling, queryIn, textContent } from './dom';

const accents: Record<string, string> = {
  '^': 'hat', 'ˆ': 'hat', '~': 'tilde', '˜': 'tilde', '¯': 'bar', '‾': 'overline', '―': 'overline', '→': 'vec', '⃗': 'vec', '˙': 'dot', '¨': 'ddot', '⏞': 'overbrace',
};

const large = /^[∑∏∐⋂⋃⋁⋀]$/;

const most = 2000; // elements; a page can nest them without end

/** texOfMath writes the formula with its structure: plain text would make a2 of a². */
export function texOfMath(el: Element): string {
  const s = queryIn(el, '*').length > most ? (textContent(el) ?? '') : row(el);
  return s.replace(/\s+/g, ' ').trim();
}

function children(el: Element): Element[] {
  const found: Element[] = [];
  for (let n = firstChild(el); n; n = nextSibling(n)) if (isElement(n)) found.push(n);
  return found;
}

const row = (el: Element): string => {
  const parts = children(el);
  return parts.length ? parts.map(tex).join('') : (textContent(el) ?? '').replace(/[\u2061-\u2064]/g, '').trim();
};

// An argument: one sign stands by itself, all else in braces.
const arg = (el: Element | undefined): string => (el ? `{${tex(el).trim()}}` : '{}');

const base = (el: Element | undefined): string => {
  const s = el ? tex(el).trim() : '';
  return [...s].length > 1 && !/^\\[a-z]+(\{.*\})?$/.test(s) && !/^[\p{L}\d.]+$/u.test(s) ? `{${s}}` : s;
};

function tex(el: Element): string {
  const [a, b, c] = children(el);
  switch (localName(el)) {
    case 'semantics': return a ? tex(a) : '';
    case 'annotation': case 'annotation-xml': case 'mphantom': return '';
    case 'mfrac': return `\\frac${arg(a)}${arg(b)}`;
    case 'msqrt': return `\\sqrt{${row(el).trim()}}`;
    case 'mroot': return `\\sqrt[${b ? tex(b).trim() : ''}]${arg(a)}`;
    case 'msup': return `${base(a)}^${arg(b)}`;
    case 'msub': return `${base(a)}_${arg(b)}`;
    case 'msubsup': case 'munderover': return `${base(a)}_${arg(b)}^${arg(c)}`;
    case 'munder': return `${base(a)}_${arg(b)}`;
    case 'mover': return over(a, b);
    case 'mtable': return `\\begin{matrix}${children(el).map(r => children(r).map(d => tex(d).trim()).join(' & ')).join(' \\\\ ')}\\end{matrix}`;
    case 'mspace': return ' ';
    case 'mtext': return `\\text{${textContent(el) ?? ''}}`;
    case 'mo': return operator(row(el));
    default: return row(el);
  }
}

function over(a: Element | undefined, b: Element | undefined): string {
  const sign = b ? (textContent(b) ?? '').trim() : '';
  const accent = accents[sign];
  return accent && !(a && large.test((textContent(a) ?? '').trim())) ? `\\${accent}${arg(a)}` : `${base(a)}^${arg(b)}`;
}

const operator = (s: string): string => (/^[{}%#&$_]$/.test(s) ? '\\' + s : /^[=<>≤≥≠≈±∓×÷·→⇒∈−]$/.test(s) ? ` ${s} ` : s);

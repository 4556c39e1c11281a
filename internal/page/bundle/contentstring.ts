// The computed value of the CSS content property, as text. Pure: see contentstring.test.ts.

/** Counters gives the values of a counter, the outermost first. */
export type Counters = (name: string) => number[];

/**
 * contentText returns what generated content says: the alternative text behind a slash
 * if there is one, else the strings and counters. Glyphs of the private use area, which
 * icon fonts draw, say nothing.
 */
export function contentText(content: string, counters: Counters = () => []): string {
  if (!content || content === 'none' || content === 'normal') return '';
  content = content.replace(/\b(counters?)\(\s*([^\s,()]+)\s*(?:,\s*"((?:[^"\\]|\\.)*)"\s*)?(?:,\s*([\w-]+)\s*)?\)/g, (_, kind: string, name: string, between: string | undefined, style: string | undefined) => {
    const values = counters(name);
    const shown = kind === 'counters' ? values : values.slice(-1);
    return `"${shown.map(v => counted(v, style)).join(between ?? '')}"`;
  });
  content = content.replace(/[\w-]+\((?:"(?:[^"\\]|\\.)*"|[^()"]|\([^()]*\))*\)/g, '');
  const parts: string[][] = [[]];
  const token = /"((?:[^"\\]|\\.)*)"|\/|[^"/]+/gs;
  for (const m of content.matchAll(token)) {
    if (m[1] !== undefined) parts[parts.length - 1]!.push(unescape(m[1]));
    else if (m[0] === '/') parts.push([]);
  }
  return withoutGlyphs((parts[1] ?? parts[0]!).join(''));
}

const roman: [number, string][] = [[1000, 'm'], [900, 'cm'], [500, 'd'], [400, 'cd'], [100, 'c'], [90, 'xc'], [50, 'l'], [40, 'xl'], [10, 'x'], [9, 'ix'], [5, 'v'], [4, 'iv'], [1, 'i']];

// counted is a counter's value in a style; those that are rare are decimal.
function counted(v: number, style = 'decimal'): string {
  const upper = style.startsWith('upper-');
  let s = '';
  if (style === 'decimal-leading-zero' && v >= 0 && v < 10) s = `0${v}`;
  else if (/^(lower|upper)-roman$/.test(style) && v > 0 && v < 4000) for (const [n, sign] of roman) for (; v >= n; v -= n) s += sign;
  else if (/^(lower|upper)-(alpha|latin)$/.test(style) && v > 0) for (; v > 0; v = Math.floor((v - 1) / 26)) s = String.fromCharCode(97 + ((v - 1) % 26)) + s;
  else if (style === 'none') return '';
  else if (/^(disc|circle|square)$/.test(style)) return { disc: '•', circle: '◦', square: '▪' }[style]!;
  else return String(v);
  return upper ? s.toUpperCase() : s;
}

function unescape(s: string): string {
  return s.replace(/\\(?:([0-9a-f]{1,6}) ?|(.))/gis, (_, hex: string | undefined, char: string) =>
    hex ? String.fromCodePoint(parseInt(hex, 16)) : char);
}

/** withoutGlyphs drops characters of the private use areas. */
export function withoutGlyphs(s: string): string {
  return s.replace(/[\ue000-\uf8ff]|[\u{f0000}-\u{10fffd}]/gu, '');
}

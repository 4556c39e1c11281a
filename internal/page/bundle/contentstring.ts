// The computed value of the CSS content property, as text. Pure: see contentstring.test.ts.

/**
 * contentText returns what generated content says: the alternative text behind a slash
 * if there is one, else the strings. Glyphs of the private use area, which icon fonts
 * draw, say nothing.
 */
export function contentText(content: string): string {
  if (!content || content === 'none' || content === 'normal') return '';
  content = content.replace(/[\w-]+\((?:"(?:[^"\\]|\\.)*"|[^()"]|\([^()]*\))*\)/g, '');
  const parts: string[][] = [[]];
  const token = /"((?:[^"\\]|\\.)*)"|\/|[^"/]+/gs;
  for (const m of content.matchAll(token)) {
    if (m[1] !== undefined) parts[parts.length - 1]!.push(unescape(m[1]));
    else if (m[0] === '/') parts.push([]);
  }
  return withoutGlyphs((parts[1] ?? parts[0]!).join(''));
}

function unescape(s: string): string {
  return s.replace(/\\(?:([0-9a-f]{1,6}) ?|(.))/gis, (_, hex: string | undefined, char: string) =>
    hex ? String.fromCodePoint(parseInt(hex, 16)) : char);
}

/** withoutGlyphs drops characters of the private use areas. */
export function withoutGlyphs(s: string): string {
  return s.replace(/[\ue000-\uf8ff]|[\u{f0000}-\u{10fffd}]/gu, '');
}

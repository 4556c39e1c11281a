// Cutting text to bytes. Pure: see cut.test.ts.
import type { Text } from './pagefn.gen';

const encoder = new TextEncoder();

/** cut shortens text to at most max UTF-8 bytes, between two characters as a reader counts them. */
export function cut(s: string, max: number): Text {
  s = wellFormed(s);
  const total = byteLength(s);
  if (total <= max) return { text: s, total };
  let end = unitsFor(s, max);
  // Only the last few units can belong to the character that is cut.
  const from = Math.max(0, end - 64);
  const near = s.slice(from, end + 64);
  let boundary = from;
  for (const seg of new Intl.Segmenter().segment(near)) {
    if (from + seg.index > end) break;
    boundary = from + seg.index;
  }
  if (boundary > from || from === 0) end = boundary;
  return { text: s.slice(0, end), total, cut: true };
}

// A lone surrogate has no place in JSON.
function wellFormed(s: string): string {
  return s.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

function byteLength(s: string): number {
  return encoder.encode(s).length;
}

// How many UTF-16 units fit in max bytes, never half of a surrogate pair.
function unitsFor(s: string, max: number): number {
  const { read } = encoder.encodeInto(s, new Uint8Array(max));
  return read ?? 0;
}

// Cutting text to bytes. Pure: see cut.test.ts.
import type { Text } from './pagefn.gen';

const encoder = new TextEncoder();

/** cut shortens text to at most max UTF-8 bytes, between two characters as a reader counts them. */
export function cut(s: string, max: number): Text {
  s = s.toWellFormed(); // a lone surrogate has no place in JSON
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

let scratch: Uint8Array<ArrayBuffer> | undefined; // made once: long texts would leave much garbage

function byteLength(s: string): number {
  scratch ??= new Uint8Array(64 << 10);
  let bytes = 0;
  for (let at = 0; at < s.length; ) {
    const { read, written } = encoder.encodeInto(at ? s.slice(at) : s, scratch);
    bytes += written;
    at += read;
  }
  return bytes;
}

// How many UTF-16 units fit in max bytes, never half of a surrogate pair.
function unitsFor(s: string, max: number): number {
  const { read } = encoder.encodeInto(s, new Uint8Array(max));
  return read ?? 0;
}

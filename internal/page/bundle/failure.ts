import type { Code } from './pagefn.gen';

/** Failure is how a page function says no. */
export class Failure {
  constructor(
    readonly code: Code,
    readonly message: string,
    /** How long to wait at most for the reason to pass, in ms; some hardly ever do. */
    readonly patience = Infinity,
  ) {}
}

/** fail throws a Failure. */
export function fail(code: Code, message: string, patience?: number): never {
  throw new Failure(code, message, patience);
}

/** quote puts text of the page into a message: folded, short, in quotes. */
export function quote(s: string, max = 80): string {
  return JSON.stringify(clip(s.replace(/\s+/g, ' ').trim(), max));
}

/** clip cuts a string to max UTF-16 units, never inside a surrogate pair. */
export function clip(s: string, max: number): string {
  if (s.length <= max) return s;
  const last = s.charCodeAt(max - 1);
  return s.slice(0, last >= 0xd800 && last < 0xdc00 ? max - 1 : max) + '…';
}

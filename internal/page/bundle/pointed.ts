// An answer can point at an element. The server must be able to name it to the browser,
// and only the debugger can: so the element waits here until the runner fetches it.

/** Pointed is a page function's value with an element beside it. */
export class Pointed<T> {
  constructor(
    readonly element: Element,
    readonly value: T,
  ) {}
}

const waiting = new Map<number, Element>();
let last = 0;

/** ticket keeps an element for the runner. */
export function ticket(el: Element): number {
  waiting.set(++last, el);
  return last;
}

/** element hands an element out, once. */
export function element(n: number): Element | undefined {
  const el = waiting.get(n);
  waiting.delete(n);
  return el;
}

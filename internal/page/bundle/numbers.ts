// The document's id and the numbers of its elements. Both live as long as the document
// does: a new document is a new world, a new id, and numbers that start again.
import { isConnected } from './dom';

/** documentId tells this document from any other. */
export const documentId = Array.from(crypto.getRandomValues(new Uint32Array(3)), n => n.toString(36)).join('');

const numbers = new WeakMap<Element, number>();
const elements = new Map<number, WeakRef<Element>>();
let last = 0;

// Virtual lists make and drop elements for ever; the map must not keep their numbers.
const forget = new FinalizationRegistry<number>(n => elements.delete(n));

/** numberOf returns the element's number, the same one each time. */
export function numberOf(el: Element): number {
  let n = numbers.get(el);
  if (n === undefined) {
    n = ++last;
    numbers.set(el, n);
    elements.set(n, new WeakRef(el));
    forget.register(el, n);
  }
  return n;
}

/** elementOf returns the element of a number if it is still in the document. */
export function elementOf(n: number): Element | null {
  const el = everElement(n);
  return el && isConnected(el) ? el : null;
}

/** everElement returns the element of a number also when it has left the document. */
export function everElement(n: number): Element | null {
  return elements.get(n)?.deref() ?? null;
}

// The values of CSS counters where generated content shows them (css-lists-3). The
// elements that count and those that show are known from the style sheets; all others
// are passed over.
import { comparePosition, contains, flatParent } from './dom';
import type { Counters } from './contentstring';
import { rendered } from './style';

export type Place = '' | '::before' | '::after';

/** Where sets or shows counters, by place. */
export type Marked = Record<Place, Set<Element>>;

// A counter is in scope for what is in the parent of the element that made it, from there on.
interface Counter {
  value: number;
  scope: Element | null;
}

const compute = window.getComputedStyle.bind(window) as (el: Element, pseudo: string) => CSSStyleDeclaration;

/** countersIn counts, and returns what each marked place sees. */
export function countersIn(marked: Marked): (el: Element, place: Place) => Counters {
  const all = new Set<Element>([...marked[''], ...marked['::before'], ...marked['::after']]);
  const order = [...all].filter(rendered).sort((a, b) => (comparePosition(a, b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  const stacks = new Map<string, Counter[]>();
  const seen: Record<Place, Map<Element, Counters>> = { '': new Map(), '::before': new Map(), '::after': new Map() };

  const leave = (el: Element) => {
    for (const stack of stacks.values()) {
      for (let top = stack.at(-1); top?.scope && top.scope !== el && !contains(top.scope, el); top = stack.at(-1)) stack.pop();
    }
  };
  const count = (el: Element, place: Place) => {
    if (place === '') leave(el);
    if (!marked[place].has(el)) return;
    const style = compute(el, place);
    const scope = place === '' ? flatParent(el) : el;
    const make = (name: string, value: number) => {
      const stack = stacks.get(name) ?? [];
      stacks.set(name, stack);
      if (stack.at(-1)?.scope === scope) stack.pop();
      const counter = { value, scope };
      stack.push(counter);
      return counter;
    };
    for (const [name, n] of pairs(style.counterReset, 0)) make(name, n);
    for (const [name, n] of pairs(style.counterIncrement, 1)) (stacks.get(name)?.at(-1) ?? make(name, 0)).value += n;
    for (const [name, n] of pairs(style.counterSet, 0)) (stacks.get(name)?.at(-1) ?? make(name, 0)).value = n;
    const now = new Map([...stacks].map(([name, stack]) => [name, stack.map(c => c.value)]));
    seen[place].set(el, name => now.get(name) ?? []);
  };

  const open: Element[] = [];
  const close = (next: Element | null) => {
    for (let el = open.at(-1); el && !(next && contains(el, next)); el = open.at(-1)) {
      open.pop();
      // What was made inside is out of scope behind it.
      for (const stack of stacks.values()) while (stack.at(-1)?.scope && stack.at(-1)!.scope !== el && contains(el, stack.at(-1)!.scope!)) stack.pop();
      count(el, '::after');
    }
  };
  for (const el of order) {
    close(el);
    count(el, '');
    count(el, '::before');
    open.push(el);
  }
  close(null);
  return (el, place) => seen[place].get(el) ?? (() => []);
}

// "a 0 b 3" of a computed style.
function* pairs(value: string, otherwise: number): Generator<[string, number]> {
  if (!value || value === 'none') return;
  for (const m of value.matchAll(/([^\s\d+-][^\s]*)(?:\s+([+-]?\d+))?/g)) yield [m[1]!, m[2] === undefined ? otherwise : Number(m[2])];
}

// Choosing options of a <select>.
import { alike, composedParent, focusElement, fold, isConnected } from './dom';
import { isDisabled, optionLabel, selectedLabels } from './controls';
import { label } from './describe';
import { fieldOf, mayEdit } from './editable';
import { fail, quote } from './failure';
import { resolve } from './locate';
import { numberOf } from './numbers';
import type { SelectArgs, Selected } from './pagefn.gen';
import { changed } from './setvalue';
import { pause, retry } from './wait';
import { closeness } from './closeness';

/**
 * select picks the options whose value or label is given, and no others. With an option
 * as target and no values it picks that option.
 */
export function select(args: SelectArgs): Promise<Selected> {
  return retry({ timeoutMs: args.timeoutMs, now: args.target.now }, async () => {
    const target = resolve(args.target);
    const el = target instanceof HTMLOptionElement ? owner(target) : fieldOf(target);
    if (!(el instanceof HTMLSelectElement)) return fail('BAD_ARGS', `${label(el)} is not a <select>; click it and then the option`);
    mayEdit(el);
    const options = target instanceof HTMLOptionElement && !args.values?.length ? [usable(target)] : args.values.map(v => pick(el, v));
    if (options.length > 1 && !el.multiple) fail('BAD_ARGS', `${label(el)} takes one value, not ${options.length}`);
    if (choose(el, new Set(options))) await kept(el, options);
    return { node: numberOf(el), values: Array.from(el.selectedOptions, o => o.value), labels: Array.from(el.selectedOptions, optionLabel) };
  });
}

function owner(option: Element): Element {
  let at: Element | null = option;
  while (at && !(at instanceof HTMLSelectElement)) at = composedParent(at);
  return at ?? option;
}

function choose(el: HTMLSelectElement, wanted: Set<HTMLOptionElement>): boolean {
  const same = Array.from(el.options).every(o => o.selected === wanted.has(o));
  if (same) return false;
  focusElement(el, { preventScroll: true });
  if (el.multiple) for (const o of el.options) o.selected = wanted.has(o);
  else el.selectedIndex = [...wanted][0]!.index;
  changed(el);
  return true;
}

// A page may refuse a choice and put the old one back, in its own time. A list that was
// drawn anew meanwhile is another element, and this one says nothing of it.
async function kept(el: HTMLSelectElement, wanted: HTMLOptionElement[]): Promise<void> {
  await pause(0);
  if (!isConnected(el) || wanted.some(o => !isConnected(o)) || wanted.every(o => o.selected)) return;
  fail('NOT_ACTIONABLE', `${label(el)} holds ${quote(selectedLabels(el).join(', '))}: the page put it back after ${wanted.map(o => quote(optionLabel(o))).join(', ')} was selected`, 0);
}

const rules: ((o: HTMLOptionElement, v: string) => boolean)[] = [
  (o, v) => o.value === v,
  (o, v) => o.label === v || o.text === v,
  (o, v) => optionLabel(o) === fold(v) || fold(o.text) === fold(v),
  (o, v) => alike(optionLabel(o)) === alike(v),
  (o, v) => unspaced(optionLabel(o)) === unspaced(v),
];

// Spaces without width are shown as spaces in some places and as nothing in others.
const unspaced = (s: string) => alike(s).replace(/ /g, '');

function pick(el: HTMLSelectElement, v: string): HTMLOptionElement {
  const all = Array.from(el.options);
  for (const rule of rules) {
    const found = all.filter(o => rule(o, v));
    const open = found.filter(o => !isDisabled(o));
    if (open.length > 1 && new Set(open.map(o => o.value)).size > 1) {
      fail('AMBIGUOUS', `${label(el)} has ${open.length} options ${quote(v)}; say which by value: ${open.slice(0, 5).map(o => quote(o.value)).join(', ')}`);
    }
    if (open.length) return open[0]!;
    if (found.length) return usable(found[0]!);
  }
  const near = all.map(o => [closeness(v, optionLabel(o)), optionLabel(o)] as const).sort((a, b) => b[0] - a[0]);
  // The options may still be loading, so this is worth a wait.
  return fail('SELECTOR_NOT_FOUND', `${label(el)} has no option ${quote(v)}; it has ${near.slice(0, 8).map(n => quote(n[1], 40)).join(', ')}${near.length > 8 ? ` and ${near.length - 8} more` : ''}`);
}

function usable(o: HTMLOptionElement): HTMLOptionElement {
  if (isDisabled(o)) fail('BAD_ARGS', `option ${quote(optionLabel(o))} is disabled`);
  return o;
}

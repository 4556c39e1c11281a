// Controls that are not typed into.
import { clickElement, createElement, dispatch, focusElement } from './dom';
import { label } from './describe';
import { controlKind, describeField, fieldOf, mayEdit } from './editable';
import { fail, quote } from './failure';
import { resolve } from './locate';
import type { Editable, SetValueArgs } from './pagefn.gen';
import { retry } from './wait';

const formats: Record<string, string> = {
  date: 'YYYY-MM-DD', time: 'HH:MM', 'datetime-local': 'YYYY-MM-DDTHH:MM', month: 'YYYY-MM', week: 'YYYY-Www', color: '#rrggbb', range: 'a number',
};

/** setValue sets a date, time, colour, range, checkbox or radio button with its events. */
export function setValue(args: SetValueArgs): Promise<Editable> {
  return retry({ timeoutMs: args.timeoutMs, now: args.target.now }, () => {
    const field = fieldOf(resolve(args.target));
    const kind = controlKind(field);
    const native = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
    if (!native || (kind !== 'set' && kind !== 'checkbox' && kind !== 'radio' && kind !== 'text')) {
      fail('BAD_ARGS', `${label(field)} cannot be set to a value`);
    }
    mayEdit(field);
    if (kind === 'checkbox' || kind === 'radio') check(field as HTMLInputElement, args.value);
    else assign(field as HTMLInputElement, kind === 'set' ? normal(field as HTMLInputElement, args.value) : args.value);
    return describeField(field);
  });
}

function check(field: HTMLInputElement, value: string): void {
  const want = truth(value, field);
  if (want === null) return fail('BAD_ARGS', `${label(field)} takes true or false, not ${quote(value)}`);
  if (field.checked === want && !field.indeterminate) return;
  if (field.type === 'radio' && !want) fail('BAD_ARGS', `${label(field)} is a radio button: it is switched off by choosing another one of its group`);
  clickElement(field);
  if (field.checked !== want) fail('NOT_ACTIONABLE', `${label(field)} did not become ${want ? 'checked' : 'unchecked'}: the page changed it back`);
}

function truth(value: string, field: HTMLInputElement): boolean | null {
  const v = value.trim().toLowerCase();
  if (/^(true|on|yes|1|checked)$/.test(v) || (v && v === field.value.toLowerCase())) return true;
  return /^(false|off|no|0|unchecked|)$/.test(v) ? false : null;
}

// What the browser makes of a value, tried on a field that is not in the page: a
// malformed one must not wipe what the real field holds.
function normal(field: HTMLInputElement, value: string): string {
  const v = value.trim();
  if (v === '' && field.type !== 'range' && field.type !== 'color') return '';
  if (field.type === 'color') return color(field, v);
  const probe = createElement(document, 'input') as HTMLInputElement;
  probe.type = field.type;
  for (const limit of ['min', 'max', 'step'] as const) if (field.getAttribute(limit) !== null) probe[limit] = field[limit];
  probe.value = v;
  const taken = field.type === 'range' ? Number(probe.value) === Number(v) && v !== '' : probe.value !== '';
  if (!taken) fail('BAD_ARGS', `${label(field)} does not take ${quote(value)}: it wants ${formats[field.type]}${limits(field)}; it still holds ${quote(field.value)}`);
  return probe.value;
}

function limits(field: HTMLInputElement): string {
  if (field.type !== 'range') return '';
  return ` from ${field.min || 0} to ${field.max || 100}${field.step ? ` in steps of ${field.step}` : ''}`;
}

function color(field: HTMLInputElement, v: string): string {
  const context = new OffscreenCanvas(1, 1).getContext('2d')!;
  for (const start of ['#000000', '#ffffff']) {
    context.fillStyle = start;
    context.fillStyle = v;
    const got = String(context.fillStyle);
    if (got !== start && /^#[0-9a-f]{6}$/.test(got)) return got;
  }
  if (/^(#000(000)?|black)$/i.test(v)) return '#000000';
  if (/^(#fff(fff)?|white)$/i.test(v)) return '#ffffff';
  return fail('BAD_ARGS', `${label(field)} does not take ${quote(v)}: it wants #rrggbb; it still holds ${quote(field.value)}`);
}

// The setter of this world is the browser's own: frameworks that put theirs on the
// element hear of the change by the events, as with a user.
function assign(field: HTMLInputElement, value: string): void {
  focusElement(field, { preventScroll: true });
  if (field.value === value) return;
  field.value = value;
  changed(field);
}

/** changed fires what a user's change fires. */
export function changed(el: Element): void {
  dispatch(el, new Event('input', { bubbles: true, composed: true }));
  dispatch(el, new Event('change', { bubbles: true }));
}

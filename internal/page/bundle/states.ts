// What a node of the snapshot says beside role and name.
import { activeElement, attr, composedParent, hasAttr, hasAttrs, localName, matches } from './dom';
import { checkedOf, inputType, isDisabled, isPassword, isReadOnly } from './controls';
import { headingLevel } from './roles';
import { onFresh } from './style';

let focused: Element | null | undefined;
onFresh(() => (focused = undefined));

const told = new Set('date time datetime-local month week color file email tel url'.split(' '));

/** statesOf lists an element's states, in a fixed order. */
export function statesOf(el: Element, role: string): string[] {
  const s: string[] = [];
  if (role === 'heading') s.push(`level=${headingLevel(el)}`);
  const type = inputType(el);
  if (told.has(type)) s.push(type);
  if ((type || localName(el) === 'textarea') && isPassword(el)) s.push(type === 'password' ? 'password' : 'secret');
  if (isDisabled(el)) s.push('disabled');
  const checked = checkedOf(el, role);
  if (checked) s.push(checked === 'mixed' ? 'mixed' : 'checked');
  if (hasAttrs(el) || role === 'option' || localName(el) === 'summary') ariaStates(el, role, s);
  if ((type || localName(el) === 'textarea') && isReadOnly(el)) s.push('readonly');
  if (focused === undefined) focused = activeElement();
  if (el === focused) s.push('focused');
  return s;
}

function ariaStates(el: Element, role: string, s: string[]): void {
  const expanded = expandedOf(el);
  if (expanded !== null) s.push(expanded ? 'expanded' : 'collapsed');
  if (isSelected(el, role)) s.push('selected');
  const pressed = attr(el, 'aria-pressed');
  if (pressed === 'true') s.push('pressed');
  else if (pressed === 'mixed') s.push('mixed');
  if (hasAttr(el, 'required') || attr(el, 'aria-required') === 'true') s.push('required');
  const invalid = attr(el, 'aria-invalid');
  if ((invalid !== null && invalid !== 'false') || userInvalid(el)) s.push('invalid');
  const current = attr(el, 'aria-current');
  if (current && current !== 'false') s.push('current');
  if (attr(el, 'aria-busy') === 'true') s.push('busy');
  const popup = attr(el, 'aria-haspopup');
  if (popup && popup !== 'false') s.push(popup === 'true' ? 'haspopup' : `haspopup=${popup}`);
  const sort = attr(el, 'aria-sort');
  if (sort === 'ascending' || sort === 'descending') s.push(`sort=${sort}`);
}

const userInvalid = (el: Element) => /^(input|select|textarea)$/.test(localName(el)) && matches(el, ':user-invalid');

function expandedOf(el: Element): boolean | null {
  const given = attr(el, 'aria-expanded');
  if (given === 'true' || given === 'false') return given === 'true';
  if (localName(el) === 'summary') {
    const parent = composedParent(el);
    return parent instanceof HTMLDetailsElement ? parent.open : null;
  }
  if (hasAttr(el, 'popovertarget') && el instanceof HTMLButtonElement) {
    const target = el.popoverTargetElement;
    return target ? matches(target, ':popover-open') : null;
  }
  return null;
}

function isSelected(el: Element, role: string): boolean {
  if (el instanceof HTMLOptionElement) return el.selected;
  return attr(el, 'aria-selected') === 'true' && /^(option|tab|treeitem|gridcell|row|columnheader|rowheader)$/.test(role);
}

// Form controls: their kind, labels, values and states.
import { allRoots, attr, closest, composedParent, eachChild, flatParent, fold, hasAttr, hasAttrs, idOf, isElement, isHTML, localName, matches, query, rootOf, isShadowRoot } from './dom';
import { isVisible, styleOf } from './style';

/** inputType is the type of an input, "" for other elements. */
export function inputType(el: Element): string {
  return el instanceof HTMLInputElement ? el.type : '';
}

const revealed = new WeakSet<Element>();

const secrets = /(^|\s)((current|new)-password|one-time-code|cc-number|cc-csc)(\s|$)/i;

/**
 * isPassword says whether the value must never leave the page: a password field, one that
 * is drawn like one, a one-time code, a card. It stays so when a switch of the page makes
 * plain text of it.
 */
export function isPassword(el: Element): boolean {
  if (!(el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement)) return false;
  if (revealed.has(el)) return true;
  if (el.type !== 'password' && !drawnAsDots(el)) return hasAttr(el, 'autocomplete') && secrets.test(attr(el, 'autocomplete') ?? '');
  revealed.add(el);
  return true;
}

const texts = /^(text|search|email|url|tel|number|textarea)$/;

function drawnAsDots(el: HTMLInputElement | HTMLTextAreaElement): boolean {
  const drawn = texts.test(el.type) ? styleOf(el).getPropertyValue('-webkit-text-security') : '';
  return drawn !== '' && drawn !== 'none';
}

/** notePasswords remembers the password fields that there are now. */
export function notePasswords(): void {
  for (const root of allRoots()) for (const el of query(root, 'input[type=password]')) revealed.add(el);
}

/** labelsOf returns the labels of a control, in document order. */
export function labelsOf(el: Element): Element[] {
  if (!isHTML(el)) return [];
  const list = labelsGetter(el);
  return list ? Array.from(list) : [];
}

function labelsGetter(el: Element): NodeListOf<HTMLLabelElement> | null | undefined {
  for (const type of labelable) {
    if (el instanceof type) return (Object.getOwnPropertyDescriptor(type.prototype, 'labels')!.get as () => NodeListOf<HTMLLabelElement>).call(el);
  }
  return localName(el).includes('-') ? customLabels(el) : null;
}

const labelable = [
  HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement, HTMLButtonElement, HTMLMeterElement, HTMLProgressElement, HTMLOutputElement,
];

// A form-associated custom element is labelled like a control; its labels list is not to
// be had from outside.
function customLabels(el: Element): NodeListOf<HTMLLabelElement> | null {
  const id = idOf(el);
  const root = rootOf(el);
  if (!id || (root !== document && !isShadowRoot(root))) return null;
  return query(root as Document, `label[for="${CSS.escape(id)}"]`) as NodeListOf<HTMLLabelElement>;
}

/** controlOf is the control that a label labels. */
export function controlOf(label: Element): Element | null {
  return label instanceof HTMLLabelElement ? label.control : null;
}

/** labelledControl is the control that a click inside a label goes to, if any. */
export function labelledControl(el: Element): Element | null {
  for (let at: Element | null = el; at; at = flatParent(at)) {
    if (at instanceof HTMLLabelElement) return at.control;
    if (at !== el && interactiveContent(at)) return null;
  }
  return null;
}

const interactiveContent = (el: Element) => isHTML(el) && /^(a|button|input|select|textarea|summary)$/.test(localName(el));

/** hiddenControl is the hidden checkbox, radio or the like behind a visible label. */
export function hiddenControl(label: Element): Element | null {
  const control = controlOf(label);
  if (!(control instanceof HTMLInputElement) || !/^(checkbox|radio|file)$/.test(control.type)) return null;
  return isVisible(control) ? null : control;
}

/** selectedLabels are the visible labels of what a select holds. */
export function selectedLabels(select: HTMLSelectElement): string[] {
  return Array.from(select.selectedOptions, optionLabel);
}

/** optionLabel is what a person reads on an option. */
export function optionLabel(o: HTMLOptionElement): string {
  return fold(o.label || o.text);
}

/** isDisabled says whether the control is disabled, by itself, its fieldset or ARIA. */
export function isDisabled(el: Element): boolean {
  if (nativeDisabled(el)) return true;
  for (let at: Element | null = el; at; at = flatParent(at)) {
    const value = hasAttrs(at) ? attr(at, 'aria-disabled') : null;
    if (value === 'true') return true;
    if (value === 'false') return false;
  }
  return false;
}

function nativeDisabled(el: Element): boolean {
  if (!isHTML(el) || !/^(button|fieldset|input|optgroup|option|select|textarea)$/.test(localName(el))) {
    // A click on the icon of a disabled button goes nowhere either.
    const button = isHTML(el) || localName(el) ? closest(el, 'button,select') : null;
    return !!button && button !== el && nativeDisabled(button);
  }
  if (localName(el) === 'option') {
    const parent = composedParent(el);
    if (parent && nativeDisabled(parent)) return true;
  }
  return matches(el, ':disabled');
}

/** isReadOnly says whether a text control takes no text now. */
export function isReadOnly(el: Element): boolean {
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) return el.readOnly;
  return attr(el, 'aria-readonly') === 'true';
}

/** checkedOf is true, false, "mixed", or null for what cannot be checked. */
export function checkedOf(el: Element, role: string): boolean | 'mixed' | null {
  if (el instanceof HTMLInputElement && (el.type === 'checkbox' || el.type === 'radio')) {
    return el.indeterminate && el.type === 'checkbox' ? 'mixed' : el.checked;
  }
  if (!/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio|option|treeitem)$/.test(role)) return null;
  const value = attr(el, 'aria-checked');
  if (value === null) return role === 'option' || role === 'treeitem' ? null : false;
  return value === 'mixed' ? 'mixed' : value === 'true';
}

/** valueOf is what a control holds, as a person reads it; never of a password field. */
export function valueOf(el: Element, role: string): string {
  if (el instanceof HTMLSelectElement) return selectedLabels(el).join(', ');
  if (isPassword(el)) return '';
  if (el instanceof HTMLTextAreaElement) return el.value;
  if (el instanceof HTMLInputElement) return inputValue(el);
  if (el instanceof HTMLMeterElement || el instanceof HTMLProgressElement) {
    return attr(el, 'aria-valuetext') ?? (el instanceof HTMLProgressElement && el.position < 0 ? '' : String(el.value));
  }
  if (/^(slider|spinbutton|scrollbar|progressbar|meter|separator)$/.test(role)) {
    return attr(el, 'aria-valuetext') ?? attr(el, 'aria-valuenow') ?? '';
  }
  return '';
}

function inputValue(el: HTMLInputElement): string {
  switch (el.type) {
    case 'checkbox':
    case 'radio':
    case 'button':
    case 'submit':
    case 'reset':
    case 'image':
    case 'hidden':
      return '';
    case 'file':
      return Array.from(el.files ?? [], f => f.name).join(', ');
    case 'range':
      return attr(el, 'aria-valuetext') ?? el.value;
  }
  return el.value;
}

/** firstControl is the only form control shown inside an element, if there is just one. */
export function firstControl(el: Element): Element | null {
  const all: Element[] = [];
  const look = (part: Element) => eachChild(part, n => {
    if (!isElement(n)) return;
    if (matches(n, fillable)) all.push(n);
    else look(n);
  });
  look(el);
  const shown = all.length > 1 ? all.filter(isVisible) : all;
  return shown.length === 1 ? shown[0]! : null;
}

const fillable = 'input:not([type=hidden]),textarea,select,[contenteditable=""],[contenteditable=true],[contenteditable=plaintext-only]';

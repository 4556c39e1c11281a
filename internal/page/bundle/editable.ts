// Fields and editors: what kind they are, what they hold, and getting the caret in.
import {
  activeElement, attr, closest, composedParent, contains, docSelection, editContext, execCommand, focusElement, hasAttr, isContentEditable, isHTML, localName, queryIn,
  listen, rectOf, rootOf, textContent, unlisten, within,
} from './dom';
import { checkedOf, controlOf, firstControl, inputType, isDisabled, isPassword, isReadOnly, selectedLabels } from './controls';
import { infoOf, label, shownName } from './describe';
import { fail } from './failure';
import { requireHosts } from './hosts';
import { resolve } from './locate';
import { documentId, everElement, numberOf } from './numbers';
import type { Editable, FocusArgs, ValueArgs } from './pagefn.gen';
import { pointsOf } from './points';
import { editableRoot, roleOf } from './roles';
import { isVisible, styleOf } from './style';
import { typedText } from './text';
import { pause, retry } from './wait';

type Kind = 'text' | 'rich' | 'set' | 'select' | 'checkbox' | 'radio' | 'file' | 'none';

const setTypes = /^(date|time|datetime-local|month|week|color|range)$/;
const textTypes = /^(text|search|email|url|tel|password|number)$/;

/** controlKind sorts controls by how they are filled. */
export function controlKind(el: Element): Kind {
  if (el instanceof HTMLTextAreaElement) return 'text';
  if (el instanceof HTMLSelectElement) return 'select';
  if (el instanceof HTMLInputElement) {
    if (textTypes.test(el.type)) return 'text';
    if (setTypes.test(el.type)) return 'set';
    return el.type === 'checkbox' || el.type === 'radio' || el.type === 'file' ? el.type : 'none';
  }
  if (isHTML(el) && (isContentEditable(el) || editContext(el) || editableRoot(el))) return 'rich';
  const role = roleOf(el);
  if (/^(checkbox|switch|menuitemcheckbox)$/.test(role)) return 'checkbox';
  return /^(radio|menuitemradio)$/.test(role) ? 'radio' : 'none';
}

/** editingHost is the element that an editable part belongs to. */
function editingHost(el: Element): Element {
  let host = el;
  for (let at = composedParent(el); at && isHTML(at) && localName(at) !== 'html' && isContentEditable(at); at = composedParent(at)) host = at;
  return host;
}

/** fieldOf is the control that is meant by an element: itself, its label's, the one in it. */
export function fieldOf(el: Element): Element {
  const kind = controlKind(el);
  if (kind === 'rich') return editingHost(el);
  if (kind !== 'none' || /^(button|a)$/.test(localName(el))) return el;
  const labelled = controlOf(el);
  if (labelled) return labelled;
  const editor = editorInput(el);
  if (editor) return editor;
  return firstControl(el) ?? el;
}

const editors = '.CodeMirror,.monaco-editor,.ace_editor';
const codeEditors = editors + ',.cm-editor';

// Editors that paint their text themselves and take it through a hidden field.
function editorInput(el: Element): Element | null {
  const editor = editorOf(el);
  if (!editor || (contains(el, editor) && queryIn(el, editors).length > 1)) return null;
  return queryIn(editor, 'textarea,[contenteditable=true],.native-edit-context')[0] ?? null;
}

const editorOf = (el: Element): Element | null => closest(el, editors) ?? queryIn(el, editors)[0] ?? null;

/** keepsOwnSelection says whether the field belongs to an editor with a selection of its own. */
function keepsOwnSelection(field: Element): boolean {
  return !!closest(field, editors) || !!editContext(field);
}

/** contentOf is what a field holds, passwords too: for comparisons, not for reports. */
function contentOf(field: Element): string {
  const editor = closest(field, editors);
  if (editor) return editorText(editor);
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
  if (field instanceof HTMLSelectElement) return selectedLabels(field).join(', ');
  if (controlKind(field) !== 'rich') return '';
  const lines = queryIn(field, '.cm-line');
  if (lines.length) return Array.from(lines, l => textContent(l as Node) ?? '').join('\n');
  return typedText(field).replace(/\u00a0/g, ' ').replace(/[\u200b\ufeff]/g, '');
}

function editorText(editor: Element): string {
  const lines = Array.from(queryIn(editor, '.CodeMirror-line,.view-line,.ace_line'));
  const top = (l: Element) => rectOf(l).top;
  return lines.sort((a, b) => top(a as Element) - top(b as Element)).map(l => (textContent(l as Node) ?? '').replace(/[\u00a0\u200b]/g, c => (c === '\u00a0' ? ' ' : ''))).join('\n');
}

/** describeField is the Editable of a field. */
export function describeField(field: Element): Editable {
  const info = infoOf(field);
  const content = contentOf(field);
  const password = isPassword(field);
  const point = pointsOf(field)[0];
  const out: Editable = {
    node: numberOf(field), kind: controlKind(field), role: info.role, name: shownName(info.name),
    value: password ? '' : content, length: content.length, x: point?.x ?? 0, y: point?.y ?? 0,
  };
  const type = inputType(field);
  if (type) out.type = type;
  if (password) out.password = true;
  if ((field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) && field.maxLength >= 0 && hasAttr(field, 'maxlength')) {
    out.maxLength = field.maxLength;
  }
  if (out.kind === 'rich' ? attr(field, 'aria-multiline') !== 'false' : field instanceof HTMLTextAreaElement) out.multiline = true;
  if (closest(field, codeEditors)) out.code = true;
  if (isFocused(field)) out.focused = true;
  const checked = out.kind === 'checkbox' || out.kind === 'radio' ? checkedOf(field, info.role) : null;
  if (checked !== null) out.checked = checked === true;
  if (checked === 'mixed') out.mixed = true;
  if (isReadOnly(field)) out.readOnly = true;
  if (isDisabled(field)) out.disabled = true;
  const boxes = boxCount(field);
  if (boxes > 1) out.boxes = boxes;
  const invalid = validation(field);
  if (invalid) out.invalid = invalid;
  return out;
}

function validation(field: Element): string {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement)) return '';
  return field.willValidate && !field.validity.valid ? field.validationMessage : '';
}

function isFocused(field: Element): boolean {
  const active = activeElement();
  if (localName(field) === 'body') return !active && document.hasFocus();
  return !!active && (active === field || (controlKind(field) === 'rich' && within(active, field)));
}

// One-time codes: a row of fields that hold one character each.
function boxCount(field: Element): number {
  if (!oneCharacter(field)) return 0;
  for (let at = composedParent(field), n = 0; at && n < 3; at = composedParent(at), n++) {
    const all = Array.from(queryIn(at, 'input')).filter(i => oneCharacter(i as Element) && isVisible(i as Element)) as Element[];
    if (all.length > 1) return all.length - all.indexOf(field);
  }
  return 1;
}

const oneCharacter = (el: Element) => el instanceof HTMLInputElement && textTypes.test(el.type) && el.maxLength === 1;

/** value reads a field back. */
export function value(args: ValueArgs): Promise<Editable> {
  const left = args.left && args.target.document === documentId ? everElement(args.target.node ?? 0) : null;
  return retry({ timeoutMs: 0 }, () => describeField(left ?? fieldOf(resolve(args.target))));
}

/** mayEdit fails if a field takes no input now. */
export function mayEdit(field: Element): void {
  if (isDisabled(field)) fail('NOT_ACTIONABLE', `${label(field)} is disabled; nothing was changed`);
  if (isReadOnly(field)) fail('NOT_ACTIONABLE', `${label(field)} is read-only; nothing was changed`);
  if (!isVisible(field) && !keepsOwnSelection(field) && styleOf(field).display === 'none') fail('NOT_ACTIONABLE', `${label(field)} is not visible`);
}

/** focus puts the caret into a field and selects its content when it is to be cleared. */
export function focus(args: FocusArgs): Promise<Editable> {
  return retry({ timeoutMs: args.timeoutMs, now: args.target.now }, async () => {
    const field = fieldOf(resolve(args.target));
    const kind = controlKind(field);
    if (kind === 'checkbox' || kind === 'radio') return describeField(field); // it is clicked, by its label if it is hidden
    mayEdit(field);
    if (kind === 'none') {
      requireHosts();
      fail('NOT_ACTIONABLE', `${label(field)} takes no text${hint(field)}`);
    }
    const had = isFocused(field);
    if (!had) {
      focusElement(field, { preventScroll: false });
      await pause(0); // a page that hands the focus on does so in a task of its own
    }
    if (!isFocused(field)) fail('NOT_ACTIONABLE', `${label(field)} does not take the focus${elsewhere()}`);
    const own = keepsOwnSelection(field);
    // What the user of the field has selected in it is replaced, as by a person who types.
    const atCaret = !own && !args.clear && had && hasSelection(field);
    if (kind === 'text' && !own && !atCaret) caretInText(field as HTMLInputElement, args, had);
    if (kind === 'rich' && !own && !atCaret) await caretInRich(field, args, had);
    const out = describeField(field);
    if (atCaret) out.atCaret = true;
    if (own && args.clear) out.selectAll = true;
    else if (own && (args.end || !had)) out.toEnd = true;
    return out;
  });
}

const elsewhere = () => {
  const now = activeElement();
  return now ? `: the page moved it to ${label(now)}` : '; the page may have moved it elsewhere';
};

const hint = (el: Element) => {
  const role = infoOf(el).role;
  return role === 'combobox' || role === 'listbox' ? '; click it and then the option' : '';
};

function hasSelection(field: Element): boolean {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    // Number and e-mail fields do not tell; Chrome's selection holds their text all the same.
    return field.selectionStart === null ? selectedIn(docSelection(document)) : field.selectionStart !== field.selectionEnd;
  }
  const selection = selectionIn(field);
  return !!selection?.anchorNode && within(selection.anchorNode, field) && selectedIn(selection);
}

const selectedIn = (selection: Selection | null) => !!selection && selection.toString() !== '';

function caretInText(field: HTMLInputElement | HTMLTextAreaElement, args: FocusArgs, had: boolean): void {
  if (args.clear) return field.select();
  if (had && !args.end) return;
  const end = field.value.length;
  try {
    field.setSelectionRange(end, end);
  } catch {
    // Number and e-mail fields have no caret to set: end it with a selection's collapse.
    field.select();
    docSelection(document)?.modify?.('move', 'forward', 'character');
  }
}

// Editors keep a selection of their own and learn of the page's by an event that comes a
// moment later; some put theirs back when they get the focus. Text that arrives before
// they have heard goes to the wrong place.
async function caretInRich(host: Element, args: FocusArgs, had: boolean): Promise<void> {
  const selection = selectionIn(host);
  if (!selection) return;
  for (let tries = 0; tries < 3; tries++) {
    const anchor = selection.anchorNode;
    if (!args.clear && had && !args.end && anchor && within(anchor, host)) return;
    const heard = selectionHeard();
    if (args.clear) selectContent(selection, host);
    else {
      selection.selectAllChildren(host);
      selection.collapseToEnd();
    }
    const node = selection.anchorNode;
    const offset = selection.anchorOffset;
    await heard;
    if (args.clear ? covers(selection, host) : selection.anchorNode === node && selection.anchorOffset === offset) return;
  }
}

// As a user selects everything: the editor sees it happen.
function selectContent(selection: Selection, host: Element): void {
  execCommand(document, 'selectAll');
  if (!covers(selection, host)) selection.selectAllChildren(host);
}

function selectionHeard(): Promise<void> {
  return new Promise(done => {
    const end = () => {
      unlisten(document, 'selectionchange', end, true);
      void pause(0).then(done); // whatever the page does about it comes first
    };
    listen(document, 'selectionchange', end, true);
    void pause(40).then(end);
  });
}

function selectionIn(host: Element): Selection | null {
  const root = rootOf(host) as ShadowRoot & { getSelection?: () => Selection | null };
  return (root instanceof ShadowRoot && root.getSelection ? root.getSelection() : null) ?? docSelection(document);
}

function covers(selection: Selection, host: Element): boolean {
  if (!selection.rangeCount) return false;
  if (!(textContent(host) ?? '').trim()) return true;
  return selection.toString().trim().length >= (textContent(host) ?? '').trim().length || selection.containsNode(host, false);
}

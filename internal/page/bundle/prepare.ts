// Getting ready to act: wait until the target is there, visible, enabled and still, bring
// it into view, and find a point of it that the pointer reaches.
import { closest, flatParent, hasAttr, localName, queryIn, rectOf, scrollIntoView, tagOf } from './dom';
import { checkedOf, inputType, isDisabled, isReadOnly, labelledControl, labelsOf } from './controls';
import { infoOf, label, shownName } from './describe';
import { controlKind } from './editable';
import { fail } from './failure';
import { coverName, hitAt, nested, reaches } from './hit';
import { resolve, wording } from './locate';
import { still, type Motion } from './motion';
import { numberOf } from './numbers';
import type { Locator, PrepareArgs, Prepared } from './pagefn.gen';
import { boxes, inView, pointsOf, type Point } from './points';
import { statesOf } from './states';
import { freshStyles, inertBy, isVisible, rendered, styleOf } from './style';
import { retry } from './wait';
import { watch, type Aim } from './watch';

// What an inert page, a closed section or a see-through element waits for is an action
// somewhere else: to sit out the whole deadline would only keep the agent from it.
const unlikely = 1000;

/** prepare answers when the target can be acted on. */
export async function prepare(args: PrepareArgs): Promise<Prepared> {
  const began = performance.now();
  const motion: Motion = { waited: false, scrolled: false };
  return retry({ timeoutMs: args.timeoutMs, now: args.target.now }, async left => {
    motion.waited = performance.now() - began > 5;
    const el = resolve(args.target);
    if (isCollapsedOption(el)) return describePrepared({ el, at: el }, { x: 0, y: 0 }, began, true);
    let aim = aimOf(el);
    mustBeReady(aim, args);
    if (!find(aim, args)) motion.scrolled = bring(aim, args) || motion.scrolled;
    await still(aim.at, motion, left);
    freshStyles();
    const point = find(aim, args) ?? find((aim = fallback(aim)), args) ?? covered(aim, args);
    if (args.watch) watch(aim, point, () => aimOf(resolve(args.target)));
    return describePrepared(aim, point, began, false);
  });
}

function describePrepared(aim: Aim, p: Point, began: number, option: boolean): Prepared {
  const { el } = aim;
  const info = infoOf(el);
  const kind = controlKind(el);
  const out: Prepared = { node: numberOf(el), role: info.role, name: shownName(info.name), tag: tagOf(el).replace('svg:', ''), x: p.x, y: p.y };
  const type = inputType(el);
  if (type) out.type = type;
  if (kind === 'text' || kind === 'rich') {
    if (isReadOnly(el)) out.readOnly = true;
    else out.editable = true;
  }
  if (option) out.option = true;
  const href = (el instanceof HTMLAnchorElement || el instanceof HTMLAreaElement) && hasAttr(el, 'href') ? el.href : '';
  if (href) out.href = href.slice(0, 2000);
  const waited = Math.round(performance.now() - began);
  if (waited > 4) out.waitedMs = waited;
  const checked = checkedOf(el, info.role);
  if (checked !== null) out.checked = checked === true;
  const states = statesOf(el, info.role);
  if (states.length) out.states = states;
  if (aim.at !== el) out.label = true;
  return out;
}

function isCollapsedOption(el: Element): boolean {
  if (!(el instanceof HTMLOptionElement)) return false;
  const select = closest(el, 'select');
  return !!select && infoOf(select).role === 'combobox' && !boxes(el).length;
}

// A hidden checkbox, radio button or file field is worked by its label.
function aimOf(el: Element): Aim {
  if (el instanceof HTMLLabelElement && el.control && !isVisible(el.control)) return { el: el.control, at: el };
  if (/^(checkbox|radio|file)$/.test(inputType(el)) && (!isVisible(el) || !boxes(el).length)) {
    const shown = labelsOf(el).find(isVisible);
    if (shown) return { el, at: shown };
  }
  return { el, at: el };
}

// A control that is there but cannot be hit (clipped to a dot, under its own picture).
function fallback(aim: Aim): Aim {
  if (aim.at !== aim.el || !inputType(aim.el)) return aim;
  const shown = labelsOf(aim.el).find(l => isVisible(l) && labelledControl(l) === aim.el);
  return shown ? { el: aim.el, at: shown } : aim;
}

function mustBeReady(aim: Aim, args: PrepareArgs): void {
  const { el, at } = aim;
  const what = () => (args.target.node || args.target.selector ? label(el) : wording(args.target));
  if (!isVisible(at)) {
    const why = whyHidden(at);
    fail('NOT_ACTIONABLE', `${what()} is not visible (${why})`, why.startsWith('inside a closed') ? unlikely : undefined);
  }
  if (!boxes(at).length && localName(at) !== 'area') fail('NOT_ACTIONABLE', `${what()} is not visible (it has no size)`);
  const inert = inertBy(at);
  if (inert) fail('NOT_ACTIONABLE', `${what()} is inert: ${label(inert)} keeps it from being used`, unlikely);
  if ((args.for === 'click' || args.for === 'type') && isDisabled(el)) fail('NOT_ACTIONABLE', `${what()} is disabled`);
}

function whyHidden(el: Element): string {
  if (rendered(el)) return 'visibility: hidden';
  for (let at: Element | null = el; at; at = flatParent(at)) {
    const display = styleOf(at).display;
    if (display === 'none') return at === el ? 'display: none' : `display: none on ${label(at)}`;
    if (localName(at) === 'details' && !(at as HTMLDetailsElement).open) return `inside a closed ${label(at)}; open it first`;
  }
  return 'it is not rendered';
}

/** find returns a point of the aim that the pointer reaches, without scrolling. */
function find(aim: Aim, args: PrepareArgs): Point | null {
  let second: Point | null = null;
  for (const p of candidates(aim.at, args)) {
    if (!inView(p)) continue;
    const hit = hitAt(p);
    if (!reachesAim(hit, aim)) continue;
    if (args.offset || !nested(hit, aim.at)) return p;
    second ??= p;
  }
  return second;
}

const reachesAim = (hit: Element | null, aim: Aim) => reaches(hit, aim.at) || reaches(hit, aim.el);

function candidates(el: Element, args: PrepareArgs): Point[] {
  if (!args.offset) return pointsOf(el);
  const box = rectOf(el);
  return [{ x: box.left + args.offset.x, y: box.top + args.offset.y }];
}

// The middle first: there the whole of it shows, clear of bars at the edges.
const alignments: ScrollIntoViewOptions[] = [
  { block: 'center', inline: 'nearest' }, { block: 'nearest', inline: 'center' }, { block: 'end', inline: 'end' }, { block: 'start', inline: 'start' },
];

// Scrolls until the pointer reaches the aim; other alignments get it out from under
// sticky headers. Reports whether anything moved.
function bring(aim: Aim, args: PrepareArgs): boolean {
  const before = rectOf(aim.at);
  const target = scrollTarget(aim.at);
  for (const alignment of alignments) {
    scrollIntoView(target, { ...alignment, behavior: 'instant' });
    if (find(aim, args)) break;
  }
  const after = rectOf(aim.at);
  return before.x !== after.x || before.y !== after.y;
}

function scrollTarget(el: Element): Element {
  if (rectOf(el).width || rectOf(el).height) return el;
  let inner: Element | null = null;
  for (const child of queryIn(el, '*')) {
    if (rectOf(child).width && rectOf(child).height) {
      inner = child;
      break;
    }
  }
  return inner ?? el;
}

function covered(aim: Aim, args: PrepareArgs): never {
  const what = label(aim.el);
  const p = candidates(aim.at, args).find(inView);
  if (!p) {
    const box = rectOf(aim.at);
    return fail('NOT_ACTIONABLE', `${what} lies outside the viewport at ${Math.round(box.x)},${Math.round(box.y)} and cannot be scrolled into it`);
  }
  const hit = hitAt(p);
  if (styleOf(aim.at).pointerEvents === 'none') {
    return fail('NOT_ACTIONABLE', `${what} lets the pointer through (pointer-events: none); the press would go to ${coverName(hit)}; hover that first if the page wakes it under the pointer, or look with snapshot what it waits for`, unlikely);
  }
  return fail('NOT_ACTIONABLE', `${what} is covered by ${coverName(hit)}; close that or wait until it is gone`);
}

/** locateBox answers where an element is. */
export function locateBox(target: Locator, into: boolean): { x: number; y: number; width: number; height: number } {
  freshStyles();
  const el = resolve(target);
  if (into) scrollIntoView(el, { block: 'center', inline: 'nearest', behavior: 'instant' });
  let box = rectOf(el);
  if (!box.width && !box.height) box = boxes(el)[0] ?? box;
  return { x: box.x, y: box.y, width: box.width, height: box.height };
}


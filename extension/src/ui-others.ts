// What the user says about other extensions: the switches, who may come, and what each
// of them wants to do. The popup shows what waits, the options page all of it.
import type { CallerState, OthersState, Request, ReviewState } from './state.ts';
import { byId, field, setText, stamp, sync } from './ui-dom.ts';
import { callerName, callerWord, reviewText } from './ui-text.ts';

type Send = (request: Request) => void;

const switches = ['enabled', 'writes', 'review'] as const;

// press calls fn for presses of the user's own that were meant for what is there: not for
// those of a script, nor for one on a row that came under the pointer just now.
function onPressOf(row: HTMLElement, name: string, fn: () => void): void {
  field(row, name).addEventListener('click', (event) => {
    if (event.isTrusted && document.body.dataset.still !== undefined) {
      fn();
    }
  });
}

// listenSwitches has the worker told of the switches.
export function listenSwitches(send: Send): void {
  for (const name of switches) {
    byId<HTMLInputElement>(`serve-${name}`).addEventListener('change', (event) => {
      send({ type: 'serve', [name]: (event.target as HTMLInputElement).checked });
    });
  }
}

// showSwitches shows them as they are.
export function showSwitches(o: OthersState): void {
  for (const name of switches) {
    byId<HTMLInputElement>(`serve-${name}`).checked = o[name];
  }
  byId<HTMLInputElement>('serve-writes').disabled = !o.enabled;
  byId<HTMLInputElement>('serve-review').disabled = !o.enabled || !o.writes;
}

// showCallers lists extensions that called.
export function showCallers(callers: CallerState[], send: Send): void {
  sync(byId('callers'), callers, (c) => c.id, () => makeCaller(send), updateCaller);
}

function makeCaller(send: Send): HTMLElement {
  const row = stamp('caller-row');
  for (const word of ['allow', 'deny', 'forget'] as const) {
    onPressOf(row, word, () => send({ type: 'caller', id: row.dataset.caller ?? '', word }));
  }
  return row;
}

function updateCaller(row: HTMLElement, c: CallerState): void {
  row.dataset.caller = c.id;
  row.dataset.state = c.state;
  setText(field(row, 'name'), callerName(c.name));
  setText(field(row, 'id'), c.id);
  setText(field(row, 'word'), callerWord(c));
  field(row, 'allow').hidden = c.state === 'allowed';
  field(row, 'deny').hidden = c.state !== 'pending';
  field(row, 'forget').hidden = c.state === 'pending';
  for (const [name, verb] of [['allow', 'Allow'], ['deny', 'Deny'], ['forget', 'Remove']] as const) {
    field(row, name).setAttribute('aria-label', `${verb} ${callerName(c.name)} ${c.id}`);
  }
}

// showReviews lists writes that wait for a click.
export function showReviews(reviews: ReviewState[], send: Send): void {
  sync(byId('reviews'), reviews, (r) => r.id, () => makeReview(send), updateReview);
}

function makeReview(send: Send): HTMLElement {
  const row = stamp('review-row');
  onPressOf(row, 'allow', () => send({ type: 'review', id: row.dataset.review ?? '', allowed: true }));
  onPressOf(row, 'deny', () => send({ type: 'review', id: row.dataset.review ?? '', allowed: false }));
  return row;
}

function updateReview(row: HTMLElement, r: ReviewState): void {
  row.dataset.review = r.id;
  setText(field(row, 'what'), reviewText(r));
  setText(field(row, 'id'), r.extension);
  setText(field(row, 'detail'), r.detail);
  field(row, 'detail').hidden = r.detail === '' || r.detail === '{}';
  field(row, 'allow').setAttribute('aria-label', `Allow: ${reviewText(r)}`);
  field(row, 'deny').setAttribute('aria-label', `Deny: ${reviewText(r)}`);
}

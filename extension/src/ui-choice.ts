// The user's choice about one site and one client: how much, and for how long.
import type { Level, Until } from './wire.gen.ts';
import { stamp } from './ui-dom.ts';
import { plain } from './ui-text.ts';

// Choice is what was pressed.
export interface Choice {
  site: string;
  client: string;
  level: Level;
  until: Until;
  pageTool?: string; // a tool of the page; site is its origin then
}

// About is what a choice is about.
export interface About {
  site: string;
  client: string;
  act: boolean; // acting was wanted: that is what is offered first
  atLeastAct: boolean; // reading is allowed already
  pageTool?: string | undefined; // a tool of the page: it is allowed or not
}

// A press within so many milliseconds of a move was meant for what was there before.
const rest = 400;

// watchMoves notes when something on the page moves: a server can have a row appear at
// any moment, also under the pointer.
export function watchMoves(): void {
  let timer: number | undefined;
  const moved = () => {
    delete document.body.dataset.still;
    clearTimeout(timer);
    timer = setTimeout(() => { document.body.dataset.still = ''; }, rest);
  };
  const sizes = new ResizeObserver(moved);
  for (const part of document.querySelectorAll('main > *')) {
    sizes.observe(part);
  }
  new MutationObserver(moved).observe(document.body, { childList: true, subtree: true });
}

// makeChoice makes the buttons. Only presses of the user's own count, not those that a
// script makes.
export function makeChoice(press: (choice: Choice) => void): HTMLElement {
  const form = stamp('choice') as HTMLFormElement;
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('click', (event) => {
    const button = (event.target as Element).closest('button');
    const { site, client, pageTool } = form.dataset;
    if (!event.isTrusted || !button || !site || !client || document.body.dataset.still === undefined) {
      return;
    }
    const level = pageTool ? 'full' : new FormData(form).get('level') as Level;
    const about = { site, client, ...(pageTool ? { pageTool } : {}) };
    press(button.value === 'deny' ? { ...about, level: 'deny', until: 'always' } : { ...about, level, until: button.value as Until });
  });
  return form;
}

// updateChoice says what it is about. What the user has chosen already stays chosen.
export function updateChoice(slot: HTMLElement, about: About): void {
  const form = slot.firstElementChild as HTMLFormElement;
  const key = JSON.stringify(about);
  if (form.dataset.key === key) {
    return;
  }
  form.dataset.key = key;
  form.dataset.site = about.site;
  form.dataset.client = about.client;
  form.dataset.pageTool = about.pageTool ?? '';
  form.querySelector('fieldset')!.hidden = about.pageTool !== undefined;
  const [read, full] = form.querySelectorAll<HTMLInputElement>('input');
  if (read && full) {
    read.disabled = about.atLeastAct;
    full.checked = about.act;
    read.checked = !about.act;
  }
  for (const button of form.querySelectorAll('button')) {
    button.setAttribute('aria-label', `${button.value === 'deny' ? 'Deny' : `Allow, ${button.textContent}`}: ${about.pageTool ? `${plain(about.pageTool)} of ` : ''}${about.site} to ${about.client}`);
  }
}

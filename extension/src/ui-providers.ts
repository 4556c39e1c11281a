// The extensions whose tools the agent may use: how they stand, and what the user says.
import type { OthersState, ProviderState, Request } from './state.ts';
import { byId, field, setText, stamp, sync } from './ui-dom.ts';
import { callerName, providerRefused, providerWord } from './ui-text.ts';

type Send = (request: Request) => void;

// listenProviders has the worker told what the user enters.
export function listenProviders(send: Send): void {
  byId('add-provider').addEventListener('submit', (event) => {
    event.preventDefault();
    if (!event.isTrusted) return; // the user's word is taken from nobody else
    const input = byId<HTMLInputElement>('provider-id');
    const [id = '', namespace = ''] = input.value.trim().split('=');
    send({ type: 'provider', id, change: 'add', namespace });
  });
  byId('ask-providers').addEventListener('click', () => send({ type: 'ask' }));
}

// showProviders lists them.
export function showProviders(o: OthersState, send: Send): void {
  const list = byId('providers');
  const before = list.childElementCount;
  sync(list, o.providers, (p) => p.id, () => makeProvider(send), updateProvider);
  byId('ask-providers').hidden = o.providers.length === 0;
  setText(byId('provider-problem'), o.problem);
  byId('provider-problem').hidden = o.problem === '';
  if (o.problem === '' && o.providers.length > before) byId<HTMLInputElement>('provider-id').value = '';
}

function makeProvider(send: Send): HTMLElement {
  const row = stamp('provider-row');
  const say = (change: 'remove' | 'on' | 'off' | 'write' | 'read') => send({ type: 'provider', id: row.dataset.provider ?? '', change });
  const turn = (name: string, on: 'on' | 'write', off: 'off' | 'read') => field(row, name).addEventListener('change', (event) => {
    if (event.isTrusted) say((event.target as HTMLInputElement).checked ? on : off);
  });
  turn('on', 'on', 'off');
  turn('writes', 'write', 'read');
  field(row, 'remove').addEventListener('click', () => say('remove'));
  return row;
}

function updateProvider(row: HTMLElement, p: ProviderState): void {
  row.dataset.provider = p.id;
  row.dataset.state = p.state;
  const name = p.name ? callerName(p.name) : p.namespace || 'An extension that has not answered yet';
  setText(field(row, 'name'), name);
  setText(field(row, 'id'), p.id);
  setText(field(row, 'word'), providerWord(p));
  setText(field(row, 'refused'), providerRefused(p));
  field(row, 'refused').hidden = p.refused.length === 0;
  field(row, 'say').hidden = !p.own;
  (field(row, 'on') as HTMLInputElement).checked = !p.off;
  (field(row, 'writes') as HTMLInputElement).checked = p.writes;
  field(row, 'on').setAttribute('aria-label', `Use ${name} ${p.id}`);
  field(row, 'writes').setAttribute('aria-label', `Let ${name} ${p.id} change things`);
  field(row, 'remove').setAttribute('aria-label', `Remove ${name} ${p.id}`);
}

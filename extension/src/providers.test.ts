import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Link } from './link';
import { Providers } from './providers';
import type { ExtProvider, ExtStanding } from './wire.gen';

const id = (letter: string) => letter.repeat(32);

function held(): { providers: Providers; told: () => ExtProvider[]; changes: () => number } {
  let changes = 0;
  const shelf = {
    local: { providers: [] as ExtProvider[] },
    saveProviders(list: ExtProvider[]) { this.local.providers = list; },
  };
  const providers = new Providers(shelf, id('e'), () => { changes++; });
  return { providers, told: () => providers.told().providers, changes: () => changes };
}

const standing = (letter: string, more: Partial<ExtStanding>): ExtStanding => ({ extension: id(letter), state: 'connected', tools: 1, ...more });

test('what the user may name', () => {
  const { providers, told } = held();
  for (const bad of ['', 'x', id('q'), id('A'), id('a') + 'a', `${id('a')}\n`]) assert.match(providers.change(bad, 'add'), /no extension id/, bad);
  assert.match(providers.change(id('e'), 'add'), /chrome-mcp itself/);
  assert.equal(providers.change(id('a'), 'add'), '');
  assert.equal(providers.change(id('b'), 'add', 'notes'), '');
  assert.equal(providers.change(id('a'), 'add'), ''); // again changes nothing
  assert.deepEqual(told(), [{ extension: id('a') }, { extension: id('b'), namespace: 'notes' }]);
  for (let i = 0; i < 40; i++) providers.change('c'.repeat(30) + String.fromCharCode(97 + i % 16, 97 + Math.floor(i / 16)), 'add');
  assert.equal(told().length, 32);
});

test('the switches of one', () => {
  const { providers, told, changes } = held();
  providers.change(id('a'), 'write'); // that was not named
  assert.equal(changes(), 0);
  providers.change(id('a'), 'add');
  providers.change(id('a'), 'write');
  providers.change(id('a'), 'off');
  assert.deepEqual(told(), [{ extension: id('a'), off: true, writes: true }]);
  providers.change(id('a'), 'read');
  providers.change(id('a'), 'on');
  assert.deepEqual(told(), [{ extension: id('a') }]);
  providers.change(id('a'), 'remove');
  assert.deepEqual(told(), []);
});

test('how they stand, by the latest report', () => {
  const { providers } = held();
  const link = (name: string) => ({ id: name }) as Link;
  providers.change(id('a'), 'add');
  assert.deepEqual(providers.list().map((p) => `${p.own} ${p.state}`), ['true waiting']);
  providers.report(link('1'), { providers: [standing('a', { state: 'error', text: 'not\u202e installed' }), standing('b', { namespace: 'b' })] });
  assert.deepEqual(providers.list().map((p) => `${p.own} ${p.state} ${p.text}`), ['true error not installed', 'false connected ']);
  providers.report(link('2'), { providers: [standing('a', { tools: 3, held: 1, refused: ['x'] })] });
  providers.report(link('1'), { providers: [standing('b', {})] });
  const [a] = providers.list();
  assert.deepEqual([a?.state, a?.tools, a?.held, a?.refused], ['connected', 3, 1, ['x']]);
  providers.change(id('a'), 'off');
  assert.equal(providers.list()[0]?.state, 'off');
  providers.gone('1');
  assert.equal(providers.list().length, 1);
  // A report that cannot be read says nothing.
  providers.report(link('2'), { providers: 7 } as never);
  providers.report(link('2'), { providers: [null, { extension: 'x' }] } as never);
  assert.equal(providers.list().length, 1);
});

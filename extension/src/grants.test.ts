import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { TestContext } from 'node:test';

import { Asks } from './asks';
import { Grants } from './grants';
import type { Choice, Kept } from './grants';
import type { AskState } from './state';

function bench(t: TestContext): { grants: Grants; kept: Kept[]; told: () => number } {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1 });
  t.after(() => mock.timers.reset());
  const kept: Kept[] = [];
  let told = 0;
  return { kept, grants: new Grants(kept, () => { told++; }), told: () => told };
}

const choice = (change: Partial<Choice> = {}): Choice => ({ site: 'a.test', client: 'agent', level: 'read', until: 'session', ...change });

const said = (grants: Grants, client = 'agent', call?: string): string =>
  grants.of(client, call).map((g) => `${g.site} ${g.level} ${g.until}`).join(', ');

test('session is for one client, always for all', (t) => {
  const { grants } = bench(t);
  grants.choose(choice());
  grants.choose(choice({ site: 'b.test', until: 'always', level: 'full' }));
  assert.equal(said(grants), 'b.test full always, a.test read session');
  assert.equal(said(grants, 'other'), 'b.test full always');
});

test('a later word about a site replaces what it speaks about', (t) => {
  const { grants } = bench(t);
  const words: [Partial<Choice>, string, string][] = [
    [{}, 'a.test read session', ''],
    [{ client: 'other', level: 'full' }, 'a.test read session', 'a.test full session'],
    [{ level: 'full' }, 'a.test full session', 'a.test full session'],
    [{ level: 'deny' }, 'a.test deny always', 'a.test full session'],
    [{ until: 'once' }, 'a.test read once', 'a.test full session'],
    [{ level: 'deny' }, 'a.test deny always', 'a.test full session'],
    [{ until: 'always' }, 'a.test read always', 'a.test read always'],
    [{ level: 'deny' }, 'a.test deny always, a.test read always', 'a.test read always'],
    [{ level: 'full' }, 'a.test full session, a.test read always', 'a.test read always'],
    [{ level: 'full', until: 'once' }, 'a.test full once, a.test full session, a.test read always', 'a.test read always'],
    [{ level: 'full', until: 'always' }, 'a.test full always', 'a.test full always'],
  ];
  for (const [change, agent, other] of words) {
    grants.choose(choice(change));
    assert.equal(said(grants), agent, JSON.stringify(change));
    assert.equal(said(grants, 'other'), other, JSON.stringify(change));
  }
  for (const { id } of grants.list()) grants.remove(id);
  assert.equal(said(grants), '');
});

test('once is for one call, until that has been quiet for a while', (t) => {
  const { grants, told } = bench(t);
  grants.choose(choice({ until: 'once' }));
  const before = told();
  assert.equal(said(grants, 'agent', 'call 1'), 'a.test read once');
  grants.began('call 1');
  assert.equal(grants.take({ site: 'a.test' }, 'agent', 'call 1'), true);
  assert.equal(grants.take({ site: 'a.test' }, 'agent', 'call 1'), true, 'all its commands');
  assert.equal(grants.take({ site: 'a.test' }, 'agent', 'call 2'), false);
  assert.equal(said(grants, 'agent', 'call 2'), '');
  assert.equal(said(grants, 'agent', 'call 1'), 'a.test read once');
  mock.timers.tick(60_000);
  assert.equal(said(grants), 'a.test read once', 'a long command is not quiet');
  grants.ended('call 1');
  mock.timers.tick(19_000);
  assert.equal(said(grants), 'a.test read once');
  mock.timers.tick(21_000);
  assert.equal(said(grants), '');
  assert.equal(told(), before + 2, 'servers are told that it was taken, and that it ended');
});

test('once waits ten minutes for its call', (t) => {
  const { grants } = bench(t);
  grants.choose(choice({ until: 'once' }));
  mock.timers.tick(9 * 60_000);
  assert.equal(said(grants), 'a.test read once');
  mock.timers.tick(61_000);
  assert.equal(said(grants), '');
});

test('what lasts longer is not taken', (t) => {
  const { grants } = bench(t);
  grants.choose(choice());
  assert.equal(grants.take({ site: 'a.test' }, 'agent', 'call 1'), true);
  assert.equal(grants.take({ site: 'a.test' }, 'agent', 'call 2'), true);
  assert.equal(grants.take({ site: 'none.test' }, 'agent', 'call 2'), true, 'another rule allows it');
});

test('a grant for a tool of a page is none for its site, nor for another tool', (t) => {
  const { grants } = bench(t);
  const tool = { site: 'https://a.test', pageTool: 'add', level: 'full' } as const;
  grants.choose(choice({ ...tool, until: 'once' }));
  grants.choose(choice({ ...tool, pageTool: 'buy', until: 'always' }));
  grants.choose(choice({ site: 'https://a.test', until: 'always' }));
  assert.deepEqual(grants.list().map((g) => g.pageTool), [undefined, 'buy', 'add']);
  assert.equal(grants.take({ site: 'https://a.test', pageTool: 'add' }, 'agent', 'call 1'), true);
  assert.equal(grants.take({ site: 'https://a.test', pageTool: 'add' }, 'agent', 'call 2'), false);
  assert.equal(grants.take({ site: 'https://a.test' }, 'agent', 'call 2'), true);
  grants.choose(choice({ ...tool, level: 'deny' }));
  assert.deepEqual(grants.list().map((g) => [g.pageTool, g.level]), [['add', 'deny'], [undefined, 'read'], ['buy', 'full']]);
});

test('asks: one a site and client, newest first, bounded, for a while', (t) => {
  bench(t);
  const list: AskState[] = [];
  const asks = new Asks(list, () => {});
  const ask = { site: 'a.test', client: 'agent', server: 's', access: 'read', tool: 'navigate' } as const;
  asks.put(ask);
  const [first] = list;
  asks.put({ ...ask, access: 'act', tool: 'click', tab: 7 });
  asks.put({ ...ask, tool: 'get_text' });
  assert.equal(list.length, 1);
  assert.equal(list[0]?.id, first?.id);
  assert.equal(list[0]?.access, 'act', 'the most that was wanted');
  for (const site of ['evil.test/path', 'A.test', 'u@a.test', 'a b', '', '<b>', 'file:']) asks.put({ ...ask, site });
  assert.equal(list.length, 1, JSON.stringify(list));
  for (let i = 0; i < 30; i++) asks.put({ ...ask, site: `h${i}.test` });
  assert.equal(list.length, 20);
  assert.equal(list[0]?.site, 'h29.test');
  asks.keep((a) => a.site !== 'h29.test');
  assert.equal(list.length, 19);
  mock.timers.tick(10 * 60_000);
  asks.keep(() => true);
  assert.equal(list.length, 0);
});

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { TestContext } from 'node:test';

import { Reviews } from './reviews';
import { ReviewWithinMS } from './wire.gen';

const caller = { extension: 'a'.repeat(32), name: 'Lumo' };

function clock(t: TestContext): void {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  t.after(() => mock.timers.reset());
}

test('a write waits for the click', async (t) => {
  clock(t);
  const reviews = new Reviews(() => {});
  const first = reviews.ask(caller, { port: 'p', tool: 'type', target: 'a.test', detail: '{"text":"x"}' });
  const second = reviews.ask(caller, { port: 'p', tool: 'click' });
  const [a, b] = reviews.list();
  assert.deepEqual([a?.tool, a?.target, a?.detail, a?.name], ['type', 'a.test', '{"text":"x"}', 'Lumo']);
  reviews.say(b?.id ?? '', false);
  assert.match((await second).reason ?? '', /the user denied it/);
  reviews.say(a?.id ?? '', true);
  assert.deepEqual(await first, { allowed: true });
  reviews.say(a?.id ?? '', false); // twice
  assert.deepEqual(reviews.list(), []);
});

test('the user has a minute', async (t) => {
  clock(t);
  const reviews = new Reviews(() => {});
  const asked = reviews.ask(caller, { port: 'p', tool: 'type' });
  mock.timers.tick(ReviewWithinMS - 1);
  assert.equal(reviews.list().length, 1);
  mock.timers.tick(1);
  assert.match((await asked).reason ?? '', /did not answer within 60 s/);
  assert.deepEqual(reviews.list(), []);
});

test('with the port the wait ends; more than a person can judge is refused', async (t) => {
  clock(t);
  const reviews = new Reviews(() => {});
  const asked = Array.from({ length: 20 }, (_, i) => reviews.ask(caller, { port: i === 7 ? 'other' : 'p', tool: 'type' }));
  assert.match((await reviews.ask(caller, { port: 'p', tool: 'type' })).reason ?? '', /20 writes wait/);
  reviews.drop('p');
  assert.match((await asked[0]!).reason ?? '', /the caller is gone/);
  assert.equal(reviews.list().length, 1);
  reviews.drop('other');
  await Promise.all(asked);
});

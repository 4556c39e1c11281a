import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { TestContext } from 'node:test';

import { Whereabouts } from './whereabouts';

function bench(t: TestContext): { w: Whereabouts; mine: number[]; changes: () => number } {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const mine: number[] = [];
  let changes = 0;
  return { w: new Whereabouts({ changed: () => { changes++; }, mine: (tab) => { mine.push(tab); } }), mine, changes: () => changes };
}

test('the hosts of a page and its frames', (t) => {
  const { w, changes } = bench(t);
  w.committed(1, 0, 'https://a.test/x');
  w.committed(1, 7, 'https://b.test:8443/');
  w.committed(1, 8, 'https://b.test/');
  w.committed(1, 9, 'about:srcdoc');
  w.committed(2, 0, 'http://c.test./');
  assert.deepEqual(w.hosts([1]), ['a.test', 'b.test']);
  assert.deepEqual(w.hosts([1, 2, 3]), ['a.test', 'b.test', 'c.test']);
  assert.equal(changes(), 3, 'what is known is no change');
  w.committed(1, 0, 'https://d.test/');
  assert.deepEqual(w.hosts([1]), ['d.test']);
  w.gone(1);
  assert.deepEqual(w.hosts([1]), []);
});

test('a new tab of the user goes on, in whatever order Chrome tells', (t) => {
  const { w, mine } = bench(t);
  w.arrived(1);
  assert.ok(w.fresh(1));
  w.stopped(1);
  assert.deepEqual(mine, []);
  w.settle(1, true);
  assert.deepEqual(mine, [1], 'stopped, then known');
  w.arrived(2);
  w.settle(2, true);
  assert.ok(!w.fresh(2));
  w.stopped(2);
  assert.deepEqual(mine, [1, 2], 'known, then stopped');
  w.stopped(2);
  assert.deepEqual(mine, [1, 2], 'once');
  w.arrived(3);
  w.stopped(3);
  mock.timers.tick(1000);
  assert.deepEqual(mine, [1, 2, 3], 'nobody said that a page opened it');
  w.arrived(4);
  w.settle(4, true);
  mock.timers.tick(5000);
  w.stopped(4);
  assert.deepEqual(mine, [1, 2, 3], 'an old tab is stopped by somebody else');
});

test('a new tab of a session does not', (t) => {
  const { w, mine } = bench(t);
  w.arrived(1);
  w.stopped(1);
  w.settle(1, false);
  w.stopped(1);
  mock.timers.tick(5000);
  assert.deepEqual(mine, []);
  assert.ok(!w.fresh(1));
});

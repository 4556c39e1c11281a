import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Failure } from './failure';
import { Ownership } from './ownership';

const a = { session: 'a', server: 's1' };
const b = { session: 'b', server: 's2' };

test('one session a tab', () => {
  let saves = 0;
  const o = new Ownership(new Map(), () => { saves++; });
  o.check(1, 'a'); // nobody's
  o.claim(1, a);
  o.claim(1, b); // too late
  assert.equal(o.of(1), a);
  o.check(1, 'a');
  assert.throws(() => o.check(1, 'b'), (t) => t instanceof Failure && t.code === 'TAB_OWNED' && /tab_new/.test(t.message));
  assert.equal(saves, 1);
});

test('a session that ends frees its tabs, and no other\'s', () => {
  const o = new Ownership(new Map([[1, a], [2, b], [3, a]]), () => {});
  assert.deepEqual([...o.servers()], ['s1', 's2']);
  assert.deepEqual(o.sessions('s1'), ['a']);
  assert.deepEqual(o.release('a'), [1, 3]);
  assert.equal(o.of(1), undefined);
  assert.equal(o.of(2), b);
  assert.deepEqual(o.release('a'), []);
});

test('a tab that gets another number stays whose it was', () => {
  const o = new Ownership(new Map([[1, a]]), () => {});
  o.replace(1, 9);
  assert.equal(o.of(1), undefined);
  assert.ok(o.owns(9, 'a'));
  o.drop(9);
  assert.deepEqual(o.tabs('a'), []);
});

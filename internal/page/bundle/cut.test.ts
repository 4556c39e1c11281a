import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cut } from './cut.ts';

const cases: [string, number, string, boolean][] = [
  ['abc', 3, 'abc', false],
  ['abcd', 3, 'abc', true],
  ['aé', 2, 'a', true],
  ['a👍b', 4, 'a', true],
  ['a👍b', 5, 'a👍', true],
  ['👍🏽x', 5, '', true],
  ['a👨‍👩‍👧', 10, 'a', true],
  ['e\u0301x', 2, '', true],
  ['a\ud83d', 4, 'a\ufffd', false],
];
for (const [s, max, text, short] of cases) {
  test(`cut ${JSON.stringify(s)} to ${max}`, () => {
    const got = cut(s, max);
    assert.equal(got.text, text);
    assert.equal(!!got.cut, short);
    assert.ok(new TextEncoder().encode(got.text).length <= max);
  });
}

test('cut a long text quickly', () => {
  const began = performance.now();
  cut('x👍'.repeat(500_000), 1_000_000);
  assert.ok(performance.now() - began < 500);
});

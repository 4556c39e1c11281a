import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeness } from './closeness.ts';

test('closeness orders names as a person would', () => {
  const order = ['save', 'Save', 'Save as', 'Saving', 'Delete'];
  const scores = order.map(name => closeness('save', name));
  for (let i = 1; i < scores.length; i++) assert.ok(scores[i]! <= scores[i - 1]!, `${order[i]} ${scores[i]}`);
  assert.equal(scores[0], 1);
  assert.equal(closeness('save', ''), 0);
  assert.ok(closeness('Delete', 'Cancel') < 0.25);
});

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { Failure } from './failure';
import { edited } from './tabs';

const held = 'Tabs cannot be edited right now (user may be dragging a tab).';

// attempt calls edited with what fails so many times with that sentence, and lets its
// pauses pass.
async function attempt(times: number, said: string): Promise<{ calls: number; answer: unknown }> {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let calls = 0;
    let answer: unknown;
    const done = edited(12, 'tab_close', () => (++calls <= times ? Promise.reject(new Error(said)) : Promise.resolve('done')))
      .then((value) => { answer = value; }, (e: unknown) => { answer = e; });
    for (let i = 0; i < 100 && answer === undefined; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      mock.timers.tick(100);
    }
    await done;
    return { calls, answer };
  } finally {
    mock.timers.reset();
  }
}

test('a tab strip that the user drags in is waited for', async () => {
  assert.deepEqual(await attempt(5, held), { calls: 6, answer: 'done' });
});

test('not for ever, and the tab is not said to be closed', async () => {
  const { answer } = await attempt(1000, held);
  assert.ok(answer instanceof Failure && answer.code === 'CDP_ERROR' && /dragging/.test(answer.message), String(answer));
});

test('a tab that is closed is not waited for', async () => {
  const { calls, answer } = await attempt(1000, 'No tab with id: 12.');
  assert.ok(calls === 1 && answer instanceof Failure && answer.code === 'TAB_NOT_FOUND', String(answer));
});

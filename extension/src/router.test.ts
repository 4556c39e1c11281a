import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { Failure } from './failure';
import { Router } from './router';
import type { Asker, Handler } from './router';
import { Methods, Protocol } from './wire.gen';
import type { Command, ErrorFrame, Method, Result } from './wire.gen';

const asker: Asker = { id: 'server', rules: () => ({}) };

function router(change: Partial<Record<Method, Handler>> = {}): Router<Asker> {
  const all = Object.fromEntries(Methods.map((method) => [method, () => Promise.resolve({ method })]));
  return new Router({ ...all, ...change } as Record<Method, Handler>);
}

function command(change: Partial<Command>): Command {
  return { v: Protocol, type: 'command', id: '1', method: 'ping_probe', timeoutMs: 1000, ...change };
}

const error = (answer: Result | ErrorFrame | undefined) => (answer as ErrorFrame).error;

test('every method has a handler', async () => {
  for (const method of Methods) {
    const answer = await router().handle(asker, command({ method }));
    assert.deepEqual(answer, { v: Protocol, type: 'result', id: '1', data: { method } });
  }
});

test('a router that lacks a method, or has one too many, does not start', () => {
  const few = Object.fromEntries(Methods.slice(1).map((m) => [m, () => Promise.resolve({})]));
  assert.throws(() => new Router(few as unknown as Record<Method, Handler>), /build both/);
  assert.throws(() => router({ more: () => Promise.resolve({}) } as unknown as Partial<Record<Method, Handler>>), /build both/);
});

test('whatever a handler throws is the answer', async () => {
  const thrown: [unknown, string][] = [
    [new Failure('TAB_NOT_FOUND', 'tab 1 is closed'), 'TAB_NOT_FOUND'],
    [new TypeError('x is not a function'), 'CDP_ERROR'],
    ['a string', 'CDP_ERROR'],
    [undefined, 'CDP_ERROR'],
  ];
  for (const [value, code] of thrown) {
    assert.equal(error(await router({ ping_probe: () => Promise.reject(value) }).handle(asker, command({}))).code, code);
    assert.equal(error(await router({ ping_probe: () => { throw value; } }).handle(asker, command({}))).code, code);
  }
});

test('bad commands are answered', async () => {
  const bad: [Partial<Command>, string][] = [
    [{ method: 'nope' as Method }, 'UNKNOWN_METHOD'],
    [{ method: 'constructor' as Method }, 'UNKNOWN_METHOD'],
    [{ params: [] }, 'BAD_ARGS'],
    [{ params: 'text' }, 'BAD_ARGS'],
    [{ tabId: 1.5 }, 'BAD_ARGS'],
    [{ tabId: -1 }, 'BAD_ARGS'],
    [{ tabId: 'x' as unknown as number }, 'BAD_ARGS'],
  ];
  for (const [change, code] of bad) {
    assert.equal(error(await router().handle(asker, command(change))).code, code, JSON.stringify(change));
  }
});

test('an id that is under way is answered once', async () => {
  let finish = (): void => {};
  const slow = router({ ping_probe: () => new Promise((resolve) => { finish = () => resolve({}); }) });
  const first = slow.handle(asker, command({}));
  assert.equal(await slow.handle(asker, command({})), undefined);
  // The same id of another server is another command.
  const other = slow.handle({ id: 'other', rules: () => ({}) }, command({ timeoutMs: 1 }));
  finish();
  assert.equal((await other)?.type, 'result');
  slow.handle(asker, command({ id: '2' }));
  assert.equal(await Promise.race([first, Promise.resolve('pending')]), 'pending');
});

test('a command that takes too long is answered, and its late result is dropped', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const hanging = router({ page: () => new Promise(() => {}) });
    const answer = hanging.handle(asker, command({ method: 'page', timeoutMs: 50, tabId: 7, tool: 'click' }));
    mock.timers.tick(50);
    assert.equal(error(await answer).code, 'TIMEOUT');
    assert.match(error(await answer).message, /click in tab 7/);
  } finally {
    mock.timers.reset();
  }
});

test('the session is the command\'s, else the server\'s own', async () => {
  const seen: string[] = [];
  const spy = router({ ping_probe: (request) => { seen.push(request.session); return Promise.resolve({}); } });
  await spy.handle(asker, command({ session: 'mine' }));
  await spy.handle(asker, command({}));
  assert.deepEqual(seen, ['mine', 'server']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Serving } from './serving';
import type { Shelf } from './serving';
import type { CallerState } from './state';
import type { Serve } from './store';

const lumo = 'l'.repeat(16) + 'm'.repeat(16);
const liar = 'a'.repeat(32).replace(/./g, 'b');
const off: Serve = { enabled: false, writes: false, review: true, callers: [] };
const probe = { channel: 'lumo:probe', version: 1, id: 'p', client: { id: lumo, name: 'Lumo', version: '1' } };
const service = { namespace: 'chrome', name: 'chrome-mcp', version: '9.9.9' };

function shelf(serve: Serve = off): Shelf & { local: { serve: Serve }; pending: CallerState[] } {
  return {
    local: { serve },
    pending: [],
    saveServing(s, p) {
      this.local.serve = s;
      this.pending = p;
    },
  };
}

function bench(serve?: Serve) {
  const kept = shelf(serve);
  let changes = 0;
  const serving = new Serving(kept, () => changes++);
  const ask = (from: string | undefined, message: unknown = probe, unready = '') => serving.probe(from, message, '9.9.9', () => Promise.resolve(unready));
  return { serving, kept, ask, changes: () => changes };
}

test('the probe answers by the user\'s word', async () => {
  const { serving, ask } = bench();
  assert.deepEqual(await ask(lumo), {
    ok: true, service,
    status: { enabled: false, authorized: false, ready: false, reason: 'access for other extensions is switched off in chrome-mcp; the user can switch it on in its options' },
  });
  assert.deepEqual(serving.callers(), [], 'while it is off nobody can bother the user');

  serving.set({ enabled: true });
  const { status: pending } = await ask(lumo);
  assert.deepEqual([pending?.enabled, pending?.authorized, pending?.ready, pending?.pendingApproval], [true, false, false, true]);
  assert.deepEqual(serving.callers().map(({ id, name, state }) => ({ id, name, state })), [{ id: lumo, name: 'Lumo', state: 'pending' }]);

  serving.say(lumo, 'allow');
  assert.deepEqual(await ask(lumo), { ok: true, service, status: { enabled: true, authorized: true, ready: true } });
  assert.deepEqual((await ask(lumo, probe, 'no server runs')).status, { enabled: true, authorized: true, ready: false, reason: 'no server runs' });

  serving.set({ enabled: false });
  const { status: shut } = await ask(lumo);
  assert.deepEqual([shut?.enabled, shut?.authorized], [false, false]);

  serving.set({ enabled: true });
  serving.say(lumo, 'deny');
  const { ok, status: denied } = await ask(lumo);
  assert.equal(ok, true, 'a policy failure is no fault of the protocol');
  assert.deepEqual([denied?.authorized, denied?.pendingApproval], [false, undefined]);

  serving.say(lumo, 'forget');
  assert.equal((await ask(lumo)).status?.pendingApproval, true, 'asked anew');
});

test('a fault of the protocol is no policy, and needs no policy', async () => {
  const { ask } = bench();
  assert.equal((await ask(lumo, { ...probe, version: 2 })).ok, false);
  assert.equal((await ask(undefined)).ok, false);
});

test('who it is Chrome says: a name and an id in the message prove nothing', async () => {
  const { serving, ask } = bench({ ...off, enabled: true, callers: [{ id: lumo, name: 'Lumo', word: 'allow', at: 1 }] });
  const { status } = await ask(liar); // with lumo's id and name in the message
  assert.equal(status?.authorized, false);
  assert.equal(serving.allowed(liar), false);
  assert.equal(serving.allowed(lumo), true);
  assert.deepEqual(serving.told().callers, [lumo]);
});

test('callers that wait are bounded, and each waits once', async () => {
  const { serving, ask, changes } = bench({ ...off, enabled: true });
  const letters = 'abcdefghijklmnop';
  const id = (n: number) => letters[n >> 4]!.repeat(31) + letters[n & 15]!;
  for (let n = 0; n < 30; n++) await ask(id(n));
  assert.equal(serving.callers().length, 20);
  assert.equal(serving.callers()[0]?.id, id(29));
  const before = changes();
  for (let n = 0; n < 100; n++) await ask(id(29));
  assert.equal(changes(), before, 'asking again changes nothing');
  for (let n = 0; n < 100; n++) await ask(id(29), { ...probe, client: { name: `another ${n}` } });
  assert.equal(changes(), before, 'nor does another name');
  assert.equal(serving.callers()[0]?.name, 'Lumo');
});

test('the switches', () => {
  const { serving, kept } = bench();
  serving.set({ writes: true });
  assert.deepEqual(serving.told(), { enabled: false, writes: true, review: true, callers: [] });
  serving.set({ enabled: true });
  serving.refusal(lumo);
  assert.equal(kept.pending.length, 1);
  serving.set({ enabled: false });
  assert.equal(kept.pending.length, 0, 'switched off nobody waits');
  serving.say('no id', 'allow');
  assert.deepEqual(serving.told().callers, []);
});

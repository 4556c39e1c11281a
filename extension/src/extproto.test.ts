import assert from 'node:assert/strict';
import { test } from 'node:test';

import vectors from '../../internal/extproto/testdata/ids.json';
import { faultOf, isExtensionId, isOurPort, isProbe, keepAlive, nameOf, printable, refusalOf, senderOf } from './extproto';

test('who is an extension', () => {
  for (const { id, ok } of vectors) assert.equal(isExtensionId(id), ok, JSON.stringify(id));
  for (const id of [undefined, null, 1, {}, ['a'.repeat(32)]]) assert.equal(isExtensionId(id), false);
});

test('who sent it', () => {
  const id = 'a'.repeat(32);
  assert.equal(senderOf({ id }), id);
  assert.equal(senderOf({ id, origin: `chrome-extension://${id}` }), id);
  for (const other of [undefined, {}, { id: 'no' }, { id, origin: 'https://a.test' }, { id, origin: 'null' }, { id, origin: '' }, { id, origin: `chrome-extension://${'b'.repeat(32)}` }]) {
    assert.equal(senderOf(other), undefined, JSON.stringify(other));
  }
});

test('the ports that are ours', () => {
  assert.deepEqual(['lumo:mcp', 'mcp', 'ui', '', 'MCP', 'lumo:probe'].map(isOurPort), [true, true, false, false, false, false]);
});

test('what is a probe, and what is wrong with it', () => {
  const probe = { channel: 'lumo:probe', version: 1, id: 'probe-42', client: { id: 'x', name: 'Lumo', version: '1' } };
  const rows: [unknown, boolean, RegExp | undefined][] = [
    [probe, true, undefined],
    [{ ...probe, client: undefined }, true, undefined],
    [{ ...probe, client: {} }, true, undefined],
    [{ ...probe, version: 2 }, true, /speaks version 1 of the probe, not 2/],
    [{ ...probe, version: '1' }, true, /not "1"/],
    [{ ...probe, version: undefined }, true, /not undefined/],
    [{ ...probe, id: '' }, true, /needs an id/],
    [{ ...probe, id: 7 }, true, /needs an id/],
    [{ ...probe, id: 'x'.repeat(129) }, true, /needs an id/],
    [{ ...probe, client: 'Lumo' }, true, /client has to be an object/],
    [{ ...probe, client: null }, true, /client has to be an object/],
    [{ ...probe, channel: 'other' }, false, undefined],
    ['lumo:probe', false, undefined],
    [[probe], false, undefined],
    [null, false, undefined],
  ];
  for (const [message, is, wrong] of rows) {
    assert.equal(isProbe(message), is, JSON.stringify(message));
    if (!is) continue;
    const fault = faultOf(message);
    assert.equal(fault === undefined, wrong === undefined, JSON.stringify(message));
    if (!fault || !wrong) continue;
    assert.equal(fault.ok, false);
    assert.match(fault.error?.message ?? '', wrong);
  }
  assert.equal(nameOf(probe), 'Lumo');
  assert.equal(nameOf({ client: { name: 7 } }), '');
});

test('what others call themselves is shown on one line', () => {
  assert.equal(printable('a\n\tb\u2028c', 10), 'a b c');
  assert.equal(printable('\u202eevil\u202c', 10), 'evil');
  assert.equal(printable('😀'.repeat(5), 3), '😀😀😀…');
});

test('signs of life are no messages', () => {
  assert.deepEqual(keepAlive({ type: 'ping' }), { type: 'pong' });
  assert.equal(keepAlive({ type: 'keep-alive', timestamp: 1 }), null);
  assert.equal(keepAlive({ type: 'pong' }), null);
  for (const other of [{ jsonrpc: '2.0', type: 'ping' }, { type: 'else' }, 'ping', null, undefined, ['ping']]) {
    assert.equal(keepAlive(other), undefined);
  }
});

test('only a request is answered with a refusal', () => {
  assert.deepEqual(refusalOf({ jsonrpc: '2.0', id: 1, method: 'initialize' }, 'no'), { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'no' } });
  for (const other of [{ method: 'notifications/initialized' }, { id: 1, result: {} }, { id: {}, method: 'x' }, 'x', null, 1]) {
    assert.equal(refusalOf(other, 'no'), undefined);
  }
});

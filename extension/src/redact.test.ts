import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as redact from './redact';
import type { Access, Policy } from './wire.gen';

const policy: Policy = { allowDomains: ['ok.example'], mutations: true, observers: true };
const ok = { url: 'https://ok.example/', origin: 'https://ok.example' };
const bad = { url: 'https://bad.example/secret', origin: 'https://bad.example' };

const hidden = (value: unknown) => assert.ok(!JSON.stringify(value ?? null).includes('secret'), JSON.stringify(value));

test('results of a document that became denied stay here', () => {
  const sent = (method: string, access: Access) => ({ method, access, place: bad, policy });
  assert.throws(() => redact.result(sent('DOM.getBoxModel', 'read'), { node: 'secret' }), /not among the allowed/);
  assert.throws(() => redact.result(sent('Page.printToPDF', 'read'), { data: 'secret' }));
  // What an action did is told even so; it says nothing of the page.
  assert.deepEqual(redact.result(sent('Input.dispatchMouseEvent', 'act'), {}), {});
  assert.deepEqual(redact.result(sent('Page.navigate', 'read'), { frameId: 'f' }), { frameId: 'f' });
  assert.deepEqual(redact.result({ ...sent('DOM.getBoxModel', 'read'), place: ok }, { node: 1 }), { node: 1 });
});

test('history shows denied sites as sites', () => {
  const entries = [
    { id: 1, url: ok.url, userTypedURL: ok.url, title: 'fine' },
    { id: 2, url: bad.url, userTypedURL: 'https://bad.example/secret', title: 'secret' },
  ];
  const got = redact.result({ method: 'Page.getNavigationHistory', access: 'read', place: ok, policy }, { currentIndex: 1, entries }) as { entries: typeof entries };
  hidden(got);
  assert.deepEqual(got.entries[0], entries[0]);
  assert.deepEqual(got.entries[1], { id: 2, url: 'https://bad.example/', userTypedURL: 'https://bad.example/', title: '' });
});

test('frames of denied sites are places only', () => {
  assert.deepEqual(redact.frame({ frameId: 'c', url: bad.url, origin: bad.origin, name: 'secret', parentId: 't' }, policy),
    { frameId: 'c', url: 'https://bad.example/', origin: bad.origin, parentId: 't' });
  const fine = { frameId: 't', url: ok.url, origin: ok.origin };
  assert.equal(redact.frame(fine, policy), fine);
});

test('events tell where a tab went, not what is there', () => {
  const told = redact.event('Page.frameNavigated', { frame: { id: 't', url: bad.url, name: 'secret', securityOrigin: bad.origin } }, ok, policy);
  hidden(told);
  assert.equal((told?.frame as { url: string }).url, 'https://bad.example/');
  hidden(redact.event('Page.javascriptDialogOpening', { url: bad.url, message: 'secret', type: 'alert', defaultPrompt: 'secret' }, ok, policy));
  hidden(redact.event('Page.windowOpen', { url: bad.url }, ok, policy));
  hidden(redact.event('Page.downloadWillBegin', { url: bad.url, suggestedFilename: 'secret.pdf' }, ok, policy));
  const made = { url: 'data:text/plain,secret', suggestedFilename: 'secret.txt' };
  hidden(redact.event('Page.downloadWillBegin', made, bad, policy));
  assert.equal(redact.event('Page.downloadWillBegin', made, ok, policy), made);
  const fine = { url: ok.url, message: 'Sure?' };
  assert.equal(redact.event('Page.javascriptDialogOpening', fine, ok, policy), fine);
});

test('events that are not in the table, or switched off, stay here', () => {
  assert.equal(redact.event('Page.screencastFrame', { data: 'secret' }, ok, policy), undefined);
  assert.equal(redact.event('constructor', {}, ok, policy), undefined);
  assert.equal(redact.event('Network.requestWillBeSent', { url: 'x' }, ok, { ...policy, observers: false }), undefined);
  assert.equal(redact.event('Network.requestWillBeSent', { secret: 1 }, bad, policy), undefined);
  assert.deepEqual(redact.event('Network.requestWillBeSent', { id: 1 }, ok, policy), { id: 1 });
  assert.equal(redact.event('Input.dragIntercepted', {}, ok, { ...policy, mutations: false }), undefined);
});

test('what a WebSocket carries stays here', () => {
  hidden(redact.event('Network.webSocketFrameReceived', { requestId: '1', response: { payloadData: 'secret' } }, ok, policy));
});

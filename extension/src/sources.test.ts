import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FrameTree, MAIN } from './frames';
import { Sources } from './sources';

const shown = { url: 'https://shown.example/', origin: 'https://shown.example' };

function tree(): FrameTree {
  const frames = new FrameTree();
  frames.load({
    frame: { id: 'top', url: shown.url, securityOrigin: shown.origin },
    childFrames: [{ frame: { id: 'sub', url: 'https://sub.shown.example/', securityOrigin: 'https://sub.shown.example' } }],
  }, MAIN);
  return frames;
}

test('a request is of the document that it is for, from its first to its last event', () => {
  const sources = new Sources();
  const frames = tree();
  const ask = (method: string, params: Record<string, unknown>, tab = 7) => sources.place({ tab, target: '', method, params, frames }, shown).url;
  assert.equal(ask('Network.requestWillBeSent', { requestId: '1', frameId: 'top', documentURL: 'https://next.example/?secret' }), 'https://next.example/?secret');
  assert.equal(ask('Network.responseReceived', { requestId: '1' }), 'https://next.example/?secret');
  assert.equal(ask('Network.responseReceived', { requestId: '1' }, 8), shown.url, 'another tab');
  assert.equal(ask('Network.requestWillBeSent', { requestId: '2', frameId: 'sub', documentURL: 'about:blank' }), 'https://sub.shown.example/');
  sources.forget(7);
  assert.equal(ask('Network.loadingFinished', { requestId: '1' }), shown.url);
});

test('what is logged is of the frame whose script it was', () => {
  const sources = new Sources();
  const frames = tree();
  const ask = (method: string, params: Record<string, unknown>) => sources.place({ tab: 7, target: '', method, params, frames }, shown).url;
  assert.equal(ask('Runtime.executionContextCreated', { context: { id: 3, auxData: { frameId: 'sub' } } }), 'https://sub.shown.example/');
  assert.equal(ask('Runtime.consoleAPICalled', { executionContextId: 3 }), 'https://sub.shown.example/');
  assert.equal(ask('Runtime.exceptionThrown', { exceptionDetails: { executionContextId: 3 } }), 'https://sub.shown.example/');
  assert.equal(ask('Runtime.consoleAPICalled', { executionContextId: 9 }), shown.url);
  assert.equal(ask('Log.entryAdded', { entry: {} }), shown.url);
});

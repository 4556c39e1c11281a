import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FrameTree, MAIN } from './frames';
import type { ProtocolFrame } from './frames';

const frame = (id: string, url: string, parentId?: string): ProtocolFrame => ({
  id, url, securityOrigin: url.startsWith('about:') ? '://' : new URL(url).origin, ...(parentId ? { parentId } : {}),
});

function tree(): FrameTree {
  const t = new FrameTree();
  t.load({ frame: frame('top', 'https://a.example/'), childFrames: [{ frame: frame('doc', 'about:srcdoc', 'top') }] }, MAIN);
  return t;
}

const ids = (t: FrameTree) => t.list().map((f) => f.frameId);

test('the main frame comes first, parents before children', () => {
  const t = tree();
  t.moved('mid', 'https://b.example/', 's1', 'top');
  t.load({ frame: frame('mid', 'https://b.example/', 'top') }, 's1', 'top');
  t.moved('inner', 'https://c.example/', 's2', 'mid');
  assert.deepEqual(ids(t), ['top', 'doc', 'mid', 'inner']);
  assert.equal(t.get('')?.url, 'https://a.example/');
  assert.deepEqual(t.list()[2], { frameId: 'mid', url: 'https://b.example/', parentId: 'top', origin: 'https://b.example', outOfProcess: true });
});

test('a document without a site has that of the page around it', () => {
  assert.equal(tree().get('doc')?.origin, 'https://a.example');
  const blank = new FrameTree();
  blank.load({ frame: frame('top', 'about:blank') }, MAIN);
  assert.equal(blank.get('')?.origin, 'null');
});

test('a frame that moves to another process is routed there', () => {
  const t = tree();
  t.attached('f', 'top', MAIN);
  assert.equal(t.get('f')?.url, '', 'no document yet: unknown, so refused');
  t.navigated(frame('f', 'https://a.example/f', 'top'), MAIN);
  // Chrome's order: the new target first, then the old one lets go.
  t.moved('f', 'https://b.example/', 's1', '');
  t.detached('f', MAIN, 'swap');
  assert.equal(t.get('f')?.session, 's1');
  assert.equal(t.get('f')?.parent, 'top');
});

test('and back', () => {
  const t = tree();
  t.moved('f', 'https://b.example/', 's1', 'top');
  t.dropped('s1');
  assert.equal(t.get('f'), undefined);
  t.attached('f', 'top', MAIN);
  t.navigated(frame('f', 'https://a.example/f', 'top'), MAIN);
  assert.equal(t.get('f')?.session, MAIN);
});

test('a swap whose target is not told yet leaves the address unknown', () => {
  const t = tree();
  t.detached('doc', MAIN, 'swap');
  assert.equal(t.get('doc')?.url, '');
});

test('a removed frame takes its children along', () => {
  const t = tree();
  t.moved('mid', 'https://b.example/', 's1', 'top');
  t.moved('inner', 'https://c.example/', 's2', 'mid');
  t.detached('mid', 's1', 'remove');
  assert.deepEqual(ids(t), ['top', 'doc']);
});

test('loading again drops what is no more', () => {
  const t = tree();
  t.moved('mid', 'https://b.example/', 's1', 'top');
  t.load({ frame: frame('top', 'https://a.example/2') }, MAIN);
  assert.deepEqual(ids(t), ['top', 'mid']);
});

test('another main frame empties the tree', () => {
  const t = tree();
  t.navigated(frame('new', 'https://d.example/'), MAIN);
  assert.deepEqual(ids(t), ['new']);
});

test('an error page stands for the address that could not be reached', () => {
  const t = tree();
  t.navigated({ ...frame('top', 'chrome-error://chromewebdata/'), unreachableUrl: 'https://down.example/' }, MAIN);
  assert.equal(t.get('')?.url, 'https://down.example/');
});

test('a document that changes its own address', () => {
  const t = tree();
  t.within('top', 'https://a.example/#x');
  t.within('unknown', 'https://z.example/');
  assert.equal(t.get('')?.url, 'https://a.example/#x');
});

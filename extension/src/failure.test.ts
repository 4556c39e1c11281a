import assert from 'node:assert/strict';
import { test } from 'node:test';

import { detached, Failure, fromChrome, gone, halted, text, toWire } from './failure';
import type { Code } from './wire.gen';

const click = { tab: 12, method: 'Input.dispatchMouseEvent', acts: true };
const read = { tab: 12, method: 'DOM.describeNode', acts: false };

// What Chrome says, the code it becomes, and what the message has to tell.
const rows: [string, Code, RegExp][] = [
  ['Cannot access a chrome-extension:// URL of different extension', 'DETACHED', /another extension .* switch that extension off for this site/],
  ['Cannot access a chrome:// URL', 'POLICY_DENIED', /page of the browser itself/],
  ['Cannot access contents of url "devtools://devtools/bundled/x.html".', 'POLICY_DENIED', /page of the browser itself/],
  ['Cannot access contents of url "file:///home/me/a.html".', 'POLICY_DENIED', /Allow access to file URLs/],
  ['Tabs cannot be edited right now (user may be dragging a tab).', 'CDP_ERROR', /dragging a tab.* call again/],
  ['Frame with ID 0 is showing error page', 'TARGET_GONE', /navigate or reload/],
  ['No window with id: 7.', 'TARGET_GONE', /tab_new/],
  ['Cannot attach to this target.', 'POLICY_DENIED', /Web Store, or a rule of the administrator/],
  ['The extensions gallery cannot be scripted.', 'POLICY_DENIED', /Web Store/],
  ['Another debugger is already attached to the tab with id: 12.', 'DEVTOOLS_OPEN', /DevTools or another extension debugs tab 12/],
  ['Debugger is not attached to the tab with id: 12.', 'DETACHED', /call again/],
  ['No tab with given id 12.', 'TAB_NOT_FOUND', /tab 12 is closed; call tabs_list/],
  ['No tab with id: 12.', 'TAB_NOT_FOUND', /closed/],
  ['{"code":-32000,"message":"Execution context was destroyed."}', 'TARGET_GONE', /replaced/],
  ['{"code":-32000,"message":"Cannot find context with specified id"}', 'TARGET_GONE', /replaced/],
  ['{"code":-32000,"message":"Promise was collected"}', 'TARGET_GONE', /replaced/],
  ['{"code":-32000,"message":"Target crashed"}', 'TARGET_GONE', /crashed; load it again/],
  ['{"code":-32000,"message":"No frame for given id found"}', 'TARGET_GONE', /frames_list/],
  ['{"code":-32001,"message":"Session with given id not found."}', 'TARGET_GONE', /frames_list/],
  ['{"code":-32000,"message":"No node with given id found"}', 'REF_EXPIRED', /snapshot/],
  ['{"code":-32000,"message":"Node with given id does not belong to the document"}', 'REF_EXPIRED', /snapshot/],
  ['{"code":-32602,"message":"No dialog is showing"}', 'CDP_ERROR', /reload/],
  ['{"code":-32601,"message":"\'Page.foo\' wasn\'t found"}', 'CDP_ERROR', /refuses/],
  ['{"code":-32602,"message":"Invalid parameters","data":"x: string value expected"}', 'CDP_ERROR', /Invalid parameters: x: string value expected/],
];
for (const [said, code, tells] of rows) {
  test(said, () => {
    const failure = fromChrome(new Error(said), read);
    assert.equal(failure.code, code);
    assert.match(failure.message, tells);
    assert.equal(toWire(failure).unknown, undefined);
  });
}

test('an action that was cut off has an unknown outcome', () => {
  for (const said of ['Detached while handling command.', '{"message":"Execution context was destroyed."}', '{"message":"Target crashed"}']) {
    const failure = fromChrome(new Error(said), click);
    assert.equal(toWire(failure).unknown, true, said);
    assert.match(failure.message, /look at the page before repeating/);
    assert.equal(failure.more.unsent, undefined);
  }
});

test('what failed before anything was sent says so', () => {
  for (const said of ['Debugger is not attached to the tab with id: 12.', '{"message":"Cannot find context with specified id"}']) {
    const failure = fromChrome(new Error(said), click);
    assert.equal(failure.more.unsent, true, said);
    assert.equal(toWire(failure).unknown, undefined);
  }
});

test('the reasons of a lost document are for machines too', () => {
  assert.deepEqual(toWire(gone(read, 'navigated')).data, { reason: 'navigated' });
  assert.deepEqual(toWire(gone(read, 'crashed')).data, { reason: 'crashed' });
  assert.equal(toWire(gone(click, 'frame')).unknown, undefined);
});

test('the user\'s stop tells what to press', () => {
  assert.equal(halted().code, 'DETACHED');
  assert.match(halted().message, /press Resume/);
  assert.equal(detached(read).more.unknown, false);
});

test('a Failure passes through unchanged', () => {
  const failure = new Failure('TAB_OWNED', 'x');
  assert.equal(fromChrome(failure, read), failure);
});

test('text finds the sentence in anything', () => {
  const cases: [unknown, string][] = [
    [new Error('plain'), 'plain'], ['a string', 'a string'], [{ message: 'object' }, 'object'],
    [undefined, 'undefined'], [new Error('{not json'), '{not json'], [new Error('{"code":1}'), '{"code":1}'],
  ];
  for (const [thrown, want] of cases) assert.equal(text(thrown), want);
});

import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';

import { Attachment, Worlds } from './attachment';
import { Failure, halted } from './failure';
import { MAIN } from './frames';
import { prepare, runPage } from './runner';

// Sent is a command that Chrome was given; the test answers it.
interface Sent {
  session: string;
  method: string;
  params: Record<string, unknown>;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

let sent: Sent[] = [];

beforeEach(() => {
  sent = [];
  (globalThis as unknown as { chrome: unknown }).chrome = {
    debugger: {
      sendCommand: (target: { sessionId?: string }, method: string, params: Record<string, unknown>) =>
        new Promise((resolve, reject) => sent.push({ session: target.sessionId ?? '', method, params, resolve, reject })),
    },
  };
});

const turn = () => new Promise((resolve) => setImmediate(resolve));
const failed = (code: string, reason?: string) => (thrown: unknown) =>
  thrown instanceof Failure && thrown.code === code && (reason === undefined || (thrown.more.data as { reason?: string })?.reason === reason);

function attachment(): Attachment {
  const a = new Attachment(7, 'bundle');
  a.frames.load({ frame: { id: 'top', url: 'https://a.example/', securityOrigin: 'https://a.example' } }, MAIN);
  return a;
}

function child(a: Attachment): void {
  a.on(MAIN, 'Target.attachedToTarget', { sessionId: 's1', targetInfo: { targetId: 'sub', type: 'iframe', url: 'https://b.example/', parentFrameId: 'top' } });
}

test('a frame that comes is observed from its first moment', () => {
  const a = attachment();
  a.observe('Network.enable', { maxPostDataSize: 1 });
  assert.equal(sent[0]?.params.waitForDebuggerOnStart, true, 'frames wait for it');
  sent = [];
  child(a);
  assert.deepEqual([sent[0]?.session, sent[0]?.method, sent[0]?.params], ['s1', 'Network.enable', { maxPostDataSize: 1 }]);
  assert.deepEqual([sent.at(-1)?.session, sent.at(-1)?.method], ['s1', 'Runtime.runIfWaitingForDebugger']);
});

test('a worker is listened to as a part of its document', async () => {
  const a = attachment();
  child(a);
  a.observe('Network.enable', {});
  sent = [];
  a.on('s1', 'Target.attachedToTarget', { sessionId: 'w1', targetInfo: { targetId: 'w', type: 'worker', url: 'https://b.example/w.js', parentFrameId: 'sub' } });
  assert.deepEqual(sent.map((c) => [c.session, c.method]),
    [['w1', 'Network.enable'], ['w1', 'Target.setAutoAttach'], ['w1', 'Runtime.runIfWaitingForDebugger']]);
  assert.equal(a.root('w1'), 'sub');
  a.observe('Runtime.enable', {});
  assert.deepEqual([sent.at(-1)?.session, sent.at(-1)?.method], ['w1', 'Runtime.enable']);

  // The numbers of its contexts are its own.
  const { context } = a.workers.told('w1', 'Runtime.executionContextCreated', { context: { id: 1, origin: 'blob:https://b.example/1-2' } }) as { context: { id: number; origin: string; auxData: object } };
  assert.ok(context.id < 0);
  assert.deepEqual([context.origin, context.auxData], ['https://b.example', { isDefault: true, frameId: 'sub' }]);
  assert.equal(a.workers.told('w1', 'Runtime.consoleAPICalled', { executionContextId: 1 })?.executionContextId, context.id);
  assert.deepEqual(a.workers.told('w1', 'Runtime.exceptionThrown', { exceptionDetails: { text: 'x', executionContextId: 1 } }),
    { exceptionDetails: { text: 'x', executionContextId: context.id } });
  assert.equal(a.workers.told('w1', 'Target.attachedToTarget', {}), undefined);

  // Who asked is asked for the answer, as long as it lives.
  assert.equal(a.workers.told('w1', 'Network.requestWillBeSent', { requestId: '9.1' })?.frameId, 'sub');
  const bodyFrom = (): string | undefined => {
    void a.send('s1', 'Network.getResponseBody', { requestId: '9.1' });
    return sent.at(-1)?.session;
  };
  assert.equal(bodyFrom(), 'w1');
  a.on('s1', 'Target.detachedFromTarget', { sessionId: 'w1' });
  assert.equal(bodyFrom(), 's1');
});

test('a crash fails what waits at once, and later commands too', async () => {
  const a = attachment();
  child(a);
  const main = a.send(MAIN, 'Runtime.callFunctionOn', {}, true);
  const inner = a.send('s1', 'Runtime.callFunctionOn');
  a.on(MAIN, 'Inspector.targetCrashed', {});
  await assert.rejects(main, (t: Failure) => failed('TARGET_GONE', 'crashed')(t) && t.more.unknown === true);
  await assert.rejects(inner, failed('TARGET_GONE', 'crashed'));
  const before = sent.length;
  await assert.rejects(a.send(MAIN, 'DOM.describeNode'), failed('TARGET_GONE', 'crashed'));
  assert.equal(sent.length, before, 'nothing is sent to a crashed page');
  void a.send(MAIN, 'Page.reload');
  assert.equal(sent.at(-1)?.method, 'Page.reload');
  a.on(MAIN, 'Inspector.targetReloadedAfterCrash', {});
  void a.send(MAIN, 'DOM.describeNode');
  assert.equal(sent.at(-1)?.method, 'DOM.describeNode');
});

test('the crash of a frame\'s process is the frame\'s alone', async () => {
  const a = attachment();
  child(a);
  const main = a.send(MAIN, 'DOM.describeNode');
  const mine = sent.at(-1);
  const inner = a.send('s1', 'DOM.describeNode');
  a.on('s1', 'Inspector.targetCrashed', {});
  await assert.rejects(inner, failed('TARGET_GONE', 'crashed'));
  mine?.resolve({});
  assert.deepEqual(await main, {});
});

test('a frame\'s target that leaves fails what waits for it', async () => {
  const a = attachment();
  child(a);
  const inner = a.send('s1', 'DOM.describeNode');
  a.on(MAIN, 'Target.detachedFromTarget', { sessionId: 's1' });
  await assert.rejects(inner, failed('TARGET_GONE', 'navigated'));
  assert.equal(a.frames.get('sub'), undefined);
});

test('why the debugger left is told by the event that follows', async () => {
  const a = attachment();
  const call = a.send(MAIN, 'Input.insertText', {}, true);
  sent[0]?.reject(new Error('Detached while handling command.'));
  await turn();
  a.end(halted);
  await assert.rejects(call, (t: Failure) => /press Resume/.test(t.message));
  await assert.rejects(a.send(MAIN, 'DOM.describeNode'), (t: Failure) => t.code === 'DETACHED' && t.more.unsent === true);
});

test('without that event an action has an unknown outcome', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const a = attachment();
  const call = a.send(MAIN, 'Input.insertText', {}, true);
  sent[0]?.reject(new Error('Detached while handling command.'));
  await turn();
  mock.timers.tick(1000);
  mock.timers.reset();
  await assert.rejects(call, (t: Failure) => t.code === 'DETACHED' && t.more.unknown === true);
});

test('an attachment that is gone knows it', async () => {
  const a = attachment();
  const call = a.send(MAIN, 'DOM.describeNode');
  sent[0]?.reject(new Error('Debugger is not attached to the tab with id: 7.'));
  await assert.rejects(call, (t: Failure) => t.more.unsent === true);
  assert.ok(a.ended);
});

test('a dialog keeps the debugger on the tab', () => {
  const a = attachment();
  a.on(MAIN, 'Page.javascriptDialogOpening', { url: '', message: '' });
  assert.equal(a.holds.size, 1);
  a.on(MAIN, 'Page.javascriptDialogClosed', {});
  assert.equal(a.holds.size, 0);
});

test('commands are routed to the target that hosts the frame', async () => {
  const a = attachment();
  assert.equal(await a.route('', 'x'), MAIN);
  assert.equal(await a.route('top', 'x'), MAIN);
  a.frames.moved('sub', 'https://b.example/', 's1', 'top');
  assert.equal(await a.route('sub', 'x'), 's1');
});

test('a world that was found before its frame went on is not kept', () => {
  const worlds = new Worlds();
  const turnBefore = worlds.turn('f');
  worlds.delete('f');
  assert.equal(worlds.set('f', { id: 1, key: 'k' }, turnBefore), false);
  assert.equal(worlds.get('f'), undefined);
  assert.equal(worlds.set('f', { id: 1, key: 'k' }, worlds.turn('f')), true);
  worlds.clear();
  assert.equal(worlds.get('f'), undefined);
});

// answer plays Chrome for the runner: a context per frame, and envelopes in order.
async function play(envelopes: object[], contexts = [5]): Promise<string[]> {
  const log: string[] = [];
  for (let at = 0; envelopes.length > 0;) {
    await turn();
    const next = sent[at];
    if (!next) continue;
    at++;
    log.push(next.method);
    const code = String(next.params.functionDeclaration ?? '');
    if (next.method === 'Page.createIsolatedWorld') next.resolve({ executionContextId: contexts.shift() ?? 5 });
    else if (code.includes('??=')) next.resolve({ result: { value: 'key' } });
    else if (code.includes('page.run')) next.resolve({ result: { value: envelopes.shift() } });
    else next.resolve({ result: {} });
  }
  return log;
}

const envelope = { url: 'https://a.example/', origin: 'https://a.example', document: 'd', value: 1 };

function call(a: Attachment): ReturnType<typeof runPage> {
  return runPage({ attachment: a, params: { fn: 'probe', args: {}, nodes: [], frame: '' }, acts: false, bundle: () => Promise.resolve('bundle') });
}

test('a known world takes one command a call', async () => {
  const a = attachment();
  const first = call(a);
  assert.deepEqual(await play([envelope]), ['Page.createIsolatedWorld', 'Runtime.callFunctionOn', 'Runtime.callFunctionOn']);
  assert.deepEqual(await first, envelope);
  sent = [];
  const second = call(a);
  assert.deepEqual(await play([envelope]), ['Runtime.callFunctionOn']);
  await second;
});

test('the world of the next document is made as it comes, for the call that follows', async () => {
  const a = attachment();
  a.arrived = (session, frame) => prepare(a, session, frame);
  const come = (): void => a.on(MAIN, 'Page.frameNavigated', { frame: { id: 'top', url: 'https://a.example/2', securityOrigin: 'https://a.example' } });
  come();
  const first = call(a);
  assert.deepEqual(await play([envelope]), ['Page.createIsolatedWorld', 'Runtime.callFunctionOn', 'Runtime.callFunctionOn']);
  assert.deepEqual(await first, envelope);
  sent = [];
  come();
  assert.deepEqual(sent, [], 'once, and not for documents that nobody asked for');
});

test('a world that could not be made ahead is made by the call', async () => {
  const a = attachment();
  prepare(a, MAIN, 'top');
  const first = call(a);
  await turn();
  sent.shift()?.reject(new Error('{"code":-32000,"message":"Cannot find context"}'));
  assert.deepEqual(await play([envelope]), ['Page.createIsolatedWorld', 'Runtime.callFunctionOn', 'Runtime.callFunctionOn']);
  assert.deepEqual(await first, envelope);
});

test('a tab that is to load another page is not kept drawing', () => {
  const a = attachment();
  a.rest();
  a.wake();
  a.wake();
  a.rest();
  a.rest();
  assert.deepEqual(sent.map((s) => s.method), ['Page.startScreencast', 'Page.stopScreencast']);
});

test('a number that now means another world does nothing there', async () => {
  const a = attachment();
  a.worlds.set('top', { id: 4, key: 'old' }, 0);
  const answer = call(a);
  const log = await play([{ stale: true }, envelope]);
  assert.deepEqual(log, ['Runtime.callFunctionOn', 'Page.createIsolatedWorld', 'Runtime.callFunctionOn', 'Runtime.callFunctionOn']);
  assert.deepEqual(await answer, envelope);
});

test('a world without the bundle is given it', async () => {
  const a = attachment();
  const answer = call(a);
  const log = await play([{ missing: true }, envelope]);
  assert.ok(log.includes('Runtime.evaluate'));
  assert.equal(sent.find((s) => s.method === 'Runtime.evaluate')?.params.contextId, 5);
  await answer;
});

test('a page that goes elsewhere at every try is given up', async () => {
  const a = attachment();
  const answer = call(a);
  const played = play(Array.from({ length: 6 }, () => ({ stale: true })));
  await assert.rejects(answer, failed('TARGET_GONE', 'navigated'));
  await played;
});

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { TestContext } from 'node:test';

import { Link } from './link';
import type { Office, Socket } from './link';
import { Links } from './links';
import { CloseRefused, CloseReplaced, CloseStopped, HelloTimeoutMS, Protocol } from './wire.gen';
import type { Command, ErrorFrame, Result, Server } from './wire.gen';

// Wire is a socket whose other end is the test.
class Wire implements Socket {
  readyState: Socket['readyState'] = 0;
  bufferedAmount = 0;
  onopen: Socket['onopen'] = null;
  onmessage: Socket['onmessage'] = null;
  onclose: Socket['onclose'] = null;
  readonly sent: Record<string, unknown>[] = [];
  closed: number | undefined;

  constructor(readonly url: string) {}

  send(data: unknown): void {
    this.sent.push(JSON.parse(String(data)) as Record<string, unknown>);
  }

  close(code = 1005): void {
    this.closed = code;
    this.readyState = 2;
  }

  open(): void {
    this.readyState = 1;
    (this.onopen as () => void)();
  }

  say(frame: object | string): void {
    (this.onmessage as (e: { data: unknown }) => void)({ data: typeof frame === 'string' ? frame : JSON.stringify({ v: Protocol, ...frame }) });
  }

  lose(code = 1006): void {
    this.readyState = 3;
    (this.onclose as (e: { code: number }) => void)({ code });
  }
}

const server: Server = { sessionId: 's', port: 4000, token: 'secret', pid: 1, ts: 1, client: 'test' };
const welcome = { type: 'welcome', serverVersion: '1', sessionId: 's', heartbeatMs: 1000, client: 'test 1', pid: 1, policy: {} };

interface Bench {
  office: Office;
  wires: Wire[];
  refused: number;
  answer: (command: Command) => Promise<Result | ErrorFrame | undefined>;
}

function bench(t: TestContext): Bench {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  t.after(() => mock.timers.reset());
  const b: Bench = { wires: [], refused: 0, answer: (c) => Promise.resolve({ v: Protocol, type: 'result', id: c.id, data: {} }), office: undefined as unknown as Office };
  b.office = {
    dial: (url) => {
      const wire = new Wire(url);
      b.wires.push(wire);
      return wire;
    },
    hello: (token) => ({ v: Protocol, type: 'hello', token, ext: { id: 'x', version: '1', chrome: '1', instance: 'i', run: 'r', bundle: 'b' } }),
    command: (_, command) => b.answer(command),
    rules: (link) => link.welcome?.policy ?? {},
    welcomed: () => {},
    changed: () => {},
    refused: () => { b.refused++; },
  };
  return b;
}

function connected(b: Bench): [Link, Wire] {
  const link = new Link(server, b.office);
  link.dial();
  const wire = b.wires.at(-1) as Wire;
  wire.open();
  wire.say(welcome);
  return [link, wire];
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('hello, welcome, and nothing before it', (t) => {
  const b = bench(t);
  const link = new Link(server, b.office);
  link.dial();
  const wire = b.wires[0] as Wire;
  assert.equal(wire.url, 'ws://127.0.0.1:4000');
  wire.open();
  assert.equal(wire.sent[0]?.type, 'hello');
  assert.equal(wire.sent[0]?.token, 'secret');
  wire.say({ type: 'command', id: '1', method: 'ping_probe', timeoutMs: 1 });
  wire.say({ type: 'ping', ts: 1 });
  assert.equal(wire.sent.length, 1);
  assert.equal(link.state, 'dialing');
  b.office.welcomed = (link) => link.event('first', 0, {});
  b.office.changed = (link) => link.event('second', 0, {});
  wire.say(welcome);
  assert.equal(link.state, 'connected');
  assert.deepEqual(wire.sent.slice(1).map((f) => f.event), ['first', 'second']);
});

test('a command is answered, and its answer belongs to its connection', async (t) => {
  const b = bench(t);
  const [link, wire] = connected(b);
  wire.say({ type: 'command', id: '1', method: 'ping_probe', timeoutMs: 1 });
  await turn();
  assert.deepEqual(wire.sent.at(-1), { v: 1, type: 'result', id: '1', data: {} });
  let finish = (): void => {};
  b.answer = (c) => new Promise((resolve) => { finish = () => resolve({ v: 1, type: 'result', id: c.id, data: 'late' }); });
  wire.say({ type: 'command', id: '2', method: 'ping_probe', timeoutMs: 1 });
  wire.lose();
  mock.timers.tick(5000);
  const next = b.wires[1] as Wire;
  next.open();
  next.say(welcome);
  finish();
  await turn();
  assert.equal(link.state, 'connected');
  assert.deepEqual(next.sent.map((f) => f.type), ['hello']);
});

test('garbage is not answered and does no harm', (t) => {
  const b = bench(t);
  const [link, wire] = connected(b);
  for (const bad of ['', '{', 'null', '[]', '7', '{"v":2,"type":"ping","ts":1}', '{"type":"ping"}', '{"v":1,"type":"nope"}']) wire.say(bad);
  assert.equal(wire.sent.length, 1);
  assert.equal(link.state, 'connected');
  wire.say({ type: 'ping', ts: 5 });
  assert.deepEqual(wire.sent.at(-1), { v: 1, type: 'pong', ts: 5 });
});

test('a socket that is cut is dialled again, with longer pauses', (t) => {
  const b = bench(t);
  const [link, wire] = connected(b);
  wire.lose();
  assert.equal(link.state, 'closed');
  mock.timers.tick(50);
  assert.equal(b.wires.length, 2);
  for (let i = 0; i < 8; i++) {
    b.wires.at(-1)?.lose();
    mock.timers.tick(49);
  }
  const before = b.wires.length;
  assert.ok(before <= 3, `${before} dials`);
  mock.timers.tick(5000);
  assert.ok(b.wires.length > before);
});

test('a server that says nothing is given up', (t) => {
  const b = bench(t);
  const [link, wire] = connected(b);
  mock.timers.tick(1000);
  wire.say({ type: 'pong', ts: 1 });
  mock.timers.tick(2000);
  assert.equal(link.state, 'connected');
  mock.timers.tick(1000);
  assert.equal(wire.closed, 1005);
  assert.equal(link.state, 'closed');
});

test('a server that does not say welcome is given up', (t) => {
  const b = bench(t);
  const link = new Link(server, b.office);
  link.dial();
  b.wires[0]?.open();
  mock.timers.tick(HelloTimeoutMS);
  assert.equal(link.state, 'closed');
  assert.notEqual(b.wires[0]?.closed, undefined);
});

test('a refusal is final until the server is another', (t) => {
  const b = bench(t);
  const link = new Link(server, b.office);
  link.dial();
  b.wires[0]?.open();
  b.wires[0]?.say({ type: 'unauthorized', reason: 'bad_token' });
  b.wires[0]?.lose(CloseRefused);
  assert.equal(link.state, 'refused');
  assert.equal(b.refused, 1, 'the host is asked for a new token');
  mock.timers.tick(60_000);
  link.dial();
  link.update(server);
  link.dial();
  assert.equal(b.wires.length, 1);
  assert.match(link.problem?.what ?? '', /token/);
  link.update({ ...server, token: 'new' });
  link.dial();
  assert.equal(b.wires.length, 2);
  assert.equal(link.problem, undefined);
});

test('a user who asks dials a refused server again', (t) => {
  const b = bench(t);
  const link = new Link(server, b.office);
  link.dial();
  b.wires[0]?.lose(CloseRefused);
  link.retry();
  assert.equal(b.wires.length, 2);
});

test('a connection that another took over is left to it', (t) => {
  const b = bench(t);
  const [link, wire] = connected(b);
  wire.lose(CloseReplaced);
  mock.timers.tick(60_000);
  assert.equal(b.wires.length, 1);
  assert.match(link.problem?.what ?? '', /copy of this profile/);
});

test('events go to a connected server only', (t) => {
  const b = bench(t);
  const [link, wire] = connected(b);
  link.event('tab.removed', 7, {});
  assert.deepEqual(wire.sent.at(-1), { v: 1, type: 'event', event: 'tab.removed', tabId: 7, data: {} });
  wire.lose();
  link.event('tab.removed', 8, {});
  assert.equal(wire.sent.at(-1)?.tabId, 7);
});

test('a dial that Chrome refuses is tried again', (t) => {
  const b = bench(t);
  let fails = 2;
  const { dial } = b.office;
  b.office.dial = (url) => {
    if (fails-- > 0) throw new Error('blocked');
    return dial(url);
  };
  const link = new Link(server, b.office);
  link.dial();
  mock.timers.tick(200);
  mock.timers.tick(500);
  assert.equal(b.wires.length, 1);
});

test('the host\'s list is followed', (t) => {
  const b = bench(t);
  const gone: string[] = [];
  const links = new Links(b.office, (id) => gone.push(id));
  const other = { ...server, sessionId: 't', port: 4001 };
  links.update([server, other]);
  assert.deepEqual(b.wires.map((w) => w.url), ['ws://127.0.0.1:4000', 'ws://127.0.0.1:4001']);
  links.update([server, other]);
  assert.equal(b.wires.length, 2, 'nothing is dialled twice');
  links.update([server]);
  assert.deepEqual(gone, ['t']);
  assert.equal(b.wires[1]?.closed, 1000);
  mock.timers.tick(60_000);
  assert.equal(b.wires.length, 2);
});

test('a push dials a server that was lost at once', (t) => {
  const b = bench(t);
  const links = new Links(b.office, () => {});
  links.update([server]);
  for (let i = 0; i < 6; i++) {
    b.wires.at(-1)?.lose();
    mock.timers.tick(5000);
  }
  b.wires.at(-1)?.lose();
  const before = b.wires.length;
  links.update([server]);
  assert.equal(b.wires.length, before + 1);
});

test('servers named by hand stay without a list, until they do not answer', (t) => {
  const b = bench(t);
  const gone: string[] = [];
  const links = new Links(b.office, (id) => gone.push(id));
  links.add(server);
  links.update([]);
  assert.equal(links.all().length, 1);
  for (let i = 0; i < 8; i++) {
    b.wires.at(-1)?.lose();
    mock.timers.tick(5000);
  }
  links.wake();
  assert.deepEqual(gone, ['s']);
});

test('Stop closes with its own code and dials no more', (t) => {
  const b = bench(t);
  const links = new Links(b.office, () => assert.fail('a stopped server is not gone'));
  links.update([server]);
  const wire = b.wires[0] as Wire;
  wire.open();
  wire.say(welcome);
  links.closeAll();
  assert.equal(wire.closed, CloseStopped);
  mock.timers.tick(60_000);
  assert.equal(b.wires.length, 1);
});

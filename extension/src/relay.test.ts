import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Link } from './link';
import { Relay } from './relay';
import type { Parts } from './relay';
import type { Request } from './router';
import { MaxCallerPorts, MaxMessage, MaxOpens, MaxPorts, MaxWaiting } from './wire.gen';

const own = 'c'.repeat(32);
const other = 'a'.repeat(32);

type Listener = (value: unknown) => void;

// End is the relay's end of a port whose other end is the test.
class End {
  readonly sent: any[] = [];
  open = true;
  private readonly on = { message: new Set<Listener>(), disconnect: new Set<Listener>() };
  readonly onMessage = this.events('message');
  readonly onDisconnect = this.events('disconnect');

  constructor(readonly name: string, readonly sender?: { id: string }) {}

  private events(kind: 'message' | 'disconnect') {
    return { addListener: (l: Listener) => this.on[kind].add(l), removeListener: (l: Listener) => this.on[kind].delete(l) };
  }

  postMessage(message: unknown): void {
    if (!this.open) throw new Error('Attempting to use a disconnected port object');
    this.sent.push(message);
  }

  disconnect(): void {
    this.open = false;
  }

  say(message: unknown): void {
    if (this.open) this.on.message.forEach((l) => l(message));
  }

  lose(): void {
    this.open = false;
    this.on.disconnect.forEach((l) => l(this));
  }
}

interface Told { name: string; data: any }

class Server {
  state = 'connected';
  backlog = 0;
  readonly told: Told[] = [];

  constructor(readonly id: string, readonly since = 1) {}

  event(name: string, _tab: number, data: unknown): void {
    if (this.state === 'connected') this.told.push({ name, data });
  }

  of(name: string): any[] {
    return this.told.filter((t) => t.name === name).map((t) => t.data);
  }
}

function bench(t: TestContext, servers: Server[] = [new Server('s')]) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  t.after(() => mock.timers.reset());
  const b = {
    servers,
    refusal: '',
    dialling: false,
    stopped: false,
    closed: [] as string[],
    opened: [] as End[],
    answer: (_id: string, _m: unknown): Promise<unknown> => new Promise(() => {}),
    relay: undefined as unknown as Relay,
  };
  const parts: Parts = {
    links: () => b.servers as unknown as Link[],
    identity: () => ({ id: own, version: '1' }),
    refusal: () => b.refusal,
    name: () => 'Lumo',
    stopped: () => b.stopped,
    dialling: () => b.dialling,
    unready: () => 'no server runs',
    closed: (port) => b.closed.push(port),
    soon: (work) => work(),
  };
  b.relay = new Relay(parts);
  (globalThis as { chrome?: unknown }).chrome = { runtime: {
    connect: (_id: string, { name }: { name: string }) => {
      const end = new End(name);
      b.opened.push(end);
      return end;
    },
    sendMessage: (id: string, message: unknown) => b.answer(id, message),
  } };
  return b;
}

function come(b: ReturnType<typeof bench>, id = other, name = 'lumo:mcp'): End {
  const end = new End(name, { id });
  b.relay.came(end as unknown as chrome.runtime.Port);
  return end;
}

const turn = () => new Promise<void>((done) => setImmediate(done));
const call = (n: number) => ({ jsonrpc: '2.0', id: n, method: 'tools/call' });

function request(server: Server, params: object): Request<Link> {
  return { asker: server as unknown as Link, session: 's', call: 'c', policy: {}, tab: 0, tool: '', params: params as Record<string, unknown> };
}

test('a caller\'s port goes to one server, in order, also what came before it was let in', async (t) => {
  const [late, first] = [new Server('late', 9), new Server('first', 3)];
  const b = bench(t, [late, first]);
  const end = come(b);
  end.say(call(1));
  end.say(call(2));
  await turn();
  end.say(call(3));
  const [opened] = first.of('ext_port_open');
  assert.deepEqual({ ...opened, port: '' }, { port: '', extension: other, name: 'lumo:mcp', caller: 'Lumo' });
  assert.deepEqual(first.told.map((e) => e.name), ['ext_port_open', 'ext_port_message', 'ext_port_message', 'ext_port_message']);
  assert.deepEqual(first.of('ext_port_message').map((e) => e.message.id), [1, 2, 3]);
  assert.deepEqual(late.told, []);

  await b.relay.message(request(first, { port: opened.port, message: { jsonrpc: '2.0', id: 1, result: {} } }));
  assert.deepEqual(end.sent, [{ jsonrpc: '2.0', id: 1, result: {} }]);
  await assert.rejects(async () => b.relay.message(request(late, { port: opened.port, message: {} })), /the port is closed/, 'another server\'s port');

  end.lose();
  assert.match(first.of('ext_port_close')[0].reason, /closed it, or was stopped/);
  assert.deepEqual(b.closed, [opened.port]);
  assert.equal(b.relay.count, 0);
});

test('the port ends with its server\'s socket, and with the server\'s word', async (t) => {
  const b = bench(t);
  const [s] = b.servers as [Server];
  const [one, two] = [come(b), come(b)];
  await turn();
  await b.relay.close(request(s, { port: s.of('ext_port_open')[0].port, reason: 'done' }));
  assert.deepEqual([one.open, two.open, b.relay.count], [false, true, 1]);
  b.relay.lost(s as unknown as Link);
  assert.deepEqual([two.open, b.relay.count], [false, 0]);
  assert.deepEqual(s.of('ext_port_close'), [], 'who closed it knows');
});

test('who may not come is told why, and then the port is closed', async (t) => {
  const b = bench(t);
  const [s] = b.servers as [Server];
  b.refusal = 'not on the allowlist';
  const end = come(b);
  end.say(call(1));
  end.say({ method: 'notifications/x' });
  await turn();
  end.say(call(2));
  assert.deepEqual(end.sent.map((m) => [m.id, m.error.message]), [[1, 'not on the allowlist'], [2, 'not on the allowlist']]);
  assert.equal(end.open, true, 'what comes a little later is answered too');
  mock.timers.tick(1000);
  assert.equal(end.open, false);
  assert.deepEqual(s.of('ext_refused'), [{ extension: other, reason: 'not on the allowlist', count: 1 }]);
  for (let n = 0; n < 20; n++) come(b);
  assert.equal(s.of('ext_refused').length, 1, 'told of once in ten seconds');
  mock.timers.tick(10_000);
  come(b);
  assert.equal(s.of('ext_refused')[1].count, 21);
});

test('without a server a caller waits while one is dialled, and no longer', async (t) => {
  const b = bench(t, []);
  const none = come(b);
  none.say(call(1));
  await turn();
  assert.deepEqual(none.sent.map((m) => m.error.message), ['no server runs']);
  assert.equal(none.open, false);

  b.dialling = true;
  const patient = come(b);
  patient.say(call(2));
  await turn();
  assert.deepEqual(patient.sent, []);
  const s = new Server('s');
  b.servers = [s];
  mock.timers.tick(25);
  await turn();
  assert.deepEqual(s.of('ext_port_message').map((e) => e.message.id), [2]);
});

test('while the user has stopped the work no port is taken, and those that are open end', async (t) => {
  const b = bench(t);
  const held = come(b);
  await turn();
  b.stopped = true;
  b.relay.closeAll('stopped');
  assert.equal(held.open, false);
  assert.equal(b.servers[0]?.of('ext_port_close')[0].reason, 'stopped');
  const late = come(b);
  late.say(call(1));
  await turn();
  assert.deepEqual(late.sent.map((m) => m.error.message), ['no server runs']);
  assert.equal(await b.relay.ready(), 'no server runs');
});

test('permission that is taken back while a port waits, or later, closes it', async (t) => {
  const b = bench(t, []);
  b.dialling = true;
  const waiting = come(b);
  waiting.say(call(1));
  await turn();
  b.refusal = 'taken back';
  b.servers = [new Server('s')];
  mock.timers.tick(25);
  await turn();
  assert.deepEqual(waiting.sent.map((m) => m.error.message), ['taken back']);

  b.refusal = '';
  const held = come(b);
  await turn();
  b.relay.judged((id) => id !== other);
  assert.equal(held.open, false);
  assert.match(b.servers[0]?.of('ext_port_close')[0].reason, /took the permission back/);
});

test('names and ids that are not the protocol\'s are turned away without a word', async (t) => {
  const b = bench(t);
  for (const end of [come(b, 'x'), come(b, other, 'ui'), come(b, other, '')]) assert.equal(end.open, false);
  await turn();
  assert.deepEqual(b.servers[0]?.told, []);
});

test('a message that is too large ends the port, and keeps its sender out for a minute', async (t) => {
  const b = bench(t);
  const [s] = b.servers as [Server];
  const end = come(b);
  await turn();
  end.say({ text: 'x'.repeat(MaxMessage - 11) });
  assert.equal(end.open, true, `${MaxMessage} characters are taken`);
  end.say({ text: 'x'.repeat(MaxMessage - 10) });
  assert.equal(end.open, false);
  assert.match(s.of('ext_port_close')[0].reason, /message of 5 MB; at most 4 MB/);
  assert.equal(s.of('ext_port_message').length, 1);
  assert.equal(come(b).open, false);
  assert.equal(come(b, 'b'.repeat(32)).open, true, 'others are not concerned');
  mock.timers.tick(60_000);
  assert.equal(come(b).open, true);
});

test('a flood ends the port', async (t) => {
  const b = bench(t);
  const [s] = b.servers as [Server];
  const end = come(b);
  await turn();
  for (let n = 0; n < 5000; n++) end.say(call(n));
  assert.equal(end.open, false);
  assert.equal(s.of('ext_port_message').length, 2000);
  assert.match(s.of('ext_refused')[0].reason, /more than is taken in that time/);
});

test('what comes before a caller is let in is bounded', async (t) => {
  const b = bench(t, []);
  b.dialling = true;
  const many = come(b);
  for (let n = 0; n <= MaxWaiting; n++) many.say(call(n));
  assert.equal(many.open, false);
  assert.equal(come(b).open, false, 'it stays out');
  const large = come(b, 'b'.repeat(32));
  for (let n = 0; n < 3; n++) large.say('x'.repeat(MaxMessage));
  assert.equal(large.open, false);
});

test('a server that takes nothing is not drowned', async (t) => {
  const b = bench(t);
  const [s] = b.servers as [Server];
  const end = come(b);
  await turn();
  s.backlog = 9 << 20;
  end.say(call(1));
  assert.equal(end.open, false);
});

test('ports are bounded: of one caller, of all, and in time', async (t) => {
  const b = bench(t);
  const few: End[] = [];
  for (let n = 0; n <= MaxCallerPorts; n++) {
    few.push(come(b));
    await turn();
  }
  few.at(-1)?.say(call(1));
  assert.match(few.at(-1)?.sent[0].error.message, new RegExp(`${MaxCallerPorts} ports open`));
  for (let n = 0; n < MaxPorts; n++) {
    come(b, 'abcdefgh'[n >> 3]!.repeat(31) + 'p');
    await turn();
  }
  assert.equal(b.relay.count, MaxPorts);
  for (let n = 0; n < MaxOpens; n++) come(b, 'o'.repeat(32));
  assert.equal(come(b, 'o'.repeat(32)).open, false);
});

test('signs of life are answered here and go no further', async (t) => {
  const b = bench(t);
  const end = come(b, other, 'mcp');
  await turn();
  end.say({ type: 'ping' });
  end.say({ type: 'keep-alive', timestamp: 1 });
  assert.deepEqual(end.sent, [{ type: 'pong' }]);
  assert.deepEqual(b.servers[0]?.of('ext_port_message'), []);
});

test('a server opens a port to another extension', async (t) => {
  const b = bench(t);
  const [s] = b.servers as [Server];
  await b.relay.open(request(s, { port: 'p', extension: other, name: 'lumo:mcp' }));
  const [end] = b.opened as [End];
  await b.relay.message(request(s, { port: 'p', message: { n: 1 } }));
  end.say({ n: 2 });
  assert.deepEqual([end.name, end.sent, s.of('ext_port_message')], ['lumo:mcp', [{ n: 1 }], [{ port: 'p', message: { n: 2 } }]]);
  for (const params of [{ port: 'p', extension: other }, { port: '', extension: other }, { port: 'q', extension: 'no' }, { port: 'q', extension: own }]) {
    await assert.rejects(async () => b.relay.open(request(s, { name: 'mcp', ...params })), /BAD_ARGS|id/);
  }
  end.lose();
  assert.equal(s.of('ext_port_close').length, 1);
});

test('a probe is answered, rejected, or late', async (t) => {
  const b = bench(t);
  const [s] = b.servers as [Server];
  const probe = () => b.relay.probe(request(s, { extension: other }));
  let asked: any;
  b.answer = (id, m) => {
    asked = { id, m };
    return Promise.resolve({ ok: true });
  };
  assert.deepEqual(await probe(), { answer: { ok: true } });
  assert.deepEqual({ ...asked, m: { ...asked.m, id: '' } }, { id: other, m: { channel: 'lumo:probe', version: 1, id: '', client: { id: own, name: 'chrome-mcp', version: '1' } } });
  b.answer = () => Promise.reject(new Error('Could not establish connection. Receiving end does not exist.'));
  assert.deepEqual(await probe(), { problem: 'Could not establish connection. Receiving end does not exist.' });
  b.answer = () => Promise.resolve(undefined);
  assert.deepEqual(await probe(), { problem: 'it gave no answer' });
  b.answer = () => Promise.resolve({ ok: true, padding: 'x'.repeat(1 << 16) });
  assert.deepEqual(await probe(), { problem: 'its answer is too large' });
  b.answer = () => new Promise(() => {});
  const late = probe();
  mock.timers.tick(1499);
  await turn();
  mock.timers.tick(1);
  assert.deepEqual(await late, { late: true, problem: 'no answer to the probe within 1500 ms' });
});

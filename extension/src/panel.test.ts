import assert from 'node:assert/strict';
import { test } from 'node:test';

import { lastError, versionProblem } from './host';
import { isProblem, readHandshake } from './pairing';
import { badge, Panel, steps } from './panel';
import type { ServerState, UiState } from './state';
import { named } from './browser';

const server: ServerState = { sessionId: 's', client: 'c', version: '', port: 1, pid: 1, since: 0, state: 'dialing', tabs: [] };
const line = (list: ReturnType<typeof steps>) => list.map((s) => `${s.id}:${s.state}`).join(' ');

test('the steps of pairing', () => {
  const ready = { state: 'ready', version: '1' } as const;
  const rows: [string, Parameters<typeof steps>, string][] = [
    ['nothing yet', [{ state: 'off' }, [], false], 'host:idle servers:idle dial:idle welcome:idle'],
    ['asking', [{ state: 'connecting' }, [], false], 'host:doing servers:idle dial:idle welcome:idle'],
    ['no host', [{ state: 'error', problem: { what: 'not installed' } }, [], false], 'host:failed servers:idle dial:idle welcome:idle'],
    ['no server, first time', [ready, [], false], 'host:done servers:doing dial:idle welcome:idle'],
    ['no server, later', [ready, [], true], 'host:done servers:idle dial:idle welcome:idle'],
    ['dialling', [ready, [server], false], 'host:done servers:done dial:doing welcome:idle'],
    ['refused', [ready, [{ ...server, state: 'refused', problem: { what: 'old' } }], false], 'host:done servers:done dial:done welcome:failed'],
    ['connected', [ready, [{ ...server, state: 'connected' }, { ...server, state: 'refused' }], true], 'host:done servers:done dial:done welcome:done'],
    ['by hand', [{ state: 'off' }, [{ ...server, state: 'connected' }], true], 'host:idle servers:done dial:done welcome:done'],
  ];
  for (const [name, args, want] of rows) assert.equal(line(steps(...args)), want, name);
  for (const [, args] of rows.filter(([name]) => name !== 'connected' && name !== 'by hand')) {
    for (const s of steps(...args)) assert.doesNotMatch(s.text ?? '', /\bconnected\b/);
  }
});

const quiet: UiState = { stopped: false, paired: true, host: { state: 'ready' }, steps: [], servers: [], asks: [], grants: [], others: { enabled: false, writes: false, review: true, callers: [], reviews: [], providers: [], problem: '' }, browserName: '' };

test('the icon is drawn anew only when it says something else', async () => {
  const drawn: string[] = [];
  (globalThis as unknown as { chrome: unknown }).chrome = { action: {
    setBadgeText: ({ text }: { text: string }) => drawn.push(text), setBadgeBackgroundColor: () => {}, setTitle: () => {},
  } };
  const connected: ServerState = { ...server, state: 'connected' };
  let state: UiState = quiet;
  const panel = new Panel(() => state, () => true, () => Promise.resolve(undefined));
  const shows = async (next: UiState): Promise<void> => {
    state = next;
    panel.changed();
    await Promise.resolve();
  };
  await shows({ ...quiet, servers: [connected] });
  await shows({ ...quiet, servers: [{ ...connected, client: 'another' }] });
  await shows({ ...quiet, servers: [{ ...connected, version: '2' }] });
  assert.deepEqual(drawn, ['1']);
  await shows({ ...quiet, servers: [connected, connected] });
  await shows(quiet);
  assert.deepEqual(drawn, ['1', '2', '']);
});

test('the badge', () => {
  const state = quiet;
  assert.equal(badge(state, true).text, '');
  assert.equal(badge({ ...state, servers: [{ ...server, state: 'connected' }] }, true).text, '1');
  const ask = { id: '1', site: 'a.test', client: 'agent', server: 's', access: 'read', tool: 'navigate', at: 0 } as const;
  const asked = badge({ ...state, servers: [{ ...server, state: 'connected' }], asks: [ask, { ...ask, id: '2' }] }, true);
  assert.equal(asked.text, '?');
  assert.match(asked.title, /agent was refused a\.test, and 1 more/);
  assert.equal(badge({ ...state, stopped: true, asks: [ask] }, true).text, 'off');
  assert.equal(badge({ ...state, problem: { what: 'x' } }, true).text, '!');
  assert.equal(badge({ ...state, problem: { what: 'x' } }, false).text, '');
});

test('Chrome\'s sentences about the host', () => {
  const rows: [string, RegExp, string][] = [
    ['Specified native messaging host not found.', /not installed/, 'chrome-mcp install'],
    ['Access to the specified native messaging host is forbidden.', /does not know this extension/, 'chrome-mcp install'],
    ['Native host has exited.', /ended at once/, 'chrome-mcp doctor'],
    ['Error when communicating with the native messaging host.', /not the chrome-mcp host/, 'chrome-mcp install'],
    ['', /connection .* ended/, 'chrome-mcp doctor'],
  ];
  for (const [said, what, command] of rows) {
    const problem = lastError(said);
    assert.match(problem.what, what);
    assert.equal(problem.command, command);
    if (said) assert.equal(problem.why, said);
  }
});

test('a version mismatch names the side to update', () => {
  assert.equal(versionProblem('1.2.0', '1.2.0', '/d'), undefined);
  assert.match(versionProblem('1.10.0', '1.9.0', '/d')?.what ?? '', /extension is older.*\/d\/extension/);
  assert.match(versionProblem('0.9.0', '1.0.0', '/d')?.what ?? '', /chrome-mcp is older/);
  assert.match(versionProblem('0.9.0', '1.0.0', '/d')?.why ?? '', /VERSION_MISMATCH.*0\.9\.0.*1\.0\.0/);
});

test('handshake files by hand', () => {
  const good = { v: 1, port: 4000, token: 't'.repeat(43), pid: 2, ts: 3, sessionId: 's', client: 'c' };
  const read = (change: object | string) => readHandshake(typeof change === 'string' ? change : JSON.stringify({ ...good, ...change }), 'me');
  assert.deepEqual(read({}), { sessionId: 's', port: 4000, token: good.token, pid: 2, ts: 3, client: 'c' });
  assert.equal(isProblem(read('\uFEFF' + JSON.stringify(good))), false);
  for (const bad of ['', 'x', '[]', 'null', '{}', { v: 2 }, { port: 0 }, { port: 70000 }, { port: 'x' }, { token: 'short' }, { token: 1 }, { sessionId: '' }, { expectedExtensionId: 'other' }]) {
    const got = read(bad);
    assert.ok(isProblem(got) && got.why, JSON.stringify(bad));
    assert.ok(!JSON.stringify(got).includes(good.token));
  }
});

test('the browser\'s name', () => {
  const grease = { brand: 'Not(A:Brand', version: '8.0' };
  const chromium = { brand: 'Chromium', version: '156.0.1.2' };
  assert.deepEqual(named([grease, chromium]), ['chromium', '156.0.1.2']);
  assert.deepEqual(named([chromium, { brand: 'Google Chrome', version: '156.0.1.3' }, { brand: 'Not_A Brand', version: '9' }]), ['chrome', '156.0.1.3']);
  assert.deepEqual(named([{ brand: 'Microsoft Edge', version: '2' }, chromium]), ['edge', '2']);
  assert.deepEqual(named([]), ['chrome', '']);
});

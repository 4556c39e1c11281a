import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerState, Step, UiState } from './state.ts';
import { clock, mainProblem, missingFlags, serverLine, serverMeta, serverProblem, siteName, summary, versions } from './ui-text.ts';

const server: ServerState = {
  sessionId: '01', client: 'claude-code 2.1', version: '0.1.0', port: 38017, pid: 7, since: 0, state: 'connected', tabs: [],
};
const step: Step = { id: 'host', state: 'idle' };
const base: UiState = { stopped: false, paired: false, host: { state: 'off' }, steps: [step], servers: [], asks: [], grants: [], browserName: '' };
const tab = { id: 1, title: 'a', url: 'https://a.example/' };

const summaries: [string, Partial<UiState>, string, string][] = [
  ['new', {}, 'not paired', 'idle'],
  ['paired, no server', { paired: true }, 'ready', 'idle'],
  ['a server', { servers: [server] }, 'connected', 'ok'],
  ['a server, and one that is refused', { servers: [{ ...server, state: 'refused' }, server] }, 'connected', 'ok'],
  ['dialing', { servers: [{ ...server, state: 'dialing' }], steps: [{ ...step, state: 'doing' }] }, 'pairing…', 'busy'],
  ['dialing again', { paired: true, steps: [{ ...step, state: 'doing' }] }, 'reconnecting…', 'busy'],
  ['stopped', { stopped: true, servers: [server] }, 'stopped', 'off'],
  ['failed', { steps: [{ ...step, state: 'failed' }] }, 'needs your help', 'bad'],
  ['host error', { host: { state: 'error', problem: { what: 'x' } } }, 'needs your help', 'bad'],
];
for (const [name, change, status, tone] of summaries) {
  test(`summary: ${name}`, () => {
    const got = summary({ ...base, ...change });
    assert.equal(got.status, status);
    assert.equal(got.tone, tone);
    assert.equal(/\bconnected\b/.test(got.status), tone === 'ok');
  });
}

test('summary counts the tabs of servers that are there', () => {
  const closed: ServerState = { ...server, state: 'closed', tabs: [tab] };
  assert.equal(summary({ ...base, servers: [server, closed] }).detail, 'claude-code 2.1 has no tab open.');
  const two = [{ ...server, tabs: [tab] }, { ...server, tabs: [tab, tab] }];
  assert.equal(summary({ ...base, servers: two }).detail, '2 servers work in 3 tabs.');
});

test('the first problem to show', () => {
  const failed: Step = { id: 'dial', state: 'failed', text: 'port 1 is closed' };
  assert.equal(mainProblem({ ...base, steps: [failed] })?.what, 'port 1 is closed');
  assert.equal(mainProblem({ ...base, steps: [failed], problem: { what: 'first' } })?.what, 'first');
  assert.equal(mainProblem({ ...base, steps: [failed], stopped: true }), undefined);
});

test('a problem of one server is said once', () => {
  const problem = { what: 'too old' };
  const refused: ServerState = { ...server, sessionId: '02', state: 'refused', problem };
  const alone: UiState = { ...base, servers: [refused], problem: { ...problem } };
  assert.deepEqual(mainProblem(alone), problem);
  assert.equal(serverProblem(refused, alone), undefined);
  const beside: UiState = { ...alone, servers: [server, refused] };
  assert.equal(mainProblem(beside), undefined);
  assert.deepEqual(serverProblem(refused, beside), problem);
});

test('a stopped server is not shown at work', () => {
  assert.deepEqual(serverLine(server, true), { text: 'stopped', tone: 'off' });
  assert.deepEqual(serverLine(server, false), { text: '', tone: 'ok' });
});

test('flags that would permit what is refused', () => {
  const s = { client: 'c', read: false, act: false };
  assert.equal(missingFlags('https://a.example/x', [s]), '--allow-domain a.example --enable-mutations');
  assert.equal(missingFlags('https://a.example/x', [{ ...s, read: true }]), '--enable-mutations');
  assert.equal(missingFlags('https://a.example/x', [{ ...s, read: true, act: true }]), '');
  assert.equal(missingFlags('chrome://settings/', [s]), '');
  assert.equal(missingFlags('https://chromewebstore.google.com/', [s]), '');
  assert.equal(missingFlags('https://a.example/x', []), '');
});

test('names of sites', () => {
  assert.deepEqual(siteName('https://a.example:8443/x?y'), { name: 'a.example:8443', drivable: true });
  assert.deepEqual(siteName('chrome://settings/'), { name: 'A page of the browser', drivable: false });
  assert.deepEqual(siteName('about:blank'), { name: 'about:blank', drivable: true });
  assert.deepEqual(siteName(''), { name: 'This page', drivable: false });
});

test('small print', () => {
  assert.equal(serverMeta({ ...server, version: '' }, 0), 'port 38017');
  const now = Date.now();
  assert.match(serverMeta({ ...server, since: now }, now), /^since \S.* · v0\.1\.0 · port 38017$/);
  assert.notEqual(clock(now, now), clock(now - 2 * 86_400_000, now));
  assert.equal(versions('0.1.0', { state: 'ready', version: '0.1.0', dataDir: '/d' }), 'extension 0.1.0 · host 0.1.0 · /d');
});

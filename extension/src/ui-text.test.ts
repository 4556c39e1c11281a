import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AskState, GrantState, ProviderState, ServerState, SiteAccess, Step, UiState } from './state.ts';
import { askText, clock, grantFor, grantLevel, grantText, hereText, mainProblem, missingFlags, providerRefused, providerWord, ruleText, serverLine, serverMeta, serverProblem, siteName, summary, versions } from './ui-text.ts';

const server: ServerState = {
  sessionId: '01', client: 'claude-code 2.1', version: '0.1.0', port: 38017, pid: 7, since: 0, state: 'connected', tabs: [],
};
const step: Step = { id: 'host', state: 'idle' };
const base: UiState = { stopped: false, paired: false, host: { state: 'off' }, steps: [step], servers: [], asks: [], grants: [], others: { enabled: false, writes: false, review: true, callers: [], reviews: [], providers: [], problem: '' }, browserName: '' };
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

test('what the user said, in words', () => {
  const grant: GrantState = { id: '1', site: 'a.test', client: 'agent', level: 'read', until: 'session' };
  const rows: [Partial<GrantState>, string, string, string][] = [
    [{}, 'You let agent read until the browser closes.', 'Read only', 'agent, until the browser closes'],
    [{ until: 'once', level: 'full' }, 'You let agent read and act, for one call.', 'Read and act', 'agent, for one call'],
    [{ until: 'always', client: '' }, 'You let every agent read.', 'Read only', 'every agent'],
    [{ until: 'always', level: 'deny' }, 'You denied it to agent.', 'Denied', 'agent'],
  ];
  for (const [change, text, level, whom] of rows) {
    const g = { ...grant, ...change };
    assert.deepEqual([grantText(g), grantLevel(g), grantFor(g)], [text, level, whom]);
  }
});

test('what was refused, in words', () => {
  const ask: AskState = { id: '1', site: 'a.test', client: 'agent', server: 's', access: 'read', tool: 'navigate', at: 0 };
  assert.equal(askText(ask), 'agent was refused to read it (navigate)');
  assert.equal(askText({ ...ask, access: 'act', tool: 'click' }), 'agent was refused to act on it (click)');
  assert.equal(askText({ ...ask, tool: '' }), 'A page led agent here');
});

test('why a client may do what it may', () => {
  const row: SiteAccess = { client: 'agent', read: true, act: false, rule: '*.a.test' };
  const grant: GrantState = { id: '1', site: 'a.test', client: '', level: 'full', until: 'always' };
  assert.equal(ruleText(row), 'by the rule *.a.test');
  assert.equal(ruleText({ ...row, read: false }), '');
  assert.equal(ruleText({ ...row, grant }), 'You let every agent read and act.');
  assert.equal(ruleText({ ...row, grant, flagsOnly: true }), 'by the rule *.a.test');
  assert.equal(ruleText({ ...row, read: false, flagsOnly: true }), 'by its flags only (--no-site-grants)');
  assert.equal(ruleText({ ...row, grant: { ...grant, client: 'agent', level: 'deny' }, flagsOnly: true }), 'You denied it to agent.');
});

test('a tab of a session says why it goes nowhere else', () => {
  const row: SiteAccess = { client: 'agent', read: true, act: false };
  assert.equal(hereText([row]), '');
  assert.match(hereText([{ ...row, client: 'other' }, { ...row, here: true }]), /^agent works in this tab\. It opens only/);
  assert.match(hereText([{ ...row, here: true, read: false }]), /do not open in it/);
});

test('how a provider stands', () => {
  const p: ProviderState = { id: 'a', namespace: '', name: '', off: false, writes: false, own: true, state: 'waiting', text: '', tools: 0, held: 0, refused: [] };
  const rows: [Partial<ProviderState>, string][] = [
    [{}, 'asked once a server runs'],
    [{ state: 'error', text: 'probe response is incomplete' }, 'probe response is incomplete'],
    [{ state: 'error' }, 'it cannot be used'],
    [{ state: 'off' }, 'switched off'],
    [{ state: 'connected', tools: 1 }, '1 tool'],
    [{ state: 'connected', tools: 3, held: 2 }, '3 tools, 2 of them held until it may change things'],
    [{ state: 'connected', tools: 3, own: false }, '3 tools; named on a server’s command line'],
  ];
  for (const [change, want] of rows) assert.equal(providerWord({ ...p, ...change }), want);
  assert.equal(providerRefused({ ...p, refused: ['a'] }), 'Not offered: a');
  assert.equal(providerRefused({ ...p, refused: ['a', 'b', 'c'] }), 'Not offered: a; and 2 more, see chrome_status');
});

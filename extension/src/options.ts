// The options page: pairing, the servers at work, Stop, and what went wrong.
import type { GrantState, Problem, ServerState, TabState, UiState } from './state.ts';
import { watchMoves } from './ui-choice.ts';
import { byId, field, onPress, parsed, setText, showCommand, stamp, sync } from './ui-dom.ts';
import { listenSwitches, showCallers, showReviews, showSwitches } from './ui-others.ts';
import { connect } from './ui-port.ts';
import { listenProviders, showProviders } from './ui-providers.ts';
import { count, grantFor, grantLevel, mainProblem, serverLine, serverMeta, serverProblem, siteName, stepWord, summary, versions } from './ui-text.ts';

let stopped = false;

const worker = connect({
  state: (s) => parsed.then(() => show(s)),
  gone: () => parsed.then(showGone),
});

onPress('pair', () => worker.send({ type: 'pair' }));
onPress('stop', () => worker.send({ type: stopped ? 'resume' : 'stop' }));
parsed.then(() => {
  watchMoves();
  listenSwitches(worker.send);
  listenProviders(worker.send);
  byId<HTMLInputElement>('manual').addEventListener('change', pairByFile);
  showCommand(byId('print-pairing'), 'chrome-mcp --print-pairing');
});

function showGone(): void {
  byId('hero').dataset.tone = 'bad';
  setText(byId('status'), 'reload this page');
  setText(byId('detail'), 'The extension was updated or removed while this page was open.');
}

function show(s: UiState): void {
  stopped = s.stopped;
  const { status, tone, detail } = summary(s);
  byId('hero').dataset.tone = tone;
  setText(byId('status'), status);
  setText(byId('detail'), detail);
  setText(byId('pair'), s.paired ? 'Pair again' : 'Pair');
  byId('pair').classList.toggle('primary', !s.stopped && (!s.paired || tone === 'bad'));
  setText(byId('stop'), s.stopped ? 'Resume' : 'Stop');
  byId('stop').classList.toggle('primary', s.stopped);

  byId('browser').hidden = s.browserName === '';
  setText(field(byId('browser'), 'name'), s.browserName);
  setText(byId('versions'), versions(chrome.runtime.getManifest().version, s.host));

  showSteps(s);
  showProblem(byId('problem'), mainProblem(s));
  showServers(s);
  showSwitches(s.others);
  showReviews(s.others.reviews, worker.send);
  showCallers(s.others.callers, worker.send);
  showProviders(s.others, worker.send);
  byId('no-grants').hidden = s.grants.length > 0;
  sync(byId('grants'), s.grants, (g) => g.id, makeGrant, updateGrant);
}

function makeGrant(g: GrantState): HTMLElement {
  const row = stamp('grant-row');
  field(row, 'revoke').addEventListener('click', () => worker.send({ type: 'revoke', id: g.id }));
  return row;
}

function updateGrant(row: HTMLElement, g: GrantState): void {
  row.dataset.level = g.level;
  setText(field(row, 'site'), g.site);
  setText(field(row, 'level'), grantLevel(g));
  setText(field(row, 'for'), grantFor(g));
  field(row, 'revoke').setAttribute('aria-label', `Remove ${g.site}, ${grantLevel(g)}, ${grantFor(g)}`);
}

function showSteps(s: UiState): void {
  for (const step of s.steps) {
    const li = document.querySelector<HTMLElement>(`[data-step="${step.id}"]`);
    if (!li) {
      continue;
    }
    li.dataset.state = step.state;
    setText(field(li, 'state'), stepWord(step.state));
    setText(field(li, 'text'), step.text ?? '');
  }
}

function showProblem(box: HTMLElement, problem: Problem | undefined): void {
  const key = JSON.stringify(problem ?? null);
  if (box.dataset.key === key) {
    return; // an alert that is written again is read out again
  }
  box.dataset.key = key;
  box.hidden = !problem;
  box.replaceChildren();
  if (!problem) {
    return;
  }
  box.append(byId<HTMLTemplateElement>('problem-body').content.cloneNode(true));
  setText(field(box, 'what'), problem.what);
  field(box, 'why').hidden = !problem.why;
  setText(field(box, 'words'), problem.why ?? '');
  field(box, 'fix').hidden = !problem.command;
  if (problem.command) {
    showCommand(field(box, 'command'), problem.command);
  }
}

function showServers(s: UiState): void {
  const { servers } = s;
  const live = servers.filter((v) => v.state === 'connected').length;
  setText(byId('count'), servers.length > 0 && !s.stopped ? `${live} of ${servers.length} in use` : '');
  byId('no-servers').hidden = servers.length > 0;
  sync(byId('servers'), servers, (v) => v.sessionId, makeServer, (row, v) => updateServer(row, v, s));
}

function makeServer(v: ServerState): HTMLElement {
  const row = stamp('server-row');
  row.dataset.server = v.sessionId;
  return row;
}

function updateServer(row: HTMLElement, v: ServerState, s: UiState): void {
  const { text, tone } = serverLine(v, s.stopped);
  row.dataset.tone = tone;
  row.dataset.state = v.state;
  setText(field(row, 'client'), v.client || 'Unnamed client');
  setText(field(row, 'state'), text);
  setText(field(row, 'meta'), serverMeta(v, Date.now()));
  sync(field(row, 'tabs'), v.tabs, (t) => String(t.id), () => stamp('tab-row'), updateTab);
  showProblem(field(row, 'problem'), serverProblem(v, s));
}

function updateTab(row: HTMLElement, t: TabState): void {
  setText(field(row, 'title'), t.title || 'Untitled');
  setText(field(row, 'host'), siteName(t.url).name);
}

async function pairByFile(event: Event): Promise<void> {
  const input = event.target as HTMLInputElement;
  const file = input.files?.[0];
  if (!file) {
    return;
  }
  setText(byId('manual-result'), `Read ${file.name} (${count(file.size, 'byte')}).`);
  worker.send({ type: 'manual', text: await file.text() });
  input.value = ''; // so that the same file can be chosen again
}

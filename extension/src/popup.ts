// The popup: whether agents are at work, and what they may do on this site.
import type { SiteAccess, UiState } from './state.ts';
import { byId, field, onPress, parsed, setText, showCommand, stamp, sync } from './ui-dom.ts';
import { connect } from './ui-port.ts';
import { missingFlags, siteName, summary } from './ui-text.ts';

let stopped = false;
let tabId: number | undefined;
let url = '';

const worker = connect({
  state: (s) => parsed.then(() => {
    show(s);
    askForSite();
  }),
  site: (answer) => {
    if (answer.url === url) {
      showAccess(answer.servers);
    }
  },
  gone: () => parsed.then(() => setText(byId('status'), 'reload the browser')),
});

onPress('stop', () => worker.send({ type: stopped ? 'resume' : 'stop' }));
onPress('options', async () => {
  await chrome.runtime.openOptionsPage();
  window.close();
});
chrome.tabs.onUpdated.addListener((id, change) => {
  if (id === tabId && change.url) {
    askForSite();
  }
});

function show(s: UiState): void {
  stopped = s.stopped;
  const { status, tone, detail } = summary(s);
  byId('hero').dataset.tone = tone;
  setText(byId('status'), status);
  setText(byId('stop'), stopped ? 'Resume' : 'Stop');
  byId('stop').classList.toggle('primary', stopped);
  setText(byId('detail'), tone === 'ok' ? '' : tone === 'bad' ? 'Something is wrong; Settings says what mends it.' : detail);
  if (tone !== 'ok') {
    showAccess([]);
  }
}

async function askForSite(): Promise<void> {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  tabId = tab?.id;
  url = tab?.pendingUrl || tab?.url || '';
  setText(byId('site'), siteName(url).name);
  worker.send({ type: 'site', url });
}

function showAccess(servers: SiteAccess[]): void {
  const { drivable } = siteName(url);
  if (servers.length > 0 && !drivable) {
    setText(byId('detail'), 'No agent can read or use this page, whatever is allowed.');
    servers = [];
  }
  // Two sessions of one client may have different rules, so the place is the key.
  const rows = servers.map((v, i) => ({ ...v, key: `${i} ${v.client}` }));
  sync(byId('access'), rows, (v) => v.key, () => stamp('access-row'), updateAccess);
  const flags = missingFlags(url, servers);
  byId('fix').hidden = flags === '';
  if (flags !== '') {
    showCommand(byId('flags'), flags);
  }
}

function updateAccess(row: HTMLElement, v: SiteAccess): void {
  setText(field(row, 'client'), v.client || 'Unnamed client');
  setRight(row, 'read', v.read, 'Read');
  setRight(row, 'act', v.act, 'Act');
  setText(field(row, 'rule'), v.rule ? `by the rule ${v.rule}` : '');
}

function setRight(row: HTMLElement, name: 'read' | 'act', allowed: boolean, word: string): void {
  field(row, name).dataset.state = allowed ? 'done' : 'idle';
  const text = field(row, `${name}-text`);
  setText(text, word);
  field(row, name).setAttribute('aria-label', `${word}: ${allowed ? 'allowed' : 'not allowed'}`);
  field(row, name).setAttribute('role', 'img');
}

// The popup: whether agents are at work, what they may do on this site, and the user's
// word on it and on what was refused elsewhere.
import type { AskState, SiteAccess, UiState } from './state.ts';
import { makeChoice, updateChoice, watchMoves } from './ui-choice.ts';
import type { Choice } from './ui-choice.ts';
import { byId, field, onPress, parsed, setText, showCommand, stamp, sync } from './ui-dom.ts';
import { showCallers, showReviews } from './ui-others.ts';
import { connect } from './ui-port.ts';
import { askText, hereText, missingFlags, ruleText, siteName, summary } from './ui-text.ts';

let state: UiState | undefined;
let access: SiteAccess[] = [];
let tabId: number | undefined;
let url = '';

const worker = connect({
  state: (s) => parsed.then(() => {
    state = s;
    show(s);
    askForSite();
  }),
  site: (answer) => {
    if (answer.url === url) {
      access = answer.servers;
      showAccess();
    }
  },
  gone: () => parsed.then(() => setText(byId('status'), 'reload the browser')),
});

parsed.then(watchMoves);

onPress('stop', () => worker.send({ type: state?.stopped ? 'resume' : 'stop' }));
onPress('options', async () => {
  await chrome.runtime.openOptionsPage();
  window.close();
});
onPress('free', () => {
  if (tabId !== undefined) {
    worker.send({ type: 'free', tab: tabId });
  }
});
chrome.tabs.onUpdated.addListener((id, change) => {
  if (id === tabId && (change.url || change.status === 'complete')) {
    askForSite();
  }
});

function show(s: UiState): void {
  const { status, tone, detail } = summary(s);
  byId('hero').dataset.tone = tone;
  setText(byId('status'), status);
  setText(byId('stop'), s.stopped ? 'Resume' : 'Stop');
  byId('stop').classList.toggle('primary', s.stopped);
  showOthers(s);
  if (tone !== 'ok') {
    setText(byId('detail'), tone === 'bad' ? 'Something is wrong; Settings says what mends it.' : detail);
    access = [];
    showAccess();
  }
}

// The page that this is about is in front of its window. As a page of its own the popup
// is that itself, and says what it is about in its address.
async function askForSite(): Promise<void> {
  const named = new URLSearchParams(location.search).get('tab');
  const tab = named ? await chrome.tabs.get(Number(named)) : (await chrome.tabs.query({ active: true, currentWindow: true }))[0];
  tabId = tab?.id;
  url = tab?.pendingUrl || tab?.url || '';
  setText(byId('site'), siteName(url).name);
  worker.send({ type: 'site', url, ...(tabId === undefined ? {} : { tab: tabId }) });
}

function showAccess(): void {
  const { drivable } = siteName(url);
  if (access.length > 0) {
    setText(byId('detail'), drivable ? '' : 'No agent can read or use this page, whatever is allowed.');
  }
  // Two sessions of one client may have different rules, so the place is the key.
  const rows = (drivable ? access : []).map((v, i) => ({ ...v, key: `${i} ${v.client} ${v.site}` }));
  sync(byId('access'), rows, (v) => v.key, makeAccess, updateAccess);
  showAsks();
  showHere(rows);
  byId('hint').hidden = byId('asked').hidden && !rows.some((v) => v.site !== undefined && !(v.read && v.act));
  const flags = missingFlags(url, rows.filter((v) => v.site === undefined));
  byId('fix').hidden = flags === '';
  if (flags !== '') {
    showCommand(byId('flags'), flags);
  }
}

function makeAccess(v: SiteAccess): HTMLElement {
  const row = stamp('access-row');
  row.dataset.site = v.site ?? '';
  row.dataset.client = v.client;
  field(row, 'choice').append(makeChoice(press));
  const asked = askFor(v);
  (field(row, 'more') as HTMLDetailsElement).open = asked !== undefined || (!v.read && access.length === 1);
  field(row, 'revoke').addEventListener('click', () => worker.send({ type: 'revoke', id: row.dataset.grant ?? '' }));
  return row;
}

function updateAccess(row: HTMLElement, v: SiteAccess): void {
  setText(field(row, 'client'), v.client);
  setRight(row, 'read', v.read, 'Read');
  setRight(row, 'act', v.act, 'Act');
  row.dataset.grant = v.grant?.id ?? '';
  setText(field(row, 'rule'), ruleText(v));
  field(row, 'revoke').hidden = !v.grant;
  const open = v.site !== undefined && !(v.read && v.act);
  field(row, 'more').hidden = !open;
  if (open) {
    setText(field(row, 'more-text'), v.read ? 'Allow acting too' : 'Allow or deny');
    updateChoice(field(row, 'choice'), { site: v.site ?? '', client: v.client, act: v.read || askFor(v)?.access === 'act', atLeastAct: v.read });
  }
}

// askFor is the ask that a row of this site answers.
function askFor(v: SiteAccess): AskState | undefined {
  return state?.asks.find((a) => !a.pageTool && a.site === v.site && a.client === v.client);
}

function setRight(row: HTMLElement, name: 'read' | 'act', allowed: boolean, word: string): void {
  field(row, name).dataset.state = allowed ? 'done' : 'idle';
  const text = field(row, `${name}-text`);
  setText(text, word);
  field(row, name).setAttribute('aria-label', `${word}: ${allowed ? 'allowed' : 'not allowed'}`);
  field(row, name).setAttribute('role', 'img');
}

// showAsks lists what was refused on other sites than this. A new one comes last, so that
// those before it stay where they are.
function showAsks(): void {
  const asks = state?.stopped ? [] : (state?.asks ?? []).filter((a) => !access.some((v) => !a.pageTool && v.site === a.site && v.client === a.client && siteName(url).drivable));
  byId('asked').hidden = asks.length === 0;
  sync(byId('asks'), asks.reverse(), (a) => a.id, makeAsk, updateAsk);
}

function makeAsk(ask: AskState): HTMLElement {
  const row = stamp('ask-row');
  row.dataset.site = ask.site;
  row.dataset.client = ask.client;
  row.dataset.pageTool = ask.pageTool ?? '';
  field(row, 'choice').append(makeChoice(press));
  return row;
}

function updateAsk(row: HTMLElement, ask: AskState): void {
  setText(field(row, 'site'), ask.site);
  setText(field(row, 'why'), askText(ask));
  updateChoice(field(row, 'choice'), { site: ask.site, client: ask.client, act: ask.access === 'act', atLeastAct: false, pageTool: ask.pageTool });
}

// showOthers lists what other extensions wait for.
function showOthers({ others, stopped }: UiState): void {
  const callers = others.callers.filter((c) => c.state === 'pending' && !stopped);
  const reviews = stopped ? [] : others.reviews;
  byId('others').hidden = callers.length + reviews.length === 0;
  showReviews(reviews, worker.send);
  showCallers(callers, worker.send);
}

function press(choice: Choice): void {
  worker.send({ type: 'grant', ...choice });
}

// showHere says why this tab goes nowhere else, while it is a session's.
function showHere(rows: SiteAccess[]): void {
  const text = hereText(rows);
  byId('here').hidden = text === '';
  setText(byId('here-text'), text);
}

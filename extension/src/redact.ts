// What a server may see of results and events: nothing of documents whose site is
// denied but their origin. Servers need to know that a tab went somewhere, not more.

import { decide, judge, site } from './gate';
import type { Place } from './gate';
import type { ProtocolFrame } from './frames';
import { CDPEvents } from './wire.gen';
import type { Rules } from './policy';
import type { Access, Frame } from './wire.gen';

type Params = Record<string, unknown>;

// These say by themselves what happened to a command, or tell nothing of a page.
const plain = new Set(['Page.navigate', 'Page.navigateToHistoryEntry', 'Page.reload', 'Page.stopLoading', 'Page.handleJavaScriptDialog']);

// Sent is a DevTools command that was answered; place is the frame's document by then.
export interface Sent {
  method: string;
  access: Access;
  place: Place;
  policy: Rules;
}

// result judges a DevTools command's result again before it leaves.
export function result(sent: Sent, value: unknown): unknown {
  switch (sent.method) {
    case 'Page.getNavigationHistory':
      return history(value as History, sent.policy);
  }
  const empty = !value || Object.keys(value).length === 0;
  if (!empty && sent.access !== 'act' && !plain.has(sent.method)) judge(sent.place, sent.access, sent.policy);
  return value;
}

interface History {
  currentIndex: number;
  entries: { id: number; url: string; userTypedURL: string; title: string }[];
}

function history(value: History, policy: Rules): History {
  const entries = value.entries.map((entry) => {
    const url = address(entry.url, policy);
    return url === entry.url ? entry : { ...entry, url, userTypedURL: url, title: '' };
  });
  return { ...value, entries };
}

function document(frame: ProtocolFrame, policy: Rules): ProtocolFrame {
  const url = address(frame.url, policy, frame.securityOrigin);
  if (url === frame.url) return frame;
  const { urlFragment: _fragment, unreachableUrl: _unreachable, ...rest } = frame;
  return { ...rest, url, name: '' };
}

// frame is a frame of the list as a server may see it.
export function frame(known: Frame, policy: Rules): Frame {
  const url = address(known.url, policy, known.origin);
  if (url === known.url) return known;
  const { name: _name, ...rest } = known;
  return { ...rest, url };
}

// address is a document's URL, or its origin where the site is denied.
function address(url: string, policy: Rules, origin = ''): string {
  // These name no site; what is in such a document is judged when it is read.
  if (url === '' || url.startsWith('about:') || url.startsWith('chrome-error:')) return url;
  return decide({ url, origin: origin === '://' ? 'null' : origin }, 'read', policy).allow ? url : site({ url, origin });
}

// counted leaves out what a WebSocket carries: its frames are counted, not kept.
function counted(method: string, params: Params): Params {
  return method.startsWith('Network.webSocketFrame') && params.response ? { ...params, response: {} } : params;
}

// event is an event as a server may see it, or undefined for one that it may not.
// place is the root document of the target that told it.
export function event(method: string, params: Params, place: Place, policy: Rules): Params | undefined {
  const access = Object.hasOwn(CDPEvents, method) ? CDPEvents[method] : undefined;
  if (!access) return undefined;
  // What observers record is the page's own business: its requests, its console.
  if (access !== 'read') return decide(place, access, policy).allow ? counted(method, params) : undefined;
  if (method.startsWith('WebMCP.')) return { tools: frames(params.tools) };
  if (method === 'Page.frameNavigated') return { ...params, frame: document(params.frame as ProtocolFrame, policy) };
  if (typeof params.url !== 'string') return params;
  // What is in a data: address the page has made, so it is the page that is judged.
  const made = method === 'Page.downloadWillBegin' && params.url.startsWith('data:');
  if (made && decide(place, access, policy).allow) return params;
  const url = address(params.url, policy);
  if (url === params.url) return params;
  const told: Params = { ...params, url };
  if (method === 'Page.javascriptDialogOpening') Object.assign(told, { message: '', defaultPrompt: '' });
  if (method === 'Page.downloadWillBegin') told.suggestedFilename = '';
  return told;
}

// frames keeps of a page's tools in which frames they are: what they are called and said
// to do are words of the page.
function frames(tools: unknown): object[] {
  return Array.isArray(tools) ? tools.map((tool: { frameId?: unknown }) => ({ frameId: String(tool.frameId ?? '') })) : [];
}

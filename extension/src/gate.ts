// The extension's gate. The server has judged a command before it sent it; here it is
// judged again, by the browser's own knowledge of the tab and the frame, so that a
// broken or captured server gets no further than the user allowed.
//
// It decides only. What a policy means is in policy.ts, the same as in the server.

import { Failure } from './failure';
import { evaluate, evaluateTool } from './policy';
import type { Rules } from './policy';
import { CDPMethods, Functions } from './wire.gen';
import type { Access, BrowserError, Decision, PageResult, Policy } from './wire.gen';

// Place is a document as the browser knows it.
export interface Place {
  url: string;
  origin: string;
}

const browserSchemes = new Set(['chrome:', 'chrome-untrusted:', 'chrome-search:', 'devtools:', 'view-source:', 'edge:', 'brave:', 'vivaldi:', 'opera:', 'arc:']);
const extensionSchemes = new Set(['chrome-extension:', 'moz-extension:', 'extension:', 'isolated-app:']);

// undrivable says why no policy can permit a URL, or "". Pages that can change the
// browser, the extensions or this very gate are out of reach whatever a user allows.
export function undrivable(url: string): string {
  let why = drivable.get(url);
  if (why !== undefined) return why;
  why = whyUndrivable(url);
  if (drivable.size >= maxKnown) drivable.clear();
  if (url.length <= maxLength) drivable.set(url, why);
  return why;
}

// drivable remembers the answers: each command asks several times, and parsing takes long.
const drivable = new Map<string, string>();
const maxKnown = 512;
const maxLength = 2048;

function whyUndrivable(url: string): string {
  if (url === '') return 'its address is not known yet; try again in a moment';
  const parsed = URL.parse ? URL.parse(url) : parse(url);
  if (!parsed) return 'its address cannot be read';
  const scheme = parsed.protocol;
  if (browserSchemes.has(scheme)) return 'it is a page of the browser itself; open a web page with tab_new';
  if (extensionSchemes.has(scheme)) return 'it belongs to a browser extension; open a web page with tab_new';
  if (scheme === 'about:' && !/^about:(blank|srcdoc)([?#]|$)/.test(url)) return 'it is a page of the browser itself; open a web page with tab_new';
  if (gallery(parsed)) return 'extensions are installed there, which only the user may do';
  return '';
}

function gallery(url: URL): boolean {
  const host = url.hostname.replace(/\.$/, '');
  return host === 'chromewebstore.google.com' || host === 'microsoftedge.microsoft.com' ||
    (host === 'chrome.google.com' && /^\/webstore(\/|$)/.test(url.pathname));
}

function parse(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

// decide is evaluate behind the limits that no policy lifts.
export function decide(place: Place, access: Access, policy: Rules): Decision {
  const why = undrivable(place.url);
  if (why) return { allow: false, reason: `${short(place.url)} cannot be driven: ${why}` };
  return evaluate(place.url, place.origin, access, policy);
}

// judge throws what keeps access from a place.
export function judge(place: Place, access: Access, policy: Rules): void {
  const decision = decide(place, access, policy);
  if (!decision.allow) throw new Failure('POLICY_DENIED', decision.reason ?? `${short(place.url)} is not allowed`, asking(decision, access));
}

// asking is what a refusal says to programs: the site that the user could grant.
function asking({ site, pageTool }: Decision, access: Access): { data?: object } {
  return site ? { data: { site, access, ...(pageTool ? { pageTool } : {}) } } : {};
}

// pageToolOf is the page's tool that a page function calls, "" for none.
export function pageToolOf(fn: string, args: unknown): string {
  if (fn !== 'webmcpCall') return '';
  const { tool } = (args ?? {}) as { tool?: unknown };
  if (typeof tool !== 'string' || tool === '') throw new Failure('BAD_ARGS', 'webmcpCall names the tool to call');
  return tool;
}

// decidePageTool is evaluateTool behind the limits that no policy lifts.
export function decidePageTool(place: Place, tool: string, policy: Rules): Decision {
  const site = decide(place, 'act', policy);
  return site.allow ? evaluateTool(place.url, place.origin, tool, policy) : site;
}

// judgePageTool throws what keeps a page's tool from being called.
export function judgePageTool(place: Place, tool: string, policy: Rules): void {
  const decision = decidePageTool(place, tool, policy);
  if (!decision.allow) throw new Failure('POLICY_DENIED', decision.reason ?? `the tool ${tool} is not allowed`, asking(decision, 'act'));
}

// accessOf is the access class of a DevTools command, or a refusal.
export function accessOf(method: string): Access {
  const access = Object.hasOwn(CDPMethods, method) ? CDPMethods[method] : undefined;
  if (!access) throw new Failure('POLICY_DENIED', `the DevTools command ${method} is not one that chrome-mcp sends`);
  return access;
}

// accessOfFunction is the access class of a page function, or a refusal.
export function accessOfFunction(name: string): Access {
  const access = Object.hasOwn(Functions, name) ? Functions[name] : undefined;
  if (!access) throw new Failure('BAD_ARGS', `there is no page function ${name}; update the older of server and extension`);
  return access;
}

// Intervenes are commands classed as reads that nevertheless change what a user sees
// of a tab. The session that sends one claims the tab, as by an action.
const intervenes = new Set(['Page.navigate', 'Page.navigateToHistoryEntry', 'Page.reload', 'Page.stopLoading',
  'Page.handleJavaScriptDialog']);

// claims reports whether a DevTools command makes its session the tab's owner.
export function claims(method: string, access: Access): boolean {
  return intervenes.has(method) || (access !== 'read' && access !== 'observe');
}

// acts reports whether a command changes something each time it runs, so that it must
// not be sent twice.
export function acts(method: string, access: Access): boolean {
  return method === 'Page.handleJavaScriptDialog' || method === 'Page.navigateToHistoryEntry' ||
    (access !== 'read' && access !== 'observe');
}

// These only go somewhere, or say where a tab is: what the user granted for once is left
// for the call that does something there.
const travelling = new Set(['Page.navigate', 'Page.navigateToHistoryEntry', 'Page.reload', 'Page.stopLoading',
  'Page.getNavigationHistory', 'Page.handleJavaScriptDialog', 'probe']);

// travels reports whether a DevTools command or page function only goes somewhere.
export function travels(name: string): boolean {
  return travelling.has(name);
}

// leaves are the ways out of a page that is denied, for a session in its own tab.
const leaves = new Set(['Page.navigate', 'Page.navigateToHistoryEntry', 'Page.stopLoading']);

// Ask is one DevTools command before the gate.
export interface Ask {
  method: string;
  params: Record<string, unknown>;
  place: Place; // the frame's document
  own: boolean; // the tab is the session's own
}

// admit judges a DevTools command and returns the params to send, which may be
// narrower than those asked for.
export function admit(ask: Ask, access: Access, policy: Rules): Record<string, unknown> {
  if (!leavesFrom(ask)) judge(ask.place, access, policy);
  switch (ask.method) {
    case 'Page.navigate':
      judge({ url: String(ask.params.url ?? ''), origin: '' }, access, policy);
      return ask.params;
    case 'Network.getCookies':
      return { urls: cookieURLs(ask, access, policy) };
    case 'DOM.setFileInputFiles':
      for (const file of list(ask.params.files)) judgeFile(file, policy);
      return ask.params;
    case 'Runtime.evaluate':
    case 'Runtime.callFunctionOn':
      return ownContext(ask.params);
    default:
      return ask.params;
  }
}

// Commands about one frame or its nodes. All others are about the target that hosts the
// frame: its input, its pictures, its code are those of the target's own root.
const ofFrame = new Set(['DOM.getBoxModel', 'DOM.getFrameOwner', 'DOM.setFileInputFiles', 'Network.getCookies']);

// onlyFrame reports whether a DevTools command is about the frame it names, so that the
// root of its target need not be allowed.
export function onlyFrame(method: string): boolean {
  return ofFrame.has(method);
}

// aboutNode reports whether a DevTools command takes a node.
export function aboutNode(method: string): boolean {
  return method === 'DOM.getBoxModel' || method === 'DOM.setFileInputFiles';
}

// ownContext keeps code out of the contexts of other frames.
function ownContext(params: Record<string, unknown>): Record<string, unknown> {
  const { contextId: _id, uniqueContextId: _unique, executionContextId: _execution, ...rest } = params;
  return rest;
}

function leavesFrom(ask: Ask): boolean {
  if (!ask.own) return false;
  return leaves.has(ask.method) || (ask.method === 'Page.handleJavaScriptDialog' && ask.params.accept === false);
}

// cookieURLs keeps the command from cookies of sites that are not the frame's, unless
// they are allowed too. Without URLs Chrome would add those of all subframes.
function cookieURLs(ask: Ask, access: Access, policy: Rules): string[] {
  if (ask.params.urls === undefined) return [ask.place.url];
  const urls = list(ask.params.urls);
  for (const url of urls) judge({ url, origin: '' }, access, policy);
  return urls.length > 0 ? urls : [ask.place.url];
}

function judgeFile(file: string, policy: Policy): void {
  const dir = (policy.uploadsDir ?? '').replace(/[\\/]+$/, '');
  const inside = dir !== '' && (file.startsWith(dir + '/') || file.startsWith(dir + '\\'));
  if (!inside || file.split(/[\\/]/).includes('..')) {
    throw new Failure('POLICY_DENIED', `${file} is not in the folder that uploads may come from (--uploads-dir)`);
  }
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

// answered judges a page function's answer by the document that gave it: the page may
// have changed since the command was judged. known is the frame's document by then.
export function answered(result: PageResult, known: Place, access: Access, policy: Rules): PageResult {
  const place = answerer(result, known);
  const decision = decide(place, access, policy);
  if (decision.allow) return { ...result, origin: place.origin };
  const error: BrowserError = { code: 'POLICY_DENIED', message: decision.reason ?? `${short(place.url)} is not allowed`, ...asking(decision, access) };
  return { url: site(place), origin: place.origin, document: result.document, error };
}

// answerer is the document that answered. Two kinds cannot say themselves whose they
// are: Chrome's error page, which stands for the address that could not be loaded, and
// blank or srcdoc documents with an opaque origin, which belong to the page around them.
function answerer(result: PageResult, known: Place): Place {
  const error = result.url.startsWith('chrome-error:');
  const blank = result.origin === 'null' && result.url.startsWith('about:') && result.url === known.url;
  return error || blank ? known : { url: result.url, origin: result.origin };
}

// site is the origin of a place as a URL: all that is told of a place which is denied.
export function site(place: Place): string {
  const url = parse(place.url);
  if (url && url.origin !== 'null') return url.origin + '/';
  if (place.origin.includes('://')) return place.origin + '/';
  return url ? url.protocol : '';
}

// shown is what a server may know of a tab's address and title.
export function shown(tab: { url: string; title: string }, policy: Rules): { url: string; title: string } {
  if (policy.allTabs || decide({ url: tab.url, origin: '' }, 'read', policy).allow) return tab;
  return { url: site({ url: tab.url, origin: '' }), title: '' };
}

function short(url: string): string {
  return url === '' ? 'the page' : url.length > 200 ? url.slice(0, 200) + '…' : url;
}

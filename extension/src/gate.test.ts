import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Failure } from './failure';
import { accessOf, accessOfFunction, acts, admit, answered, claims, decide, shown, site, undrivable } from './gate';
import type { Ask } from './gate';
import { CDPMethods } from './wire.gen';
import type { Access, PageResult, Policy } from './wire.gen';

const all: Policy = {
  allowDomains: ['*', 'file:'], mutations: true, eval: true, downloads: true, uploads: true, observers: true, allTabs: false,
  uploadsDir: '/home/u/up',
};
const some: Policy = { allowDomains: ['ok.example'], mutations: true, observers: true };
const ok = { url: 'https://ok.example/a', origin: 'https://ok.example' };
const bad = { url: 'https://bad.example/secret?t=1', origin: 'https://bad.example' };

const denied = (code = 'POLICY_DENIED') => (thrown: unknown) => thrown instanceof Failure && thrown.code === code;

test('what no policy permits', () => {
  for (const url of ['chrome://settings', 'chrome-extension://nbjkcdnkielgggfebglhmpjifnojhmgb/options.html', 'devtools://devtools/x',
    'view-source:https://ok.example/', 'about:version', 'edge://flags', 'chrome-untrusted://x/', '',
    'https://chromewebstore.google.com/detail/x', 'https://chromewebstore.google.com./', 'https://chrome.google.com/webstore/detail/x',
    'https://microsoftedge.microsoft.com/addons', 'javascript:alert(1)', 'data:text/html,x', 'not a url']) {
    assert.equal(decide({ url, origin: '' }, 'read', all).allow, false, url);
  }
  for (const url of ['https://chrome.google.com/', 'https://ok.example/webstore', 'about:blank', 'https://microsoft.com/']) {
    assert.equal(undrivable(url), '', url);
  }
});

test('a method that is not in the table is refused', () => {
  for (const method of ['Browser.close', 'Page.setBypassCSP', 'constructor', '__proto__', 'toString', '']) {
    assert.throws(() => accessOf(method), denied(), method);
  }
  assert.throws(() => accessOfFunction('constructor'), denied('BAD_ARGS'));
  assert.equal(accessOfFunction('snapshot'), 'read');
});

const ask = (method: string, change: Partial<Ask> = {}): Ask => ({ method, params: {}, place: ok, own: false, ...change });

test('a frame is judged by its own address', () => {
  admit(ask('DOM.getBoxModel'), 'read', some);
  assert.throws(() => admit(ask('DOM.getBoxModel', { place: bad }), 'read', some), denied());
  assert.throws(() => admit(ask('DOM.getBoxModel', { place: bad, own: true }), 'read', some), denied());
});

test('a navigation is judged by where it goes', () => {
  const go = (url: unknown, own = false, place = ok) => admit(ask('Page.navigate', { params: { url }, own, place }), 'read', some);
  go('https://ok.example/b');
  for (const url of ['https://bad.example/', 'chrome://version', 'javascript:alert(1)', 'chrome-extension://nbjkcdnkielgggfebglhmpjifnojhmgb/options.html', undefined, 7]) {
    assert.throws(() => go(url), denied(), String(url));
  }
  assert.throws(() => go('https://ok.example/b', false, bad), denied(), 'the user\'s tab on a denied site stays');
  go('https://ok.example/b', true, bad); // the session's own may leave
});

test('a session may leave a denied page, and dismiss what is open there', () => {
  for (const method of ['Page.navigateToHistoryEntry', 'Page.stopLoading']) admit(ask(method, { place: bad, own: true }), 'read', some);
  admit(ask('Page.handleJavaScriptDialog', { place: bad, own: true, params: { accept: false } }), 'read', some);
  assert.throws(() => admit(ask('Page.handleJavaScriptDialog', { place: bad, own: true, params: { accept: true } }), 'read', some), denied());
});

test('cookies are those of the frame, or of sites that are allowed', () => {
  const cookies = (urls?: unknown) => admit(ask('Network.getCookies', { params: urls === undefined ? {} : { urls } }), 'observe', some);
  assert.deepEqual(cookies(), { urls: [ok.url] });
  for (const none of [[], 'https://bad.example/', 7, {}]) assert.deepEqual(cookies(none), { urls: [ok.url] }, JSON.stringify(none));
  assert.deepEqual(cookies(['https://ok.example/x']), { urls: ['https://ok.example/x'] });
  assert.throws(() => cookies(['https://ok.example/', 'https://bad.example/']), denied());
});

test('files come from the folder for uploads', () => {
  const set = (...files: string[]) => admit(ask('DOM.setFileInputFiles', { params: { files } }), 'upload', all);
  set('/home/u/up/a.txt', '/home/u/up/sub/b.txt');
  for (const file of ['/etc/passwd', '/home/u/up', '/home/u/up/../x', '/home/u/upper/x', 'a.txt', '/home/u/up/sub/../../x']) {
    assert.throws(() => set('/home/u/up/a.txt', file), denied(), file);
  }
  assert.throws(() => admit(ask('DOM.setFileInputFiles', { params: { files: ['/x'] } }), 'upload', { ...all, uploadsDir: '' }), denied());
});

test('code stays in the frame that was judged', () => {
  const params = { expression: '1', contextId: 7, uniqueContextId: 'x', executionContextId: 8 };
  assert.deepEqual(admit(ask('Runtime.evaluate', { params }), 'eval', all), { expression: '1' });
  assert.deepEqual(admit(ask('Runtime.callFunctionOn', { params: { ...params, objectId: 'o' } }), 'eval', all), { expression: '1', objectId: 'o' });
});

test('the table has no command that looks into other frames, or says more than is used', () => {
  for (const method of ['Accessibility.getPartialAXTree', 'DOM.describeNode', 'DOM.getContentQuads', 'Page.captureScreenshot', 'Page.getFrameTree', 'Runtime.getProperties']) {
    assert.throws(() => accessOf(method), denied(), method);
  }
});

test('what changes a tab claims it, and only what acts has an unknown outcome', () => {
  const byMethod = (f: (method: string, access: Access) => boolean) => Object.entries(CDPMethods).filter(([m, a]) => f(m, a)).map(([m]) => m);
  const claiming = byMethod(claims);
  for (const method of ['Page.navigate', 'Input.dispatchMouseEvent', 'Page.reload', 'Runtime.evaluate']) assert.ok(claiming.includes(method), method);
  for (const method of ['DOM.getBoxModel', 'Page.getNavigationHistory', 'Network.enable']) assert.ok(!claiming.includes(method), method);
  assert.ok(acts('Input.insertText', 'act'));
  assert.ok(acts('Page.handleJavaScriptDialog', 'read'));
  assert.ok(!acts('DOM.getBoxModel', 'read'));
});

const answer = (url: string, origin: string): PageResult => ({ url, origin, document: 'd', value: { text: 'secret' }, json: '{"text":"secret"}' });

test('an answer is judged by the document that gave it', () => {
  assert.deepEqual(answered(answer(ok.url, ok.origin), ok, 'read', some).value, { text: 'secret' });
  const refused = answered(answer(bad.url, bad.origin), ok, 'read', some);
  assert.equal(refused.error?.code, 'POLICY_DENIED');
  assert.equal(refused.url, 'https://bad.example/');
  assert.ok(!JSON.stringify(refused).includes('secret'));
});

test('documents that cannot say whose they are', () => {
  const nobodys = { url: 'about:blank', origin: '' };
  assert.equal(answered(answer('about:blank', 'null'), nobodys, 'read', some).error, undefined);
  const srcdoc = { url: 'about:srcdoc', origin: ok.origin };
  assert.equal(answered(answer('about:srcdoc', 'null'), srcdoc, 'read', some).origin, ok.origin);
  assert.equal(answered(answer('about:srcdoc', 'null'), { url: 'about:srcdoc', origin: bad.origin }, 'read', some).error?.code, 'POLICY_DENIED');
  assert.equal(answered(answer('about:blank', bad.origin), nobodys, 'read', some).error?.code, 'POLICY_DENIED');
  assert.equal(answered(answer('chrome-error://chromewebdata/', 'null'), ok, 'read', some).error, undefined);
  assert.equal(answered(answer('chrome-error://chromewebdata/', 'null'), bad, 'read', some).error?.code, 'POLICY_DENIED');
});

test('denied tabs are listed with nothing but their site', () => {
  const tab = { url: bad.url, title: 'my secret' };
  assert.deepEqual(shown(tab, some), { url: 'https://bad.example/', title: '' });
  assert.deepEqual(shown(tab, { ...some, allTabs: true }), tab);
  assert.deepEqual(shown({ url: ok.url, title: 't' }, some), { url: ok.url, title: 't' });
  assert.equal(shown({ url: 'data:text/html,secret', title: '' }, some).url, 'data:');
  assert.equal(site({ url: 'about:srcdoc', origin: 'https://bad.example' }), 'https://bad.example/');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

import groups from '../../internal/policy/testdata/vectors.json';
import { egressRules } from './egress';
import type { Rule } from './egress';
import { evaluate } from './policy';
import type { Rules } from './policy';
import type { Grant, Policy } from './wire.gen';

// stopped does what Chrome does with a navigation: the rule of the highest priority
// that matches decides.
function stopped(rules: Rule[], url: string, tab = 1, by = ''): boolean {
  const canonical = new URL(url);
  canonical.hash = '';
  const host = canonical.hostname.replace(/\.$/, '');
  const matching = rules.filter(({ condition: c }) => (c.tabIds ? c.tabIds.includes(tab) : !c.excludedTabIds?.includes(tab)) &&
    (c.initiatorDomains === undefined || c.initiatorDomains.includes(by)) &&
    (c.regexFilter === undefined || new RegExp(c.regexFilter).test(canonical.href)) &&
    (c.urlFilter === undefined || canonical.href.includes(c.urlFilter)) &&
    (c.requestDomains === undefined || c.requestDomains.some((d) => host === d || host.endsWith(`.${d}`))));
  matching.sort((a, b) => (b.priority ?? 1) - (a.priority ?? 1));
  return matching[0]?.action.type === 'block';
}

const web = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

for (const group of groups as { name: string; policy: Policy; grants?: Grant[]; cases: { url: string; access?: string }[] }[]) {
  test(`the vectors: ${group.name}`, () => {
    const rules: Rules = { ...group.policy, grants: group.grants ?? [] };
    const exact = egressRules([{ tabs: [1, 2], hosts: [], rules }], []);
    const wide = egressRules([{ tabs: [1, 2], hosts: [], rules }], [], 0);
    for (const { url } of group.cases.filter((c) => web(c.url))) {
      const { allow, reason } = evaluate(url, '', 'read', rules);
      // A host that no name can be is nobody's site: the request may fail as it likes.
      if (reason?.includes('no valid host') || reason?.includes('longer than')) continue;
      assert.equal(stopped(exact, url), !allow, `${url} ${JSON.stringify(exact)}`);
      if (allow) assert.equal(stopped(wide, url), false, `said widely: ${url}`);
      assert.equal(stopped(exact, url, 3), false, 'another tab');
    }
  });
}

test('what the vectors do not have', () => {
  const rows: [Rules, string, boolean][] = [
    [{ allowDomains: ['*:80'] }, 'http://a.test/', true],
    [{ allowDomains: ['*:80'] }, 'https://a.test:80/', true],
    [{ allowDomains: ['*:80'] }, 'https://a.test/', false],
    [{ allowDomains: ['*:80'] }, 'http://[::1]/', true],
    [{ allowDomains: ['*:80'] }, 'http://[::1]:81/', false],
    [{ allowDomains: ['https://*'] }, 'https://a.test:9/', true],
    [{ allowDomains: ['https://*'] }, 'http://a.test/', false],
    [{ allowDomains: ['*.a.test'] }, 'https://b.a.test/', true],
    [{ allowDomains: ['*.a.test'] }, 'https://a.test/', false],
    [{ allowDomains: ['*.a.test'] }, 'https://evil.test/x.a.test/', false],
    [{ allowDomains: ['a.test'] }, 'https://evil.test/?https://a.test/', false],
    [{ allowDomains: ['a.test'] }, 'https://a.test:443@evil.test/', false],
    [{ allowDomains: ['a.test'] }, 'https://u:p@a.test:444/', true],
    [{ allowDomains: ['a.test'] }, 'https://axtest/', false],
    [{ allowDomains: ['a.test:443'] }, 'https://a.test/', true],
    [{ allowDomains: ['a.test:443'] }, 'http://a.test/', false],
    [{ allowDomains: ['*'], denyDomains: ['127.0.0.1'] }, 'http://[::ffff:7f00:1]/', false],
    [{ allowDomains: ['*'], denyDomains: ['*.a.test'] }, 'http://b.a.test./', false],
    [{ allowDomains: ['*'], denyDomains: ['what is this'] }, 'http://b.test/', false],
    [{ allowDomains: ['what is this'] }, 'http://b.test/', false],
    [{}, 'http://b.test/', false],
  ];
  for (const [rules, url, allow] of rows) {
    const label = `${JSON.stringify(rules)} ${url}`;
    assert.equal(evaluate(url, '', 'read', rules).allow, allow, label);
    assert.equal(stopped(egressRules([{ tabs: [1], hosts: [], rules }], []), url), !allow, label);
  }
});

test('sessions have rules of their own, and as few as can be', () => {
  const rules = egressRules([
    { tabs: [1], hosts: [], rules: { allowDomains: ['a.test'] } },
    { tabs: [2, 3], hosts: [], rules: { allowDomains: ['b.test'] } },
    { tabs: [], hosts: ['c.test'], rules: { allowDomains: ['c.test'] } },
    { tabs: [4], hosts: ['b.test'], rules: { allowDomains: ['*'] } },
  ], []);
  assert.deepEqual(rules.map((r) => r.id), [1, 2, 3, 4]);
  assert.equal(stopped(rules, 'https://a.test/', 1), false);
  assert.equal(stopped(rules, 'https://a.test/', 3), true);
  assert.equal(stopped(rules, 'https://b.test/', 3), false);
  assert.equal(stopped(rules, 'https://z.test/', 4), false);
});

test('a tab that nobody knows yet is held to the rules of the page that opens it', () => {
  const rules = egressRules([{ tabs: [1], hosts: ['a.test'], rules: { allowDomains: ['a.test'] } }], [1, 7]);
  assert.equal(stopped(rules, 'https://evil.test/', 99, 'a.test'), true);
  assert.equal(stopped(rules, 'https://a.test/', 99, 'a.test'), false);
  assert.equal(stopped(rules, 'https://evil.test/', 7, 'a.test'), false, 'the user\'s own tab');
  assert.equal(stopped(rules, 'https://evil.test/', 99, 'other.test'), false, 'opened by another page');
  assert.equal(stopped(rules, 'https://evil.test/', 99), false, 'opened by the user');
});

test('more rules than Chrome takes are said widely', () => {
  const allowDomains = [...Array(1200).keys()].map((i) => `h${i}.test`);
  const rules = egressRules([{ tabs: [1], hosts: [], rules: { allowDomains: [...allowDomains, `${'long.'.repeat(40)}test`] } }], []);
  assert.equal(rules.filter((r) => r.condition.regexFilter).length, 900);
  for (const host of ['h0.test', 'h1199.test', `${'long.'.repeat(40)}test`]) assert.equal(stopped(rules, `https://${host}/`), false, host);
  assert.equal(stopped(rules, 'https://h1200.test/'), true);
  assert.equal(stopped(rules, 'https://x.h0.test/'), true);
});

import assert from 'node:assert/strict';
import test from 'node:test';

import groups from '../../internal/policy/testdata/vectors.json';
import { evaluate, evaluateTool } from './policy';
import type { Access, Grant, Policy } from './wire.gen';

interface Case {
  url: string;
  origin?: string;
  access?: string;
  allow: boolean;
  rule?: string;
  site?: string;
  tool?: string; // a page's: evaluateTool decides
  reason?: string;
}

for (const group of groups as { name: string; policy: Policy; grants?: Grant[]; cases: Case[] }[]) {
  test(group.name, () => {
    for (const c of group.cases) {
      const rules = group.grants ? { ...group.policy, grants: group.grants } : group.policy;
      const d = c.tool === undefined
        ? evaluate(c.url, c.origin ?? '', (c.access ?? 'read') as Access, rules)
        : evaluateTool(c.url, c.origin ?? '', c.tool, rules);
      const about = JSON.stringify({ case: c, decided: d });
      assert.equal(d.allow, c.allow, about);
      assert.equal(d.site, c.site, about);
      if (c.rule !== undefined) assert.equal(d.rule, c.rule, about);
      if (c.reason !== undefined) assert.equal(d.reason, c.reason, about);
    }
  });
}

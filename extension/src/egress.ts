// Egress stops navigations before the request leaves: in the tabs of a session, only
// sites that its rules allow are asked for anything. The rules are Chrome's own
// (declarativeNetRequest), so they hold however a navigation began: by a redirect, a
// script, a form, a link in a new tab. Frames and other parts of a page load as ever;
// they are not read.
//
// What Chrome's rules cannot say exactly is said more widely, never more narrowly: the
// gate judges again where a navigation ends.

import { disguises, parseGlob } from './policy';
import type { Glob, Rules } from './policy';
import type { Grant } from './wire.gen';

export type Rule = chrome.declarativeNetRequest.Rule;
type Condition = chrome.declarativeNetRequest.RuleCondition;

// Scope is the tabs of one server's sessions and what is allowed there.
export interface Scope {
  tabs: number[];
  hosts: string[]; // whose pages they show, frames included
  rules: Rules;
}

// Higher wins: the user's Deny over what a server's policy allows, its denials over all.
const stop = 1, allow = 2, deny = 3, never = 4;

// Chrome takes 1000 rules with regular expressions, each of 2 KB compiled: with these
// around it, a host of 85 characters fits (Chromium 156).
const mostExact = 900, longestHost = 80;

// egressRules are Chrome's rules for all scopes. exact bounds the regular expressions.
//
// A tab that a page opens asks for its address before anybody can be told of it. So what
// a session's page may not open, no page of that site may open in a tab that is not
// among the settled, which are those that are known to be the user's or a session's.
export function egressRules(scopes: Scope[], settled: number[], exact = mostExact): Rule[] {
  const out: Rule[] = [];
  for (const { tabs, hosts, rules } of scopes.filter((scope) => scope.tabs.length > 0)) {
    const where: Condition[] = [{ tabIds: tabs }];
    if (hosts.length > 0) where.push({ excludedTabIds: settled, initiatorDomains: hosts });
    for (const place of where) {
      for (const { priority, condition } of limits(rules, () => exact-- > 0)) {
        const type = priority === allow ? 'allow' : 'block';
        out.push({ id: out.length + 1, priority, action: { type }, condition: { ...place, resourceTypes: ['main_frame'], ...condition } });
      }
    }
  }
  return out;
}

interface Limit {
  priority: number;
  condition: Condition;
}

// Filter is a rule of ours as an expression over addresses, which Chrome always writes
// in one way: lower case, no usual port, a slash behind the host.
interface Filter {
  priority: number;
  regex: string;
  host: string; // "" is every host
}

function limits(rules: Rules, exactly: () => boolean): Limit[] {
  // A rule that is not understood denies everything.
  if (rules.denyDomains?.some((glob) => !parseGlob(glob))) return [{ priority: stop, condition: {} }];
  const filters = all(rules);
  if (filters.length === 1 && filters[0]?.regex === everything) return [];
  const out: Limit[] = [{ priority: stop, condition: {} }];
  for (const f of filters) {
    if (f.host.length <= longestHost && exactly()) {
      out.push({ priority: f.priority, condition: { regexFilter: f.regex, isUrlFilterCaseSensitive: true } });
    } else if (f.priority === allow) {
      out.push({ priority: allow, condition: widely(f.host) });
    }
  }
  return out;
}

// widely covers a host and more: those below it, every scheme and port.
function widely(host: string): Condition {
  if (host === '') return {};
  return host.startsWith('[') ? { urlFilter: `://${host}` } : { requestDomains: [host] };
}

function all(rules: Rules): Filter[] {
  const grants = (rules.grants ?? []).filter((g) => !g.pageTool);
  const count = grants.filter((g) => (g.level === 'deny' || !rules.noSiteGrants) && latest(g, grants));
  return [
    ...(rules.denyDomains ?? []).flatMap((glob) => ofGlob(never, glob)),
    ...count.flatMap(ofGrant),
    ...(rules.allowDomains ?? []).flatMap((glob) => ofGlob(allow, glob)),
  ];
}

const latest = (g: Grant, grants: readonly Grant[]): boolean => grants.find((other) => other.site === g.site) === g;

const everything = '^https?://';
const userinfo = '(?:[^/]*@)?';
const anyHost = '(?:\\[[^/\\]]+\\]|[^/@:]+)';

function ofGlob(priority: number, text: string): Filter[] {
  const glob = parseGlob(text);
  if (!glob || glob.scheme === 'file') return [];
  if (glob.any && !glob.scheme && !glob.port) return [{ priority, host: '', regex: everything }];
  if (glob.any) return addresses(glob, anyHost).map((regex) => ({ priority, host: '', regex }));
  return spellings(glob.host, priority).flatMap((host) => {
    const regexes = addresses(glob, (glob.below ? '[^/@:]+\\.' : '') + literal(host));
    return regexes.map((regex) => ({ priority, host, regex }));
  });
}

function ofGrant(g: Grant): Filter[] {
  const priority = g.level === 'deny' ? deny : allow;
  const [, host = '', port = ''] = /^(.*?)(:\d+)?$/.exec(g.site) ?? [];
  return spellings(host, priority).map((host) => ({ priority, host, regex: `^https?://${userinfo}${literal(host)}${port}/` }));
}

// spellings are the hosts that a rule is about: one that denies an address sees through
// its disguises.
function spellings(host: string, priority: number): string[] {
  return priority === allow ? [host] : [host, ...disguises(host)];
}

// literal matches a host, with or without the dot that stands for the root.
function literal(host: string): string {
  return host.replace(/[.[\]]/g, '\\$&') + (host.startsWith('[') ? '' : '\\.?');
}

const usual: Record<string, number> = { http: 80, https: 443 };

function addresses({ scheme, port }: Glob, host: string): string[] {
  const schemes = scheme ? [scheme] : port === 80 || port === 443 ? ['http', 'https'] : ['https?'];
  return schemes.map((s) => `^${s}://${userinfo}${host}${port === usual[s] ? '' : port ? `:${port}` : '(?::\\d+)?'}/`);
}

// Egress keeps Chrome's rules as they should be.
export class Egress {
  private wanted = 0; // changes so far
  private busy: Promise<void> = Promise.resolve();
  private applied = 0;
  private last: string | undefined; // the rules that are in place, as far as this worker knows

  constructor(private readonly scopes: () => Scope[], private readonly settled: () => number[]) {}

  // changed notes that tabs, owners, policies or grants are not what they were.
  changed(): void {
    this.wanted++;
    this.busy = this.busy.then(() => this.apply());
  }

  // ready waits until the rules are those of the last change.
  ready(): Promise<void> {
    return this.busy;
  }

  private async apply(): Promise<void> {
    if (this.applied === this.wanted) return;
    this.applied = this.wanted;
    const scopes = this.scopes();
    const settled = this.settled();
    const first = egressRules(scopes, settled);
    const text = JSON.stringify(first);
    if (text === this.last) return;
    this.last = text;
    // The next try says everything widely: Chrome may have refused an expression. At
    // last nothing is stopped, and the gate alone judges.
    for (const rules of [first, egressRules(scopes, settled, 0), []]) {
      const old = await chrome.declarativeNetRequest.getSessionRules();
      const done = await chrome.declarativeNetRequest.updateSessionRules({
        removeRuleIds: old.map((rule) => rule.id), addRules: rules,
      }).then(() => true, (thrown) => {
        console.error('egress rules', thrown);
        return false;
      });
      if (done) return;
    }
  }
}

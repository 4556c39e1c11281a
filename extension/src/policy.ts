// The gate's decision, the same as Evaluate in internal/policy: testdata/vectors.json
// there runs against both. Here the browser's own URL parser judges.

import type { Access, Decision, Grant, Policy } from './wire.gen';

// Rules are a server's policy with what the user granted to its client.
export interface Rules extends Policy {
  grants?: readonly Grant[]; // the latest word first; undefined where none are known
}

// Glob is a parsed rule.
export interface Glob {
  scheme: string; // '' is http and https
  any: boolean; // every host
  below: boolean; // hosts below host, at any depth, but not host itself
  host: string; // as the browser serialises it, without a trailing dot
  port: number; // 0 is any
}

interface Site {
  scheme: string; // http, https, file, or about for a document that nobody made
  host: string;
  port: number;
}

/** Refusal carries why nothing can permit a document. */
class Refusal extends Error {}

const blank: Site = { scheme: 'about', host: '', port: 0 };

/**
 * Decides whether access to the document at url is allowed. origin is its security
 * origin where it is known ('' is unknown, 'null' opaque): it judges blob:, about:blank
 * and about:srcdoc documents, whose URL does not say who made them. A tab's own
 * about:blank that no page opened has the origin ''.
 */
export function evaluate(url: string, origin: string, access: Access, policy: Rules): Decision {
  const decision = byPolicy(url, origin, access, policy);
  return policy.grants ? withGrants(decision, url, origin, access, policy) : decision;
}

function byPolicy(url: string, origin: string, access: Access, policy: Policy): Decision {
  if (!enabled(access, policy)) return { allow: false, rule: access, reason: switchedOff(access) };
  let site: Site;
  try {
    site = siteOf(url, origin);
  } catch (e) {
    if (e instanceof Refusal) return { allow: false, reason: e.message };
    throw e;
  }
  if (site === blank) return { allow: true, rule: 'about:blank' };
  const name = siteName(site);
  const denied = deniedBy(policy.denyDomains ?? [], site);
  if (denied !== undefined) return refusedBy(denied, name);
  for (const glob of policy.allowDomains ?? []) {
    const rule = compiled(glob);
    if (rule && matches(rule, site)) return { allow: true, rule: glob };
  }
  const how = `the user can start chrome-mcp with --allow-domain ${name}`;
  return { allow: false, reason: `${name} is not among the allowed sites; ${how}` };
}

const refusedBy = (glob: string, name: string): Decision =>
  ({ allow: false, rule: glob, reason: `${name} is denied by the user's rule ${JSON.stringify(glob)}` });

// A denied site stays denied, by whichever side; a grant adds reading, or reading and
// acting. A refusal that a grant could lift names the site to ask the user for.
function withGrants(d: Decision, url: string, origin: string, access: Access, rules: Rules): Decision {
  const site = known(url, origin);
  if (!site || site === blank) return d;
  const name = siteName(site);
  const grant = granted(site, rules.grants ?? []);
  if (grant?.level === 'deny') {
    const reason = `the user denied ${name} in Chrome; do not ask again, only they can change it, on the settings page of the extension`;
    return { allow: false, rule: 'Deny in the popup', reason };
  }
  if (d.allow || (access !== 'read' && access !== 'act')) return d;
  const denied = deniedBy(rules.denyDomains ?? [], site);
  if (denied !== undefined) return refusedBy(denied, name);
  if (rules.noSiteGrants || site.scheme === 'file') return d;
  if (grant?.level === 'full' || (grant?.level === 'read' && access === 'read')) {
    return { allow: true, rule: `granted in Chrome (${grant.until})` };
  }
  const readable = grant?.level === 'read' || (access === 'act' && byPolicy(url, origin, 'read', rules).allow);
  return ask(d, name, access, readable);
}

function ask(d: Decision, name: string, access: Access, readable: boolean): Decision {
  let [what, flag, press] = [`${name} is not among the allowed sites`, `--allow-domain ${name}`, 'allow it there'];
  if (access === 'act') {
    press = 'allow "Read and act" there';
    if (readable) [what, flag] = [`acting on ${name} is not allowed`, flags.get(access) ?? ''];
  }
  const reason = `${what}; ask the user to open the chrome-mcp popup in Chrome and ${press}, or to start chrome-mcp with ${flag}`;
  return { ...d, site: name, reason };
}

const maxPageTool = 128; // bytes of a page tool's name

/**
 * Decides whether a tool that a page registered with the browser may be called. Acting on
 * the site is not enough: the user has to permit this tool of this origin, in the policy
 * or in the browser, where their latest word comes first.
 */
export function evaluateTool(url: string, origin: string, tool: string, rules: Rules): Decision {
  const d = evaluate(url, origin, 'act', rules);
  if (!d.allow) return d;
  const site = known(url, origin);
  if (!site?.host || tool === '' || new TextEncoder().encode(tool).length > maxPageTool) {
    return { allow: false, reason: 'tools are called of web pages only, by a name of at most 128 bytes' };
  }
  const from = `${site.scheme}://${siteName(site)}`;
  const grant = rules.grants?.find((g) => g.pageTool === tool && g.site === from);
  const what = `the tool ${JSON.stringify(tool)} of ${from}`;
  if (grant?.level === 'deny') {
    const reason = `the user denied ${what} in Chrome; do not ask again, only they can change it, on the settings page of the extension`;
    return { allow: false, rule: 'Deny in the popup', reason };
  }
  if (rules.pageTools?.includes(`${from}#${tool}`) || rules.pageTools?.includes(`${from}#*`)) return { allow: true, rule: `${from}#${tool}` };
  const flag = `start chrome-mcp with --allow-page-tool '${from}#${tool}'`;
  if (rules.noSiteGrants || !rules.grants) return { allow: false, reason: `${what} is not allowed; the user can ${flag}` };
  if (grant?.level === 'full') return { allow: true, rule: `granted in Chrome (${grant.until})` };
  const reason = `${what} is not allowed; ask the user to open the chrome-mcp popup in Chrome and allow it there, or to ${flag}`;
  return { allow: false, site: from, pageTool: tool, reason };
}

/** The origin of a web page as grants for its tools have it. */
export function grantOrigin(url: string): string | undefined {
  const site = known(url, '');
  return site?.host ? `${site.scheme}://${siteName(site)}` : undefined;
}

/** The grant that counts for a site: the first. A Deny holds for an address in disguise too. */
function granted(site: Site, grants: readonly Grant[]): Grant | undefined {
  const other = disguised(site);
  const names = [siteName(site), other && siteName(other)];
  return grants.find((g) => !g.pageTool && (g.site === names[0] || (g.level === 'deny' && g.site === names[1])));
}

function known(url: string, origin: string): Site | undefined {
  try {
    return siteOf(url, origin);
  } catch (e) {
    if (e instanceof Refusal) return undefined;
    throw e;
  }
}

/** The name of a web site as grants have it: host, and port unless it is a usual one. */
export function grantSite(url: string): string | undefined {
  const site = known(url, '');
  return site && (site.scheme === 'http' || site.scheme === 'https') ? siteName(site) : undefined;
}

/** Says whether the access class is switched on, wherever it may be used. */
export function enabled(access: Access, p: Policy): boolean {
  switch (access) {
    case 'read':
      return true;
    case 'act':
      return p.mutations === true;
    case 'eval':
      return p.eval === true;
    case 'download':
      return p.downloads === true;
    case 'upload':
      return p.uploads === true;
    case 'observe':
      return p.observers === true;
  }
  return false;
}

const flags = new Map<string, string>([
  ['act', '--enable-mutations'],
  ['eval', '--unsafe-enable-eval'],
  ['download', '--enable-downloads'],
  ['upload', '--enable-uploads'],
  ['observe', '--enable-observers'],
]);

function switchedOff(access: string): string {
  const flag = flags.get(access);
  if (flag === undefined) return `access ${JSON.stringify(access)} does not exist`;
  return `${access} is switched off; the user can start chrome-mcp with ${flag}`;
}

// A rule that is not understood denies everything.
function deniedBy(deny: string[], site: Site): string | undefined {
  const other = disguised(site);
  return deny.find((glob) => {
    const rule = compiled(glob);
    return !rule || matches(rule, site) || (other !== undefined && matches(rule, other));
  });
}

function siteName(s: Site): string {
  if (s.scheme === 'file') return 'file:';
  const usual = (s.scheme === 'http' && s.port === 80) || (s.scheme === 'https' && s.port === 443);
  return usual ? s.host : `${s.host}:${s.port}`;
}

// Sites.

const maxURL = 2 << 20; // Chrome's own limit

// sites remembers what judges a document: each is asked about several times a command,
// and a URL takes long to parse. It depends on nothing but the key.
const sites = new Map<string, Site>();
const maxSites = 512;
const maxKnown = 2048; // length of the addresses that are remembered

function siteOf(url: string, origin: string): Site {
  const key = `${origin.length} ${origin}${url}`;
  let site = sites.get(key);
  if (site) return site;
  site = findSite(url, origin);
  if (sites.size >= maxSites) sites.clear();
  if (key.length <= maxKnown) sites.set(key, site);
  return site;
}

function findSite(url: string, origin: string): Site {
  if (url === '') throw new Refusal('the address of the page is not known');
  const u = parse(url);
  switch (u.protocol) {
    case 'http:':
    case 'https:':
      return httpSite(u);
    case 'file:':
      return fileSite(u);
    case 'about:':
      if (u.pathname === 'blank' && origin === '') return blank;
      if (u.pathname === 'blank' || u.pathname === 'srcdoc') return originSite(origin);
      break;
    case 'blob:':
      return blobSite(u, origin);
  }
  throw never(u);
}

function parse(url: string): URL {
  if (url.length > maxURL) throw new Refusal('the address is longer than Chrome takes');
  try {
    return new URL(url);
  } catch {
    throw new Refusal(
      'the address is not one that a browser understands; give a whole URL such as https://example.com/',
    );
  }
}

const never = (u: URL) => new Refusal(`${u.protocol} pages are never read or driven`);

function httpSite(u: URL): Site {
  const host = cleanHost(u.hostname);
  if (host === undefined) throw new Refusal('the address has no valid host name');
  const scheme = u.protocol.slice(0, -1);
  const port = u.port === '' ? (scheme === 'http' ? 80 : 443) : Number(u.port);
  return { scheme, host, port };
}

// Files of other computers are refused: opening one hands them the user's login.
function fileSite(u: URL): Site {
  if (u.hostname !== '') throw new Refusal('files of other computers are never opened');
  return { scheme: 'file', host: '', port: 0 };
}

function originSite(origin: string): Site {
  if (origin === '') throw new Refusal('it is not known which site made this page');
  if (origin === 'null' || origin === '://') {
    throw new Refusal('this page hides which site made it (opaque origin)');
  }
  const u = parse(origin);
  if (u.protocol === 'file:') return fileSite(u);
  if (u.protocol === 'http:' || u.protocol === 'https:') return httpSite(u);
  throw never(u);
}

// A blob: URL spells out its origin; where the document's own is known they agree.
function blobSite(u: URL, origin: string): Site {
  if (u.pathname === 'null' || u.pathname.startsWith('null/')) return originSite('null');
  const inner = parse(u.pathname);
  if (inner.protocol !== 'http:' && inner.protocol !== 'https:') throw never(inner);
  const site = httpSite(inner);
  if (origin === '') return site;
  const by = originSite(origin);
  if (by.scheme !== site.scheme || by.host !== site.host || by.port !== site.port) {
    throw new Refusal("the page's address and its origin name different sites");
  }
  return site;
}

// The IPv4 address that an IPv6 one stands for (mapped, or through NAT64), so that a
// deny rule for the former holds for the latter too.
function disguised(s: Site): Site | undefined {
  const m = /^\[(?:::ffff|64:ff9b:):([0-9a-f]{1,4})(?::([0-9a-f]{1,4}))?\]$/.exec(s.host);
  if (!m) return undefined;
  const [high, low] = m[2] === undefined ? [0, hex(m[1])] : [hex(m[1]), hex(m[2])];
  return { ...s, host: [high >> 8, high & 255, low >> 8, low & 255].join('.') };
}

/** The IPv6 addresses that stand for an IPv4 one. */
export function disguises(host: string): string[] {
  if (!isIP(host) || host.startsWith('[')) return [];
  return ['::ffff:', '64:ff9b::'].map((prefix) => new URL(`http://[${prefix}${host}]/`).hostname);
}

const hex = (digits: string | undefined) => parseInt(digits ?? '0', 16);

// Removes the one dot that stands for the root, and refuses empty labels and anything
// that no real host is made of.
function cleanHost(host: string): string | undefined {
  if (host.startsWith('[')) return host;
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) ? name : undefined;
}

// The URL parser makes every host whose last label is a number an IPv4 address or an
// error, so a last label of digits is one.
const isIP = (host: string) => host.startsWith('[') || /(^|\.)[0-9]+$/.test(host);

// Globs.

function matches(r: Glob, s: Site): boolean {
  if (r.scheme !== s.scheme && (r.scheme !== '' || s.scheme === 'file')) return false;
  if (r.scheme === 'file') return true;
  if (r.port !== 0 && r.port !== s.port) return false;
  if (r.any) return true;
  if (r.below) return !isIP(s.host) && s.host.endsWith('.' + r.host);
  return s.host === r.host;
}

const globs = new Map<string, Glob | undefined>();
const maxGlobs = 4096; // bounds the memory; a user's list is far shorter

function compiled(text: string): Glob | undefined {
  if (globs.has(text)) return globs.get(text);
  if (globs.size >= maxGlobs) globs.clear();
  const rule = parseGlob(text);
  globs.set(text, rule);
  return rule;
}

/** Parses a glob; undefined when it is not one. The server tells the user what is wrong. */
export function parseGlob(text: string): Glob | undefined {
  if (/^file:(\/\/\/?\*?)?$/i.test(text)) {
    return { scheme: 'file', any: false, below: false, host: '', port: 0 };
  }
  let [scheme, rest] = ['', text];
  const cut = text.indexOf('://');
  if (cut >= 0) {
    [scheme, rest] = [text.slice(0, cut).toLowerCase(), text.slice(cut + 3)];
    if (scheme !== 'http' && scheme !== 'https') return undefined;
  }
  // The characters with which a URL's host could end or be disguised.
  if (/[\u0000-\u0020\u007f/\\?#@%]/.test(rest)) return undefined;
  const split = splitPort(rest);
  if (!split) return undefined;
  const { port } = split;
  if (split.host === '*') return { scheme, any: true, below: false, host: '', port };
  const below = split.host.startsWith('*.');
  const name = below ? split.host.slice(2) : split.host;
  if (name.includes('*')) return undefined;
  let host: string | undefined;
  try {
    host = cleanHost(new URL(`https://${name}/`).hostname);
  } catch {
    return undefined;
  }
  if (host === undefined || (below && isIP(host))) return undefined;
  return { scheme, any: false, below, host, port };
}

function splitPort(s: string): { host: string; port: number } | undefined {
  const colon = s.lastIndexOf(':');
  if (colon < 0 || s.endsWith(']')) return { host: s, port: 0 };
  if (s.indexOf(':') !== colon && !s.startsWith('[')) return undefined;
  const digits = s.slice(colon + 1);
  const port = /^[0-9]+$/.test(digits) ? Number(digits) : 0;
  return port >= 1 && port <= 65535 ? { host: s.slice(0, colon), port } : undefined;
}

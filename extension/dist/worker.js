// src/failure.ts
var Failure = class extends Error {
  constructor(code, message, more = {}) {
    super(message);
    this.code = code;
    this.more = more;
  }
  code;
  more;
};
function toWire(thrown) {
  if (!(thrown instanceof Failure)) {
    return { code: "CDP_ERROR", message: `the extension failed: ${text(thrown)}; reload it at chrome://extensions if this repeats` };
  }
  const error = { code: thrown.code, message: thrown.message };
  if (thrown.more.data !== void 0) error.data = thrown.more.data;
  if (thrown.more.unknown) error.unknown = true;
  return error;
}
function gone(doing, reason) {
  const what = {
    navigated: `the page in tab ${doing.tab} was replaced while ${doing.method} ran`,
    crashed: `the page in tab ${doing.tab} has crashed; load it again with reload`,
    frame: `the frame that ${doing.method} names is no longer in tab ${doing.tab}; call frames_list`
  }[reason];
  const lost = doing.acts && reason !== "frame";
  return new Failure("TARGET_GONE", what + (lost ? unknownOutcome : ""), { data: { reason }, unknown: lost });
}
var unknownOutcome = "; whether the action happened is not known: look at the page before repeating it";
function tabGone(tab) {
  return new Failure("TAB_NOT_FOUND", `tab ${tab} is closed; call tabs_list for the tabs there are`);
}
function halted() {
  return new Failure("DETACHED", "the user stopped chrome-mcp in this browser (Cancel in the bar, or Stop). Nothing more is done until they press Resume in the chrome-mcp popup; tell them so", { data: { reason: "canceled_by_user" } });
}
function detached(doing) {
  const lost = doing.acts ? unknownOutcome : "; call again";
  return new Failure("DETACHED", `the debugger left tab ${doing.tab} while ${doing.method} ran${lost}`, { unknown: doing.acts });
}
function unsent(failure) {
  return new Failure(failure.code, failure.message, { ...failure.more, unsent: true });
}
var dragging = /cannot be edited right now/;
var rows = [
  [/chrome-extension:\/\/ URL of different extension/, (d) => new Failure(
    "DETACHED",
    `another extension has put a frame into the page of tab ${d.tab}, and Chrome lets nobody debug it there; ask the user to switch that extension off for this site (often a password manager), then call again`,
    { data: { reason: "foreign_extension" } }
  )],
  [/Cannot access (a|contents of) .*(chrome|devtools|edge|brave|about)(-untrusted)?:/, (d) => new Failure(
    "POLICY_DENIED",
    `tab ${d.tab} shows a page of the browser itself, which cannot be driven; open a web page with tab_new`
  )],
  [/Cannot access (a|contents of) .*file:/, (d) => new Failure(
    "POLICY_DENIED",
    `Chrome keeps extensions from the file in tab ${d.tab}; ask the user to switch "Allow access to file URLs" on for chrome-mcp at chrome://extensions`
  )],
  [/extensions gallery cannot be scripted|Cannot attach to this target|cannot be (scripted|accessed)/, (d) => new Failure(
    "POLICY_DENIED",
    `Chrome protects the page in tab ${d.tab} (the Web Store, or a rule of the administrator); use another page`
  )],
  [/Another debugger is already attached/, (d) => new Failure(
    "DEVTOOLS_OPEN",
    `DevTools or another extension debugs tab ${d.tab} and does not share it; ask the user to close that there, then call again`
  )],
  [/Debugger is not attached/, (d) => new Failure(
    "DETACHED",
    `the debugger is not attached to tab ${d.tab}; call again`,
    { unsent: true }
  )],
  [dragging, () => new Failure(
    "CDP_ERROR",
    "the user is dragging a tab, and Chrome changes none meanwhile; call again in a moment",
    { unsent: true }
  )],
  [/showing error page/, (d) => new Failure(
    "TARGET_GONE",
    `tab ${d.tab} shows an error page of the browser; call navigate or reload`
  )],
  [/No window with id/, () => new Failure("TARGET_GONE", "the window is closed; open a tab in another with tab_new")],
  [/No tab with (given )?id|No target with given id/, (d) => tabGone(d.tab)],
  [/Detached while handling command/, (d) => detached(d)],
  [/Cannot find (default )?(execution )?context|uniqueContextId not found/, (d) => unsent(gone({ ...d, acts: false }, "navigated"))],
  [/[Cc]ontext was destroyed|Promise was collected|Inspected target navigated/, (d) => gone(d, "navigated")],
  [/[Tt]arget crashed/, (d) => gone(d, "crashed")],
  [/No frame (for|with)|Frame with the given|Session with given id|frame was not found|No session/, (d) => gone(d, "frame")],
  [/No node (with|found for)|Could not find node|Node with given id|Node is detached|does not belong to the document/, (d) => new Failure(
    "REF_EXPIRED",
    `the element is no longer in the page of tab ${d.tab}; take a new snapshot`
  )],
  [/No dialog is showing/, (d) => new Failure(
    "CDP_ERROR",
    `no dialog that can be answered is open in tab ${d.tab}; one that opened before chrome-mcp came to the tab goes away with reload`
  )],
  [/wasn't found|Method not found|not supported|Not allowed/, (d, said) => new Failure(
    "CDP_ERROR",
    `this browser refuses ${d.method}: ${said}`
  )]
];
var isDragging = (thrown) => dragging.test(text(thrown));
function fromChrome(thrown, doing) {
  if (thrown instanceof Failure) return thrown;
  const said = text(thrown);
  for (const [pattern2, make] of rows) {
    if (pattern2.test(said)) return make(doing, said);
  }
  return new Failure("CDP_ERROR", `${doing.method} failed in tab ${doing.tab}: ${said}`);
}
function text(thrown) {
  const said = thrown instanceof Error ? thrown.message : String(thrown?.message ?? thrown);
  if (!said.startsWith("{")) return said;
  try {
    const error = JSON.parse(said);
    return error.data ? `${error.message}: ${error.data}` : error.message ?? said;
  } catch {
    return said;
  }
}

// src/book.ts
var Book = class {
  tabs = /* @__PURE__ */ new Map();
  behind = /* @__PURE__ */ new Map();
  // by window
  // load reads all tabs. It keeps what events have told meanwhile.
  async load() {
    for (const tab of await chrome.tabs.query({})) {
      if (tab.id !== void 0 && !this.tabs.has(tab.id)) this.set(tab.id, tab);
    }
  }
  // get returns a tab, asking Chrome only for one it does not know.
  async get(id) {
    const known2 = this.tabs.get(id);
    if (known2) return known2;
    try {
      return this.set(id, await chrome.tabs.get(id));
    } catch {
      throw tabGone(id);
    }
  }
  // ids lists the tabs.
  ids() {
    return [...this.tabs.keys()];
  }
  // known returns a tab that the book has.
  known(id) {
    return this.tabs.get(id);
  }
  // set notes what Chrome says of a tab.
  set(id, tab) {
    const known2 = this.tabs.get(id);
    const entry = {
      url: tab.url || "about:blank",
      title: tab.title ?? "",
      active: tab.active,
      window: tab.windowId,
      loading: tab.status === "loading",
      discarded: tab.discarded,
      opener: known2?.opener ?? 0,
      born: known2?.born ?? 0
    };
    this.tabs.set(id, entry);
    return entry;
  }
  // created notes a new tab.
  created(id, tab) {
    this.set(id, tab).born = Date.now();
  }
  // opened notes that a page opened the tab. Chrome's openerTabId does not say so: for
  // a page in the background it names the tab in front (Chromium 156).
  opened(id, opener) {
    const entry = this.tabs.get(id);
    if (entry) entry.opener = opener;
  }
  // fresh lists the tabs that came to be within the last ms.
  fresh(ms) {
    return [...this.tabs].filter(([, entry]) => Date.now() - entry.born < ms);
  }
  // activated notes which tab is in front in a window.
  activated(id, window) {
    for (const [other, entry2] of this.tabs) {
      if (entry2.window !== window || !entry2.active) continue;
      if (other !== id) this.behind.set(window, other);
      entry2.active = false;
    }
    const entry = this.tabs.get(id);
    if (entry) entry.active = true;
  }
  // before is the tab that was in front of a window before the one that is now.
  before(window) {
    return this.behind.get(window);
  }
  drop(id) {
    this.tabs.delete(id);
  }
};

// src/browser.ts
function identity() {
  return { id: chrome.runtime.id, version: chrome.runtime.getManifest().version };
}
async function browserVersion() {
  const data = navigator.userAgentData;
  return named((await data?.getHighEntropyValues(["fullVersionList"]))?.fullVersionList ?? []);
}
function named(list2) {
  const real = list2.filter(({ brand }) => !/not.*a.*brand/i.test(brand));
  const found = real.find(({ brand }) => brand !== "Chromium") ?? real[0];
  const name = (found?.brand ?? "Chrome").replace(/^(Google|Microsoft) /, "");
  return [name.toLowerCase().replace(/\W+/g, "-"), found?.version ?? ""];
}

// src/bundle.ts
async function pageBundle() {
  const response = await fetch(chrome.runtime.getURL("page.js"));
  const bytes = await response.arrayBuffer();
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  const hash = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return { source: new TextDecoder().decode(bytes), hash };
}

// src/frames.ts
var MAIN = "";
var FrameTree = class {
  frames = /* @__PURE__ */ new Map();
  main = "";
  // id of the main frame
  // get returns a frame; "" is the main frame.
  get(id) {
    return this.frames.get(id || this.main);
  }
  // load takes a target's frame tree. parent is the frame that the target's root
  // hangs in, where the tree does not say.
  load(tree, session, parent = "") {
    const seen = /* @__PURE__ */ new Set();
    this.add(tree, session, parent, seen);
    for (const [id, frame2] of this.frames) {
      if (frame2.session === session && !seen.has(id)) this.frames.delete(id);
    }
  }
  add(tree, session, parent, seen) {
    seen.add(tree.frame.id);
    this.navigated(tree.frame, session, parent);
    for (const child of tree.childFrames ?? []) this.add(child, session, tree.frame.id, seen);
  }
  // attached notes a new frame, which has no document yet.
  attached(id, parent, session) {
    const known2 = this.frames.get(id);
    this.frames.set(id, { id, parent, url: known2?.url ?? "", origin: known2?.origin ?? "", name: known2?.name ?? "", session });
  }
  // navigated notes a frame's new document.
  navigated(frame2, session, parent = "") {
    const known2 = this.frames.get(frame2.id);
    const above = frame2.parentId ?? (parent || known2?.parent || "");
    if (!above && session === MAIN) this.renamed(frame2.id);
    this.frames.set(frame2.id, {
      id: frame2.id,
      parent: above,
      url: address(frame2),
      origin: this.origin(frame2, above),
      name: frame2.name ?? known2?.name ?? "",
      session
    });
  }
  // origin is a document's origin as JavaScript spells it. Chrome computes it from the
  // URL; one that names no site (about:blank, about:srcdoc) has the site of the page it
  // stands in.
  origin(frame2, above) {
    const said = frame2.securityOrigin ?? "";
    if (said !== "" && said !== "://" && said !== "null") return said;
    return frame2.url.startsWith("about:") && above ? this.frames.get(above)?.origin ?? "" : "null";
  }
  // renamed makes id the main frame. Chrome changes it when a prerendered page is
  // shown; the frames of the old one are gone then.
  renamed(id) {
    if (this.main && this.main !== id) this.frames.clear();
    this.main = id;
  }
  // within notes that a document changed its own URL.
  within(id, url) {
    const known2 = this.frames.get(id);
    if (known2) known2.url = url;
  }
  // detached notes that a frame left a target. After a swap it lives on in another
  // one, which tells of it by itself.
  detached(id, session, reason) {
    const known2 = this.frames.get(id);
    if (!known2 || known2.session !== session || id === this.main) return;
    for (const child of [...this.frames.values()]) {
      if (child.parent === id) this.detached(child.id, child.session, "remove");
    }
    if (reason === "swap") known2.url = "";
    else this.frames.delete(id);
  }
  // moved notes that a child target now hosts a frame.
  moved(id, url, session, parent) {
    const known2 = this.frames.get(id);
    this.frames.set(id, { id, parent: known2?.parent || parent, url, origin: "", name: known2?.name ?? "", session });
  }
  // dropped forgets what a child target hosted.
  dropped(session) {
    for (const [id, frame2] of this.frames) {
      if (frame2.session === session) this.frames.delete(id);
    }
  }
  // list is the whole tree, parents before children.
  list() {
    const children = /* @__PURE__ */ new Map();
    for (const frame2 of this.frames.values()) {
      if (frame2.id === this.main) continue;
      const siblings = children.get(frame2.parent);
      if (siblings) siblings.push(frame2);
      else children.set(frame2.parent, [frame2]);
    }
    const out = [];
    const walk = (frame2) => {
      out.push(wireFrame(frame2));
      for (const child of children.get(frame2.id) ?? []) walk(child);
    };
    const root = this.frames.get(this.main);
    if (root) walk(root);
    return out;
  }
};
function wireFrame(frame2) {
  const out = { frameId: frame2.id, url: frame2.url };
  if (frame2.parent) out.parentId = frame2.parent;
  if (frame2.origin) out.origin = frame2.origin;
  if (frame2.name) out.name = frame2.name;
  if (frame2.session !== MAIN) out.outOfProcess = true;
  return out;
}
function address(frame2) {
  return (frame2.unreachableUrl || frame2.url) + (frame2.urlFragment ?? "");
}

// src/capture.ts
var patience = 700;
var deadline = 1e4;
async function capture(attachment, params) {
  attachment.wake();
  const whole = !params.clip && (params.scale || 1) === 1;
  if (whole && attachment.plain) {
    const [picture, metrics2] = await Promise.all([taken(attachment, shotOf(params)), measure(attachment)]);
    if (isPlain(metrics2)) return picture;
  }
  const shot = shotOf(params);
  const metrics = await measure(attachment);
  if (!whole || !isPlain(metrics)) shot.clip = { ...params.clip ?? viewport(metrics), scale: (params.scale || 1) / pixelRatio(metrics) };
  return taken(attachment, shot);
}
async function taken(attachment, shot) {
  const first2 = take(attachment, shot);
  const data = await soon(patience, first2) ?? await soon(deadline, Promise.race([first2, again(attachment, shot)]));
  if (data) return { data, mime: shot.format === "png" ? "image/png" : "image/jpeg" };
  throw new Failure("TIMEOUT", `tab ${attachment.tab} drew no picture in ${deadline / 1e3} s; the page may be busy, try again or use snapshot`);
}
function again(attachment, shot) {
  attachment.wake(true);
  return take(attachment, shot);
}
async function take(attachment, shot) {
  const { data } = await attachment.send(MAIN, "Page.captureScreenshot", shot);
  return data;
}
function shotOf(params) {
  const format = params.format === "png" ? "png" : "jpeg";
  const shot = { format, optimizeForSpeed: true };
  if (format === "jpeg") shot.quality = Math.round(Math.min(100, Math.max(1, params.quality || 70)));
  if (params.beyond) shot.captureBeyondViewport = true;
  return shot;
}
async function measure(attachment) {
  const metrics = await attachment.send(MAIN, "Page.getLayoutMetrics");
  attachment.plain = isPlain(metrics);
  return metrics;
}
function isPlain(metrics) {
  return pixelRatio(metrics) === 1 && metrics.cssVisualViewport.scale === 1;
}
function viewport({ cssVisualViewport: v }) {
  return { x: v.pageX, y: v.pageY, width: v.clientWidth, height: v.clientHeight };
}
function pixelRatio(metrics) {
  const ratio = metrics.visualViewport.clientWidth / metrics.cssVisualViewport.clientWidth;
  return Number.isFinite(ratio) && ratio > 0 ? Math.round(ratio * 1e3) / 1e3 : 1;
}
async function soon(ms, promise) {
  let timer;
  const late2 = new Promise((resolve2) => {
    timer = setTimeout(() => resolve2(void 0), ms);
  });
  try {
    return await Promise.race([promise, late2]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => {
    });
  }
}

// src/policy.ts
var Refusal = class extends Error {
};
var blank = { scheme: "about", host: "", port: 0 };
function evaluate(url, origin, access, policy) {
  const decision = byPolicy(url, origin, access, policy);
  return policy.grants ? withGrants(decision, url, origin, access, policy) : decision;
}
function byPolicy(url, origin, access, policy) {
  if (!enabled(access, policy)) return { allow: false, rule: access, reason: switchedOff(access) };
  let site2;
  try {
    site2 = siteOf(url, origin);
  } catch (e) {
    if (e instanceof Refusal) return { allow: false, reason: e.message };
    throw e;
  }
  if (site2 === blank) return { allow: true, rule: "about:blank" };
  const name = siteName(site2);
  const denied = deniedBy(policy.denyDomains ?? [], site2);
  if (denied !== void 0) return refusedBy(denied, name);
  for (const glob of policy.allowDomains ?? []) {
    const rule = compiled(glob);
    if (rule && matches(rule, site2)) return { allow: true, rule: glob };
  }
  const how = `the user can start chrome-mcp with --allow-domain ${name}`;
  return { allow: false, reason: `${name} is not among the allowed sites; ${how}` };
}
var refusedBy = (glob, name) => ({ allow: false, rule: glob, reason: `${name} is denied by the user's rule ${JSON.stringify(glob)}` });
function withGrants(d, url, origin, access, rules) {
  const site2 = known(url, origin);
  if (!site2 || site2 === blank) return d;
  const name = siteName(site2);
  const grant = granted(site2, rules.grants ?? []);
  if (grant?.level === "deny") {
    const reason = `the user denied ${name} in Chrome; do not ask again, only they can change it, on the settings page of the extension`;
    return { allow: false, rule: "Deny in the popup", reason };
  }
  if (d.allow || access !== "read" && access !== "act") return d;
  const denied = deniedBy(rules.denyDomains ?? [], site2);
  if (denied !== void 0) return refusedBy(denied, name);
  if (rules.noSiteGrants || site2.scheme === "file") return d;
  if (grant?.level === "full" || grant?.level === "read" && access === "read") {
    return { allow: true, rule: `granted in Chrome (${grant.until})` };
  }
  const readable = grant?.level === "read" || access === "act" && byPolicy(url, origin, "read", rules).allow;
  return ask(d, name, access, readable);
}
function ask(d, name, access, readable) {
  let [what, flag, press] = [`${name} is not among the allowed sites`, `--allow-domain ${name}`, "allow it there"];
  if (access === "act") {
    press = 'allow "Read and act" there';
    if (readable) [what, flag] = [`acting on ${name} is not allowed`, flags.get(access) ?? ""];
  }
  const reason = `${what}; ask the user to open the chrome-mcp popup in Chrome and ${press}, or to start chrome-mcp with ${flag}`;
  return { ...d, site: name, reason };
}
var maxPageTool = 128;
function evaluateTool(url, origin, tool, rules) {
  const d = evaluate(url, origin, "act", rules);
  if (!d.allow) return d;
  const site2 = known(url, origin);
  if (!site2?.host || tool === "" || new TextEncoder().encode(tool).length > maxPageTool) {
    return { allow: false, reason: "tools are called of web pages only, by a name of at most 128 bytes" };
  }
  const from = `${site2.scheme}://${siteName(site2)}`;
  const grant = rules.grants?.find((g) => g.pageTool === tool && g.site === from);
  const what = `the tool ${JSON.stringify(tool)} of ${from}`;
  if (grant?.level === "deny") {
    const reason2 = `the user denied ${what} in Chrome; do not ask again, only they can change it, on the settings page of the extension`;
    return { allow: false, rule: "Deny in the popup", reason: reason2 };
  }
  if (rules.pageTools?.includes(`${from}#${tool}`) || rules.pageTools?.includes(`${from}#*`)) return { allow: true, rule: `${from}#${tool}` };
  const flag = `start chrome-mcp with --allow-page-tool '${from}#${tool}'`;
  if (rules.noSiteGrants || !rules.grants) return { allow: false, reason: `${what} is not allowed; the user can ${flag}` };
  if (grant?.level === "full") return { allow: true, rule: `granted in Chrome (${grant.until})` };
  const reason = `${what} is not allowed; ask the user to open the chrome-mcp popup in Chrome and allow it there, or to ${flag}`;
  return { allow: false, site: from, pageTool: tool, reason };
}
function grantOrigin(url) {
  const site2 = known(url, "");
  return site2?.host ? `${site2.scheme}://${siteName(site2)}` : void 0;
}
function granted(site2, grants) {
  const other = disguised(site2);
  const names = [siteName(site2), other && siteName(other)];
  return grants.find((g) => !g.pageTool && (g.site === names[0] || g.level === "deny" && g.site === names[1]));
}
function known(url, origin) {
  try {
    return siteOf(url, origin);
  } catch (e) {
    if (e instanceof Refusal) return void 0;
    throw e;
  }
}
function grantSite(url) {
  const site2 = known(url, "");
  return site2 && (site2.scheme === "http" || site2.scheme === "https") ? siteName(site2) : void 0;
}
function enabled(access, p) {
  switch (access) {
    case "read":
      return true;
    case "act":
      return p.mutations === true;
    case "eval":
      return p.eval === true;
    case "download":
      return p.downloads === true;
    case "upload":
      return p.uploads === true;
    case "observe":
      return p.observers === true;
  }
  return false;
}
var flags = /* @__PURE__ */ new Map([
  ["act", "--enable-mutations"],
  ["eval", "--unsafe-enable-eval"],
  ["download", "--enable-downloads"],
  ["upload", "--enable-uploads"],
  ["observe", "--enable-observers"]
]);
function switchedOff(access) {
  const flag = flags.get(access);
  if (flag === void 0) return `access ${JSON.stringify(access)} does not exist`;
  return `${access} is switched off; the user can start chrome-mcp with ${flag}`;
}
function deniedBy(deny2, site2) {
  const other = disguised(site2);
  return deny2.find((glob) => {
    const rule = compiled(glob);
    return !rule || matches(rule, site2) || other !== void 0 && matches(rule, other);
  });
}
function siteName(s) {
  if (s.scheme === "file") return "file:";
  const usual2 = s.scheme === "http" && s.port === 80 || s.scheme === "https" && s.port === 443;
  return usual2 ? s.host : `${s.host}:${s.port}`;
}
var maxURL = 2 << 20;
var sites = /* @__PURE__ */ new Map();
var maxSites = 512;
var maxKnown = 2048;
function siteOf(url, origin) {
  const key3 = `${origin.length} ${origin}${url}`;
  let site2 = sites.get(key3);
  if (site2) return site2;
  site2 = findSite(url, origin);
  if (sites.size >= maxSites) sites.clear();
  if (key3.length <= maxKnown) sites.set(key3, site2);
  return site2;
}
function findSite(url, origin) {
  if (url === "") throw new Refusal("the address of the page is not known");
  const u = parse(url);
  switch (u.protocol) {
    case "http:":
    case "https:":
      return httpSite(u);
    case "file:":
      return fileSite(u);
    case "about:":
      if (u.pathname === "blank" && origin === "") return blank;
      if (u.pathname === "blank" || u.pathname === "srcdoc") return originSite(origin);
      break;
    case "blob:":
      return blobSite(u, origin);
  }
  throw never(u);
}
function parse(url) {
  if (url.length > maxURL) throw new Refusal("the address is longer than Chrome takes");
  try {
    return new URL(url);
  } catch {
    throw new Refusal(
      "the address is not one that a browser understands; give a whole URL such as https://example.com/"
    );
  }
}
var never = (u) => new Refusal(`${u.protocol} pages are never read or driven`);
function httpSite(u) {
  const host = cleanHost(u.hostname);
  if (host === void 0) throw new Refusal("the address has no valid host name");
  const scheme = u.protocol.slice(0, -1);
  const port = u.port === "" ? scheme === "http" ? 80 : 443 : Number(u.port);
  return { scheme, host, port };
}
function fileSite(u) {
  if (u.hostname !== "") throw new Refusal("files of other computers are never opened");
  return { scheme: "file", host: "", port: 0 };
}
function originSite(origin) {
  if (origin === "") throw new Refusal("it is not known which site made this page");
  if (origin === "null" || origin === "://") {
    throw new Refusal("this page hides which site made it (opaque origin)");
  }
  const u = parse(origin);
  if (u.protocol === "file:") return fileSite(u);
  if (u.protocol === "http:" || u.protocol === "https:") return httpSite(u);
  throw never(u);
}
function blobSite(u, origin) {
  if (u.pathname === "null" || u.pathname.startsWith("null/")) return originSite("null");
  const inner = parse(u.pathname);
  if (inner.protocol !== "http:" && inner.protocol !== "https:") throw never(inner);
  const site2 = httpSite(inner);
  if (origin === "") return site2;
  const by = originSite(origin);
  if (by.scheme !== site2.scheme || by.host !== site2.host || by.port !== site2.port) {
    throw new Refusal("the page's address and its origin name different sites");
  }
  return site2;
}
function disguised(s) {
  const m = /^\[(?:::ffff|64:ff9b:):([0-9a-f]{1,4})(?::([0-9a-f]{1,4}))?\]$/.exec(s.host);
  if (!m) return void 0;
  const [high, low] = m[2] === void 0 ? [0, hex(m[1])] : [hex(m[1]), hex(m[2])];
  return { ...s, host: [high >> 8, high & 255, low >> 8, low & 255].join(".") };
}
function disguises(host) {
  if (!isIP(host) || host.startsWith("[")) return [];
  return ["::ffff:", "64:ff9b::"].map((prefix) => new URL(`http://[${prefix}${host}]/`).hostname);
}
var hex = (digits) => parseInt(digits ?? "0", 16);
function cleanHost(host) {
  if (host.startsWith("[")) return host;
  const name = host.endsWith(".") ? host.slice(0, -1) : host;
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) ? name : void 0;
}
var isIP = (host) => host.startsWith("[") || /(^|\.)[0-9]+$/.test(host);
function matches(r, s) {
  if (r.scheme !== s.scheme && (r.scheme !== "" || s.scheme === "file")) return false;
  if (r.scheme === "file") return true;
  if (r.port !== 0 && r.port !== s.port) return false;
  if (r.any) return true;
  if (r.below) return !isIP(s.host) && s.host.endsWith("." + r.host);
  return s.host === r.host;
}
var globs = /* @__PURE__ */ new Map();
var maxGlobs = 4096;
function compiled(text2) {
  if (globs.has(text2)) return globs.get(text2);
  if (globs.size >= maxGlobs) globs.clear();
  const rule = parseGlob(text2);
  globs.set(text2, rule);
  return rule;
}
function parseGlob(text2) {
  if (/^file:(\/\/\/?\*?)?$/i.test(text2)) {
    return { scheme: "file", any: false, below: false, host: "", port: 0 };
  }
  let [scheme, rest] = ["", text2];
  const cut = text2.indexOf("://");
  if (cut >= 0) {
    [scheme, rest] = [text2.slice(0, cut).toLowerCase(), text2.slice(cut + 3)];
    if (scheme !== "http" && scheme !== "https") return void 0;
  }
  if (/[\u0000-\u0020\u007f/\\?#@%]/.test(rest)) return void 0;
  const split = splitPort(rest);
  if (!split) return void 0;
  const { port } = split;
  if (split.host === "*") return { scheme, any: true, below: false, host: "", port };
  const below = split.host.startsWith("*.");
  const name = below ? split.host.slice(2) : split.host;
  if (name.includes("*")) return void 0;
  let host;
  try {
    host = cleanHost(new URL(`https://${name}/`).hostname);
  } catch {
    return void 0;
  }
  if (host === void 0 || below && isIP(host)) return void 0;
  return { scheme, any: false, below, host, port };
}
function splitPort(s) {
  const colon = s.lastIndexOf(":");
  if (colon < 0 || s.endsWith("]")) return { host: s, port: 0 };
  if (s.indexOf(":") !== colon && !s.startsWith("[")) return void 0;
  const digits = s.slice(colon + 1);
  const port = /^[0-9]+$/.test(digits) ? Number(digits) : 0;
  return port >= 1 && port <= 65535 ? { host: s.slice(0, colon), port } : void 0;
}

// src/wire.gen.ts
var World = "chrome-mcp";
var HelloTimeoutMS = 5e3;
var HeartbeatMS = 15e3;
var IdleDetachMS = 2e4;
var EventExtPortOpen = "ext_port_open";
var EventExtPortMessage = "ext_port_message";
var EventExtPortClose = "ext_port_close";
var EventExtServing = "ext_serving";
var EventExtRefused = "ext_refused";
var EventExtProviders = "ext_providers";
var Protocol = 1;
var HostName = "com.chrome_mcp.host";
var CloseReplaced = 4e3;
var CloseStopped = 4001;
var CloseRefused = 4401;
var EventGrants = "grants";
var Methods = [
  "tabs_list",
  "tab_new",
  "tab_close",
  "tab_select",
  "tab_group",
  "release",
  "ping_probe",
  "cdp",
  "cdp_batch",
  "page",
  "frames",
  "attach",
  "detach",
  "capture",
  "download",
  "refused",
  "ext_port_open",
  "ext_port_message",
  "ext_port_close",
  "ext_probe",
  "ext_review",
  "ext_report"
];
var ProbeWithinMS = 1500;
var ReviewWithinMS = 6e4;
var WriteWindowMS = 6e4;
var ProbeChannel = "lumo:probe";
var ProbeVersion = 1;
var PortName = "lumo:mcp";
var PlainPort = "mcp";
var ServiceNamespace = "chrome";
var ServiceName = "chrome-mcp";
var MaxMessage = 4194304;
var MaxWaiting = 1024;
var MaxWaitingBytes = 8388608;
var MaxPorts = 32;
var MaxCallerPorts = 8;
var MaxOpens = 60;
var ExtensionIDPattern = "^[a-p]{32}$";
var CDPMethods = {
  "DOM.getBoxModel": "read",
  "DOM.getFrameOwner": "read",
  "DOM.setFileInputFiles": "upload",
  "IO.close": "read",
  "IO.read": "read",
  "Input.dispatchDragEvent": "act",
  "Input.dispatchKeyEvent": "act",
  "Input.dispatchMouseEvent": "act",
  "Input.insertText": "act",
  "Input.setInterceptDrags": "act",
  "Log.disable": "observe",
  "Log.enable": "observe",
  "Log.startViolationsReport": "observe",
  "Network.disable": "observe",
  "Network.enable": "observe",
  "Network.getCookies": "observe",
  "Network.getRequestPostData": "observe",
  "Network.getResponseBody": "observe",
  "Page.getNavigationHistory": "read",
  "Page.handleJavaScriptDialog": "read",
  "Page.navigate": "read",
  "Page.navigateToHistoryEntry": "read",
  "Page.printToPDF": "read",
  "Page.reload": "read",
  "Page.setInterceptFileChooserDialog": "act",
  "Page.stopLoading": "read",
  "Runtime.callFunctionOn": "eval",
  "Runtime.disable": "observe",
  "Runtime.enable": "observe",
  "Runtime.evaluate": "eval",
  "Runtime.releaseObject": "eval",
  "Runtime.terminateExecution": "eval"
};
var CDPEvents = {
  "Input.dragIntercepted": "act",
  "Inspector.targetCrashed": "read",
  "Inspector.targetReloadedAfterCrash": "read",
  "Log.entryAdded": "observe",
  "Network.loadingFailed": "observe",
  "Network.loadingFinished": "observe",
  "Network.requestServedFromCache": "observe",
  "Network.requestWillBeSent": "observe",
  "Network.requestWillBeSentExtraInfo": "observe",
  "Network.responseReceived": "observe",
  "Network.responseReceivedExtraInfo": "observe",
  "Network.webSocketClosed": "observe",
  "Network.webSocketCreated": "observe",
  "Network.webSocketFrameError": "observe",
  "Network.webSocketFrameReceived": "observe",
  "Network.webSocketFrameSent": "observe",
  "Network.webSocketHandshakeResponseReceived": "observe",
  "Network.webSocketWillSendHandshakeRequest": "observe",
  "Page.domContentEventFired": "read",
  "Page.downloadProgress": "read",
  "Page.downloadWillBegin": "read",
  "Page.fileChooserOpened": "act",
  "Page.frameAttached": "read",
  "Page.frameDetached": "read",
  "Page.frameNavigated": "read",
  "Page.frameRequestedNavigation": "read",
  "Page.frameStartedLoading": "read",
  "Page.frameStartedNavigating": "read",
  "Page.frameStoppedLoading": "read",
  "Page.javascriptDialogClosed": "read",
  "Page.javascriptDialogOpening": "read",
  "Page.lifecycleEvent": "read",
  "Page.loadEventFired": "read",
  "Page.navigatedWithinDocument": "read",
  "Page.windowOpen": "read",
  "Runtime.consoleAPICalled": "observe",
  "Runtime.exceptionThrown": "observe",
  "Runtime.executionContextCreated": "observe",
  "WebMCP.toolsAdded": "read",
  "WebMCP.toolsRemoved": "read"
};
var Functions = {
  box: "read",
  bytes: "download",
  content: "read",
  fileInput: "upload",
  files: "upload",
  find: "read",
  focus: "act",
  frameOwner: "read",
  html: "read",
  links: "read",
  outcome: "act",
  paste: "act",
  prepare: "act",
  probe: "read",
  scroll: "act",
  select: "act",
  setFiles: "upload",
  setStorage: "act",
  setValue: "act",
  signIn: "read",
  snapshot: "read",
  storage: "read",
  text: "read",
  value: "act",
  veil: "read",
  waitFor: "read",
  webmcpCall: "act",
  webmcpList: "read"
};

// src/gate.ts
var browserSchemes = /* @__PURE__ */ new Set(["chrome:", "chrome-untrusted:", "chrome-search:", "devtools:", "view-source:", "edge:", "brave:", "vivaldi:", "opera:", "arc:"]);
var extensionSchemes = /* @__PURE__ */ new Set(["chrome-extension:", "moz-extension:", "extension:", "isolated-app:"]);
function undrivable(url) {
  let why = drivable.get(url);
  if (why !== void 0) return why;
  why = whyUndrivable(url);
  if (drivable.size >= maxKnown2) drivable.clear();
  if (url.length <= maxLength) drivable.set(url, why);
  return why;
}
var drivable = /* @__PURE__ */ new Map();
var maxKnown2 = 512;
var maxLength = 2048;
function whyUndrivable(url) {
  if (url === "") return "its address is not known yet; try again in a moment";
  const parsed = URL.parse ? URL.parse(url) : parse2(url);
  if (!parsed) return "its address cannot be read";
  const scheme = parsed.protocol;
  if (browserSchemes.has(scheme)) return "it is a page of the browser itself; open a web page with tab_new";
  if (extensionSchemes.has(scheme)) return "it belongs to a browser extension; open a web page with tab_new";
  if (scheme === "about:" && !/^about:(blank|srcdoc)([?#]|$)/.test(url)) return "it is a page of the browser itself; open a web page with tab_new";
  if (gallery(parsed)) return "extensions are installed there, which only the user may do";
  return "";
}
function gallery(url) {
  const host = url.hostname.replace(/\.$/, "");
  return host === "chromewebstore.google.com" || host === "microsoftedge.microsoft.com" || host === "chrome.google.com" && /^\/webstore(\/|$)/.test(url.pathname);
}
function parse2(url) {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}
function decide(place2, access, policy) {
  const why = undrivable(place2.url);
  if (why) return { allow: false, reason: `${short(place2.url)} cannot be driven: ${why}` };
  return evaluate(place2.url, place2.origin, access, policy);
}
function judge(place2, access, policy) {
  const decision = decide(place2, access, policy);
  if (!decision.allow) throw new Failure("POLICY_DENIED", decision.reason ?? `${short(place2.url)} is not allowed`, asking(decision, access));
}
function asking({ site: site2, pageTool }, access) {
  return site2 ? { data: { site: site2, access, ...pageTool ? { pageTool } : {} } } : {};
}
function pageToolOf(fn, args) {
  if (fn !== "webmcpCall") return "";
  const { tool } = args ?? {};
  if (typeof tool !== "string" || tool === "") throw new Failure("BAD_ARGS", "webmcpCall names the tool to call");
  return tool;
}
function decidePageTool(place2, tool, policy) {
  const site2 = decide(place2, "act", policy);
  return site2.allow ? evaluateTool(place2.url, place2.origin, tool, policy) : site2;
}
function judgePageTool(place2, tool, policy) {
  const decision = decidePageTool(place2, tool, policy);
  if (!decision.allow) throw new Failure("POLICY_DENIED", decision.reason ?? `the tool ${tool} is not allowed`, asking(decision, "act"));
}
function accessOf(method) {
  const access = Object.hasOwn(CDPMethods, method) ? CDPMethods[method] : void 0;
  if (!access) throw new Failure("POLICY_DENIED", `the DevTools command ${method} is not one that chrome-mcp sends`);
  return access;
}
function accessOfFunction(name) {
  const access = Object.hasOwn(Functions, name) ? Functions[name] : void 0;
  if (!access) throw new Failure("BAD_ARGS", `there is no page function ${name}; update the older of server and extension`);
  return access;
}
var intervenes = /* @__PURE__ */ new Set([
  "Page.navigate",
  "Page.navigateToHistoryEntry",
  "Page.reload",
  "Page.stopLoading",
  "Page.handleJavaScriptDialog"
]);
function claims(method, access) {
  return intervenes.has(method) || access !== "read" && access !== "observe";
}
function acts(method, access) {
  return method === "Page.handleJavaScriptDialog" || method === "Page.navigateToHistoryEntry" || access !== "read" && access !== "observe";
}
var travelling = /* @__PURE__ */ new Set([
  "Page.navigate",
  "Page.navigateToHistoryEntry",
  "Page.reload",
  "Page.stopLoading",
  "Page.getNavigationHistory",
  "Page.handleJavaScriptDialog",
  "probe"
]);
function travels(name) {
  return travelling.has(name);
}
var leaves = /* @__PURE__ */ new Set(["Page.navigate", "Page.navigateToHistoryEntry", "Page.stopLoading"]);
function admit(ask2, access, policy) {
  if (!leavesFrom(ask2)) judge(ask2.place, access, policy);
  switch (ask2.method) {
    case "Page.navigate":
      judge({ url: String(ask2.params.url ?? ""), origin: "" }, access, policy);
      return ask2.params;
    case "Network.getCookies":
      return { urls: cookieURLs(ask2, access, policy) };
    case "DOM.setFileInputFiles":
      for (const file of list(ask2.params.files)) judgeFile(file, policy);
      return ask2.params;
    case "Runtime.evaluate":
    case "Runtime.callFunctionOn":
      return ownContext(ask2.params);
    default:
      return ask2.params;
  }
}
var ofFrame = /* @__PURE__ */ new Set(["DOM.getBoxModel", "DOM.getFrameOwner", "DOM.setFileInputFiles", "Network.getCookies"]);
function onlyFrame(method) {
  return ofFrame.has(method);
}
function aboutNode(method) {
  return method === "DOM.getBoxModel" || method === "DOM.setFileInputFiles";
}
function ownContext(params) {
  const { contextId: _id, uniqueContextId: _unique, executionContextId: _execution, ...rest } = params;
  return rest;
}
function leavesFrom(ask2) {
  if (!ask2.own) return false;
  return leaves.has(ask2.method) || ask2.method === "Page.handleJavaScriptDialog" && ask2.params.accept === false;
}
function cookieURLs(ask2, access, policy) {
  if (ask2.params.urls === void 0) return [ask2.place.url];
  const urls = list(ask2.params.urls);
  for (const url of urls) judge({ url, origin: "" }, access, policy);
  return urls.length > 0 ? urls : [ask2.place.url];
}
function judgeFile(file, policy) {
  const dir = (policy.uploadsDir ?? "").replace(/[\\/]+$/, "");
  const inside = dir !== "" && (file.startsWith(dir + "/") || file.startsWith(dir + "\\"));
  if (!inside || file.split(/[\\/]/).includes("..")) {
    throw new Failure("POLICY_DENIED", `${file} is not in the folder that uploads may come from (--uploads-dir)`);
  }
}
function list(value) {
  return Array.isArray(value) ? value.map(String) : [];
}
function answered(result2, known2, access, policy) {
  const place2 = answerer(result2, known2);
  const decision = decide(place2, access, policy);
  if (decision.allow) return { ...result2, origin: place2.origin };
  const error = { code: "POLICY_DENIED", message: decision.reason ?? `${short(place2.url)} is not allowed`, ...asking(decision, access) };
  return { url: site(place2), origin: place2.origin, document: result2.document, error };
}
function answerer(result2, known2) {
  const error = result2.url.startsWith("chrome-error:");
  const blank2 = result2.origin === "null" && result2.url.startsWith("about:") && result2.url === known2.url;
  return error || blank2 ? known2 : { url: result2.url, origin: result2.origin };
}
function site(place2) {
  const url = parse2(place2.url);
  if (url && url.origin !== "null") return url.origin + "/";
  if (place2.origin.includes("://")) return place2.origin + "/";
  return url ? url.protocol : "";
}
function shown(tab, policy) {
  if (policy.allTabs || decide({ url: tab.url, origin: "" }, "read", policy).allow) return tab;
  return { url: site({ url: tab.url, origin: "" }), title: "" };
}
function short(url) {
  return url === "" ? "the page" : url.length > 200 ? url.slice(0, 200) + "…" : url;
}

// src/redact.ts
var plain = /* @__PURE__ */ new Set(["Page.navigate", "Page.navigateToHistoryEntry", "Page.reload", "Page.stopLoading", "Page.handleJavaScriptDialog"]);
function result(sent, value) {
  switch (sent.method) {
    case "Page.getNavigationHistory":
      return history(value, sent.policy);
  }
  const empty = !value || Object.keys(value).length === 0;
  if (!empty && sent.access !== "act" && !plain.has(sent.method)) judge(sent.place, sent.access, sent.policy);
  return value;
}
function history(value, policy) {
  const entries = value.entries.map((entry) => {
    const url = address2(entry.url, policy);
    return url === entry.url ? entry : { ...entry, url, userTypedURL: url, title: "" };
  });
  return { ...value, entries };
}
function document(frame2, policy) {
  const url = address2(frame2.url, policy, frame2.securityOrigin);
  if (url === frame2.url) return frame2;
  const { urlFragment: _fragment, unreachableUrl: _unreachable, ...rest } = frame2;
  return { ...rest, url, name: "" };
}
function frame(known2, policy) {
  const url = address2(known2.url, policy, known2.origin);
  if (url === known2.url) return known2;
  const { name: _name, ...rest } = known2;
  return { ...rest, url };
}
function address2(url, policy, origin = "") {
  if (url === "" || url.startsWith("about:") || url.startsWith("chrome-error:")) return url;
  return decide({ url, origin: origin === "://" ? "null" : origin }, "read", policy).allow ? url : site({ url, origin });
}
function counted(method, params) {
  return method.startsWith("Network.webSocketFrame") && params.response ? { ...params, response: {} } : params;
}
function event(method, params, place2, policy) {
  const access = Object.hasOwn(CDPEvents, method) ? CDPEvents[method] : void 0;
  if (!access) return void 0;
  if (access !== "read") return decide(place2, access, policy).allow ? counted(method, params) : void 0;
  if (method.startsWith("WebMCP.")) return { tools: frames(params.tools) };
  if (method === "Page.frameNavigated") return { ...params, frame: document(params.frame, policy) };
  if (typeof params.url !== "string") return params;
  const made = method === "Page.downloadWillBegin" && params.url.startsWith("data:");
  if (made && decide(place2, access, policy).allow) return params;
  const url = address2(params.url, policy);
  if (url === params.url) return params;
  const told = { ...params, url };
  if (method === "Page.javascriptDialogOpening") Object.assign(told, { message: "", defaultPrompt: "" });
  if (method === "Page.downloadWillBegin") told.suggestedFilename = "";
  return told;
}
function frames(tools) {
  return Array.isArray(tools) ? tools.map((tool) => ({ frameId: String(tool.frameId ?? "") })) : [];
}

// src/pageworkers.ts
var passes = /^(Runtime\.(executionContextCreated|consoleAPICalled|exceptionThrown)$|Network\.)/;
var aboutRequests = /* @__PURE__ */ new Set(["Network.getResponseBody", "Network.getRequestPostData"]);
var maxRequests = 2e3;
var PageWorkers = class {
  known = /* @__PURE__ */ new Map();
  // by session
  requests = /* @__PURE__ */ new Map();
  // request id → session
  count = 0;
  joined(session, root, frame2) {
    this.known.set(session, { root, frame: frame2, context: -++this.count });
  }
  left(session) {
    this.known.delete(session);
  }
  // root is the root frame of the target that a worker belongs to, if it is a worker.
  root(session) {
    return this.known.get(session)?.root;
  }
  sessions() {
    return this.known.keys();
  }
  // told is what an event says when it is passed on, if it is.
  told(session, method, params) {
    const worker = this.known.get(session);
    if (!worker) return params;
    if (!passes.test(method)) return void 0;
    if (method.startsWith("Network.")) return this.asked(worker, session, params);
    return inContext(worker, params);
  }
  asked(worker, session, params) {
    this.requests.set(String(params.requestId), session);
    for (const oldest of this.requests.keys()) {
      if (this.requests.size <= maxRequests) break;
      this.requests.delete(oldest);
    }
    return { ...params, frameId: worker.frame };
  }
  // answering is the session of the worker that made the request which a command is about.
  answering(method, params) {
    const session = aboutRequests.has(method) ? this.requests.get(String(params.requestId)) : void 0;
    return session !== void 0 && this.known.has(session) ? session : void 0;
  }
};
function originOf(url) {
  return URL.canParse(url) ? new URL(url).origin : "";
}
function inContext(worker, params) {
  const { context, exceptionDetails } = params;
  if (context) return { context: { ...context, id: worker.context, origin: originOf(String(context.origin)), auxData: { isDefault: true, frameId: worker.frame } } };
  if (exceptionDetails) return { ...params, exceptionDetails: { ...exceptionDetails, executionContextId: worker.context } };
  return { ...params, executionContextId: worker.context };
}

// src/attachment.ts
var setupTime = 2e3;
var reasonTime = 250;
var worksCrashed = /* @__PURE__ */ new Set(["Page.navigate", "Page.reload", "Page.navigateToHistoryEntry", "Page.getNavigationHistory", "Page.handleJavaScriptDialog"]);
var recording = { format: "jpeg", quality: 1, maxWidth: 1, maxHeight: 1 };
var awakeTime = 5e3;
var Worlds = class {
  known = /* @__PURE__ */ new Map();
  turns = /* @__PURE__ */ new Map();
  made = /* @__PURE__ */ new Map();
  get(frame2) {
    return this.known.get(frame2);
  }
  // turn counts a frame's documents.
  turn(frame2) {
    return this.turns.get(frame2) ?? 0;
  }
  // set notes a world, unless the frame has had another document since turn.
  set(frame2, world, turn) {
    if (this.turn(frame2) !== turn) return false;
    this.known.set(frame2, world);
    return true;
  }
  // making is the world that is being made for a frame's document, if one is.
  making(frame2) {
    return this.made.get(frame2);
  }
  // make notes a world that is being made until it is.
  make(frame2, world) {
    this.made.set(frame2, world);
    world.catch(() => {
    }).finally(() => {
      if (this.made.get(frame2) === world) this.made.delete(frame2);
    });
  }
  delete(frame2) {
    this.known.delete(frame2);
    this.made.delete(frame2);
    this.turns.set(frame2, this.turn(frame2) + 1);
  }
  clear() {
    for (const frame2 of [...this.known.keys()]) this.delete(frame2);
  }
};
var Attachment = class _Attachment {
  constructor(tab, bundle) {
    this.tab = tab;
    this.bundle = bundle;
  }
  tab;
  bundle;
  static webmcp = true;
  // until the browser says otherwise
  frames = new FrameTree();
  worlds = new Worlds();
  // holds are reasons to stay attached while nobody calls, as an open dialog is.
  holds = /* @__PURE__ */ new Set();
  // observed are the commands that switched observers on in the tab's own target.
  observed = /* @__PURE__ */ new Map();
  plain = false;
  // at the last picture a CSS pixel was one of the screen
  script = "";
  // identifier of the page bundle's new-document script
  ended;
  // arrived is called once, when the tab's next document is there.
  arrived;
  crashed = false;
  asleep;
  // while the tab is kept awake
  moved = false;
  // to another document since then
  children = /* @__PURE__ */ new Map();
  workers = new PageWorkers();
  pending = /* @__PURE__ */ new Set();
  // busy reports whether a command is under way.
  get busy() {
    return this.pending.size > 0;
  }
  // send sends one DevTools command. It fails at once when the target crashes or
  // leaves, for which Chrome itself would keep it waiting.
  send(session, method, params = {}, acts2 = false) {
    const doing = { tab: this.tab, method, acts: acts2 };
    if (this.ended) return Promise.reject(unsent(this.ended({ ...doing, acts: false })));
    const crashed = session === MAIN ? this.crashed : this.children.get(session)?.crashed;
    if (crashed && !worksCrashed.has(method)) return Promise.reject(gone({ ...doing, acts: false }, "crashed"));
    return new Promise((resolve2, reject) => {
      const call = { session, doing, reject };
      this.pending.add(call);
      const to = this.workers.answering(method, params) ?? session;
      const target = to === MAIN ? { tabId: this.tab } : { tabId: this.tab, sessionId: to };
      chrome.debugger.sendCommand(target, method, params).then((result2) => {
        this.pending.delete(call);
        resolve2(result2);
      }, (thrown) => this.failed(call, fromChrome(thrown, doing)));
    });
  }
  // failed takes Chrome's refusal of a command. That the debugger left the tab is told
  // here first; why it did, by an event that follows and says it better.
  failed(call, failure) {
    if (failure.code === "DETACHED" && !failure.more.unsent) {
      setTimeout(() => this.fail((other) => other === call, () => failure), reasonTime);
      return;
    }
    if (failure.code === "DETACHED") this.ended ??= detached;
    this.pending.delete(call);
    call.reject(failure);
  }
  // observe notes a command that switched an observer on in the tab's own target. Frames
  // that get a target of their own later are observed from their first moment: they wait
  // for it, because what they ask for as they load is told to nobody later.
  observe(method, params) {
    if (this.observed.size === 0) this.send(MAIN, "Target.setAutoAttach", autoAttach(true)).catch(() => {
    });
    this.observed.set(method, params);
    for (const worker of this.workers.sessions()) this.send(worker, method, params).catch(() => {
    });
  }
  // wake keeps the tab drawing for a while. It waits for nothing: commands of a target
  // are taken in order. anew begins the recording again, which after a navigation does
  // not always go on by itself (Chromium 156).
  wake(anew = this.moved) {
    if (this.asleep && anew) this.record("Page.stopScreencast");
    if (!this.asleep || anew) this.record("Page.startScreencast", recording);
    this.moved = false;
    clearTimeout(this.asleep);
    this.asleep = setTimeout(() => {
      if (this.busy) this.wake();
      else this.rest();
    }, awakeTime);
  }
  // rest lets the tab draw as Chrome likes: a page loads sooner when nobody records it
  // (Chromium 156).
  rest() {
    if (!this.asleep) return;
    clearTimeout(this.asleep);
    this.asleep = void 0;
    this.record("Page.stopScreencast");
  }
  record(method, params) {
    if (!this.ended) this.send(MAIN, method, params).catch(() => {
    });
  }
  // setup makes a target ready: events, the page bundle, its child targets. known is
  // the script's identifier when the target has it already.
  async setup(session, known2 = "", parent = "") {
    const send = (method, params) => this.send(session, method, params);
    if (session !== MAIN) for (const [method, params] of this.observed) send(method, params).catch(() => {
    });
    const essential = send("Page.enable");
    const rest = [
      known2 ? void 0 : this.install(session),
      send("Target.setAutoAttach", autoAttach(this.observed.size > 0)),
      // Without this, input to a tab in the background is lost (headed Chromium 156).
      send("Emulation.setFocusEmulationEnabled", { enabled: true }),
      send("Page.setLifecycleEventsEnabled", { enabled: true }),
      send("Inspector.enable"),
      this.offers(session),
      this.load(session, parent),
      // It may wait: observers may have come on while it began.
      session === MAIN ? void 0 : send("Runtime.runIfWaitingForDebugger")
    ];
    const settled2 = Promise.allSettled(rest);
    await within(setupTime, Promise.all([essential, settled2]));
  }
  // grown waits until the child targets known are set up, and those they bring.
  async grown() {
    const end = Date.now() + setupTime;
    for (let known2 = -1; known2 < this.children.size && Date.now() < end; ) {
      known2 = this.children.size;
      await within(end - Date.now(), Promise.allSettled([...this.children.values()].map((child) => child.ready)));
    }
  }
  async install(session) {
    const params = { source: this.bundle, worldName: World, runImmediately: true };
    const { identifier } = await this.send(session, "Page.addScriptToEvaluateOnNewDocument", params);
    if (session === MAIN) this.script = identifier;
  }
  // offers has the page's own tools counted, where the browser knows of such.
  async offers(session) {
    if (!_Attachment.webmcp) return;
    await this.send(session, "WebMCP.enable").catch((thrown) => {
      if (/wasn't found/.test(thrown.message)) _Attachment.webmcp = false;
    });
  }
  async load(session, parent) {
    const { frameTree } = await this.send(session, "Page.getFrameTree");
    if (session === MAIN || this.children.has(session)) this.frames.load(frameTree, session, parent);
  }
  // reset drops child targets that a worker before this one attached, so that Chrome
  // tells of them again.
  async reset() {
    await this.send(MAIN, "Target.setAutoAttach", { autoAttach: false, flatten: true, waitForDebuggerOnStart: false });
  }
  // refresh reads the frame trees of all targets again.
  async refresh() {
    const sessions = [MAIN, ...this.children.keys()];
    await within(setupTime, Promise.allSettled(sessions.map((session) => this.load(session, ""))));
  }
  // route is the session that hosts a frame, once it is set up; "" is the main frame.
  async route(frame2, method) {
    if (frame2 === "") return MAIN;
    if (!this.frames.get(frame2)) await this.refresh();
    const known2 = this.frames.get(frame2);
    if (!known2) throw gone({ tab: this.tab, method, acts: false }, "frame");
    await this.children.get(known2.session)?.ready;
    return this.frames.get(frame2)?.session ?? known2.session;
  }
  // root is the root frame of a session's target as events name it: "" for the tab's own.
  root(session) {
    return this.children.get(session)?.root ?? this.workers.root(session) ?? "";
  }
  // on takes an event of one of the tab's targets.
  on(session, method, params) {
    if (this.workers.root(session) !== void 0 && !method.startsWith("Target.")) return;
    handlers[method]?.(this, session, params);
  }
  // joined starts the setup of a child target.
  joined(session, root, url, parent) {
    this.frames.moved(root, url, session, parent);
    this.worlds.delete(root);
    const child = { root, ready: Promise.resolve(), crashed: false };
    this.children.set(session, child);
    child.ready = this.setup(session, "", parent).catch(() => {
    });
  }
  // listens has a worker tell what it does, from its first line on. The workers that it
  // starts are its page's too.
  listens(session, root, frame2) {
    this.workers.joined(session, root, frame2);
    const send = (method, params) => void this.send(session, method, params).catch(() => {
    });
    for (const [method, params] of this.observed) send(method, params);
    send("Target.setAutoAttach", autoAttach(true));
    send("Runtime.runIfWaitingForDebugger");
  }
  // left ends what waits for a child target.
  left(session) {
    this.children.delete(session);
    this.workers.left(session);
    this.frames.dropped(session);
    this.fail((call) => call.session === session, (doing) => gone(doing, "navigated"));
  }
  // crash ends what waits for a crashed target; for the tab's own that is everything.
  crash(session) {
    const child = this.children.get(session);
    if (child) {
      child.crashed = true;
    } else {
      this.crashed = true;
      clearTimeout(this.asleep);
      this.asleep = void 0;
    }
    this.worlds.clear();
    this.holds.delete("dialog");
    this.fail((call) => !child || call.session === session, (doing) => gone(doing, "crashed"));
  }
  // alive notes that a target runs again, with a new document.
  alive(session) {
    const child = this.children.get(session);
    if (child) child.crashed = false;
    if (session !== MAIN) return;
    this.crashed = false;
    this.moved = true;
  }
  // end fails what waits, and every later command.
  end(why = detached) {
    this.ended = why;
    clearTimeout(this.asleep);
    this.fail(() => true, why);
  }
  fail(which, why) {
    for (const call of [...this.pending]) {
      if (!which(call)) continue;
      this.pending.delete(call);
      call.reject(why(call.doing));
    }
  }
};
function autoAttach(observed) {
  const types = observed ? ["iframe", "worker"] : ["iframe"];
  return { autoAttach: true, flatten: true, waitForDebuggerOnStart: observed, filter: types.map((type) => ({ type })) };
}
var handlers = {
  "Target.attachedToTarget": (a, session, p) => {
    const info = p.targetInfo;
    if (info.type === "iframe") a.joined(String(p.sessionId), info.targetId, info.url, info.parentFrameId ?? "");
    if (info.type === "worker") a.listens(String(p.sessionId), a.root(session), info.parentFrameId ?? "");
  },
  "Target.detachedFromTarget": (a, _, p) => a.left(String(p.sessionId)),
  "Page.frameAttached": (a, session, p) => a.frames.attached(String(p.frameId), String(p.parentFrameId), session),
  "Page.frameNavigated": (a, session, p) => {
    const frame2 = p.frame;
    a.worlds.delete(frame2.id);
    a.frames.navigated(frame2, session);
    if (!frame2.parentId || a.root(session) === frame2.id) a.alive(session);
    if (session === MAIN && !frame2.parentId) {
      a.arrived?.(session, frame2.id);
      a.arrived = void 0;
    }
  },
  "Page.navigatedWithinDocument": (a, _, p) => a.frames.within(String(p.frameId), String(p.url)),
  "Page.frameDetached": (a, session, p) => {
    a.worlds.delete(String(p.frameId));
    a.frames.detached(String(p.frameId), session, String(p.reason));
  },
  "Page.javascriptDialogOpening": (a) => a.holds.add("dialog"),
  "Page.javascriptDialogClosed": (a) => a.holds.delete("dialog"),
  "Inspector.targetCrashed": (a, session) => a.crash(session),
  "Inspector.targetReloadedAfterCrash": (a, session) => a.alive(session)
};
async function within(ms, promise) {
  let timer;
  const late2 = new Promise((resolve2) => {
    timer = setTimeout(resolve2, ms);
  });
  try {
    await Promise.race([promise, late2]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => {
    });
  }
}

// src/runner.ts
var run = `function () {
  'use strict';
  const [key, name, args, ...nodes] = arguments;
  if (globalThis.__chromeMcpKey !== key) return { stale: true };
  const page = globalThis.__chromeMcp;
  return page ? page.run(name, args, nodes) : { missing: true };
}`;
var key = "function (fresh) { 'use strict'; return globalThis.__chromeMcpKey ??= fresh; }";
var pointed = "function (n) { return globalThis.__chromeMcp.element(n); }";
var candidates = "function () { return globalThis.__chromeMcp.candidates(); }";
var adopt = "function (...pairs) { for (let i = 0; i < pairs.length; i += 2) globalThis.__chromeMcp.adopt(pairs[i], pairs[i + 1]); }";
var maxDepth = 30;
var patience2 = 1e3;
var maxDocuments = 5;
var calls = 0;
async function runPage(call) {
  let world = await enter(call);
  for (let depth = 0, documents = 0; ; depth++) {
    const envelope = await attempt(call, world);
    if (envelope.stale) {
      if (++documents > maxDocuments) throw gone({ tab: call.attachment.tab, method: call.params.fn, acts: false }, "navigated");
      call.attachment.worlds.delete(world.frame);
      world = await enter(call);
    } else if (envelope.missing) {
      await evaluateBundle(call, world);
    } else if (envelope.hosts) {
      await adoptRoots(call, world);
    } else {
      return envelope.element ? await named2(call, world, envelope) : envelope;
    }
    if (depth > maxDepth) throw new Failure("CDP_ERROR", `the page functions do not start in tab ${call.attachment.tab}; reload the page`);
  }
}
async function named2(call, world, { element, ...envelope }) {
  const { objectId } = await callIn(call, world, pointed, [{ value: element }], false);
  const { node } = await call.attachment.send(world.session, "DOM.describeNode", { objectId });
  release(call, world);
  return { ...envelope, node: node.backendNodeId };
}
function prepare(attachment, session, frame2) {
  attachment.worlds.make(frame2, makeWorld(attachment, session, frame2));
}
async function enter(call) {
  const { attachment, params } = call;
  for (let again2 = true; ; again2 = false) {
    const session = await attachment.route(params.frame ?? "", params.fn);
    const frame2 = params.frame || attachment.frames.main;
    const making = attachment.worlds.making(frame2);
    if (making) await within(patience2, making.catch(() => {
    }));
    const known2 = attachment.worlds.get(frame2);
    const group = `${World}-${++calls}`;
    if (known2) return { session, frame: frame2, group, ...known2 };
    try {
      return { session, frame: frame2, group, ...await makeWorld(attachment, session, frame2) };
    } catch (thrown) {
      const failure = fromChrome(thrown, { tab: attachment.tab, method: params.fn, acts: false });
      if (!again2 || failure.code !== "TARGET_GONE") throw failure;
      await attachment.refresh();
    }
  }
}
async function makeWorld(attachment, session, frame2) {
  const turn = attachment.worlds.turn(frame2);
  const { executionContextId: id } = await attachment.send(
    session,
    "Page.createIsolatedWorld",
    { frameId: frame2, worldName: World }
  );
  const called = await attachment.send(
    session,
    "Runtime.callFunctionOn",
    { functionDeclaration: key, executionContextId: id, arguments: [{ value: crypto.randomUUID() }], returnByValue: true }
  );
  const world = { id, key: String(called.result.value) };
  if (!attachment.worlds.set(frame2, world, turn)) {
    throw gone({ tab: attachment.tab, method: "the page function", acts: false }, "navigated");
  }
  return world;
}
async function attempt(call, world) {
  const { attachment, params } = call;
  try {
    const nodes = await Promise.all((params.nodes ?? []).map((node) => resolve(call, world, node)));
    return await invoke(call, world, nodes);
  } catch (thrown) {
    const failure = fromChrome(thrown, { tab: attachment.tab, method: params.fn, acts: call.acts });
    if (failure.code === "TARGET_GONE" && failure.more.unsent) return staleAnswer;
    throw failure;
  }
}
var staleAnswer = { url: "", origin: "", document: "", stale: true };
async function resolve(call, world, backendNodeId) {
  const { object } = await call.attachment.send(
    world.session,
    "DOM.resolveNode",
    { backendNodeId, executionContextId: world.id, objectGroup: world.group }
  );
  if (!object.objectId) throw new Failure("REF_EXPIRED", `the element is no longer in the page of tab ${call.attachment.tab}; take a new snapshot`);
  return object.objectId;
}
async function nodeIn(attachment, frame2, node) {
  const call = { attachment, bundle: () => Promise.resolve(""), params: { fn: "the command", frame: frame2 }, acts: false };
  const world = await enter(call);
  try {
    return { objectId: await resolve(call, world, node), release: () => release(call, world) };
  } catch (thrown) {
    throw fromChrome(thrown, { tab: attachment.tab, method: call.params.fn, acts: false });
  }
}
async function invoke(call, world, nodes) {
  const { params } = call;
  const called = await callIn(
    call,
    world,
    run,
    [{ value: world.key }, { value: params.fn }, { value: params.args ?? {} }, ...nodes.map((objectId) => ({ objectId }))]
  );
  if (nodes.length > 0) release(call, world);
  return called.value;
}
async function callIn(call, world, code, args, byValue = true) {
  const { attachment, params, acts: acts2 } = call;
  const called = await attachment.send(world.session, "Runtime.callFunctionOn", {
    functionDeclaration: code,
    executionContextId: world.id,
    arguments: args,
    awaitPromise: true,
    returnByValue: byValue,
    objectGroup: world.group
  }, acts2 && code === run);
  if (called.exceptionDetails) {
    const { exception, text: text2 } = called.exceptionDetails;
    throw new Failure("CDP_ERROR", `the page function ${params.fn} failed: ${exception?.description ?? text2}`);
  }
  return called.result;
}
async function evaluateBundle(call, world) {
  await call.attachment.send(world.session, "Runtime.evaluate", { expression: await call.bundle(), contextId: world.id });
}
async function adoptRoots(call, world) {
  const hosts = await elements(call, world);
  const pairs = await Promise.all(hosts.map(async (host) => {
    const root = await closedRoot(call, world, host);
    return root ? [{ objectId: host }, { objectId: root }] : [];
  }));
  const flat = pairs.flat();
  if (flat.length > 0) await callIn(call, world, adopt, flat);
  release(call, world);
}
async function elements(call, world) {
  const array = await callIn(call, world, candidates, [], false);
  const { result: result2 } = await call.attachment.send(
    world.session,
    "Runtime.getProperties",
    { objectId: array.objectId, ownProperties: true }
  );
  return result2.filter((property) => /^\d+$/.test(property.name)).map((property) => property.value?.objectId ?? "").filter(Boolean);
}
async function closedRoot(call, world, host) {
  const { node } = await call.attachment.send(
    world.session,
    "DOM.describeNode",
    { objectId: host, depth: 0, pierce: true }
  );
  const root = node.shadowRoots?.find((r) => r.shadowRootType === "closed");
  return root && resolve(call, world, root.backendNodeId);
}
function release(call, world) {
  call.attachment.send(world.session, "Runtime.releaseObjectGroup", { objectGroup: world.group }).catch(() => {
  });
}

// src/commands.ts
var loads = /* @__PURE__ */ new Set(["Page.navigate", "Page.reload", "Page.navigateToHistoryEntry"]);
var Commands = class {
  constructor(tools) {
    this.tools = tools;
  }
  tools;
  async attach(request) {
    await this.visit(request, reading(request));
    return {};
  }
  async detach(request) {
    this.tools.ownership.check(named3(request), request.session);
    await this.tools.debugger.leave(request.tab);
    return {};
  }
  cdp(request) {
    const call = cdpParams(request.params);
    return this.twice(() => this.send(request, call));
  }
  async batch(request) {
    const calls2 = batchParams(request.params);
    await this.twice(() => this.visit(request, { pass: (place2) => {
      for (const call of calls2) {
        const access = accessOf(call.method);
        if (!call.frame) admit(this.ask(request, call, place2), access, request.policy);
      }
    } }));
    const results = [];
    for (const [i, call] of calls2.entries()) {
      if (call.delayMs) await new Promise((resolve2) => setTimeout(resolve2, call.delayMs));
      const sent = this.twice(() => this.send(request, call));
      results.push(sent);
      if (flows(call, calls2[i + 1])) continue;
      if (await sent.then(() => false, () => true)) break;
    }
    return settled(results);
  }
  page(request) {
    const params = pageParams(request.params);
    const access = accessOfFunction(params.fn);
    const act = access !== "read";
    const pageTool = pageToolOf(params.fn, params.args);
    const { policy } = request;
    return this.twice(async () => {
      const attachment = await this.visit(request, {
        frame: params.frame,
        claim: act,
        use: travels(params.fn) ? void 0 : access,
        pageTool,
        pass: (place2, attached) => {
          judge(place2, access, policy);
          if (pageTool && attached) judgePageTool(place2, pageTool, policy);
        }
      });
      if (act || params.fn === "waitFor") attachment.wake();
      const result2 = await runPage({ attachment, params, acts: act, bundle: this.tools.bundle });
      return answered(result2, this.known(attachment, params.frame), access, policy);
    });
  }
  frames(request) {
    return this.twice(async () => {
      const own = this.tools.ownership.owns(request.tab, request.session);
      const attachment = await this.visit(request, own ? { pass: () => {
      } } : reading(request));
      await attachment.grown();
      let frames2 = attachment.frames.list();
      if (frames2.length === 0 || frames2.some((frame2) => frame2.url === "")) {
        await attachment.refresh();
        frames2 = attachment.frames.list();
      }
      return { frames: frames2.map((frame2) => frame(frame2, request.policy)) };
    });
  }
  capture(request) {
    return this.twice(async () => {
      const attachment = await this.visit(request, { ...reading(request), use: "read" });
      const picture = await capture(attachment, request.params);
      judge(this.known(attachment), "read", request.policy);
      return picture;
    });
  }
  async send(request, call) {
    const { method } = call;
    const access = accessOf(method);
    let params = {};
    const use = travels(method) ? void 0 : access;
    const attachment = await this.visit(request, { frame: call.frame, claim: claims(method, access), use, pass: (place2) => {
      params = admit(this.ask(request, call, place2), access, request.policy);
    } });
    const session = await attachment.route(call.frame ?? "", method);
    if (!onlyFrame(method)) params = admit(this.ask(request, call, this.known(attachment, attachment.root(session))), access, request.policy);
    if (method.startsWith("Input.")) attachment.wake();
    if (loads.has(method)) {
      attachment.rest();
      attachment.arrived = (of, frame2) => prepare(attachment, of, frame2);
    }
    const value = await this.inFrame(attachment, call, params, (exact) => attachment.send(session, method, exact, acts(method, access)));
    hold(attachment, call);
    return result({ method, access, place: this.known(attachment, call.frame), policy: request.policy }, value);
  }
  // inFrame binds what a command names by a number or an id to the frame that was judged.
  async inFrame(attachment, call, params, send) {
    const frame2 = call.frame || attachment.frames.main;
    if (call.method === "DOM.getFrameOwner") {
      const inner = attachment.frames.get(String(params.frameId));
      if (!inner || inner.parent !== frame2) throw gone({ tab: attachment.tab, method: call.method, acts: false }, "frame");
    }
    if (!aboutNode(call.method)) return send(params);
    const { backendNodeId, nodeId: _node, objectId: _object, ...rest } = params;
    if (!Number.isSafeInteger(backendNodeId)) throw new Failure("BAD_ARGS", `${call.method} takes a backendNodeId`);
    const { objectId, release: release2 } = await nodeIn(attachment, frame2, backendNodeId);
    return send({ ...rest, objectId }).finally(release2);
  }
  ask(request, call, place2) {
    const own = this.tools.ownership.owns(request.tab, request.session);
    return { method: call.method, params: call.params ?? {}, place: place2, own };
  }
  // visit passes the tab's owner and the gate, and attaches. A tab that is not yet
  // attached is judged by its own address first: no denied page is ever attached to.
  async visit(request, visit) {
    const { book, debugger: attacher, ownership } = this.tools;
    const tab = named3(request);
    ownership.check(tab, request.session);
    if (!attacher.attached(tab)) {
      const entry = await book.get(tab);
      visit.pass({ url: entry.url, origin: "" }, false);
      if (entry.discarded) await chrome.tabs.reload(tab).catch(() => {
      });
    }
    if (visit.claim && ownership.claim(tab, { session: request.session, server: request.asker.id })) await this.tools.claimed(tab);
    this.tools.used(tab, request.asker);
    const attachment = await attacher.use(tab);
    const place2 = await this.place(attachment, visit.frame);
    visit.pass(place2, true);
    if (visit.use) this.tools.use(request, place2, visit.use, visit.pageTool ?? "");
    return attachment;
  }
  async place(attachment, frame2 = "") {
    await attachment.route(frame2, "the command");
    if (!attachment.frames.get(frame2)?.url) await attachment.refresh();
    return this.known(attachment, frame2);
  }
  // known is a frame's document as the events have told it.
  known(attachment, frame2 = "") {
    const known2 = attachment.frames.get(frame2);
    const entry = this.tools.book.known(attachment.tab);
    if (!known2?.url) return { url: frame2 === "" ? entry?.url ?? "" : "", origin: "" };
    const nobodys = !known2.parent && known2.origin === "null" && known2.url.startsWith("about:blank") && !entry?.opener;
    return { url: known2.url, origin: nobodys ? "" : known2.origin };
  }
  // twice does a command again if the attachment turns out to be gone before anything
  // was sent.
  async twice(work) {
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof Failure) || thrown.code !== "DETACHED" || !thrown.more.unsent) throw thrown;
      return work();
    }
  }
};
function flows(call, next) {
  return next !== void 0 && !next.delayMs && next.method.startsWith("Input.") && call.method === "Input.dispatchMouseEvent" && call.params.type === "mouseMoved";
}
async function settled(sent) {
  const results = [];
  for (const outcome of await Promise.allSettled(sent)) {
    if (outcome.status === "rejected") return { results, error: toWire(outcome.reason) };
    results.push(outcome.value);
  }
  return { results };
}
function reading(request) {
  return { pass: (place2) => judge(place2, "read", request.policy) };
}
function named3(request) {
  if (request.tab === 0) throw new Failure("BAD_ARGS", "the command names no tab; send tabId");
  return request.tab;
}
function hold(attachment, call) {
  const [domain = "", command] = call.method.split(".");
  const params = call.params ?? {};
  if (accessOf(call.method) === "observe") {
    if (command === "enable" && !call.frame) attachment.observe(call.method, params);
    if (command === "disable" && !call.frame) attachment.observed.delete(`${domain}.enable`);
    return;
  }
  if (command === "enable" || params.enabled === true) attachment.holds.add(domain);
  else if (command === "disable" || params.enabled === false) attachment.holds.delete(domain);
}
function cdpParams(params) {
  const { frame: frame2, method, params: inner } = params ?? {};
  if (typeof method !== "string") throw new Failure("BAD_ARGS", "a DevTools command needs its method");
  if (frame2 !== void 0 && typeof frame2 !== "string") throw new Failure("BAD_ARGS", `frame of ${method} must be a frame id`);
  if (inner !== void 0 && inner !== null && (typeof inner !== "object" || Array.isArray(inner))) {
    throw new Failure("BAD_ARGS", `params of ${method} must be an object`);
  }
  const call = { method, params: inner ?? {} };
  if (frame2) call.frame = frame2;
  return call;
}
function batchParams(params) {
  if (!Array.isArray(params.calls)) throw new Failure("BAD_ARGS", "calls must be a list of DevTools commands");
  return params.calls.map((call) => ({ ...cdpParams(call), delayMs: Math.max(0, Number(call?.delayMs) || 0) }));
}
function pageParams(params) {
  const { frame: frame2, fn, args, nodes } = params;
  if (typeof fn !== "string") throw new Failure("BAD_ARGS", "fn must be the name of a page function");
  if (nodes !== void 0 && !(Array.isArray(nodes) && nodes.every(Number.isSafeInteger))) {
    throw new Failure("BAD_ARGS", "nodes must be a list of backend node ids");
  }
  return { fn, args: args ?? {}, frame: typeof frame2 === "string" ? frame2 : "", nodes: nodes ?? [] };
}

// src/debugger.ts
var protocol = "1.3";
var Debugger = class {
  constructor(host) {
    this.host = host;
  }
  host;
  entries = /* @__PURE__ */ new Map();
  leaving = /* @__PURE__ */ new Map();
  // attached is the tab's attachment, if there is one and it is ready.
  attached(tab) {
    return this.entries.get(tab)?.attachment;
  }
  // tabs lists the attached tabs.
  tabs() {
    return [...this.entries.keys()];
  }
  // use returns the tab's attachment, attaching first where needed.
  use(tab) {
    if (this.host.stopped()) return Promise.reject(halted());
    let entry = this.entries.get(tab);
    if (entry?.attachment?.ended) {
      this.forget(tab);
      entry = void 0;
    }
    if (!entry) {
      entry = { attachment: void 0, ready: this.start(tab), timer: void 0, used: 0 };
      this.entries.set(tab, entry);
      this.watch(tab, entry);
    }
    entry.used = Date.now();
    return entry.ready;
  }
  watch(tab, entry) {
    entry.ready.then((attachment) => {
      if (this.early.get(tab) === attachment) this.early.delete(tab);
      if (this.entries.get(tab) !== entry) return;
      entry.attachment = attachment;
      entry.timer = setTimeout(() => this.idle(tab, entry), IdleDetachMS);
    }, () => {
      if (this.entries.get(tab) === entry) this.entries.delete(tab);
      this.early.delete(tab);
    });
  }
  // early are attachments whose setup still runs: events are for them already.
  early = /* @__PURE__ */ new Map();
  async start(tab) {
    await this.leaving.get(tab);
    const attachment = new Attachment(tab, await this.host.bundle());
    this.early.set(tab, attachment);
    const doing = { tab, method: "attach", acts: false };
    let known2 = "";
    try {
      await chrome.debugger.attach({ tabId: tab }, protocol);
    } catch (thrown) {
      if (!/Another debugger/.test(text(thrown))) throw await named4(fromChrome(thrown, doing), tab);
      known2 = await this.adopt(attachment, thrown);
    }
    attachment.script = known2;
    await attachment.setup(MAIN, known2);
    if (attachment.ended) throw attachment.ended(doing);
    this.host.scripts.set(tab, attachment.script);
    this.host.save();
    return attachment;
  }
  // adopt takes over the attachment that this extension had before its worker was
  // stopped: attaching is refused then, but commands work. If they do not, the
  // debugger is somebody else's.
  async adopt(attachment, refused) {
    try {
      await attachment.reset();
    } catch {
      throw fromChrome(refused, { tab: attachment.tab, method: "attach", acts: false });
    }
    return this.host.scripts.get(attachment.tab) ?? "";
  }
  idle(tab, entry) {
    const attachment = entry.attachment;
    if (this.entries.get(tab) !== entry || !attachment) return;
    const rest = entry.used + IdleDetachMS - Date.now();
    const held2 = attachment.holds.size > 0 || attachment.observed.size > 0 && this.host.owned(tab);
    if (rest > 0 || attachment.busy || held2) {
      entry.timer = setTimeout(() => this.idle(tab, entry), rest > 0 ? rest : IdleDetachMS);
      return;
    }
    void this.leave(tab).then(() => this.host.left(tab, "idle"));
  }
  // leave detaches from a tab.
  async leave(tab, why = detached) {
    const attachment = this.forget(tab, why);
    if (!attachment && !this.host.scripts.has(tab)) return;
    const done = chrome.debugger.detach({ tabId: tab }).catch(() => {
    });
    this.leaving.set(tab, done);
    await done;
    if (this.leaving.get(tab) === done) this.leaving.delete(tab);
    this.host.scripts.delete(tab);
    this.host.save();
  }
  // leaveAll detaches from every tab, those of a stopped worker included.
  async leaveAll(why) {
    const tabs = /* @__PURE__ */ new Set([...this.entries.keys(), ...this.host.scripts.keys()]);
    await Promise.all([...tabs].map((tab) => this.leave(tab, why)));
  }
  forget(tab, why) {
    const entry = this.entries.get(tab);
    const attachment = entry?.attachment ?? this.early.get(tab);
    clearTimeout(entry?.timer);
    this.entries.delete(tab);
    this.early.delete(tab);
    if (why) attachment?.end(why);
    return attachment;
  }
  // resume takes over what a stopped worker left attached; unused, it goes idle.
  resume() {
    for (const tab of this.host.scripts.keys()) {
      this.use(tab).catch(() => {
        this.host.scripts.delete(tab);
        this.host.save();
      });
    }
  }
  // onEvent takes Chrome's event.
  onEvent(source, method, params) {
    const tab = source.tabId;
    if (tab === void 0) return;
    const attachment = this.attached(tab) ?? this.early.get(tab);
    if (!attachment) return;
    const session = source.sessionId ?? MAIN;
    const root = attachment.root(session);
    const told = attachment.workers.told(session, method, params);
    attachment.on(session, method, params);
    if (told) this.host.event(tab, root, method, told);
  }
  // onDetach takes Chrome's word that a debugger left a tab.
  onDetach(source, reason) {
    const tab = source.tabId;
    if (tab === void 0) return;
    const was = reason === "target_closed" ? this.forget(tab) : this.forget(tab, reason === "canceled_by_user" ? halted : detached);
    if (was && reason === "target_closed") void whyClosed(tab).then((why) => was.end(why));
    const kept = this.host.scripts.delete(tab);
    if (!was && !kept) return;
    this.host.save();
    this.host.left(tab, reason);
  }
};
async function whyClosed(tab) {
  try {
    await chrome.tabs.get(tab);
    return (doing) => gone(doing, "navigated");
  } catch {
    return (doing) => tabGone(doing.tab);
  }
}
async function named4(failure, tab) {
  if (failure.more.data?.reason !== "foreign_extension") {
    return failure.code === "TAB_NOT_FOUND" ? tabGone(tab) : failure;
  }
  const ids = await foreignFrames();
  if (ids.length === 0) return failure;
  return new Failure(failure.code, `${failure.message}. Extensions with frames open now: ${ids.join(", ")}`, { data: { reason: "foreign_extension", extensions: ids } });
}
async function foreignFrames() {
  const targets = await chrome.debugger.getTargets().catch(() => []);
  const ids = targets.filter((target) => target.type === "other").map((target) => /^chrome-extension:\/\/([a-p]{32})/.exec(target.url)?.[1]);
  return [...new Set(ids.filter((id) => id !== void 0 && id !== chrome.runtime.id))];
}

// src/downloads.ts
var soon2 = 1e4;
var patience3 = 500;
var maxBegun = 100;
var folder = "chrome-mcp";
var harmless = /* @__PURE__ */ new Set(["safe", "accepted", "allowlistedByPolicy", "deepScannedSafe"]);
var lists = (item, url) => item.finalUrl === url || item.finalUrl.length > 1e3 && url.startsWith(item.finalUrl);
var brief = (url) => url.length > 300 ? `${url.slice(0, 300)}…` : url;
var Downloads = class {
  // and those that have no name yet
  constructor(ownership) {
    this.ownership = ownership;
  }
  ownership;
  owners = /* @__PURE__ */ new Map();
  // download → session
  names = /* @__PURE__ */ new Map();
  // as suggested by server or page
  begun = [];
  pages = /* @__PURE__ */ new Map();
  // download of a data: address → the page that made that
  starting = 0;
  // downloads of ours that have no number yet
  unnamed = /* @__PURE__ */ new Set();
  // began takes DevTools' word that a page began a download.
  began(tab, page, params) {
    this.begun.push({ tab, page, url: String(params.url), name: String(params.suggestedFilename), time: Date.now() });
    if (this.begun.length > maxBegun) this.begun.shift();
  }
  // step does one step of a download.
  async step(request) {
    const params = request.params;
    if (request.tab === 0) throw new Failure("BAD_ARGS", "the command names no tab; send tabId");
    this.ownership.check(request.tab, request.session);
    if (params.url) return this.begin(request, String(params.url));
    if (params.page) return this.find(request, String(params.page));
    const id = Number(params.id);
    if (this.owners.get(id) !== request.session) throw new Failure("DOWNLOAD_FAILED", `download ${id} is not one of this session; begin it again`);
    if (params.cancel) await discard(id);
    if (params.cancel || params.forget) return this.forget(id);
    return this.look(id, request.policy, params.wait === true);
  }
  async begin({ session, policy }, url) {
    judge({ url, origin: "" }, "download", policy);
    chrome.downloads.onDeterminingFilename.addListener(this.name);
    this.starting++;
    try {
      const id = await chrome.downloads.download({ url, saveAs: false });
      this.owners.set(id, session);
      if (!this.names.has(id)) this.unnamed.add(id);
      return await this.look(id, policy, true);
    } catch (thrown) {
      if (thrown instanceof Failure) throw thrown;
      throw new Failure("DOWNLOAD_FAILED", `Chrome does not download ${brief(url)}: ${text(thrown)}`);
    } finally {
      this.starting--;
      this.named(0);
    }
  }
  // name hears what a file is to be called, for all downloads of the browser.
  name = (item, suggest) => {
    if (item.byExtensionId !== chrome.runtime.id) return suggest();
    this.names.set(item.id, item.filename);
    suggest({ filename: `${folder}/${item.filename}`, conflictAction: "uniquify" });
    this.named(item.id);
  };
  // named ends the hearing once nobody needs it: Chrome asks its listeners about every
  // file of the user's, too.
  named(id) {
    this.unnamed.delete(id);
    if (this.starting === 0 && this.unnamed.size === 0) chrome.downloads.onDeterminingFilename.removeListener(this.name);
  }
  async find({ tab, session, policy }, url) {
    const begun = this.begun.findLast((b) => b.tab === tab && b.url === url);
    if (!begun) throw new Failure("DOWNLOAD_FAILED", `no page of tab ${tab} began a download of ${brief(url)}`);
    const made = url.startsWith("data:");
    judge(made ? begun.page : place(url), "download", policy);
    for (const end = Date.now() + soon2; Date.now() < end; await changed(0)) {
      const items = await chrome.downloads.search({ orderBy: ["-startTime"], limit: 50 });
      const item = items.find((i) => lists(i, url) && !this.owners.has(i.id) && Date.parse(i.startTime) > begun.time - soon2);
      if (!item) continue;
      this.begun = this.begun.filter((b) => b !== begun);
      this.owners.set(item.id, session);
      this.names.set(item.id, begun.name);
      if (made) this.pages.set(item.id, begun.page);
      return this.look(item.id, policy, false);
    }
    throw new Failure("DOWNLOAD_FAILED", `Chrome does not list the download of ${brief(url)}; it may have been refused: look at chrome://downloads`);
  }
  // look says how a download is. One that was redirected to a site which is not allowed
  // is given up.
  async look(id, policy, wait) {
    let item = await get(id);
    if (wait && item.state === "in_progress" && !held(item)) {
      await changed(id);
      item = await get(id);
    }
    try {
      judge(this.pages.get(id) ?? place(item.finalUrl || item.url), "download", policy);
    } catch (denied) {
      await discard(id);
      this.forget(id);
      throw denied;
    }
    if (item.state !== "in_progress") this.named(id);
    return this.tell(item);
  }
  tell(item) {
    const state2 = { id: item.id, state: item.state, url: item.finalUrl || item.url, bytes: item.bytesReceived };
    const name = this.names.get(item.id);
    if (name) state2.name = name;
    if (item.filename) state2.file = item.filename;
    if (item.mime) state2.mime = item.mime;
    if (item.totalBytes > 0) state2.total = item.totalBytes;
    if (item.error) state2.error = item.error;
    if (item.state === "in_progress" && held(item)) state2.held = item.danger;
    return state2;
  }
  async forget(id) {
    this.owners.delete(id);
    this.names.delete(id);
    this.pages.delete(id);
    this.named(id);
    await chrome.downloads.erase({ id });
    return { id, state: "interrupted", url: "", bytes: 0 };
  }
};
function place(url) {
  return { url, origin: url.startsWith("blob:") ? new URL(url).origin : "" };
}
function held(item) {
  return !harmless.has(item.danger);
}
async function get(id) {
  const [item] = await chrome.downloads.search({ id });
  if (!item) throw new Failure("DOWNLOAD_FAILED", "the download was taken out of Chrome's list before it was complete; begin it again");
  return item;
}
async function discard(id) {
  await chrome.downloads.cancel(id).catch(() => {
  });
  await chrome.downloads.removeFile(id).catch(() => {
  });
}
function changed(id) {
  return new Promise((resolve2) => {
    const done = () => {
      clearTimeout(timer);
      chrome.downloads.onChanged.removeListener(listener);
      resolve2();
    };
    const listener = (delta) => {
      if (id === 0 || delta.id === id && (delta.state || delta.danger || delta.error)) done();
    };
    const timer = setTimeout(done, patience3);
    chrome.downloads.onChanged.addListener(listener);
  });
}

// src/sources.ts
var maxKept = 4e3;
var Sources = class {
  requests = /* @__PURE__ */ new Map();
  contexts = /* @__PURE__ */ new Map();
  // place is the document to judge an event by; fallback is the target's own.
  place(event2, fallback) {
    if (event2.method.startsWith("Network.")) return this.request(event2, fallback);
    if (event2.method.startsWith("Runtime.")) return this.context(event2, fallback);
    return fallback;
  }
  request(event2, fallback) {
    const key3 = `${event2.tab} ${event2.target} ${String(event2.params.requestId)}`;
    if (event2.method !== "Network.requestWillBeSent") return this.requests.get(key3) ?? fallback;
    const url = String(event2.params.documentURL ?? "");
    const frame2 = event2.frames?.get(String(event2.params.frameId ?? ""));
    const made = url === "" || /^(about|blob):/.test(url);
    const place2 = made ? frame2 ?? fallback : { url, origin: "" };
    keep(this.requests, key3, { url: place2.url, origin: place2.origin });
    return place2;
  }
  context(event2, fallback) {
    const { method, params } = event2;
    const details = params.context ?? params.exceptionDetails ?? params;
    const id = method === "Runtime.executionContextCreated" ? details.id : details.executionContextId;
    const key3 = `${event2.tab} ${event2.target} ${String(id)}`;
    if (method === "Runtime.executionContextCreated") {
      keep(this.contexts, key3, String(details.auxData?.frameId ?? ""));
    }
    const frame2 = this.contexts.get(key3);
    return (frame2 ? event2.frames?.get(frame2) : void 0) ?? fallback;
  }
  // forget drops what is known of a tab.
  forget(tab) {
    for (const map of [this.requests, this.contexts]) {
      for (const key3 of map.keys()) if (key3.startsWith(`${tab} `)) map.delete(key3);
    }
  }
};
function keep(map, key3, value) {
  map.delete(key3);
  map.set(key3, value);
  for (const oldest of map.keys()) {
    if (map.size <= maxKept) break;
    map.delete(oldest);
  }
}

// src/events.ts
var opening = 1e3;
var noWindow = -1;
var Events = class {
  constructor(parts) {
    this.parts = parts;
  }
  parts;
  users = /* @__PURE__ */ new Map();
  // tab → servers that use it
  sources = new Sources();
  focus = { now: noWindow, before: noWindow };
  // use notes that a server wants a tab's events.
  use(tab, server2) {
    const users = this.users.get(tab);
    if (users) users.add(server2);
    else this.users.set(tab, /* @__PURE__ */ new Set([server2]));
  }
  // forget drops a server that has ended.
  forget(server2) {
    for (const users of this.users.values()) users.delete(server2);
  }
  // interested are the servers that use a tab, or own it through one of their sessions.
  *interested(tab) {
    const users = this.users.get(tab);
    const owner = this.parts.ownership.of(tab)?.server;
    for (const link of this.parts.links.all()) {
      if (link.state === "connected" && (link.id === owner || users?.has(link.id))) yield link;
    }
  }
  // tell sends one of our own events.
  tell(tab, name, data) {
    for (const link of this.interested(tab)) link.event(name, tab, data);
  }
  // forward sends a DevTools event. frame is the root frame of the target it comes
  // from, "" for the tab's own.
  forward(tab, frame2, method, params) {
    const { book, debugger: attacher } = this.parts;
    const frames2 = attacher.attached(tab)?.frames;
    const known2 = frames2?.get(frame2);
    const url = known2?.url || (frame2 === "" ? book.known(tab)?.url : "") || "";
    const place2 = this.sources.place({ tab, target: frame2, method, params, frames: frames2 }, { url, origin: known2?.origin ?? "" });
    for (const link of this.interested(tab)) {
      const told = event(method, params, place2, link.policy);
      if (told) link.event("cdp", tab, frame2 ? { frame: frame2, method, params: told } : { method, params: told });
    }
  }
  updated(id, change, tab) {
    const { url, title } = this.parts.book.set(id, tab);
    if (change.url === void 0 && change.title === void 0 && change.status === void 0) return;
    for (const link of this.interested(id)) {
      link.event("tab.updated", id, { ...shown({ url, title }, link.policy), status: tab.status });
    }
    if (this.parts.ownership.of(id)) this.parts.panel.changed();
  }
  // opened takes the word of webNavigation that a page opened a tab. The tab is the
  // session's whose page it was.
  opened(id, opener, url) {
    const { book, groups, ownership, panel } = this.parts;
    book.opened(id, opener);
    const owner = ownership.of(opener);
    if (owner) ownership.claim(id, owner);
    this.parts.consent.whereabouts.settle(id, !owner);
    if (owner) {
      void groups.follow(owner.session, id);
      this.giveBack(id);
    }
    for (const link of this.interested(opener)) {
      link.event("tab.created", opener, { tabId: id, url: shown({ url, title: "" }, link.policy).url, opener });
    }
    panel.changed();
  }
  activated(id, window) {
    this.parts.book.activated(id, window);
    this.giveBack(id);
  }
  // load notes which window has the focus when the worker starts.
  async load() {
    const front = await chrome.windows.getLastFocused().catch(() => void 0);
    if (front?.focused) this.focus.now = front.id ?? noWindow;
  }
  focused(window) {
    this.focus.before = this.focus.now;
    this.focus.now = window;
    for (const [id, entry] of this.parts.book.fresh(opening)) {
      if (entry.window === window) this.giveBack(id);
    }
  }
  // giveBack puts the user's tab in front again, and their window, when a session's page
  // in the background opened a tab that Chrome brought to the front.
  giveBack(id) {
    const { book, ownership } = this.parts;
    const entry = book.known(id);
    if (!entry?.active || !entry.opener || !ownership.of(id) || Date.now() - entry.born > opening) return;
    const opener = book.known(entry.opener);
    if (opener && opener.window !== entry.window) return this.giveWindowBack(entry, opener);
    const before = book.before(entry.window);
    if (before === void 0 || before === entry.opener) return;
    entry.born = 0;
    chrome.tabs.update(before, { active: true }).catch(() => {
    });
  }
  giveWindowBack(entry, opener) {
    const { now, before } = this.focus;
    if (opener.active || now !== entry.window || before === noWindow) return;
    entry.born = 0;
    chrome.windows.update(before, { focused: true }).catch(() => {
    });
  }
  removed(id) {
    this.tell(id, "tab.removed", {});
    this.parts.book.drop(id);
    this.parts.ownership.drop(id);
    this.users.delete(id);
    this.parts.consent.whereabouts.gone(id);
    this.sources.forget(id);
    this.parts.panel.changed();
  }
  // replaced: Chrome gives a tab another number when it discards it.
  replaced(is, was) {
    this.tell(was, "tab.removed", { replacedBy: is });
    this.parts.ownership.replace(was, is);
    const users = this.users.get(was);
    if (users) this.users.set(is, users);
    this.users.delete(was);
    this.parts.book.drop(was);
  }
};

// src/asks.ts
var most = 20;
var lasts = 10 * 6e4;
var Asks = class {
  constructor(asks, changed2) {
    this.asks = asks;
    this.changed = changed2;
  }
  asks;
  changed;
  list() {
    return this.asks;
  }
  // put adds an ask. One site of one client is one ask, with the most that was wanted.
  put(ask2) {
    if (!judgeable(ask2)) return;
    const known2 = this.asks.find((a) => a.site === ask2.site && a.client === ask2.client && a.pageTool === ask2.pageTool);
    const access = known2?.access === "act" ? "act" : ask2.access;
    const left = this.asks.filter((a) => a !== known2).slice(0, most - 1);
    const { tab, ...rest } = { ...ask2, access, id: known2?.id ?? crypto.randomUUID(), at: Date.now() };
    this.replace([tab === void 0 ? rest : { ...rest, tab }, ...left]);
  }
  // keep drops the asks that are answered, and those whose time is over.
  keep(open) {
    const left = this.asks.filter((a) => Date.now() - a.at < lasts && open(a));
    if (left.length < this.asks.length) this.replace(left);
  }
  replace(asks) {
    this.asks.splice(0, this.asks.length, ...asks);
    this.changed();
  }
};
function judgeable({ site: site2, pageTool }) {
  if (pageTool) return grantOrigin(site2) === site2 && pageTool.length <= 128;
  return ["https", "http"].some((scheme) => grantSite(`${scheme}://${site2}/`) === site2);
}

// src/egress.ts
var stop = 1;
var allow = 2;
var deny = 3;
var never2 = 4;
var mostExact = 900;
var longestHost = 80;
function egressRules(scopes, settled2, exact = mostExact) {
  const out = [];
  for (const { tabs, hosts, rules } of scopes.filter((scope) => scope.tabs.length > 0)) {
    const where = [{ tabIds: tabs }];
    if (hosts.length > 0) where.push({ excludedTabIds: settled2, initiatorDomains: hosts });
    for (const place2 of where) {
      for (const { priority, condition } of limits(rules, () => exact-- > 0)) {
        const type = priority === allow ? "allow" : "block";
        out.push({ id: out.length + 1, priority, action: { type }, condition: { ...place2, resourceTypes: ["main_frame"], ...condition } });
      }
    }
  }
  return out;
}
function limits(rules, exactly) {
  if (rules.denyDomains?.some((glob) => !parseGlob(glob))) return [{ priority: stop, condition: {} }];
  const filters = all(rules);
  if (filters.length === 1 && filters[0]?.regex === everything) return [];
  const out = [{ priority: stop, condition: {} }];
  for (const f of filters) {
    if (f.host.length <= longestHost && exactly()) {
      out.push({ priority: f.priority, condition: { regexFilter: f.regex, isUrlFilterCaseSensitive: true } });
    } else if (f.priority === allow) {
      out.push({ priority: allow, condition: widely(f.host) });
    }
  }
  return out;
}
function widely(host) {
  if (host === "") return {};
  return host.startsWith("[") ? { urlFilter: `://${host}` } : { requestDomains: [host] };
}
function all(rules) {
  const grants = (rules.grants ?? []).filter((g) => !g.pageTool);
  const count = grants.filter((g) => (g.level === "deny" || !rules.noSiteGrants) && latest(g, grants));
  return [
    ...(rules.denyDomains ?? []).flatMap((glob) => ofGlob(never2, glob)),
    ...count.flatMap(ofGrant),
    ...(rules.allowDomains ?? []).flatMap((glob) => ofGlob(allow, glob))
  ];
}
var latest = (g, grants) => grants.find((other) => other.site === g.site) === g;
var everything = "^https?://";
var userinfo = "(?:[^/]*@)?";
var anyHost = "(?:\\[[^/\\]]+\\]|[^/@:]+)";
function ofGlob(priority, text2) {
  const glob = parseGlob(text2);
  if (!glob || glob.scheme === "file") return [];
  if (glob.any && !glob.scheme && !glob.port) return [{ priority, host: "", regex: everything }];
  if (glob.any) return addresses(glob, anyHost).map((regex) => ({ priority, host: "", regex }));
  return spellings(glob.host, priority).flatMap((host) => {
    const regexes = addresses(glob, (glob.below ? "[^/@:]+\\." : "") + literal(host));
    return regexes.map((regex) => ({ priority, host, regex }));
  });
}
function ofGrant(g) {
  const priority = g.level === "deny" ? deny : allow;
  const [, host = "", port = ""] = /^(.*?)(:\d+)?$/.exec(g.site) ?? [];
  return spellings(host, priority).map((host2) => ({ priority, host: host2, regex: `^https?://${userinfo}${literal(host2)}${port}/` }));
}
function spellings(host, priority) {
  return priority === allow ? [host] : [host, ...disguises(host)];
}
function literal(host) {
  return host.replace(/[.[\]]/g, "\\$&") + (host.startsWith("[") ? "" : "\\.?");
}
var usual = { http: 80, https: 443 };
function addresses({ scheme, port }, host) {
  const schemes = scheme ? [scheme] : port === 80 || port === 443 ? ["http", "https"] : ["https?"];
  return schemes.map((s) => `^${s}://${userinfo}${host}${port === usual[s] ? "" : port ? `:${port}` : "(?::\\d+)?"}/`);
}
var Egress = class {
  // the rules that are in place, as far as this worker knows
  constructor(scopes, settled2) {
    this.scopes = scopes;
    this.settled = settled2;
  }
  scopes;
  settled;
  wanted = 0;
  // changes so far
  busy = Promise.resolve();
  applied = 0;
  last;
  // changed notes that tabs, owners, policies or grants are not what they were.
  changed() {
    this.wanted++;
    this.busy = this.busy.then(() => this.apply());
  }
  // ready waits until the rules are those of the last change.
  ready() {
    return this.busy;
  }
  async apply() {
    if (this.applied === this.wanted) return;
    this.applied = this.wanted;
    const scopes = this.scopes();
    const settled2 = this.settled();
    const first2 = egressRules(scopes, settled2);
    const text2 = JSON.stringify(first2);
    if (text2 === this.last) return;
    this.last = text2;
    for (const rules of [first2, egressRules(scopes, settled2, 0), []]) {
      const old = await chrome.declarativeNetRequest.getSessionRules();
      const done = await chrome.declarativeNetRequest.updateSessionRules({
        removeRuleIds: old.map((rule) => rule.id),
        addRules: rules
      }).then(() => true, (thrown) => {
        console.error("egress rules", thrown);
        return false;
      });
      if (done) return;
    }
  }
};

// src/grants.ts
var same = (a, b) => a.site === b.site && (a.pageTool ?? "") === (b.pageTool ?? "");
var quiet = 2e4;
var untaken = 10 * 6e4;
var Grants = class {
  constructor(kept, changed2) {
    this.kept = kept;
    this.changed = changed2;
  }
  kept;
  changed;
  running = /* @__PURE__ */ new Map();
  // call → its commands under way
  timer;
  list() {
    return this.kept;
  }
  // of is what a client has. A call gets none that another call took; without a call
  // it is all that holds for somebody.
  of(client, call) {
    return this.kept.filter((g) => this.holds(g, client) && (call === void 0 || g.call === void 0 || g.call === call)).map(({ site: site2, level, until, pageTool }) => ({ site: site2, level, until, ...pageTool ? { pageTool } : {} }));
  }
  holds(g, client) {
    return g.client === "" || g.client === client;
  }
  // choose takes the user's word. It replaces earlier ones for the same site that it
  // speaks about; one for once leaves those that last longer to come back.
  choose(choice) {
    const word = choice.level === "deny" ? { ...choice, until: "always" } : choice;
    const client = word.level !== "deny" && word.until === "always" ? "" : word.client;
    this.drop((g) => same(g, word) && (client === "" || g.client === client) && (word.until !== "once" || g.until === "once" || g.level === "deny"));
    this.kept.unshift({ ...word, client, id: crypto.randomUUID(), given: Date.now(), used: 0 });
    this.told();
  }
  // remove takes a grant back.
  remove(id) {
    if (this.drop((g) => g.id === id)) this.told();
  }
  drop(which) {
    const left = this.kept.filter((g) => !which(g));
    const some = left.length < this.kept.length;
    this.kept.splice(0, this.kept.length, ...left);
    return some;
  }
  // take lets a call have the grant for once that it needs. It is false when another call
  // has it.
  take(about, client, call) {
    const grant = this.kept.find((g) => same(g, about) && this.holds(g, client));
    if (grant?.until !== "once") return true;
    if (grant.call !== void 0 && grant.call !== call) return false;
    const first2 = grant.call === void 0;
    grant.call = call;
    grant.used = Date.now();
    if (first2) this.told();
    return true;
  }
  // began notes a command of a call.
  began(call) {
    this.running.set(call, (this.running.get(call) ?? 0) + 1);
  }
  // ended notes its answer: from now on the call is quiet.
  ended(call) {
    const left = (this.running.get(call) ?? 1) - 1;
    if (left > 0) this.running.set(call, left);
    else this.running.delete(call);
    for (const g of this.kept) {
      if (g.call === call) g.used = Date.now();
    }
  }
  told() {
    this.watch();
    this.changed();
  }
  // watch ends grants whose time is over, now and when the next one's is.
  watch() {
    clearTimeout(this.timer);
    const now = Date.now();
    const rest = (g) => {
      if (g.until !== "once") return Infinity;
      if (g.call === void 0) return g.given + untaken - now;
      return this.running.has(g.call) ? quiet : g.used + quiet - now;
    };
    if (this.drop((g) => rest(g) <= 0)) this.changed();
    const next = Math.min(...this.kept.map(rest));
    if (next !== Infinity) this.timer = setTimeout(() => this.watch(), next);
  }
};

// src/whereabouts.ts
var soon3 = 1e3;
var late = 3e3;
var Whereabouts = class {
  constructor(keeper) {
    this.keeper = keeper;
  }
  keeper;
  shown = /* @__PURE__ */ new Map();
  newcomers = /* @__PURE__ */ new Map();
  // committed notes a new document in a session's tab. The hosts of its frames stay
  // until the page itself changes.
  committed(tab, frame2, url) {
    const host = hostOf(url);
    const known2 = frame2 === 0 ? void 0 : this.shown.get(tab);
    if (known2 && (!host || known2.has(host))) return;
    this.shown.set(tab, /* @__PURE__ */ new Set([...known2 ?? [], ...host ? [host] : []]));
    this.keeper.changed();
  }
  // look reads what a tab shows that a session has just come to.
  async look(tab) {
    const frames2 = await chrome.webNavigation.getAllFrames({ tabId: tab }).catch(() => null);
    const hosts = (frames2 ?? []).map((frame2) => hostOf(frame2.url)).filter((host) => host !== "");
    this.shown.set(tab, /* @__PURE__ */ new Set([...this.shown.get(tab) ?? [], ...hosts]));
    this.keeper.changed();
  }
  // hosts are all that tabs show.
  hosts(tabs) {
    return [...new Set(tabs.flatMap((tab) => [...this.shown.get(tab) ?? []]))].sort();
  }
  // arrived notes a new tab.
  arrived(tab) {
    const timer = setTimeout(() => this.settle(tab, true), soon3);
    this.newcomers.set(tab, { timer, mine: false, stopped: false });
  }
  // fresh reports whether nobody knows yet whose a tab is.
  fresh(tab) {
    return this.newcomers.get(tab)?.mine === false;
  }
  // settle says whose a tab is: the user's, or a session's.
  settle(tab, mine) {
    const newcomer = this.newcomers.get(tab);
    if (!newcomer || newcomer.mine) return;
    clearTimeout(newcomer.timer);
    newcomer.mine = mine;
    if (!mine || newcomer.stopped) this.newcomers.delete(tab);
    else newcomer.timer = setTimeout(() => this.newcomers.delete(tab), late);
    this.keeper.changed();
    if (mine && newcomer.stopped) this.keeper.mine(tab);
  }
  // stopped notes that a rule stopped a navigation in a tab without an owner. When it is
  // known to be the user's, it goes on.
  stopped(tab) {
    const newcomer = this.newcomers.get(tab);
    if (!newcomer) return;
    newcomer.stopped = true;
    if (!newcomer.mine) return;
    this.gone(tab);
    this.keeper.mine(tab);
  }
  // gone forgets a tab.
  gone(tab) {
    clearTimeout(this.newcomers.get(tab)?.timer);
    this.newcomers.delete(tab);
    this.shown.delete(tab);
  }
};
function hostOf(url) {
  const parsed = URL.canParse(url) ? new URL(url) : void 0;
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.hostname.replace(/\.$/, "") : "";
}

// src/consent.ts
var stopped = "net::ERR_BLOCKED_BY_CLIENT";
var Consent = class {
  constructor(parts) {
    this.parts = parts;
    this.grants = new Grants(parts.store.grants, () => this.granted());
    this.asks = new Asks(parts.store.asks, () => {
      parts.store.saveAsks();
      parts.changed();
    });
    this.egress = new Egress(() => this.scopes(), () => this.settled());
    this.whereabouts = new Whereabouts({ changed: () => this.egress.changed(), mine: (tab) => void this.again(tab) });
  }
  parts;
  grants;
  asks;
  egress;
  whereabouts;
  // start goes on with what the store has.
  start() {
    this.grants.watch();
    this.egress.changed();
    for (const tab of this.parts.store.owners.keys()) void this.whereabouts.look(tab);
  }
  // claimed waits until Chrome's rules are those of a tab that a session has come to.
  async claimed(tab) {
    await this.whereabouts.look(tab);
    await this.egress.ready();
  }
  // choose takes the user's word on a site, which answers what was asked about it.
  choose(choice) {
    this.grants.choose(choice);
    this.asks.keep((ask2) => ask2.site !== choice.site || ask2.client !== choice.client || ask2.pageTool !== choice.pageTool);
  }
  // denied reports whether a tab stands where its owner may not read, which is to say
  // that it was stopped on the way there.
  denied(tab) {
    const owner = this.parts.ownership.of(tab);
    const link = owner && this.parts.links.get(owner.server);
    const url = this.parts.book.known(tab)?.url ?? "";
    return link !== void 0 && !decide({ url, origin: "" }, "read", link.policy).allow;
  }
  // rules are what a server's client may do: with a call, what is left for that one.
  rules(link, call) {
    return { ...link.welcome?.policy, grants: this.grants.of(link.client, call) };
  }
  // welcomed tells a server what is granted, before all else.
  welcomed(link) {
    const policy = link.welcome?.policy ?? {};
    this.parts.store.known.set(link.id, { client: link.client, policy });
    this.parts.store.saveKnown();
    this.tell(link);
    this.egress.changed();
  }
  // gone forgets a server that has ended.
  gone(server2) {
    if (this.parts.store.known.delete(server2)) this.parts.store.saveKnown();
    this.asks.keep((ask2) => ask2.server !== server2);
    this.egress.changed();
  }
  tell(link) {
    link.event(EventGrants, 0, { grants: this.grants.of(link.client) });
  }
  granted() {
    this.parts.store.saveGrants();
    for (const link of this.parts.links.all()) this.tell(link);
    this.answered();
    this.egress.changed();
    this.parts.changed();
  }
  // answered drops the asks that need no answer any more.
  answered() {
    this.asks.keep((ask2) => this.open(ask2));
  }
  // open reports whether an answer would change something. What was granted for one call
  // and is taken does not count: that call has it.
  open(ask2) {
    const link = this.parts.links.get(ask2.server);
    if (!link) return false;
    const rules = this.rules(link, "");
    if (ask2.pageTool) return decidePageTool({ url: `${ask2.site}/`, origin: "" }, ask2.pageTool, rules).site !== void 0;
    return decide({ url: `https://${ask2.site}/`, origin: "" }, ask2.access, rules).site !== void 0 || decide({ url: `http://${ask2.site}/`, origin: "" }, ask2.access, rules).site !== void 0;
  }
  // use lets a call have what was granted for once, where it needs that: for the site, and
  // for the page's tool that it calls.
  use(request, place2, access, pageTool = "") {
    const rest = (once) => ({ ...request.policy, grants: (request.policy.grants ?? []).filter((g) => g.until !== "once" || !once(g)) });
    this.take(request, access, decide(place2, access, rest(() => true)));
    if (pageTool) this.take(request, access, decidePageTool(place2, pageTool, rest((g) => g.pageTool === pageTool)));
  }
  // take takes the grant that would lift a refusal.
  take(request, access, without) {
    if (without.allow) return;
    const { site: site2 = "", pageTool } = without;
    const about = { site: site2, ...pageTool ? { pageTool } : {} };
    if (this.grants.take(about, request.asker.client, request.call)) return;
    throw new Failure("POLICY_DENIED", without.reason ?? "", { data: { ...about, access } });
  }
  // refused takes a server's word that a call was refused for want of a grant.
  async refused(request) {
    const { site: site2, access, pageTool } = request.params;
    if (typeof pageTool === "string" && pageTool !== "") {
      if (typeof site2 === "string" && grantOrigin(site2) === site2) {
        this.ask(request.asker, { site: site2, access: "act", tool: request.tool, pageTool }, request.tab || void 0);
      }
      return {};
    }
    const tab = request.tab || void 0;
    const url = tab === void 0 ? void 0 : (await this.parts.book.get(tab).catch(() => void 0))?.url;
    const name = typeof site2 === "string" && site2 !== "" ? site2 : grantSite(url ?? "");
    if (name && (access === "read" || access === "act")) this.ask(request.asker, { site: name, access, tool: request.tool }, tab);
    return {};
  }
  // failed takes Chrome's word that a navigation failed.
  failed(tab, url, error) {
    const owner = this.parts.ownership.of(tab);
    if (error === stopped && !owner) this.whereabouts.stopped(tab);
    const link = owner && this.parts.links.get(owner.server);
    const site2 = error === stopped && link ? decide({ url, origin: "" }, "read", link.policy).site : void 0;
    if (link && site2) this.ask(link, { site: site2, access: "read", tool: "" }, tab);
  }
  // again loads what was stopped in a tab that is the user's after all.
  async again(tab) {
    await this.egress.ready();
    await chrome.tabs.reload(tab).catch(() => {
    });
  }
  ask(link, what, tab) {
    const ask2 = { ...what, client: link.client, server: link.id, ...tab === void 0 ? {} : { tab } };
    if (this.open({ ...ask2, id: "", at: 0 })) this.asks.put(ask2);
  }
  // scopes are the tabs that Chrome's rules are for. While the user has stopped the
  // work there are none.
  scopes() {
    const { store } = this.parts;
    if (store.local.stopped !== "") return [];
    return [...store.known].map(([server2, { client, policy }]) => {
      const tabs = [...store.owners].filter(([, owner]) => owner.server === server2).map(([tab]) => tab);
      return { tabs, hosts: this.whereabouts.hosts(tabs), rules: { ...policy, grants: this.grants.of(client) } };
    });
  }
  // settled are the tabs that are known to be the user's or a session's.
  settled() {
    return this.parts.book.ids().filter((tab) => this.parts.ownership.of(tab) || !this.whereabouts.fresh(tab));
  }
  // Pages.
  // granting lists the grants as the pages show them. One for once that a call has is
  // spent for everybody else.
  granting() {
    return this.grants.list().filter((g) => g.call === void 0).map(shown2);
  }
  // site is what each client may do on a page, clients alike in one row.
  site(url, tab) {
    const rows2 = this.parts.links.all().filter((link) => link.state === "connected").map((link) => this.access(link, url, tab));
    return rows2.filter((row, i) => rows2.findIndex((other) => JSON.stringify(other) === JSON.stringify(row)) === i);
  }
  access(link, url, tab) {
    const place2 = { url, origin: "" };
    const read = decide(place2, "read", link.policy);
    const act = decide(place2, "act", link.policy);
    const name = grantSite(url);
    const grant = this.grants.list().find((g) => !g.pageTool && g.site === name && (g.client === "" || g.client === link.client));
    return {
      client: link.client,
      read: read.allow,
      act: act.allow,
      ...read.rule ? { rule: read.rule } : {},
      ...read.site || act.site || grant ? { site: name ?? "" } : {},
      ...grant ? { grant: shown2(grant) } : {},
      ...link.policy.noSiteGrants ? { flagsOnly: true } : {},
      ...tab !== void 0 && this.parts.ownership.of(tab)?.server === link.id ? { here: true } : {}
    };
  }
};
function shown2({ id, site: site2, client, level, until, pageTool }) {
  return { id, site: site2, client, level, until, ...pageTool ? { pageTool } : {} };
}

// src/groups.ts
var colours = ["blue", "cyan", "green", "orange", "pink", "purple", "red", "yellow"];
function colour(title) {
  let hash = 0;
  for (const char of title) hash = hash * 31 + (char.codePointAt(0) ?? 0) >>> 0;
  return colours[hash % colours.length] ?? "blue";
}
var Groups = class {
  constructor(groups, save) {
    this.groups = groups;
    this.save = save;
  }
  groups;
  save;
  // One change of a session's group at a time: two tabs opened at once make one group.
  queue = /* @__PURE__ */ new Map();
  // window is where the session's group is, if it is anywhere.
  async window(session) {
    const group = this.groups.get(session);
    if (!group) return void 0;
    return chrome.tabGroups.get(group.id).then((g) => g.windowId, () => void 0);
  }
  // add puts tabs into the session's group, making it where there is none.
  add(session, title, tabs) {
    return this.then(session, () => this.join(session, title, tabs));
  }
  // follow puts a tab into the session's group if there is one.
  follow(session, tab) {
    const group = this.groups.get(session);
    return group ? this.add(session, group.title, [tab]) : Promise.resolve();
  }
  // rename gives the session's group another title; "" removes the group and keeps
  // the tabs.
  rename(session, title, tabs) {
    return this.then(session, async () => {
      if (title === "") await this.dissolve(session, tabs);
      else if (this.groups.has(session)) await this.dress(session, title);
      else if (tabs.length > 0) await this.join(session, title, tabs);
    });
  }
  then(session, change) {
    const next = (this.queue.get(session) ?? Promise.resolve()).then(change).catch(() => {
    });
    this.queue.set(session, next);
    void next.then(() => {
      if (this.queue.get(session) === next) this.queue.delete(session);
    });
    return next;
  }
  async join(session, title, tabs) {
    const [first2, ...others] = tabs;
    if (first2 === void 0) return;
    const tabIds = [first2, ...others];
    const known2 = this.groups.get(session);
    if (known2) {
      const joined = await chrome.tabs.group({ groupId: known2.id, tabIds }).then(() => true, () => false);
      if (joined) return known2.title === title ? void 0 : this.dress(session, title);
    }
    const { windowId } = await chrome.tabs.get(first2);
    const id = await chrome.tabs.group({ createProperties: { windowId }, tabIds });
    this.groups.set(session, { id, title: "" });
    await this.dress(session, title);
  }
  async dress(session, title) {
    const group = this.groups.get(session);
    if (!group) return;
    await chrome.tabGroups.update(group.id, { title, color: colour(title) });
    group.title = title;
    this.save();
  }
  async dissolve(session, tabs) {
    const group = this.groups.get(session);
    this.groups.delete(session);
    this.save();
    if (!group) return;
    const inside = await chrome.tabs.query({ groupId: group.id });
    const ids = inside.map((tab) => tab.id).filter((id) => id !== void 0 && (tabs.length === 0 || tabs.includes(id)));
    const [first2, ...others] = ids;
    if (first2 !== void 0) await chrome.tabs.ungroup([first2, ...others]);
  }
  // gone forgets a group that Chrome removed: its last tab left it.
  gone(id) {
    for (const [session, group] of this.groups) {
      if (group.id !== id) continue;
      this.groups.delete(session);
      this.save();
    }
  }
};

// src/host.ts
var pauses = [0, 500, 2e3, 5e3];
var farewell = 300;
var Host = class {
  constructor(desk) {
    this.desk = desk;
  }
  desk;
  state = { state: "off" };
  port;
  again;
  tries = 0;
  // connect opens the port, unless it is open.
  connect() {
    if (this.port) return;
    clearTimeout(this.again);
    this.set({ ...this.state, state: this.state.state === "error" ? "error" : "connecting" });
    const port = chrome.runtime.connectNative(HostName);
    this.port = port;
    port.onMessage.addListener((message) => {
      if (this.port === port) this.read(message);
    });
    port.onDisconnect.addListener(() => {
      const said = chrome.runtime.lastError?.message ?? "";
      if (this.port === port) this.lost(said);
    });
    port.postMessage(this.desk.hello());
  }
  // fresh is connect without regard to earlier failures: the user asked.
  fresh() {
    this.tries = 0;
    if (!this.port) this.set({ state: "connecting" });
    this.connect();
    this.ask();
  }
  // ask asks for the list of servers.
  ask() {
    if (this.state.state === "ready") this.port?.postMessage({ v: Protocol, type: "get_handshakes" });
  }
  // close closes the port: the user stopped the work. The host is told why and ends by
  // itself; Chrome would drop the word of a port that is hung up at once.
  close() {
    clearTimeout(this.again);
    const port = this.port;
    this.port = void 0;
    if (port) {
      const bye = { v: Protocol, type: "bye", reason: "stopped" };
      port.postMessage(bye);
      setTimeout(() => port.disconnect(), farewell);
    }
    this.set({ state: "off" });
  }
  read(message) {
    switch (message.type) {
      case "ready":
        this.tries = 0;
        this.set(ready(message.hostVersion, message.dataDir));
        this.desk.servers(message.servers ?? []);
        break;
      case "handshakes":
        this.desk.servers(message.servers ?? []);
        break;
      case "error":
        this.set({ ...this.state, state: this.state.state === "ready" ? "ready" : "error", problem: refusal(message.code, message.message) });
        break;
    }
  }
  lost(said) {
    this.port = void 0;
    const problem = this.state.state === "error" && this.state.problem && said.includes("has exited") ? this.state.problem : lastError(said);
    this.set({ state: "error", problem });
    const pause = pauses[this.tries++];
    if (pause !== void 0) this.again = setTimeout(() => this.connect(), pause);
  }
  set(state2) {
    this.state = state2;
    this.desk.changed();
  }
};
var install = "chrome-mcp install";
function lastError(said) {
  if (/host not found/i.test(said)) {
    return { what: "chrome-mcp is not installed for this browser, or its program was moved.", why: said, command: install };
  }
  if (/forbidden/i.test(said)) {
    return { what: "The installed chrome-mcp does not know this extension: another program or version wrote its manifest.", why: said, command: install };
  }
  if (/has exited/i.test(said)) {
    return { what: "The chrome-mcp program started and ended at once.", why: said, command: "chrome-mcp doctor" };
  }
  if (/Error when communicating/i.test(said)) {
    return { what: "What answered is not the chrome-mcp host of this version.", why: said, command: install };
  }
  if (/exceeded maximum allowed size/i.test(said)) {
    return { what: "A message to the chrome-mcp program was too large.", why: said };
  }
  return { what: "The connection to the chrome-mcp program ended.", ...said ? { why: said } : {}, command: "chrome-mcp doctor" };
}
function refusal(code, message) {
  const command = code === "HANDSHAKE_UNREADABLE" ? "chrome-mcp doctor" : install;
  return { what: message, why: code, command };
}
function ready(version, dataDir) {
  const problem = versionProblem(version, chrome.runtime.getManifest().version, dataDir);
  return { state: "ready", version, dataDir, ...problem ? { problem } : {} };
}
function versionProblem(host, extension2, dataDir) {
  if (host === extension2) return void 0;
  const why = `VERSION_MISMATCH: chrome-mcp is ${host}, this extension is ${extension2}`;
  return older(extension2, host) ? { what: `The extension is older than chrome-mcp. Reload it at chrome://extensions from ${dataDir}/extension.`, why, command: install } : { what: "chrome-mcp is older than the extension. Install the newer program, then run this.", why, command: install };
}
function older(a, b) {
  const numbers = (version) => version.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0);
  const [left, right] = [numbers(a), numbers(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [l, r] = [left[i] ?? 0, right[i] ?? 0];
    if (l !== r) return l < r;
  }
  return false;
}

// src/link.ts
var pauses2 = [50, 200, 500, 1e3, 2e3, 5e3];
var opened = 1;
var Link = class {
  constructor(server2, office, manual = false) {
    this.server = server2;
    this.office = office;
    this.manual = manual;
  }
  server;
  office;
  manual;
  state = "closed";
  welcome;
  since = 0;
  problem;
  tries = 0;
  // since the last welcome
  socket;
  again;
  beat;
  silent = 0;
  // heartbeats without a word from the server
  ended = false;
  // id is the server's session id, which names the link.
  get id() {
    return this.server.sessionId;
  }
  // client is the name of the server's client.
  get client() {
    return this.welcome?.client || this.server.client || "MCP client";
  }
  // rules are the server's policy with what the user granted to its client: of a call
  // what is left for that, without one all.
  rules(call) {
    return this.office.rules(this, call);
  }
  get policy() {
    return this.rules();
  }
  // dial opens the socket, unless it is open or the link is at its end.
  dial() {
    if (this.ended || this.socket || this.state === "refused") return;
    clearTimeout(this.again);
    this.tries++;
    this.set("dialing");
    let socket;
    try {
      socket = this.office.dial(`ws://127.0.0.1:${this.server.port}`);
    } catch {
      this.lost(1006);
      return;
    }
    this.socket = socket;
    const late2 = setTimeout(() => this.drop(socket), HelloTimeoutMS);
    socket.onopen = () => this.post(this.office.hello(this.server.token));
    socket.onmessage = (event2) => {
      if (this.socket === socket) this.read(event2.data);
      if (this.state !== "dialing") clearTimeout(late2);
    };
    socket.onclose = (event2) => {
      clearTimeout(late2);
      if (this.socket === socket) this.lost(event2.code);
    };
  }
  // retry dials even a server that refused.
  retry() {
    if (this.state === "refused") this.set("closed");
    this.dial();
  }
  // update takes what the host says of the server now; true when it is another start
  // of it, or another token.
  update(server2) {
    const was = this.server;
    const changed2 = was.port !== server2.port || was.token !== server2.token || was.pid !== server2.pid || was.ts !== server2.ts;
    this.server = server2;
    if (!changed2) return false;
    this.problem = void 0;
    this.hangUp(1e3);
    this.set("closed");
    this.tries = 0;
    return true;
  }
  // close ends the link for good.
  close(stopped2 = false) {
    this.ended = true;
    this.hangUp(stopped2 ? CloseStopped : 1e3);
    this.set("closed");
  }
  // event tells the server what happened.
  event(name, tabId, data) {
    if (this.state !== "connected") return;
    const frame2 = { v: Protocol, type: "event", event: name, tabId, data };
    this.post(frame2);
  }
  // backlog is how many bytes wait to be sent.
  get backlog() {
    return this.socket?.bufferedAmount ?? 0;
  }
  post(frame2) {
    if (this.socket?.readyState === opened) this.socket.send(JSON.stringify(frame2));
  }
  read(data) {
    this.silent = 0;
    const frame2 = parse3(data);
    if (!frame2) return;
    if (this.state === "connected") this.frame(frame2);
    else if (frame2.type === "welcome") this.welcomed(frame2);
    else if (frame2.type === "unauthorized") this.unauthorized(frame2);
  }
  frame(frame2) {
    switch (frame2.type) {
      case "command":
        void this.answer(frame2);
        break;
      case "ping":
        this.post({ v: Protocol, type: "pong", ts: frame2.ts });
        break;
    }
  }
  async answer(command) {
    const socket = this.socket;
    const frame2 = await this.office.command(this, command);
    if (frame2 && this.socket === socket) this.post(frame2);
  }
  welcomed(welcome) {
    this.welcome = welcome;
    this.since = Date.now();
    this.tries = 0;
    this.problem = void 0;
    this.beat = setInterval(() => this.heartbeat(), welcome.heartbeatMs || HeartbeatMS);
    this.state = "connected";
    this.office.welcomed(this);
    this.set("connected");
  }
  heartbeat() {
    if (this.silent >= 2) {
      if (this.socket) this.drop(this.socket);
      return;
    }
    this.silent++;
    this.post({ v: Protocol, type: "ping", ts: Date.now() });
  }
  unauthorized(frame2) {
    const who = this.server.client || "the server";
    this.problem = { what: refusals[frame2.reason] ?? `${who} refused this browser.`, why: frame2.message || frame2.reason };
    this.hangUp(1e3);
    this.set("refused");
    this.office.refused(this);
  }
  // drop gives up a socket that answers nothing. Closing may take long with a peer
  // that is gone, so nobody waits for it.
  drop(socket) {
    if (this.socket !== socket) return;
    socket.close();
    this.lost(1006);
  }
  lost(code) {
    this.clear();
    if (code === CloseReplaced) {
      this.problem = { what: "Another browser window with a copy of this profile took over this connection.", why: "close code 4000" };
      this.set("refused");
      return;
    }
    if (code === CloseRefused) {
      this.set("refused");
      this.office.refused(this);
      return;
    }
    this.set("closed");
    if (this.ended) return;
    this.again = setTimeout(() => this.dial(), pauses2[Math.min(this.tries, pauses2.length - 1)]);
  }
  hangUp(code) {
    const socket = this.socket;
    this.clear();
    clearTimeout(this.again);
    socket?.close(code);
  }
  clear() {
    this.socket = void 0;
    this.silent = 0;
    clearInterval(this.beat);
  }
  set(state2) {
    this.state = state2;
    this.office.changed(this);
  }
};
var refusals = {
  bad_token: "The server does not know this token; it was changed after the browser read it.",
  bad_version: "Server and extension are of different versions.",
  bad_bundle: "Server and extension are of different builds.",
  timeout: "The server waited too long for this browser."
};
function parse3(data) {
  try {
    const frame2 = JSON.parse(String(data));
    return frame2 && typeof frame2 === "object" && frame2.v === Protocol ? frame2 : void 0;
  } catch {
    return void 0;
  }
}

// src/links.ts
var manualTries = 6;
var Links = class {
  constructor(office, gone2) {
    this.office = office;
    this.gone = gone2;
  }
  office;
  gone;
  links = /* @__PURE__ */ new Map();
  all() {
    return [...this.links.values()];
  }
  get(id) {
    return this.links.get(id);
  }
  // update takes the host's list: new servers are dialled, lost ones closed.
  update(servers) {
    const listed = new Set(servers.map((server2) => server2.sessionId));
    for (const link of this.all()) {
      if (!listed.has(link.id) && !link.manual) this.end(link);
    }
    for (const server2 of servers) this.put(server2, false);
  }
  // add takes a server that the user named.
  add(server2) {
    this.put(server2, true);
  }
  put(server2, manual) {
    let link = this.links.get(server2.sessionId);
    if (!link) {
      link = new Link(server2, this.office, manual);
      this.links.set(server2.sessionId, link);
    } else {
      link.update(server2);
    }
    link.dial();
  }
  // wake dials what is closed.
  wake() {
    for (const link of this.all()) {
      if (link.manual && link.tries >= manualTries) this.end(link);
      else link.dial();
    }
  }
  // retry is wake for a user who asked: what was refused is dialled too.
  retry() {
    for (const link of this.all()) link.retry();
  }
  // closeAll ends every link when the user stops the work. The servers live on.
  closeAll() {
    for (const link of this.all()) link.close(true);
    this.links.clear();
  }
  end(link) {
    this.links.delete(link.id);
    link.close();
    this.gone(link.id);
  }
};

// src/extproto.ts
var pattern = new RegExp(ExtensionIDPattern);
function isExtensionId(value) {
  return typeof value === "string" && pattern.test(value);
}
function senderOf(sender) {
  const id = sender?.id;
  if (!isExtensionId(id)) return void 0;
  return sender?.origin === void 0 || sender.origin === `chrome-extension://${id}` ? id : void 0;
}
function isOurPort(name) {
  return name === PortName || name === PlainPort;
}
function isProbe(message) {
  return isObject(message) && message.channel === ProbeChannel;
}
function faultOf(message) {
  if (!isObject(message)) return fault("BAD_PROBE", "the probe is no object");
  if (message.version !== ProbeVersion) {
    return fault("BAD_VERSION", `this extension speaks version ${ProbeVersion} of the probe, not ${short2(message.version)}`);
  }
  if (typeof message.id !== "string" || message.id === "" || message.id.length > 128) return fault("BAD_PROBE", "the probe needs an id");
  if (message.client !== void 0 && !isObject(message.client)) return fault("BAD_PROBE", "client has to be an object with id, name and version");
  return void 0;
}
function fault(code, message) {
  return { ok: false, error: { code, message } };
}
function nameOf(message) {
  const client = isObject(message) ? message.client : void 0;
  const name = isObject(client) ? client.name : void 0;
  return typeof name === "string" ? printable(name, 60) : "";
}
function printable(text2, most5) {
  const line = text2.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").replace(/\s+/g, " ").trim();
  const letters = [...line];
  return letters.length > most5 ? `${letters.slice(0, most5).join("")}…` : line;
}
function keepAlive(message) {
  if (!isObject(message) || "jsonrpc" in message) return void 0;
  if (message.type === "ping") return { type: "pong" };
  return message.type === "keep-alive" || message.type === "pong" ? null : void 0;
}
function refusalOf(message, reason) {
  if (!isObject(message) || typeof message.method !== "string") return void 0;
  const { id } = message;
  if (typeof id !== "string" && typeof id !== "number") return void 0;
  return { jsonrpc: "2.0", id, error: { code: -32001, message: reason } };
}
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function short2(value) {
  return printable(JSON.stringify(value) ?? "undefined", 20);
}

// src/providers.ts
var most2 = 32;
var Providers = class {
  // by server, the latest last
  constructor(shelf, self, changed2) {
    this.shelf = shelf;
    this.self = self;
    this.changed = changed2;
  }
  shelf;
  self;
  changed;
  reports = /* @__PURE__ */ new Map();
  // told is what servers are told.
  told() {
    return { providers: this.shelf.local.providers };
  }
  // change does what the user says, and returns what is wrong with it, "" for nothing.
  change(id, change, namespace = "") {
    const { providers } = this.shelf.local;
    if (!isExtensionId(id)) return "That is no extension id. It has 32 letters from a to p; chrome://extensions shows it.";
    if (id === this.self) return "That is chrome-mcp itself.";
    const known2 = providers.find((p) => p.extension === id);
    if (change === "add") {
      if (providers.length >= most2 && !known2) return `${most2} providers are the most; remove one first.`;
      const added = { ...known2, extension: id, ...namespace && { namespace } };
      this.save(known2 ? providers.map((p) => p === known2 ? added : p) : [...providers, added]);
      return "";
    }
    if (!known2) return "";
    this.save(change === "remove" ? providers.filter((p) => p !== known2) : providers.map((p) => p === known2 ? turned(p, change) : p));
    return "";
  }
  save(providers) {
    this.shelf.saveProviders(providers);
    this.changed();
  }
  // report takes what a server says of its providers, those of its command line too.
  report(link, { providers }) {
    if (!Array.isArray(providers)) return;
    this.reports.delete(link.id);
    this.reports.set(link.id, providers.filter((p) => isExtensionId(p?.extension)));
  }
  // gone forgets a server's report.
  gone(server2) {
    return this.reports.delete(server2);
  }
  // list has the user's own and what servers were told on their command lines.
  list() {
    const said = /* @__PURE__ */ new Map();
    for (const report of this.reports.values()) {
      for (const standing of report) said.set(standing.extension, standing);
    }
    const { providers } = this.shelf.local;
    const named5 = providers.map((p) => state(p, said.get(p.extension), true));
    const others = [...said.values()].filter((s) => !providers.some((p) => p.extension === s.extension));
    return [...named5, ...others.map((s) => state({ extension: s.extension }, s, false))];
  }
};
function turned(p, change) {
  const { off, writes, ...rest } = p;
  const next = { off: off ?? false, writes: writes ?? false };
  if (change === "on" || change === "off") next.off = change === "off";
  else next.writes = change === "write";
  return { ...rest, ...next.off && { off: true }, ...next.writes && { writes: true } };
}
function state(p, s, own) {
  return {
    id: p.extension,
    namespace: s?.namespace ?? p.namespace ?? "",
    name: printable(s?.name ?? "", 60),
    off: p.off ?? false,
    writes: p.writes ?? false,
    own,
    state: p.off ? "off" : s?.state ?? "waiting",
    text: p.off ? "" : printable(s?.text ?? "", 300),
    tools: s?.tools ?? 0,
    held: s?.held ?? 0,
    refused: (s?.refused ?? []).map((r) => printable(r, 300))
  };
}

// src/flow.ts
var burst = { messages: 2e3, bytes: 16 << 20 };
var refill = { messages: 500, bytes: 4 << 20 };
var Flow = class {
  left = { ...burst };
  at = Date.now();
  // take counts a message; false when it is too much.
  take(bytes) {
    const now = Date.now();
    const seconds = (now - this.at) / 1e3;
    this.at = now;
    this.left.messages = Math.min(burst.messages, this.left.messages + seconds * refill.messages) - 1;
    this.left.bytes = Math.min(burst.bytes, this.left.bytes + seconds * refill.bytes) - bytes;
    return this.left.messages >= 0 && this.left.bytes >= 0;
  }
};
var Doorkeeper = class {
  came = /* @__PURE__ */ new Map();
  out = /* @__PURE__ */ new Map();
  // until when
  // enter counts a visit; false when it is one too many.
  enter(extension2) {
    const now = Date.now();
    if ((this.out.get(extension2) ?? 0) > now) return false;
    this.out.delete(extension2);
    const visits = (this.came.get(extension2) ?? []).filter((at) => now - at < WriteWindowMS);
    if (visits.length >= MaxOpens) return false;
    visits.push(now);
    this.came.set(extension2, visits);
    return true;
  }
  // ban keeps an extension out for a minute.
  ban(extension2) {
    this.out.set(extension2, Date.now() + WriteWindowMS);
  }
};

// src/relay.ts
var patience4 = 3e3;
var probing = ProbeWithinMS / 2;
var maxAnswer = 64 << 10;
var farewell2 = 1e3;
var quiet2 = 1e4;
var Relay = class {
  // callers that no server has yet
  constructor(parts) {
    this.parts = parts;
  }
  parts;
  held = /* @__PURE__ */ new Map();
  door = new Doorkeeper();
  told = /* @__PURE__ */ new Map();
  waiting = 0;
  // Towards other extensions, for a server.
  open(request) {
    const { port: id, extension: extension2, name } = request.params;
    this.checkId(extension2);
    if (typeof id !== "string" || id === "" || this.held.has(key2(request.asker, id))) throw new Failure("BAD_ARGS", "a port needs an id of its own");
    const port = chrome.runtime.connect(extension2, { name: String(name) });
    this.hold({ id, link: request.asker, port, extension: extension2, caller: false, flow: new Flow() });
    return Promise.resolve({});
  }
  message(request) {
    const { port: id, message } = request.params;
    const held2 = this.held.get(key2(request.asker, id));
    if (!held2) throw new Failure("TARGET_GONE", "the port is closed; open another");
    held2.port.postMessage(message);
    return Promise.resolve({});
  }
  close(request) {
    const { port: id, reason } = request.params;
    const held2 = this.held.get(key2(request.asker, id));
    if (held2) this.end(held2, reason ?? "", false);
    return Promise.resolve({});
  }
  async probe(request) {
    const { extension: extension2 } = request.params;
    this.checkId(extension2);
    const { id, version } = this.parts.identity();
    const probe = { channel: ProbeChannel, version: ProbeVersion, id: crypto.randomUUID(), client: { id, name: "chrome-mcp", version } };
    let timer;
    const late2 = new Promise((resolve2) => {
      timer = setTimeout(() => resolve2({ late: true, problem: `no answer to the probe within ${ProbeWithinMS} ms` }), ProbeWithinMS);
    });
    const asked = chrome.runtime.sendMessage(extension2, probe).then(
      (answer) => answer === void 0 ? { problem: "it gave no answer" } : small(answer) ? { answer } : { problem: "its answer is too large" },
      (thrown) => ({ problem: thrown instanceof Error ? thrown.message : String(thrown) })
    );
    return Promise.race([asked, late2]).finally(() => clearTimeout(timer));
  }
  checkId(extension2) {
    if (!isExtensionId(extension2)) throw new Failure("BAD_ARGS", "an extension id has 32 letters from a to p");
    if (extension2 === this.parts.identity().id) throw new Failure("BAD_ARGS", "that is the id of chrome-mcp itself");
  }
  // Towards us.
  // came takes a port that another extension opened. It is called in the event's own
  // turn: messages that come before it is known who may come are kept.
  came(port) {
    const extension2 = senderOf(port.sender);
    if (extension2 === void 0 || !isOurPort(port.name) || !this.door.enter(extension2)) {
      port.disconnect();
      return;
    }
    const before = new Before(port, (why) => {
      this.door.ban(extension2);
      this.turnAway(extension2, why);
    });
    this.parts.soon(() => void this.admit(before, extension2));
  }
  async admit(before, extension2) {
    const refusal2 = this.parts.refusal(extension2) || this.full(extension2);
    if (refusal2) return this.refuse(before, extension2, refusal2);
    this.waiting++;
    const link = await this.server(Date.now() + patience4, () => before.gone).finally(() => this.waiting--);
    if (before.gone) return;
    const why = this.parts.refusal(extension2) || (link ? "" : this.parts.unready());
    if (why || !link) return this.refuse(before, extension2, why);
    const id = crypto.randomUUID();
    const { port } = before;
    const held2 = { id, link, port, extension: extension2, caller: true, flow: new Flow() };
    const opened2 = { port: id, extension: extension2, name: port.name };
    const name = this.parts.name(extension2);
    link.event(EventExtPortOpen, 0, name ? { ...opened2, caller: name } : opened2);
    const kept = before.leave();
    this.hold(held2);
    for (const message of kept) this.take(held2, message);
  }
  full(extension2) {
    const callers = [...this.held.values()].filter((h) => h.caller);
    if (callers.filter((h) => h.extension === extension2).length >= MaxCallerPorts) return `this extension has ${MaxCallerPorts} ports open; close one`;
    return callers.length + this.waiting >= MaxPorts ? `${MaxPorts} ports are open; try again later` : "";
  }
  // server is the one that serves callers: of those connected the one that has been there
  // longest, so that it stays the same while others come and go.
  async server(until, gone2) {
    for (; ; ) {
      if (this.parts.stopped()) return void 0;
      const [first2] = this.parts.links().filter((l) => l.state === "connected").sort((a, b) => a.since - b.since);
      if (first2 || gone2() || Date.now() >= until || !this.parts.dialling()) return first2;
      await new Promise((resolve2) => setTimeout(resolve2, 25));
    }
  }
  // ready is why no server can take a port, "" if one can. One that is being dialled is
  // waited for, as long as a probe may wait.
  async ready() {
    return await this.server(Date.now() + probing, () => false) ? "" : this.parts.unready();
  }
  refuse(before, extension2, reason) {
    this.turnAway(extension2, reason);
    before.refuse(reason);
  }
  // turnAway tells the servers of a caller that was refused, for their logs.
  turnAway(extension2, reason) {
    const id = `${extension2} ${reason}`;
    const last = this.told.get(id) ?? { at: -quiet2, count: 0 };
    last.count++;
    if (Date.now() - last.at >= quiet2) {
      const [link] = this.parts.links().filter((l) => l.state === "connected").sort((a, b) => a.since - b.since);
      if (link) {
        link.event(EventExtRefused, 0, { extension: extension2, reason, count: last.count });
        last.count = 0;
        last.at = Date.now();
      }
    }
    this.told.set(id, last);
    if (this.told.size > 200) this.told.clear();
  }
  // Both ways.
  hold(held2) {
    this.held.set(key2(held2.link, held2.id), held2);
    held2.port.onMessage.addListener((message) => this.take(held2, message));
    held2.port.onDisconnect.addListener(() => {
      const said = chrome.runtime.lastError?.message;
      this.end(held2, said ?? "the other extension closed it, or was stopped", true);
    });
  }
  take(held2, message) {
    if (!this.held.has(key2(held2.link, held2.id))) return;
    const size = JSON.stringify(message)?.length ?? 0;
    if (size > MaxMessage) return this.offence(held2, `it sent a message of ${Math.ceil(size / 2 ** 20)} MB; at most ${MaxMessage / 2 ** 20} MB are taken`);
    if (!held2.flow.take(size)) return this.offence(held2, "it sent more than is taken in that time");
    if (held2.link.backlog > MaxWaitingBytes) return this.offence(held2, "it sent more than the server takes");
    const alive = keepAlive(message);
    if (alive === void 0) held2.link.event(EventExtPortMessage, 0, { port: held2.id, message });
    else if (alive) held2.port.postMessage(alive);
  }
  offence(held2, reason) {
    this.door.ban(held2.extension);
    if (held2.caller) this.turnAway(held2.extension, reason);
    this.end(held2, reason, true);
  }
  // end closes a port at both ends, or at the one that does not know yet.
  end(held2, reason, tell) {
    if (!this.held.delete(key2(held2.link, held2.id))) return;
    held2.port.disconnect();
    this.parts.closed(held2.id);
    if (tell) held2.link.event(EventExtPortClose, 0, { port: held2.id, reason });
  }
  // of finds an open port of a server.
  of(link, id) {
    const held2 = this.held.get(key2(link, id));
    return held2?.caller ? { extension: held2.extension, name: this.parts.name(held2.extension) } : void 0;
  }
  // lost closes the ports of a server whose socket ended.
  lost(link) {
    for (const held2 of [...this.held.values()]) {
      if (held2.link === link) this.end(held2, "", false);
    }
  }
  // closeAll closes every port, and tells both ends why.
  closeAll(reason) {
    for (const held2 of [...this.held.values()]) this.end(held2, reason, true);
  }
  // judged closes the ports of callers that may not come any more.
  judged(allowed) {
    for (const held2 of [...this.held.values()]) {
      if (held2.caller && !allowed(held2.extension)) this.end(held2, "the user took the permission back", true);
    }
  }
  get count() {
    return this.held.size;
  }
};
var Before = class {
  constructor(port, offended) {
    this.port = port;
    this.offended = offended;
    port.onMessage.addListener(this.onMessage);
    port.onDisconnect.addListener(this.onDisconnect);
  }
  port;
  offended;
  gone = false;
  kept = [];
  bytes = 0;
  refused = "";
  onMessage = (message) => this.keep(message);
  onDisconnect = () => {
    void chrome.runtime.lastError;
    this.gone = true;
  };
  keep(message) {
    if (this.refused) return this.answer(message);
    this.bytes += JSON.stringify(message)?.length ?? 0;
    if (this.kept.length >= MaxWaiting || this.bytes > MaxWaitingBytes) {
      this.gone = true;
      this.port.disconnect();
      this.kept = [];
      this.offended("it sent more than is kept before it is let in");
      return;
    }
    this.kept.push(message);
  }
  answer(message) {
    const answer = refusalOf(message, this.refused);
    if (answer && !this.gone) this.port.postMessage(answer);
  }
  // refuse answers what was asked with the reason, for there is no other way to say it,
  // and closes the port.
  refuse(reason) {
    this.refused = reason;
    for (const message of this.kept) this.answer(message);
    const asked = this.kept.length > 0;
    this.kept = [];
    if (asked) this.port.disconnect();
    else setTimeout(() => this.port.disconnect(), farewell2);
  }
  // leave gives out what was kept.
  leave() {
    this.port.onMessage.removeListener(this.onMessage);
    this.port.onDisconnect.removeListener(this.onDisconnect);
    const { kept } = this;
    this.kept = [];
    return kept;
  }
};
function small(answer) {
  return (JSON.stringify(answer)?.length ?? 0) <= maxAnswer;
}
function key2(link, id) {
  return `${link.id} ${id}`;
}

// src/reviews.ts
var most3 = 20;
var Reviews = class {
  constructor(changed2) {
    this.changed = changed2;
  }
  changed;
  waiting = /* @__PURE__ */ new Map();
  list() {
    return [...this.waiting.values()].map(({ id, extension: extension2, name, tool, target, detail, until }) => ({ id, extension: extension2, name, tool, target, detail, until }));
  }
  // ask waits for the user's word, or the end of their time.
  ask(caller, params) {
    if (this.waiting.size >= most3) return Promise.resolve({ allowed: false, reason: `${most3} writes wait for the user already; let them answer first` });
    return new Promise((resolve2) => {
      const id = crypto.randomUUID();
      const late2 = setTimeout(() => this.end(id, { allowed: false, reason: lateText }), ReviewWithinMS);
      this.waiting.set(id, {
        id,
        ...caller,
        port: params.port,
        until: Date.now() + ReviewWithinMS,
        tool: printable(params.tool, 60),
        target: printable(params.target ?? "", 200),
        detail: printable(params.detail ?? "", 300),
        answer: (result2) => {
          clearTimeout(late2);
          resolve2(result2);
        }
      });
      this.changed();
    });
  }
  // say takes the user's word.
  say(id, allowed) {
    this.end(id, allowed ? { allowed } : { allowed, reason: "the user denied it; do not try again unless they ask for it" });
  }
  // drop ends what waits for a port that is closed.
  drop(port) {
    for (const w of [...this.waiting.values()]) {
      if (w.port === port) this.end(w.id, { allowed: false, reason: "the caller is gone" });
    }
  }
  end(id, result2) {
    const w = this.waiting.get(id);
    if (!w) return;
    this.waiting.delete(id);
    w.answer(result2);
    this.changed();
  }
};
var lateText = `the user did not answer within ${ReviewWithinMS / 1e3} s; ask them to look at the chrome-mcp extension, then call again`;

// src/serving.ts
var most4 = 20;
var Serving = class {
  // what callers called themselves
  constructor(shelf, changed2) {
    this.shelf = shelf;
    this.changed = changed2;
  }
  shelf;
  changed;
  names = /* @__PURE__ */ new Map();
  get serve() {
    return this.shelf.local.serve;
  }
  get switches() {
    const { enabled: enabled2, writes, review } = this.serve;
    return { enabled: enabled2, writes, review };
  }
  // told is what servers are told.
  told() {
    return { ...this.switches, callers: this.serve.callers.filter((c) => c.word === "allow").map((c) => c.id) };
  }
  // callers lists those that the user has spoken about and those that wait, newest first.
  callers() {
    const said = this.serve.callers.map(({ id, name, word, at }) => ({ id, name, at, state: word === "allow" ? "allowed" : "denied" }));
    return [...this.shelf.pending, ...said];
  }
  // name is what a caller called itself.
  name(id) {
    return this.names.get(id) ?? this.serve.callers.find((c) => c.id === id)?.name ?? "";
  }
  word(id) {
    return this.serve.callers.find((c) => c.id === id)?.word;
  }
  // allowed reports whether a caller may come now.
  allowed(id) {
    return this.serve.enabled && this.word(id) === "allow";
  }
  // refusal is why a caller may not come, "" if it may. One that nobody has judged waits
  // for the user's word from now on.
  refusal(id) {
    if (!this.serve.enabled) return "access for other extensions is switched off in chrome-mcp; the user can switch it on in its options";
    switch (this.word(id)) {
      case "allow":
        return "";
      case "deny":
        return "the user denied this extension in chrome-mcp";
      default:
        this.ask(id);
        return "waiting for the user’s approval in the options of chrome-mcp";
    }
  }
  // probe answers a probe; ready tells why nothing can be called, "" if it can.
  async probe(sender, message, version, ready2) {
    const wrong2 = faultOf(message);
    if (wrong2) return wrong2;
    if (sender === void 0) return { ok: false, error: { code: "NO_EXTENSION", message: "the sender is no extension, or a script of one in a web page" } };
    const name = nameOf(message);
    if (name !== "" && this.name(sender) === "") this.names.set(sender, name);
    const service = { namespace: ServiceNamespace, name: ServiceName, version };
    const { enabled: enabled2 } = this.serve;
    const reason = this.refusal(sender);
    const pendingApproval = enabled2 && this.shelf.pending.some((c) => c.id === sender);
    if (reason !== "") return { ok: true, service, status: { enabled: enabled2, authorized: enabled2 && this.word(sender) === "allow", ready: false, ...pendingApproval ? { pendingApproval } : {}, reason } };
    const unready = await ready2();
    return { ok: true, service, status: { enabled: enabled2, authorized: true, ready: unready === "", ...unready === "" ? {} : { reason: unready } } };
  }
  ask(id) {
    const name = this.name(id);
    const known2 = this.shelf.pending.find((c) => c.id === id);
    if (known2 && known2.name === name) return;
    const rest = this.shelf.pending.filter((c) => c.id !== id);
    this.save(this.serve, [{ id, name, state: "pending", at: known2?.at ?? Date.now() }, ...rest].slice(0, most4));
  }
  // Only the extension's own pages come to what follows.
  // set turns a switch.
  set(change) {
    const { enabled: enabled2, writes, review } = { ...this.switches, ...change };
    this.save({ ...this.serve, enabled: enabled2, writes, review }, enabled2 ? this.shelf.pending : []);
  }
  // say takes the user's word on a caller; "forget" takes it back.
  say(id, word) {
    if (!isExtensionId(id)) return;
    const name = this.name(id);
    const rest = this.serve.callers.filter((c) => c.id !== id);
    const callers = word === "forget" ? rest : [{ id, name, word, at: Date.now() }, ...rest];
    this.save({ ...this.serve, callers }, this.shelf.pending.filter((c) => c.id !== id));
  }
  save(serve, pending) {
    this.shelf.saveServing(serve, pending);
    this.changed();
  }
};

// src/neighbours.ts
var Neighbours = class {
  // with what the user entered last
  constructor(street) {
    this.street = street;
    this.serving = new Serving(street.store, () => this.served());
    this.reviews = new Reviews(() => street.changed());
    this.providers = new Providers(street.store, chrome.runtime.id, () => this.named());
    this.relay = new Relay({
      links: () => street.links.all(),
      identity,
      refusal: (extension2) => this.serving.refusal(extension2),
      name: (extension2) => this.serving.name(extension2),
      stopped: () => this.street.store.local.stopped !== "",
      dialling: () => this.dialling(),
      unready: () => this.unready(),
      closed: (port) => this.reviews.drop(port),
      soon: (work) => street.soon(work)
    });
  }
  street;
  serving;
  reviews;
  relay;
  providers;
  problem = "";
  // probed answers the probe of another extension, and nothing else.
  probed(message, sender, answer) {
    if (!isProbe(message)) return false;
    this.street.soon(() => void this.serving.probe(senderOf(sender), message, identity().version, () => this.relay.ready()).then(answer));
    return true;
  }
  welcomed(link) {
    link.event(EventExtServing, 0, this.serving.told());
    link.event(EventExtProviders, 0, this.providers.told());
  }
  // gone forgets a server.
  gone(server2) {
    if (this.providers.gone(server2)) this.street.changed();
  }
  // handlers are those of the wire's methods.
  handlers(live) {
    return {
      ext_port_open: live((r) => this.relay.open(r)),
      ext_port_message: live((r) => this.relay.message(r)),
      ext_port_close: (r) => this.relay.close(r),
      ext_probe: live((r) => this.relay.probe(r)),
      ext_review: live((r) => this.review(r)),
      ext_report: (r) => this.report(r)
    };
  }
  // request does what the user asks for; false for what is not about other extensions.
  request(request) {
    switch (request.type) {
      case "serve":
        this.serving.set(request);
        return true;
      case "caller":
        this.serving.say(request.id, request.word);
        return true;
      case "review":
        this.reviews.say(request.id, request.allowed);
        return true;
      case "provider":
        this.problem = this.providers.change(request.id, request.change, request.namespace);
        return true;
      case "ask":
        this.named();
        return true;
    }
    return false;
  }
  state() {
    const { serving, reviews, providers } = this;
    return { ...serving.switches, callers: serving.callers(), reviews: reviews.list(), providers: providers.list(), problem: this.problem };
  }
  // served tells what the user lets other extensions do now.
  served() {
    for (const link of this.street.links.all()) link.event(EventExtServing, 0, this.serving.told());
    this.relay.judged((extension2) => this.serving.allowed(extension2));
    this.street.changed();
  }
  // named tells which providers the user named, and has them asked.
  named() {
    for (const link of this.street.links.all()) link.event(EventExtProviders, 0, this.providers.told());
    this.street.changed();
  }
  review({ asker, params }) {
    const asked = params;
    const caller = this.relay.of(asker, asked.port);
    if (!caller) return Promise.resolve({ allowed: false, reason: "the caller is gone" });
    return this.reviews.ask(caller, asked);
  }
  report({ asker, params }) {
    this.providers.report(asker, params);
    this.street.changed();
    return Promise.resolve({});
  }
  // dialling reports whether a server may be connected in a moment: the worker has just
  // begun, or lost its socket.
  dialling() {
    const { host, links } = this.street;
    return host.state.state === "connecting" || links.all().some((link) => link.state === "dialing" || link.state === "closed");
  }
  // unready is why no server can be used, in words for whoever asks.
  unready() {
    const { local, manual } = this.street.store;
    if (local.stopped) return "the user stopped chrome-mcp in this browser; only they can let it go on, with Resume in its popup";
    if (!local.enabled && manual.length === 0) return "chrome-mcp is not paired; the user has to press Pair on its options page";
    return "no chrome-mcp server runs; the user has to start an MCP client that uses chrome-mcp";
  }
};

// src/ownership.ts
var Ownership = class {
  constructor(owners, save) {
    this.owners = owners;
    this.save = save;
  }
  owners;
  save;
  // of is the tab's owner, if it has one.
  of(tab) {
    return this.owners.get(tab);
  }
  // owns reports whether the tab is the session's.
  owns(tab, session) {
    return this.owners.get(tab)?.session === session;
  }
  // check throws when the tab is another session's.
  check(tab, session) {
    const owner = this.owners.get(tab);
    if (!owner || owner.session === session) return;
    throw new Failure("TAB_OWNED", `tab ${tab} belongs to another session; open your own with tab_new or pick one from tabs_list`);
  }
  // claim makes the tab the session's, unless it has an owner. It says whether it did.
  claim(tab, owner) {
    if (this.owners.has(tab)) return false;
    this.owners.set(tab, owner);
    this.save();
    return true;
  }
  // drop forgets a tab.
  drop(tab) {
    if (this.owners.delete(tab)) this.save();
  }
  // replace moves ownership to the number that Chrome gave a tab instead of its old one.
  replace(was, is) {
    const owner = this.owners.get(was);
    if (!owner) return;
    this.owners.delete(was);
    this.owners.set(is, owner);
    this.save();
  }
  // tabs lists a session's tabs.
  tabs(session) {
    return [...this.owners].filter(([, owner]) => owner.session === session).map(([tab]) => tab);
  }
  // servers lists the servers whose sessions own tabs.
  servers() {
    return new Set([...this.owners.values()].map((owner) => owner.server));
  }
  // sessions lists the sessions of a server.
  sessions(server2) {
    const owners = [...this.owners.values()].filter((owner) => owner.server === server2);
    return [...new Set(owners.map((owner) => owner.session))];
  }
  // release frees a session's tabs and returns them.
  release(session) {
    const tabs = this.tabs(session);
    for (const tab of tabs) this.owners.delete(tab);
    if (tabs.length > 0) this.save();
    return tabs;
  }
};

// src/pairing.ts
function readHandshake(text2, extension2) {
  let file;
  try {
    const parsed = JSON.parse(text2.replace(/^\uFEFF/, ""));
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return wrong("it is not a JSON object");
    file = parsed;
  } catch (thrown) {
    return wrong(thrown instanceof Error ? thrown.message : String(thrown));
  }
  if (file.v !== 1) return wrong(`its version is ${JSON.stringify(file.v)}, this extension knows 1`);
  const { port, token, sessionId, pid, ts, client } = file;
  if (!Number.isInteger(port) || Number(port) < 1 || Number(port) > 65535) return wrong("it has no valid port");
  if (typeof token !== "string" || token.length < 32) return wrong("it has no token");
  if (typeof sessionId !== "string" || sessionId === "") return wrong("it has no sessionId");
  const expected = file.expectedExtensionId;
  if (expected && expected !== extension2) return wrong(`it is for the extension ${String(expected)}, not for this one`);
  const server2 = { sessionId, port: Number(port), token, pid: Number(pid) || 0, ts: Number(ts) || 0 };
  if (typeof client === "string") server2.client = client;
  return server2;
}
function wrong(why) {
  return { what: "This is not the handshake file of a running chrome-mcp server.", why, command: "chrome-mcp --print-pairing" };
}
function isProblem(value) {
  return "what" in value;
}

// src/state.ts
var PORT = "ui";

// src/panel.ts
function uiState(facts) {
  const servers = facts.links.map((link) => server(link, facts));
  const state2 = {
    stopped: facts.stopped,
    paired: facts.paired,
    host: facts.host,
    steps: steps(facts.host, servers, facts.paired),
    servers,
    asks: facts.asks,
    grants: facts.grants,
    others: facts.others,
    browserName: facts.name
  };
  const problem = facts.manualProblem ?? first(facts, servers);
  if (problem) state2.problem = problem;
  return state2;
}
function first(facts, servers) {
  const refused = servers.find((s) => s.problem)?.problem;
  if (facts.stopped) return void 0;
  if (refused) return refused;
  const connected = servers.some((s) => s.state === "connected");
  return facts.host.state === "error" && connected ? void 0 : facts.host.problem;
}
function server(link, facts) {
  const out = {
    sessionId: link.id,
    client: link.client,
    version: link.welcome?.serverVersion ?? "",
    port: link.server.port,
    pid: link.welcome?.pid ?? link.server.pid,
    since: link.since,
    state: link.state,
    tabs: facts.tabs(link.id)
  };
  if (link.problem) out.problem = link.problem;
  return out;
}
function steps(host, servers, paired) {
  const count = (state2) => servers.filter((s) => s.state === state2).length;
  const all2 = [hostStep(host), serverStep(host, servers.length, paired)];
  const reached = servers.length > 0;
  const connected = count("connected");
  const refused = servers.find((s) => s.state === "refused");
  const dialled = connected > 0 || refused !== void 0;
  all2.push(step("dial", !reached ? "idle" : dialled ? "done" : "doing", reached && !dialled ? "Dialling 127.0.0.1…" : void 0));
  if (connected > 0) all2.push(step("welcome", "done", connected === 1 ? "One server" : `${connected} servers`));
  else if (refused) all2.push(step("welcome", "failed", refused.problem?.what));
  else all2.push(step("welcome", "idle"));
  return all2;
}
function hostStep(host) {
  switch (host.state) {
    case "ready":
      return step("host", "done", `chrome-mcp ${host.version ?? ""}`.trim());
    case "connecting":
      return step("host", "doing");
    case "error":
      return step("host", "failed", host.problem?.what);
    default:
      return step("host", "idle");
  }
}
function serverStep(host, count, paired) {
  if (count > 0) return step("servers", "done", count === 1 ? "One server runs" : `${count} servers run`);
  if (host.state !== "ready") return step("servers", "idle");
  return step("servers", paired ? "idle" : "doing", "None runs now. Your MCP client starts it; this page follows by itself.");
}
function step(id, state2, text2) {
  return text2 ? { id, state: state2, text: text2 } : { id, state: state2 };
}
function badge(state2, enabled2) {
  const connected = state2.servers.filter((s) => s.state === "connected").length;
  if (state2.stopped) return { text: "off", colour: "#5f6368", title: "chrome-mcp: stopped. Press Resume to go on." };
  if (state2.problem && enabled2) return { text: "!", colour: "#b3261e", title: `chrome-mcp: ${state2.problem.what}` };
  const caller = wanting(state2.others);
  if (caller) return { text: "?", colour: "#8a5a00", title: `chrome-mcp: ${caller}` };
  const ask2 = state2.asks[0];
  if (ask2) return asking2(ask2, state2.asks.length);
  if (connected > 0) return { text: String(connected), colour: "#1a7f37", title: `chrome-mcp: ${connected} connected` };
  return { text: "", colour: "#5f6368", title: "chrome-mcp" };
}
function wanting({ callers, reviews }) {
  const [review] = reviews;
  if (review) return `the extension ${review.name || review.extension} wants to use ${review.tool}. Click to allow or deny.`;
  const caller = callers.find((c) => c.state === "pending");
  return caller ? `the extension ${caller.name || caller.id} asks for access. Click to allow or deny.` : "";
}
function asking2(ask2, count) {
  const wants = `${ask2.client} was refused ${ask2.site}`;
  const more = count > 1 ? `, and ${count - 1} more` : "";
  return { text: "?", colour: "#8a5a00", title: `chrome-mcp: ${wants}${more}. Click to allow or deny.` };
}
var Panel = class {
  constructor(state2, enabled2, request) {
    this.state = state2;
    this.enabled = enabled2;
    this.request = request;
  }
  state;
  enabled;
  request;
  ports = /* @__PURE__ */ new Set();
  last = "";
  shown = "";
  // sign on the icon
  due = false;
  // open takes a page's port; false for a port that is not a page's.
  open(port) {
    if (port.name !== PORT || !port.sender?.url?.startsWith(chrome.runtime.getURL(""))) return false;
    this.ports.add(port);
    port.onDisconnect.addListener(() => this.ports.delete(port));
    port.onMessage.addListener((request) => {
      void this.request(request).then((answer) => {
        if (answer && this.ports.has(port)) port.postMessage(answer);
      });
    });
    return true;
  }
  // greet tells a page the state for the first time.
  greet(port) {
    if (this.ports.has(port)) post(port, this.state());
  }
  // changed tells the pages and the badge, once for all changes of a turn.
  changed() {
    if (this.due) return;
    this.due = true;
    queueMicrotask(() => {
      this.due = false;
      this.publish();
    });
  }
  publish() {
    const state2 = this.state();
    const text2 = JSON.stringify(state2);
    if (text2 === this.last) return;
    this.last = text2;
    for (const port of this.ports) post(port, state2);
    this.show(badge(state2, this.enabled()));
  }
  // show draws the icon anew only when it says something else: each time the browser
  // draws its whole tool bar, three times over, which navigations would wait for.
  show(sign) {
    const shown3 = JSON.stringify(sign);
    if (shown3 === this.shown) return;
    this.shown = shown3;
    void chrome.action.setBadgeText({ text: sign.text });
    void chrome.action.setBadgeBackgroundColor({ color: sign.colour });
    void chrome.action.setTitle({ title: sign.title });
  }
};
function post(port, state2) {
  port.postMessage({ type: "state", state: state2 });
}

// src/router.ts
var Router = class {
  // The constructor throws when handlers and the wire's methods are not the same: a
  // worker that could not do all it says would be worse than one that does not start.
  constructor(handlers2) {
    this.handlers = handlers2;
    const have = Object.keys(handlers2).sort().join(" ");
    const want = [...Methods].sort().join(" ");
    if (have !== want) throw new Error(`the router has ${have}, the wire has ${want}; build both from one source`);
  }
  handlers;
  running = /* @__PURE__ */ new Set();
  // handle does a command. An id that is under way already is answered by the first.
  async handle(asker, command) {
    const id = String(command.id);
    const key3 = `${asker.id} ${id}`;
    if (this.running.has(key3)) return void 0;
    this.running.add(key3);
    try {
      return { v: Protocol, type: "result", id, data: await this.inTime(asker, command) };
    } catch (thrown) {
      return { v: Protocol, type: "error", id, error: toWire(thrown) };
    } finally {
      this.running.delete(key3);
    }
  }
  async inTime(asker, command) {
    const handler = Object.hasOwn(this.handlers, command.method) ? this.handlers[command.method] : void 0;
    if (!handler) throw new Failure("UNKNOWN_METHOD", `this extension has no ${command.method}; update the older of server and extension`);
    const request = requestOf(asker, command);
    const { timeoutMs } = command;
    if (!(timeoutMs > 0)) return handler(request);
    let timer;
    const late2 = new Promise((_, reject) => {
      timer = setTimeout(() => reject(tooLate(command)), timeoutMs);
    });
    try {
      return await Promise.race([handler(request), late2]);
    } finally {
      clearTimeout(timer);
    }
  }
};
function tooLate(command) {
  const where = command.tabId ? ` in tab ${command.tabId}` : "";
  return new Failure(
    "TIMEOUT",
    `${command.tool || command.method}${where} took longer than ${command.timeoutMs} ms; the page may be busy or have a dialog open`,
    { unknown: command.method === "cdp" || command.method === "cdp_batch" || command.method === "page" }
  );
}
function callOf(asker, command) {
  return `${asker.id} ${command.call || command.id}`;
}
function requestOf(asker, command) {
  const params = command.params ?? {};
  if (typeof params !== "object" || Array.isArray(params)) throw new Failure("BAD_ARGS", `params of ${command.method} must be an object`);
  const tab = command.tabId ?? 0;
  if (!Number.isSafeInteger(tab) || tab < 0) throw new Failure("BAD_ARGS", "tabId must be one of tabs_list");
  const call = callOf(asker, command);
  return {
    asker,
    session: command.session || asker.id,
    call,
    policy: asker.rules(call),
    tab,
    tool: command.tool ?? "",
    params
  };
}

// src/store.ts
var Store = class {
  local = { instance: "", name: "", enabled: false, paired: false, stopped: "", always: [], serve: { enabled: false, writes: false, review: true, callers: [] }, providers: [] };
  run = "";
  manual = [];
  owners = /* @__PURE__ */ new Map();
  groups = /* @__PURE__ */ new Map();
  scripts = /* @__PURE__ */ new Map();
  grants = [];
  pending = [];
  asks = [];
  known = /* @__PURE__ */ new Map();
  // load reads what is there and makes what is missing.
  async load(brand) {
    const [local, session] = await Promise.all([
      chrome.storage.local.get(),
      chrome.storage.session.get()
    ]);
    Object.assign(this.local, local);
    if (!this.local.instance) await this.setLocal({ instance: crypto.randomUUID() });
    if (!this.local.name) await this.setLocal({ name: `${brand}-${this.local.instance.slice(0, 4)}` });
    for (const [tab, owner] of session.owners ?? []) this.owners.set(tab, owner);
    for (const [id, group] of session.groups ?? []) this.groups.set(id, group);
    for (const [tab, script] of session.scripts ?? []) this.scripts.set(tab, script);
    this.grants.push(...session.grants ?? [], ...this.local.always);
    this.grants.sort((a, b) => b.given - a.given);
    this.asks.push(...session.asks ?? []);
    this.pending = session.pending ?? [];
    for (const [server2, known2] of session.known ?? []) this.known.set(server2, known2);
    this.manual = session.manual ?? [];
    this.run = session.run ?? crypto.randomUUID();
    if (!session.run) await chrome.storage.session.set({ run: this.run });
  }
  async setLocal(change) {
    Object.assign(this.local, change);
    await chrome.storage.local.set(change);
  }
  // The maps are written as a whole and nobody waits: this worker goes by its memory,
  // and Chrome finishes the write if the worker is stopped.
  saveOwners() {
    void chrome.storage.session.set({ owners: [...this.owners] });
  }
  saveGroups() {
    void chrome.storage.session.set({ groups: [...this.groups] });
  }
  saveScripts() {
    void chrome.storage.session.set({ scripts: [...this.scripts] });
  }
  saveGrants() {
    const always = this.grants.filter((g) => g.until === "always");
    void this.setLocal({ always });
    void chrome.storage.session.set({ grants: this.grants.filter((g) => g.until !== "always") });
  }
  saveAsks() {
    void chrome.storage.session.set({ asks: this.asks });
  }
  saveServing(serve, pending) {
    this.pending = pending;
    void this.setLocal({ serve });
    void chrome.storage.session.set({ pending });
  }
  saveProviders(providers) {
    void this.setLocal({ providers });
  }
  saveKnown() {
    void chrome.storage.session.set({ known: [...this.known] });
  }
  setManual(servers) {
    this.manual = servers;
    void chrome.storage.session.set({ manual: servers });
  }
};

// src/tabs.ts
var Tabs = class {
  constructor(parts) {
    this.parts = parts;
  }
  parts;
  // titles are the groups' names that sessions asked for; "" is no group.
  titles = /* @__PURE__ */ new Map();
  async list(request) {
    const [tabs, front] = await Promise.all([chrome.tabs.query({}), frontWindow()]);
    return { tabs: tabs.map((tab) => this.tell(tab, request.policy, front)) };
  }
  async open(request) {
    const params = request.params;
    const url = params.url || "about:blank";
    judge({ url, origin: "" }, "read", request.policy);
    let tab = await this.create(request.session, params.active === true);
    const id = tab.id ?? 0;
    this.parts.book.set(id, tab);
    this.parts.ownership.claim(id, { session: request.session, server: request.asker.id });
    if (url !== "about:blank") {
      await this.parts.consent.egress.ready();
      tab = await edited(id, "tab_new", () => chrome.tabs.update(id, { url })) ?? tab;
    }
    const title = params.group ?? this.titles.get(request.session) ?? "";
    this.titles.set(request.session, title);
    if (title) await this.parts.groups.add(request.session, title, [id]);
    return this.tell(tab, request.policy, 0);
  }
  async create(session, active) {
    const url = "about:blank";
    const windowId = await this.parts.groups.window(session) ?? await normalWindow();
    if (windowId === void 0) {
      const made = await edited(0, "tab_new", () => chrome.windows.create({ url, focused: active, type: "normal" }));
      const tab2 = made?.tabs?.[0];
      if (!tab2) throw new Failure("LAUNCH_FAILED", "Chrome opened no window for the new tab; open one and call again");
      return tab2;
    }
    const tab = await edited(0, "tab_new", () => chrome.tabs.create({ url, active, windowId }));
    if (active) await focus(windowId);
    return tab;
  }
  async close(request) {
    await this.reach(request);
    await edited(request.tab, "tab_close", () => chrome.tabs.remove(request.tab));
    return {};
  }
  async select(request) {
    await this.reach(request);
    const tab = await edited(request.tab, "tab_select", () => chrome.tabs.update(request.tab, { active: true }));
    if (!tab) throw tabGone(request.tab);
    await focus(tab.windowId);
    return this.tell(tab, request.policy, tab.windowId);
  }
  // reach lets a session at its own tabs, and at the user's where the site is allowed.
  async reach(request) {
    const { book, ownership } = this.parts;
    if (request.tab === 0) throw new Failure("BAD_ARGS", "the command names no tab; send tabId");
    ownership.check(request.tab, request.session);
    const { url } = await book.get(request.tab);
    if (!ownership.owns(request.tab, request.session)) judge({ url, origin: "" }, "read", request.policy);
  }
  async group(request) {
    const { title } = request.params;
    if (typeof title !== "string") throw new Failure("BAD_ARGS", 'title must be a string; "" removes the group');
    this.titles.set(request.session, title);
    const tabs = this.parts.ownership.tabs(request.session);
    await this.parts.groups.rename(request.session, title, tabs);
    return {};
  }
  // release ends a session in this browser: its tabs stay, but are nobody's.
  async release(session) {
    const tabs = this.parts.ownership.release(session);
    this.titles.delete(session);
    await Promise.all([
      this.parts.groups.rename(session, "", []),
      ...tabs.map((tab) => this.parts.debugger.leave(tab))
    ]);
    return {};
  }
  // tell is a tab as the server may see it.
  tell(tab, policy, front) {
    const id = tab.id ?? 0;
    const entry = this.parts.book.set(id, tab);
    const out = {
      id,
      // A tab that is still on its way is known by where it goes.
      ...shown({ url: tab.url || tab.pendingUrl || entry.url, title: entry.title }, policy),
      active: tab.active,
      windowId: tab.windowId,
      index: tab.index
    };
    if (tab.active && tab.windowId === front) out.focused = true;
    const owner = this.parts.ownership.of(id);
    if (owner) out.owner = owner.session;
    if (entry.opener) out.openerTabId = entry.opener;
    if (entry.loading) out.loading = true;
    if (entry.discarded) out.discarded = true;
    return out;
  }
};
async function focus(windowId) {
  await chrome.windows.update(windowId, { focused: true }).catch(() => {
  });
}
async function frontWindow() {
  const window = await chrome.windows.getLastFocused().catch(() => void 0);
  return window?.focused ? window.id ?? 0 : 0;
}
async function normalWindow() {
  const window = await chrome.windows.getLastFocused({ windowTypes: ["normal"] }).catch(() => void 0);
  if (window?.id !== void 0 && window.type === "normal") return window.id;
  const all2 = await chrome.windows.getAll({ windowTypes: ["normal"] }).catch(() => []);
  return all2[0]?.id;
}
var drag = { tries: 30, pause: 100 };
async function edited(tab, method, change) {
  for (let tries = 1; ; tries++) {
    try {
      return await change();
    } catch (thrown) {
      if (tries === drag.tries || !isDragging(thrown)) throw fromChrome(thrown, { tab, method, acts: false });
    }
    await new Promise((resolve2) => setTimeout(resolve2, drag.pause));
  }
}

// src/extension.ts
var alarm = "wake";
var Extension = class {
  store = new Store();
  book = new Book();
  ownership = new Ownership(this.store.owners, () => this.owned());
  groups = new Groups(this.store.groups, () => this.store.saveGroups());
  downloads = new Downloads(this.ownership);
  debugger;
  tabs;
  host;
  links;
  panel;
  events;
  consent;
  neighbours;
  router;
  manualProblem;
  bundle;
  chrome = "";
  booted;
  up = false;
  constructor() {
    this.debugger = new Debugger({
      bundle: async () => (await this.page()).source,
      scripts: this.store.scripts,
      save: () => this.store.saveScripts(),
      event: (tab, frame2, method, params) => {
        if (method === "Page.downloadWillBegin") {
          const page = this.debugger.attached(tab)?.frames.get("");
          this.downloads.began(tab, { url: page?.url ?? "", origin: page?.origin ?? "" }, params);
        }
        this.events.forward(tab, frame2, method, params);
      },
      left: (tab, reason) => this.left(tab, reason),
      owned: (tab) => this.ownership.of(tab) !== void 0,
      stopped: () => this.store.local.stopped !== ""
    });
    this.tabs = new Tabs(this);
    this.host = new Host({
      hello: () => this.nativeHello(),
      servers: (servers) => this.listed(servers),
      changed: () => this.panel.changed()
    });
    this.links = new Links({
      dial: (url) => new WebSocket(url),
      hello: (token) => this.hello(token),
      command: (link, command) => this.command(link, command),
      rules: (link, call) => this.consent.rules(link, call),
      welcomed: (link) => this.welcomed(link),
      changed: (link) => this.linkChanged(link),
      refused: () => this.host.ask()
    }, (server2) => this.serverGone(server2));
    this.panel = new Panel(() => this.state(), () => this.store.local.enabled, (request) => this.request(request));
    this.consent = new Consent({ store: this.store, book: this.book, links: this.links, ownership: this.ownership, changed: () => this.panel.changed() });
    this.events = new Events(this);
    this.neighbours = new Neighbours({
      store: this.store,
      links: this.links,
      host: this.host,
      soon: (work) => this.soon(work),
      changed: () => this.panel.changed()
    });
    this.router = new Router(this.handlers());
    this.booted = this.boot();
  }
  // soon runs what an event asks for, in order, once the worker knows its state.
  soon(work) {
    if (this.up) work();
    else void this.booted.then(work);
  }
  // opened takes a page's port. What the page asks before the worker knows its state
  // waits.
  opened(port) {
    if (this.panel.open(port)) this.soon(() => this.panel.greet(port));
  }
  async boot() {
    const [brand, version] = await browserVersion();
    this.chrome = version;
    await Promise.all([this.store.load(brand), this.book.load(), this.events.load(), this.page()]);
    this.up = true;
    this.consent.start();
    if (this.store.local.stopped === "stopped") await this.debugger.leaveAll(halted);
    else if (this.store.local.enabled || this.store.manual.length > 0) this.start();
    this.panel.changed();
  }
  start() {
    if (this.store.local.stopped === "") this.debugger.resume();
    if (this.store.local.enabled) this.host.connect();
    for (const server2 of this.store.manual) this.links.add(server2);
    void this.setAlarm();
  }
  // setAlarm leaves an alarm alone that is set: setting it anew would put it off.
  async setAlarm() {
    if (!await chrome.alarms.get(alarm)) await chrome.alarms.create(alarm, { periodInMinutes: 0.5 });
  }
  // wake is the alarm: what was lost and could not be had again is tried once more.
  wake() {
    if (this.store.local.stopped === "stopped") return;
    if (this.store.local.enabled) this.host.connect();
    this.host.ask();
    this.links.wake();
    this.consent.answered();
  }
  owned() {
    this.store.saveOwners();
    this.consent.egress.changed();
  }
  async page() {
    this.bundle ??= await pageBundle();
    return this.bundle;
  }
  nativeHello() {
    const { id, version } = identity();
    return { v: Protocol, type: "hello", ext: { id, version, instance: this.store.local.instance } };
  }
  hello(token) {
    const { local, run: run2 } = this.store;
    const ext = { ...identity(), chrome: this.chrome, instance: local.instance, run: run2, profileName: local.name, bundle: this.bundle?.hash ?? "" };
    return { v: Protocol, type: "hello", token, ext };
  }
  // Servers.
  listed(servers) {
    if (this.store.local.stopped === "stopped") return;
    this.links.update(servers);
    for (const server2 of this.store.known.keys()) {
      if (!this.links.get(server2)) this.consent.gone(server2);
    }
    for (const server2 of this.ownership.servers()) {
      if (!this.links.get(server2)) this.serverGone(server2);
    }
    this.panel.changed();
  }
  welcomed(link) {
    this.consent.welcomed(link);
    this.neighbours.welcomed(link);
  }
  linkChanged(link) {
    if (link.state !== "connected") this.neighbours.relay.lost(link);
    if (link.state === "connected" && !this.store.local.paired) void this.store.setLocal({ paired: true });
    this.panel.changed();
  }
  serverGone(server2) {
    this.events.forget(server2);
    this.neighbours.gone(server2);
    if (this.store.manual.some((s) => s.sessionId === server2)) {
      this.store.setManual(this.store.manual.filter((s) => s.sessionId !== server2));
    }
    for (const session of this.ownership.sessions(server2)) void this.tabs.release(session);
    this.consent.gone(server2);
    this.panel.changed();
  }
  // Commands.
  handlers() {
    const commands = new Commands({
      book: this.book,
      debugger: this.debugger,
      ownership: this.ownership,
      bundle: async () => (await this.page()).source,
      used: (tab, asker) => this.events.use(tab, asker.id),
      claimed: (tab) => this.consent.claimed(tab),
      use: (request, place2, access, pageTool) => this.consent.use(request, place2, access, pageTool)
    });
    const live = (handler) => (request) => {
      if (this.store.local.stopped) return Promise.reject(halted());
      return handler(request);
    };
    return {
      ping_probe: () => Promise.resolve({}),
      release: (r) => this.tabs.release(r.session),
      detach: (r) => commands.detach(r),
      tabs_list: live((r) => this.tabs.list(r)),
      tab_new: live((r) => this.tabs.open(r)),
      tab_close: live((r) => this.tabs.close(r)),
      tab_select: live((r) => this.tabs.select(r)),
      tab_group: live((r) => this.tabs.group(r)),
      attach: live((r) => commands.attach(r)),
      cdp: live((r) => commands.cdp(r)),
      cdp_batch: live((r) => commands.batch(r)),
      page: live((r) => commands.page(r)),
      frames: live((r) => commands.frames(r)),
      capture: live((r) => commands.capture(r)),
      download: live((r) => this.downloads.step(r)),
      refused: (r) => this.consent.refused(r),
      ...this.neighbours.handlers(live)
    };
  }
  command(link, command) {
    const call = callOf(link, command);
    this.consent.grants.began(call);
    return this.router.handle(link, command).finally(() => this.consent.grants.ended(call));
  }
  // left: Cancel in Chrome's debugging bar is the user's stop, of everything.
  left(tab, reason) {
    this.events.tell(tab, "tab.detached", { reason });
    if (reason === "canceled_by_user" && this.store.local.stopped === "") void this.halt("cancelled");
  }
  // The user's switches.
  async halt(stopped2) {
    await this.store.setLocal({ stopped: stopped2 });
    this.consent.egress.changed();
    for (const tab of this.debugger.tabs()) this.events.tell(tab, "tab.detached", { reason: "canceled_by_user" });
    this.neighbours.relay.closeAll("the user stopped chrome-mcp in this browser");
    this.panel.changed();
    await this.debugger.leaveAll(halted);
    if (stopped2 !== "stopped") return;
    this.links.closeAll();
    this.host.close();
    await chrome.alarms.clear(alarm);
  }
  async pair() {
    this.manualProblem = void 0;
    await this.store.setLocal({ enabled: true, stopped: "" });
    this.consent.egress.changed();
    this.start();
    this.host.fresh();
    this.links.retry();
  }
  manual(text2) {
    const server2 = readHandshake(text2, chrome.runtime.id);
    this.manualProblem = isProblem(server2) ? server2 : void 0;
    if (isProblem(server2)) return;
    this.store.setManual([...this.store.manual.filter((s) => s.sessionId !== server2.sessionId), server2]);
    this.start();
    this.links.retry();
  }
  async request(request) {
    await this.booted;
    switch (request.type) {
      case "pair":
        await this.pair();
        break;
      case "resume":
        await this.store.setLocal({ stopped: "" });
        this.consent.egress.changed();
        this.start();
        if (this.store.local.enabled) this.host.fresh();
        this.links.retry();
        break;
      case "stop":
        await this.halt("stopped");
        break;
      case "manual":
        this.manual(request.text);
        break;
      case "site":
        return { type: "site", url: request.url, servers: this.consent.site(request.url, request.tab) };
      case "grant":
        this.consent.choose(request);
        break;
      case "revoke":
        this.consent.grants.remove(request.id);
        break;
      case "free":
        await this.free(request.tab);
        break;
      default:
        this.neighbours.request(request);
    }
    this.panel.changed();
    return void 0;
  }
  // free gives a tab back to the user. What Chrome's rules stopped there is tried again.
  async free(tab) {
    const denied = this.consent.denied(tab);
    this.ownership.drop(tab);
    await Promise.all([this.debugger.leave(tab), this.consent.egress.ready()]);
    await chrome.tabs.ungroup(tab).catch(() => {
    });
    if (denied) await chrome.tabs.reload(tab).catch(() => {
    });
  }
  state() {
    const { local } = this.store;
    return uiState({
      stopped: local.stopped !== "",
      paired: local.paired,
      enabled: local.enabled,
      name: local.name,
      asks: [...this.consent.asks.list()],
      grants: this.consent.granting(),
      others: this.neighbours.state(),
      host: this.host.state,
      links: this.links.all(),
      manualProblem: this.manualProblem,
      tabs: (server2) => this.serverTabs(server2)
    });
  }
  serverTabs(server2) {
    return [...this.store.owners].filter(([, owner]) => owner.server === server2).map(([id]) => {
      const entry = this.book.known(id);
      return { id, title: entry?.title ?? "", url: entry?.url ?? "" };
    });
  }
};

// src/worker.ts
var extension = new Extension();
chrome.runtime.onStartup.addListener(() => {
});
chrome.runtime.onInstalled.addListener(() => {
});
chrome.runtime.onConnect.addListener((port) => extension.opened(port));
chrome.runtime.onMessageExternal.addListener((message, sender, answer) => extension.neighbours.probed(message, sender, answer));
chrome.runtime.onConnectExternal.addListener((port) => extension.neighbours.relay.came(port));
chrome.alarms.onAlarm.addListener(() => extension.soon(() => extension.wake()));
chrome.tabs.onCreated.addListener((tab) => {
  if (tab.id === void 0) return;
  extension.book.created(tab.id, tab);
  extension.consent.whereabouts.arrived(tab.id);
});
chrome.tabs.onUpdated.addListener((id, change, tab) => extension.soon(() => extension.events.updated(id, change, tab)));
chrome.tabs.onActivated.addListener(({ tabId, windowId }) => extension.soon(() => extension.events.activated(tabId, windowId)));
chrome.windows.onFocusChanged.addListener((id) => extension.soon(() => extension.events.focused(id)));
chrome.tabs.onRemoved.addListener((id) => extension.soon(() => extension.events.removed(id)));
chrome.tabs.onReplaced.addListener((added, removed) => extension.soon(() => extension.events.replaced(added, removed)));
chrome.webNavigation.onCreatedNavigationTarget.addListener((details) => extension.soon(() => extension.events.opened(details.tabId, details.sourceTabId, details.url)));
chrome.webNavigation.onCommitted.addListener(({ tabId, frameId, url }) => extension.soon(() => {
  if (extension.ownership.of(tabId)) extension.consent.whereabouts.committed(tabId, frameId, url);
}));
chrome.webNavigation.onErrorOccurred.addListener((details) => {
  if (details.frameId === 0) extension.soon(() => extension.consent.failed(details.tabId, details.url, details.error));
});
chrome.tabGroups.onRemoved.addListener((group) => extension.soon(() => extension.groups.gone(group.id)));
chrome.debugger.onEvent.addListener((source, method, params) => extension.debugger.onEvent(source, method, params ?? {}));
chrome.debugger.onDetach.addListener((source, reason) => extension.soon(() => extension.debugger.onDetach(source, reason)));

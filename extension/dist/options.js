"use strict";
(() => {
  // src/ui-dom.ts
  var parsed = new Promise((done) => {
    if (document.readyState !== "loading") {
      done();
    } else {
      document.addEventListener("DOMContentLoaded", () => done(), { once: true });
    }
  });
  function onPress(id, fn) {
    document.addEventListener("click", (event) => {
      if (event.target.closest(`#${id}`)) {
        fn();
      }
    });
  }
  function byId(id) {
    const el = document.getElementById(id);
    if (!el) {
      throw new Error(`the page has no #${id}`);
    }
    return el;
  }
  function field(root, name) {
    const el = root.querySelector(`[data-field="${name}"]`);
    if (!el) {
      throw new Error(`no field ${name}`);
    }
    return el;
  }
  function setText(el, text) {
    if (el.textContent !== text) {
      el.textContent = text;
    }
  }
  function stamp(id) {
    const el = byId(id).content.firstElementChild;
    return document.importNode(el, true);
  }
  function sync(list, items, key, make, update) {
    const have = new Map([...list.children].map((el) => [el.dataset.key, el]));
    items.forEach((item, i) => {
      let el = have.get(key(item));
      if (!el) {
        el = make(item);
        el.dataset.key = key(item);
      }
      have.delete(key(item));
      update(el, item);
      if (list.children[i] !== el) {
        list.insertBefore(el, list.children[i] ?? null);
      }
    });
    for (const el of have.values()) {
      el.remove();
    }
  }
  function words(text) {
    return text.split(" ").flatMap((word, i) => {
      const span = document.createElement("span");
      span.textContent = word;
      return i === 0 ? [span] : [document.createTextNode(" "), span];
    });
  }
  function showCommand(slot, text) {
    if (slot.querySelector("code")?.textContent === text) {
      return;
    }
    const box = stamp("command-box");
    const copy = box.querySelector("button");
    box.querySelector("code")?.append(...words(text));
    const idle = () => {
      delete copy.dataset.done;
      setText(copy, "Copy");
    };
    idle();
    copy.setAttribute("aria-live", "polite");
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      copy.dataset.done = "";
      setText(copy, "Copied");
      setTimeout(idle, 2e3);
    });
    slot.replaceChildren(box);
  }

  // src/policy.ts
  var maxURL = 2 << 20;

  // src/gate.ts
  var browserSchemes = /* @__PURE__ */ new Set(["chrome:", "chrome-untrusted:", "chrome-search:", "devtools:", "view-source:", "edge:", "brave:", "vivaldi:", "opera:", "arc:"]);
  var extensionSchemes = /* @__PURE__ */ new Set(["chrome-extension:", "moz-extension:", "extension:", "isolated-app:"]);
  function undrivable(url) {
    let why = drivable.get(url);
    if (why !== void 0) return why;
    why = whyUndrivable(url);
    if (drivable.size >= maxKnown) drivable.clear();
    if (url.length <= maxLength) drivable.set(url, why);
    return why;
  }
  var drivable = /* @__PURE__ */ new Map();
  var maxKnown = 512;
  var maxLength = 2048;
  function whyUndrivable(url) {
    if (url === "") return "its address is not known yet; try again in a moment";
    const parsed2 = URL.parse ? URL.parse(url) : parse(url);
    if (!parsed2) return "its address cannot be read";
    const scheme = parsed2.protocol;
    if (browserSchemes.has(scheme)) return "it is a page of the browser itself; open a web page with tab_new";
    if (extensionSchemes.has(scheme)) return "it belongs to a browser extension; open a web page with tab_new";
    if (scheme === "about:" && !/^about:(blank|srcdoc)([?#]|$)/.test(url)) return "it is a page of the browser itself; open a web page with tab_new";
    if (gallery(parsed2)) return "extensions are installed there, which only the user may do";
    return "";
  }
  function gallery(url) {
    const host = url.hostname.replace(/\.$/, "");
    return host === "chromewebstore.google.com" || host === "microsoftedge.microsoft.com" || host === "chrome.google.com" && /^\/webstore(\/|$)/.test(url.pathname);
  }
  function parse(url) {
    try {
      return new URL(url);
    } catch {
      return null;
    }
  }

  // src/ui-text.ts
  function summary(s) {
    const live = s.servers.filter((v) => v.state === "connected");
    if (s.stopped) {
      return { status: "stopped", tone: "off", detail: "No agent can use this browser until you press Resume." };
    }
    if (live.length > 0) {
      return { status: "connected", tone: "ok", detail: work(live) };
    }
    const problem = mainProblem(s);
    if (s.steps.some((v) => v.state === "doing") || s.host.state === "connecting") {
      return { status: s.paired ? "reconnecting…" : "pairing…", tone: "busy", detail: "This takes a moment." };
    }
    if (problem) {
      return { status: "needs your help", tone: "bad", detail: "The step that failed is marked below, with what mends it." };
    }
    if (s.paired) {
      return { status: "ready", tone: "idle", detail: "Paired. The next server that starts joins by itself, without a click." };
    }
    return {
      status: "not paired",
      tone: "idle",
      detail: "Press Pair once. After that, every server that starts joins by itself."
    };
  }
  function work(live) {
    const tabs = live.reduce((n, v) => n + v.tabs.length, 0);
    const who = live.length === 1 ? live[0]?.client || "One server" : `${live.length} servers`;
    if (tabs === 0) {
      return `${who} ${live.length === 1 ? "has" : "have"} no tab open.`;
    }
    return `${who} ${live.length === 1 ? "works" : "work"} in ${count(tabs, "tab")}.`;
  }
  function mainProblem(s) {
    if (s.stopped) {
      return void 0;
    }
    const failed = s.steps.find((v) => v.state === "failed");
    const main = s.problem ?? s.host.problem ?? (failed && { what: failed.text || `The step “${failed.id}” failed.` });
    const works = s.servers.some((v) => v.state === "connected");
    return works && s.servers.some((v) => same(v.problem, main)) ? void 0 : main;
  }
  function serverProblem(v, s) {
    return same(v.problem, mainProblem(s)) ? void 0 : v.problem;
  }
  function same(a, b) {
    return JSON.stringify(a) === JSON.stringify(b);
  }
  function serverLine(v, stopped2) {
    if (stopped2) {
      return { text: "stopped", tone: "off" };
    }
    switch (v.state) {
      case "connected":
        return { text: "", tone: "ok" };
      case "dialing":
        return { text: "dialing…", tone: "busy" };
      case "refused":
        return { text: "refused", tone: "bad" };
      case "closed":
        return { text: "closed", tone: "off" };
    }
  }
  function serverMeta(v, now) {
    const parts = [];
    if (v.since > 0) {
      parts.push(`since ${clock(v.since, now)}`);
    }
    if (v.version) {
      parts.push(`v${v.version}`);
    }
    parts.push(`port ${v.port}`);
    return parts.join(" · ");
  }
  function clock(at, now) {
    const time = new Date(at).toLocaleTimeString(void 0, { hour: "2-digit", minute: "2-digit" });
    if (new Date(at).toDateString() === new Date(now).toDateString()) {
      return time;
    }
    return `${new Date(at).toLocaleDateString(void 0, { day: "numeric", month: "short" })}, ${time}`;
  }
  function stepWord(s) {
    return { idle: "not started", doing: "in progress", done: "done", failed: "failed" }[s];
  }
  function versions(extension, host) {
    const parts = [`extension ${extension}`];
    if (host.version) {
      parts.push(`host ${host.version}`);
    }
    if (host.dataDir) {
      parts.push(host.dataDir);
    }
    return parts.join(" · ");
  }
  function siteName(url) {
    const drivable2 = undrivable(url) === "";
    const u = URL.canParse(url) ? new URL(url) : void 0;
    switch (u?.protocol) {
      case void 0:
        return { name: "This page", drivable: drivable2 };
      case "http:":
      case "https:":
        return { name: u?.host ?? "", drivable: drivable2 };
      case "file:":
        return { name: "A file on this computer", drivable: drivable2 };
      case "about:":
        return { name: url, drivable: drivable2 };
    }
    return { name: "A page of the browser", drivable: drivable2 };
  }
  function plain(name) {
    return name.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  }
  var levels = { read: "Read only", full: "Read and act", deny: "Denied" };
  function grantLevel(g) {
    if (g.pageTool) {
      return `${g.level === "deny" ? "Denied" : "Use"}: its tool “${plain(g.pageTool)}”`;
    }
    return levels[g.level];
  }
  function grantFor(g) {
    const who = g.client || "every agent";
    switch (g.until) {
      case "once":
        return `${who}, for one call`;
      case "session":
        return `${who}, until the browser closes`;
      case "always":
        return who;
    }
  }
  function callerName(name) {
    return name ? `“${name}”` : "An extension without a name";
  }
  function callerWord(c) {
    return { allowed: "allowed", denied: "denied", pending: "asks for access" }[c.state];
  }
  function reviewText(r) {
    return `${callerName(r.name)} wants to use ${r.tool}${r.target ? ` on ${r.target}` : ""}`;
  }
  function providerWord(p) {
    const word = standing(p);
    return p.own ? word : `${word}; named on a server’s command line`;
  }
  function standing(p) {
    switch (p.state) {
      case "connected":
        return p.held > 0 ? `${count(p.tools, "tool")}, ${p.held} of them held until it may change things` : count(p.tools, "tool");
      case "error":
        return p.text || "it cannot be used";
      case "off":
        return "switched off";
    }
    return p.text || "asked once a server runs";
  }
  function providerRefused(p) {
    const [first = "", ...more] = p.refused;
    return `Not offered: ${first}${more.length > 0 ? `; and ${more.length} more, see chrome_status` : ""}`;
  }
  function count(n, noun) {
    return `${n} ${noun}${n === 1 ? "" : "s"}`;
  }

  // src/ui-choice.ts
  var rest = 400;
  function watchMoves() {
    let timer;
    const moved = () => {
      delete document.body.dataset.still;
      clearTimeout(timer);
      timer = setTimeout(() => {
        document.body.dataset.still = "";
      }, rest);
    };
    const sizes = new ResizeObserver(moved);
    for (const part of document.querySelectorAll("main > *")) {
      sizes.observe(part);
    }
    new MutationObserver(moved).observe(document.body, { childList: true, subtree: true });
  }

  // src/ui-others.ts
  var switches = ["enabled", "writes", "review"];
  function onPressOf(row, name, fn) {
    field(row, name).addEventListener("click", (event) => {
      if (event.isTrusted && document.body.dataset.still !== void 0) {
        fn();
      }
    });
  }
  function listenSwitches(send) {
    for (const name of switches) {
      byId(`serve-${name}`).addEventListener("change", (event) => {
        send({ type: "serve", [name]: event.target.checked });
      });
    }
  }
  function showSwitches(o) {
    for (const name of switches) {
      byId(`serve-${name}`).checked = o[name];
    }
    byId("serve-writes").disabled = !o.enabled;
    byId("serve-review").disabled = !o.enabled || !o.writes;
  }
  function showCallers(callers, send) {
    sync(byId("callers"), callers, (c) => c.id, () => makeCaller(send), updateCaller);
  }
  function makeCaller(send) {
    const row = stamp("caller-row");
    for (const word of ["allow", "deny", "forget"]) {
      onPressOf(row, word, () => send({ type: "caller", id: row.dataset.caller ?? "", word }));
    }
    return row;
  }
  function updateCaller(row, c) {
    row.dataset.caller = c.id;
    row.dataset.state = c.state;
    setText(field(row, "name"), callerName(c.name));
    setText(field(row, "id"), c.id);
    setText(field(row, "word"), callerWord(c));
    field(row, "allow").hidden = c.state === "allowed";
    field(row, "deny").hidden = c.state !== "pending";
    field(row, "forget").hidden = c.state === "pending";
    for (const [name, verb] of [["allow", "Allow"], ["deny", "Deny"], ["forget", "Remove"]]) {
      field(row, name).setAttribute("aria-label", `${verb} ${callerName(c.name)} ${c.id}`);
    }
  }
  function showReviews(reviews, send) {
    sync(byId("reviews"), reviews, (r) => r.id, () => makeReview(send), updateReview);
  }
  function makeReview(send) {
    const row = stamp("review-row");
    onPressOf(row, "allow", () => send({ type: "review", id: row.dataset.review ?? "", allowed: true }));
    onPressOf(row, "deny", () => send({ type: "review", id: row.dataset.review ?? "", allowed: false }));
    return row;
  }
  function updateReview(row, r) {
    row.dataset.review = r.id;
    setText(field(row, "what"), reviewText(r));
    setText(field(row, "id"), r.extension);
    setText(field(row, "detail"), r.detail);
    field(row, "detail").hidden = r.detail === "" || r.detail === "{}";
    field(row, "allow").setAttribute("aria-label", `Allow: ${reviewText(r)}`);
    field(row, "deny").setAttribute("aria-label", `Deny: ${reviewText(r)}`);
  }

  // src/state.ts
  var PORT = "ui";

  // src/ui-port.ts
  var redial = 250;
  function connect(on) {
    let port;
    const dial = () => {
      try {
        port = chrome.runtime.connect({ name: PORT });
      } catch {
        on.gone();
        return;
      }
      port.onMessage.addListener((m) => {
        if (m.type === "state") {
          on.state(m.state);
        } else {
          on.site?.(m);
        }
      });
      port.onDisconnect.addListener(() => {
        port = void 0;
        setTimeout(dial, redial);
      });
    };
    dial();
    return {
      send(request) {
        if (!port) {
          dial();
        }
        port?.postMessage(request);
      }
    };
  }

  // src/ui-providers.ts
  function listenProviders(send) {
    byId("add-provider").addEventListener("submit", (event) => {
      event.preventDefault();
      if (!event.isTrusted) return;
      const input = byId("provider-id");
      const [id = "", namespace = ""] = input.value.trim().split("=");
      send({ type: "provider", id, change: "add", namespace });
    });
    byId("ask-providers").addEventListener("click", () => send({ type: "ask" }));
  }
  function showProviders(o, send) {
    const list = byId("providers");
    const before = list.childElementCount;
    sync(list, o.providers, (p) => p.id, () => makeProvider(send), updateProvider);
    byId("ask-providers").hidden = o.providers.length === 0;
    setText(byId("provider-problem"), o.problem);
    byId("provider-problem").hidden = o.problem === "";
    if (o.problem === "" && o.providers.length > before) byId("provider-id").value = "";
  }
  function makeProvider(send) {
    const row = stamp("provider-row");
    const say = (change) => send({ type: "provider", id: row.dataset.provider ?? "", change });
    const turn = (name, on, off) => field(row, name).addEventListener("change", (event) => {
      if (event.isTrusted) say(event.target.checked ? on : off);
    });
    turn("on", "on", "off");
    turn("writes", "write", "read");
    field(row, "remove").addEventListener("click", () => say("remove"));
    return row;
  }
  function updateProvider(row, p) {
    row.dataset.provider = p.id;
    row.dataset.state = p.state;
    const name = p.name ? callerName(p.name) : p.namespace || "An extension that has not answered yet";
    setText(field(row, "name"), name);
    setText(field(row, "id"), p.id);
    setText(field(row, "word"), providerWord(p));
    setText(field(row, "refused"), providerRefused(p));
    field(row, "refused").hidden = p.refused.length === 0;
    field(row, "say").hidden = !p.own;
    field(row, "on").checked = !p.off;
    field(row, "writes").checked = p.writes;
    field(row, "on").setAttribute("aria-label", `Use ${name} ${p.id}`);
    field(row, "writes").setAttribute("aria-label", `Let ${name} ${p.id} change things`);
    field(row, "remove").setAttribute("aria-label", `Remove ${name} ${p.id}`);
  }

  // src/options.ts
  var stopped = false;
  var worker = connect({
    state: (s) => parsed.then(() => show(s)),
    gone: () => parsed.then(showGone)
  });
  onPress("pair", () => worker.send({ type: "pair" }));
  onPress("stop", () => worker.send({ type: stopped ? "resume" : "stop" }));
  parsed.then(() => {
    watchMoves();
    listenSwitches(worker.send);
    listenProviders(worker.send);
    byId("manual").addEventListener("change", pairByFile);
    showCommand(byId("print-pairing"), "chrome-mcp --print-pairing");
  });
  function showGone() {
    byId("hero").dataset.tone = "bad";
    setText(byId("status"), "reload this page");
    setText(byId("detail"), "The extension was updated or removed while this page was open.");
  }
  function show(s) {
    stopped = s.stopped;
    const { status, tone, detail } = summary(s);
    byId("hero").dataset.tone = tone;
    setText(byId("status"), status);
    setText(byId("detail"), detail);
    setText(byId("pair"), s.paired ? "Pair again" : "Pair");
    byId("pair").classList.toggle("primary", !s.stopped && (!s.paired || tone === "bad"));
    setText(byId("stop"), s.stopped ? "Resume" : "Stop");
    byId("stop").classList.toggle("primary", s.stopped);
    byId("browser").hidden = s.browserName === "";
    setText(field(byId("browser"), "name"), s.browserName);
    setText(byId("versions"), versions(chrome.runtime.getManifest().version, s.host));
    showSteps(s);
    showProblem(byId("problem"), mainProblem(s));
    showServers(s);
    showSwitches(s.others);
    showReviews(s.others.reviews, worker.send);
    showCallers(s.others.callers, worker.send);
    showProviders(s.others, worker.send);
    byId("no-grants").hidden = s.grants.length > 0;
    sync(byId("grants"), s.grants, (g) => g.id, makeGrant, updateGrant);
  }
  function makeGrant(g) {
    const row = stamp("grant-row");
    field(row, "revoke").addEventListener("click", () => worker.send({ type: "revoke", id: g.id }));
    return row;
  }
  function updateGrant(row, g) {
    row.dataset.level = g.level;
    setText(field(row, "site"), g.site);
    setText(field(row, "level"), grantLevel(g));
    setText(field(row, "for"), grantFor(g));
    field(row, "revoke").setAttribute("aria-label", `Remove ${g.site}, ${grantLevel(g)}, ${grantFor(g)}`);
  }
  function showSteps(s) {
    for (const step of s.steps) {
      const li = document.querySelector(`[data-step="${step.id}"]`);
      if (!li) {
        continue;
      }
      li.dataset.state = step.state;
      setText(field(li, "state"), stepWord(step.state));
      setText(field(li, "text"), step.text ?? "");
    }
  }
  function showProblem(box, problem) {
    const key = JSON.stringify(problem ?? null);
    if (box.dataset.key === key) {
      return;
    }
    box.dataset.key = key;
    box.hidden = !problem;
    box.replaceChildren();
    if (!problem) {
      return;
    }
    box.append(byId("problem-body").content.cloneNode(true));
    setText(field(box, "what"), problem.what);
    field(box, "why").hidden = !problem.why;
    setText(field(box, "words"), problem.why ?? "");
    field(box, "fix").hidden = !problem.command;
    if (problem.command) {
      showCommand(field(box, "command"), problem.command);
    }
  }
  function showServers(s) {
    const { servers } = s;
    const live = servers.filter((v) => v.state === "connected").length;
    setText(byId("count"), servers.length > 0 && !s.stopped ? `${live} of ${servers.length} in use` : "");
    byId("no-servers").hidden = servers.length > 0;
    sync(byId("servers"), servers, (v) => v.sessionId, makeServer, (row, v) => updateServer(row, v, s));
  }
  function makeServer(v) {
    const row = stamp("server-row");
    row.dataset.server = v.sessionId;
    return row;
  }
  function updateServer(row, v, s) {
    const { text, tone } = serverLine(v, s.stopped);
    row.dataset.tone = tone;
    row.dataset.state = v.state;
    setText(field(row, "client"), v.client || "Unnamed client");
    setText(field(row, "state"), text);
    setText(field(row, "meta"), serverMeta(v, Date.now()));
    sync(field(row, "tabs"), v.tabs, (t) => String(t.id), () => stamp("tab-row"), updateTab);
    showProblem(field(row, "problem"), serverProblem(v, s));
  }
  function updateTab(row, t) {
    setText(field(row, "title"), t.title || "Untitled");
    setText(field(row, "host"), siteName(t.url).name);
  }
  async function pairByFile(event) {
    const input = event.target;
    const file = input.files?.[0];
    if (!file) {
      return;
    }
    setText(byId("manual-result"), `Read ${file.name} (${count(file.size, "byte")}).`);
    worker.send({ type: "manual", text: await file.text() });
    input.value = "";
  }
})();

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
  function undrivable(url2) {
    let why = drivable.get(url2);
    if (why !== void 0) return why;
    why = whyUndrivable(url2);
    if (drivable.size >= maxKnown) drivable.clear();
    if (url2.length <= maxLength) drivable.set(url2, why);
    return why;
  }
  var drivable = /* @__PURE__ */ new Map();
  var maxKnown = 512;
  var maxLength = 2048;
  function whyUndrivable(url2) {
    if (url2 === "") return "its address is not known yet; try again in a moment";
    const parsed2 = URL.parse ? URL.parse(url2) : parse(url2);
    if (!parsed2) return "its address cannot be read";
    const scheme = parsed2.protocol;
    if (browserSchemes.has(scheme)) return "it is a page of the browser itself; open a web page with tab_new";
    if (extensionSchemes.has(scheme)) return "it belongs to a browser extension; open a web page with tab_new";
    if (scheme === "about:" && !/^about:(blank|srcdoc)([?#]|$)/.test(url2)) return "it is a page of the browser itself; open a web page with tab_new";
    if (gallery(parsed2)) return "extensions are installed there, which only the user may do";
    return "";
  }
  function gallery(url2) {
    const host = url2.hostname.replace(/\.$/, "");
    return host === "chromewebstore.google.com" || host === "microsoftedge.microsoft.com" || host === "chrome.google.com" && /^\/webstore(\/|$)/.test(url2.pathname);
  }
  function parse(url2) {
    try {
      return new URL(url2);
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
  function same(a, b) {
    return JSON.stringify(a) === JSON.stringify(b);
  }
  function siteName(url2) {
    const drivable2 = undrivable(url2) === "";
    const u = URL.canParse(url2) ? new URL(url2) : void 0;
    switch (u?.protocol) {
      case void 0:
        return { name: "This page", drivable: drivable2 };
      case "http:":
      case "https:":
        return { name: u?.host ?? "", drivable: drivable2 };
      case "file:":
        return { name: "A file on this computer", drivable: drivable2 };
      case "about:":
        return { name: url2, drivable: drivable2 };
    }
    return { name: "A page of the browser", drivable: drivable2 };
  }
  function missingFlags(url2, servers) {
    const flags = [];
    const { name, drivable: drivable2 } = siteName(url2);
    if (drivable2 && url2.startsWith("http") && servers.some((v) => !v.read)) {
      flags.push(`--allow-domain ${name}`);
    }
    if (drivable2 && servers.some((v) => !v.act)) {
      flags.push("--enable-mutations");
    }
    return flags.join(" ");
  }
  function plain(name) {
    return name.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  }
  function askText(a) {
    if (a.pageTool) {
      return `${a.client} wants to use a tool of this page, “${plain(a.pageTool)}”`;
    }
    if (a.tool === "") {
      return `A page led ${a.client} here`;
    }
    return `${a.client} was refused to ${a.access === "act" ? "act on it" : "read it"} (${a.tool})`;
  }
  function grantText(g) {
    const who = g.client || "every agent";
    const how = { once: ", for one call", session: " until the browser closes", always: "" }[g.until];
    return g.level === "deny" ? `You denied it to ${who}.` : `You let ${who} ${g.level === "read" ? "read" : "read and act"}${how}.`;
  }
  function ruleText(v) {
    if (v.grant && (v.grant.level === "deny" || !v.flagsOnly)) {
      return grantText(v.grant);
    }
    if (v.rule && v.read) {
      return `by the rule ${v.rule}`;
    }
    return v.flagsOnly ? "by its flags only (--no-site-grants)" : "";
  }
  function hereText(rows) {
    const here = rows.find((v) => v.here);
    if (!here) {
      return "";
    }
    return here.read ? `${here.client} works in this tab. It opens only sites that you allowed.` : `${here.client} works in this tab, so sites that you have not allowed do not open in it.`;
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
  function makeChoice(press2) {
    const form = stamp("choice");
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      const { site, client, pageTool } = form.dataset;
      if (!event.isTrusted || !button || !site || !client || document.body.dataset.still === void 0) {
        return;
      }
      const level = pageTool ? "full" : new FormData(form).get("level");
      const about = { site, client, ...pageTool ? { pageTool } : {} };
      press2(button.value === "deny" ? { ...about, level: "deny", until: "always" } : { ...about, level, until: button.value });
    });
    return form;
  }
  function updateChoice(slot, about) {
    const form = slot.firstElementChild;
    const key = JSON.stringify(about);
    if (form.dataset.key === key) {
      return;
    }
    form.dataset.key = key;
    form.dataset.site = about.site;
    form.dataset.client = about.client;
    form.dataset.pageTool = about.pageTool ?? "";
    form.querySelector("fieldset").hidden = about.pageTool !== void 0;
    const [read, full] = form.querySelectorAll("input");
    if (read && full) {
      read.disabled = about.atLeastAct;
      full.checked = about.act;
      read.checked = !about.act;
    }
    for (const button of form.querySelectorAll("button")) {
      button.setAttribute("aria-label", `${button.value === "deny" ? "Deny" : `Allow, ${button.textContent}`}: ${about.pageTool ? `${plain(about.pageTool)} of ` : ""}${about.site} to ${about.client}`);
    }
  }

  // src/ui-others.ts
  function onPressOf(row, name, fn) {
    field(row, name).addEventListener("click", (event) => {
      if (event.isTrusted && document.body.dataset.still !== void 0) {
        fn();
      }
    });
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

  // src/popup.ts
  var state;
  var access = [];
  var tabId;
  var url = "";
  var worker = connect({
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
    gone: () => parsed.then(() => setText(byId("status"), "reload the browser"))
  });
  parsed.then(watchMoves);
  onPress("stop", () => worker.send({ type: state?.stopped ? "resume" : "stop" }));
  onPress("options", async () => {
    await chrome.runtime.openOptionsPage();
    window.close();
  });
  onPress("free", () => {
    if (tabId !== void 0) {
      worker.send({ type: "free", tab: tabId });
    }
  });
  chrome.tabs.onUpdated.addListener((id, change) => {
    if (id === tabId && (change.url || change.status === "complete")) {
      askForSite();
    }
  });
  function show(s) {
    const { status, tone, detail } = summary(s);
    byId("hero").dataset.tone = tone;
    setText(byId("status"), status);
    setText(byId("stop"), s.stopped ? "Resume" : "Stop");
    byId("stop").classList.toggle("primary", s.stopped);
    showOthers(s);
    if (tone !== "ok") {
      setText(byId("detail"), tone === "bad" ? "Something is wrong; Settings says what mends it." : detail);
      access = [];
      showAccess();
    }
  }
  async function askForSite() {
    const named = new URLSearchParams(location.search).get("tab");
    const tab = named ? await chrome.tabs.get(Number(named)) : (await chrome.tabs.query({ active: true, currentWindow: true }))[0];
    tabId = tab?.id;
    url = tab?.pendingUrl || tab?.url || "";
    setText(byId("site"), siteName(url).name);
    worker.send({ type: "site", url, ...tabId === void 0 ? {} : { tab: tabId } });
  }
  function showAccess() {
    const { drivable: drivable2 } = siteName(url);
    if (access.length > 0) {
      setText(byId("detail"), drivable2 ? "" : "No agent can read or use this page, whatever is allowed.");
    }
    const rows = (drivable2 ? access : []).map((v, i) => ({ ...v, key: `${i} ${v.client} ${v.site}` }));
    sync(byId("access"), rows, (v) => v.key, makeAccess, updateAccess);
    showAsks();
    showHere(rows);
    byId("hint").hidden = byId("asked").hidden && !rows.some((v) => v.site !== void 0 && !(v.read && v.act));
    const flags = missingFlags(url, rows.filter((v) => v.site === void 0));
    byId("fix").hidden = flags === "";
    if (flags !== "") {
      showCommand(byId("flags"), flags);
    }
  }
  function makeAccess(v) {
    const row = stamp("access-row");
    row.dataset.site = v.site ?? "";
    row.dataset.client = v.client;
    field(row, "choice").append(makeChoice(press));
    const asked = askFor(v);
    field(row, "more").open = asked !== void 0 || !v.read && access.length === 1;
    field(row, "revoke").addEventListener("click", () => worker.send({ type: "revoke", id: row.dataset.grant ?? "" }));
    return row;
  }
  function updateAccess(row, v) {
    setText(field(row, "client"), v.client);
    setRight(row, "read", v.read, "Read");
    setRight(row, "act", v.act, "Act");
    row.dataset.grant = v.grant?.id ?? "";
    setText(field(row, "rule"), ruleText(v));
    field(row, "revoke").hidden = !v.grant;
    const open = v.site !== void 0 && !(v.read && v.act);
    field(row, "more").hidden = !open;
    if (open) {
      setText(field(row, "more-text"), v.read ? "Allow acting too" : "Allow or deny");
      updateChoice(field(row, "choice"), { site: v.site ?? "", client: v.client, act: v.read || askFor(v)?.access === "act", atLeastAct: v.read });
    }
  }
  function askFor(v) {
    return state?.asks.find((a) => !a.pageTool && a.site === v.site && a.client === v.client);
  }
  function setRight(row, name, allowed, word) {
    field(row, name).dataset.state = allowed ? "done" : "idle";
    const text = field(row, `${name}-text`);
    setText(text, word);
    field(row, name).setAttribute("aria-label", `${word}: ${allowed ? "allowed" : "not allowed"}`);
    field(row, name).setAttribute("role", "img");
  }
  function showAsks() {
    const asks = state?.stopped ? [] : (state?.asks ?? []).filter((a) => !access.some((v) => !a.pageTool && v.site === a.site && v.client === a.client && siteName(url).drivable));
    byId("asked").hidden = asks.length === 0;
    sync(byId("asks"), asks.reverse(), (a) => a.id, makeAsk, updateAsk);
  }
  function makeAsk(ask) {
    const row = stamp("ask-row");
    row.dataset.site = ask.site;
    row.dataset.client = ask.client;
    row.dataset.pageTool = ask.pageTool ?? "";
    field(row, "choice").append(makeChoice(press));
    return row;
  }
  function updateAsk(row, ask) {
    setText(field(row, "site"), ask.site);
    setText(field(row, "why"), askText(ask));
    updateChoice(field(row, "choice"), { site: ask.site, client: ask.client, act: ask.access === "act", atLeastAct: false, pageTool: ask.pageTool });
  }
  function showOthers({ others, stopped }) {
    const callers = others.callers.filter((c) => c.state === "pending" && !stopped);
    const reviews = stopped ? [] : others.reviews;
    byId("others").hidden = callers.length + reviews.length === 0;
    showReviews(reviews, worker.send);
    showCallers(callers, worker.send);
  }
  function press(choice) {
    worker.send({ type: "grant", ...choice });
  }
  function showHere(rows) {
    const text = hereText(rows);
    byId("here").hidden = text === "";
    setText(byId("here-text"), text);
  }
})();

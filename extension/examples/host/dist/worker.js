// probe.ts
var isExtensionId = (id) => typeof id === "string" && /^[a-p]{32}$/.test(id);
var timeout = 1500;
async function probe(id) {
  if (!isExtensionId(id)) return { state: "error", text: `${id} is no extension id` };
  const { name, version } = chrome.runtime.getManifest();
  const question = { channel: "lumo:probe", version: 1, id: crypto.randomUUID(), client: { id: chrome.runtime.id, name, version } };
  let late;
  try {
    const answer = await Promise.race([
      chrome.runtime.sendMessage(id, question),
      new Promise((_, reject) => {
        late = setTimeout(() => reject(new Error(`no answer in ${timeout} ms`)), timeout);
      })
    ]);
    return judge(answer);
  } catch (error) {
    const { message } = error;
    const text = message.startsWith("no answer") ? message : "not installed, or it serves no agent endpoint";
    return { state: "error", text };
  } finally {
    clearTimeout(late);
  }
}
function judge(answer) {
  const error = (text) => ({ state: "error", text });
  if (answer?.ok === false) return error(String(answer.error?.message ?? answer.error));
  const { service, status } = answer ?? {};
  if (!service || !status) return error("probe response is incomplete");
  if (!status.enabled) return error("agent access is switched off in the provider");
  if (!status.authorized) return error(status.pendingApproval ? "waiting for your approval in the provider" : "this caller is not on the allowlist");
  if (!status.ready) return error(status.reason || "it is not ready");
  return { state: "connected", text: "connected", service };
}

// worker.ts
var timeout2 = { initialize: 5e3, call: 6e4 };
var providers = /* @__PURE__ */ new Map();
chrome.runtime.onMessage.addListener((request, _sender, answer) => {
  const provider = providers.get(request.id) ?? new Provider(request.id);
  providers.set(request.id, provider);
  provider.ask(request).then((result) => answer({ result }), (error) => answer({ error: error.message }));
  return true;
});
var Provider = class {
  constructor(id) {
    this.id = id;
  }
  id;
  tools = [];
  // as it listed them last, whether or not the port is open
  port;
  ready;
  // of the port
  last = 0;
  waiting = /* @__PURE__ */ new Map();
  async ask(request) {
    switch (request.type) {
      case "probe":
        return probe(this.id);
      case "tools":
        await this.connect();
        return this.tools;
      case "call": {
        await this.connect();
        const progress = [];
        const params = { name: request.tool, arguments: request.args ?? {} };
        const result = await this.request("tools/call", params, request.ms ?? timeout2.call, (p) => progress.push(p.progress));
        return { ...result, progress };
      }
      case "close":
        return this.closed(this.port, "the host closed it");
    }
    throw new Error(`no such request: ${request.type}`);
  }
  // connect opens a port if there is none.
  connect() {
    this.ready ??= this.open().catch((error) => {
      this.ready = void 0;
      throw error;
    });
    return this.ready;
  }
  async open() {
    const { state, text } = await probe(this.id);
    if (state !== "connected") throw new Error(text);
    const port = chrome.runtime.connect(this.id, { name: "lumo:mcp" });
    this.port = port;
    port.onMessage.addListener((message) => this.take(message));
    port.onDisconnect.addListener(() => this.closed(port, chrome.runtime.lastError?.message ?? "the provider closed the port"));
    await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: chrome.runtime.getManifest().name, version: chrome.runtime.getManifest().version }
    }, timeout2.initialize);
    this.send({ method: "notifications/initialized" });
    await this.list();
  }
  async list() {
    this.tools = (await this.request("tools/list", {}, timeout2.initialize)).tools;
  }
  // request asks and waits, but not for ever. What was asked is never asked again by
  // itself: nobody knows whether it was done.
  request(method, params, ms, progress) {
    if (!this.port) return Promise.reject(new Error("the provider closed the port; nothing was done"));
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.send({ method: "notifications/cancelled", params: { requestId: id, reason: "timeout" } });
        entry.failed(new Error(`${method} was not answered in ${ms} ms`));
      }, ms);
      const end = () => {
        clearTimeout(late);
        this.waiting.delete(id);
      };
      const entry = {
        done: (result) => {
          end();
          resolve(result);
        },
        failed: (error) => {
          end();
          reject(error);
        },
        ...progress && { progress }
      };
      this.waiting.set(id, entry);
      this.send({ id, method, params: progress ? { ...params, _meta: { progressToken: id } } : params });
    });
  }
  send(message) {
    try {
      this.port?.postMessage({ jsonrpc: "2.0", ...message });
    } catch {
    }
  }
  take(message) {
    if (message?.jsonrpc !== "2.0") return;
    const { id, method, params, result, error } = message;
    if (method === "ping") this.send({ id, result: {} });
    else if (method === "notifications/tools/list_changed") void this.list().catch(() => {
    });
    else if (method === "notifications/progress") this.waiting.get(params?.progressToken)?.progress?.(params);
    else if (error) this.waiting.get(id)?.failed(new Error(error.message));
    else if (id !== void 0) this.waiting.get(id)?.done(result);
  }
  closed(port, why) {
    if (!port || this.port !== port) return;
    this.port = this.ready = void 0;
    port.disconnect();
    for (const waiting of [...this.waiting.values()]) waiting.failed(new Error(`${why}; it is not known whether the call was done`));
  }
};

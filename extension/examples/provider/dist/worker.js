// notes.ts
async function policy(caller) {
  const { policy: policy2 } = await chrome.storage.local.get("policy");
  const callers = {};
  const now = { enabled: true, writes: false, reason: "", callers, ...policy2 };
  if (!caller || !now.enabled || now.callers[caller]) return now;
  now.callers[caller] = "pending";
  await chrome.storage.local.set({ policy: now });
  return now;
}
async function refusal(caller, write = "") {
  const { enabled, writes, callers } = await policy();
  if (!enabled) return "The user has switched off agent access to Notes.";
  if (callers[caller] !== "allowed") return "The user has not allowed this caller in Notes.";
  if (!write) return void 0;
  if (!writes) return "The user has switched off changes in Notes.";
  const { audit = [] } = await chrome.storage.local.get("audit");
  if (audit.filter((a) => a.caller === caller && a.at > Date.now() - 6e4).length >= 30) return "Notes takes 30 changes in a minute; wait a moment.";
  await chrome.storage.local.set({ audit: [...audit, { at: Date.now(), caller, tool: write }].slice(-1e3) });
  return void 0;
}
var say = (text) => ({ content: [{ type: "text", text }] });
var notes = async () => (await chrome.storage.local.get("notes")).notes ?? [];
var tools = {
  list: {
    description: "List the notes.",
    reads: true,
    input: { type: "object", properties: {} },
    run: async () => say((await notes()).join("\n") || "There are no notes.")
  },
  add: {
    description: "Add a note.",
    reads: false,
    input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    async run({ text }) {
      if (typeof text !== "string" || text === "") throw new Error("A note needs a text.");
      const all = [...await notes(), text];
      await chrome.storage.local.set({ notes: all });
      return say(`There are ${all.length} notes now.`);
    }
  },
  picture: {
    description: "A picture of the notes.",
    reads: true,
    input: { type: "object", properties: {} },
    async run() {
      const canvas = new OffscreenCanvas(300, 200);
      const pen = canvas.getContext("2d");
      (await notes()).forEach((note, i) => pen?.fillText(note, 10, 20 + 20 * i));
      const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
      return { content: [{ type: "image", data: btoa(String.fromCharCode(...bytes)), mimeType: "image/png" }] };
    }
  },
  wait: {
    description: "Wait, and tell how far it is.",
    reads: true,
    input: { type: "object", properties: { ms: { type: "integer" } }, required: ["ms"] },
    async run({ ms }, signal, progress) {
      for (let step = 1; step <= 10 && !signal.aborted; step++) {
        await new Promise((done) => setTimeout(done, ms / 10));
        progress(step, 10);
      }
      return say(`${ms} ms have passed.`);
    }
  }
};

// worker.ts
var service = { namespace: "notes", name: "Notes", version: chrome.runtime.getManifest().version };
var maxWaiting = 64;
chrome.runtime.onMessageExternal.addListener((message, sender, answer) => {
  if (message?.channel !== "lumo:probe") return false;
  void probe(message, sender.id ?? "").then(answer);
  return true;
});
chrome.runtime.onConnectExternal.addListener((port) => {
  if (port.name === "lumo:mcp" || port.name === "mcp") void new Session(port, port.sender?.id ?? "").start();
  else port.disconnect();
});
async function probe(message, caller) {
  if (message.version !== 1) return { ok: false, error: { code: "BAD_VERSION", message: `this is version 1, not ${message.version}` } };
  const { enabled, callers, reason } = await policy(caller);
  const status = { enabled, authorized: callers[caller] === "allowed", ready: !reason, reason: reason || void 0 };
  return { ok: true, id: message.id, service, status: { ...status, pendingApproval: callers[caller] === "pending" || void 0 } };
}
var Session = class {
  constructor(port, caller) {
    this.port = port;
    this.caller = caller;
    port.onMessage.addListener((message) => {
      if (message?.jsonrpc !== "2.0") return;
      if (!this.waiting) void this.take(message);
      else if (this.waiting.push(message) > maxWaiting) port.disconnect();
    });
  }
  port;
  caller;
  waiting = [];
  running = /* @__PURE__ */ new Map();
  changed = () => this.send({ method: "notifications/tools/list_changed" });
  async start() {
    if (await refusal(this.caller)) return this.port.disconnect();
    chrome.storage.local.onChanged.addListener(this.changed);
    const waiting = this.waiting ?? [];
    this.waiting = void 0;
    for (const message of waiting) void this.take(message);
  }
  send(message) {
    try {
      this.port.postMessage({ jsonrpc: "2.0", ...message });
    } catch {
      chrome.storage.local.onChanged.removeListener(this.changed);
    }
  }
  async take({ id, method, params = {} }) {
    if (method === "notifications/cancelled") this.running.get(params.requestId)?.abort();
    if (id === void 0 || method === void 0) return;
    const cancel = new AbortController();
    this.running.set(id, cancel);
    const answer = await this.result(method, params, cancel.signal).then(
      (result) => ({ result }),
      (error) => ({ error: { code: error.cause ?? -32603, message: error.message } })
    );
    this.running.delete(id);
    if (!cancel.signal.aborted) this.send({ id, ...answer });
  }
  async result(method, params, signal) {
    const { writes } = await policy();
    switch (method) {
      case "initialize":
        return {
          protocolVersion: ["2025-06-18", "2025-03-26"].find((v) => v === params.protocolVersion) ?? "2025-11-25",
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: service.name, version: service.version },
          instructions: `The user's notes, to ${writes ? "read and change" : "read only"}.`
        };
      case "ping":
        return {};
      case "tools/list":
        return { tools: Object.entries(tools).filter(([, tool]) => writes || tool.reads).map(([name, tool]) => ({ name, description: tool.description, inputSchema: tool.input, annotations: { readOnlyHint: tool.reads } })) };
      // Changes go one after another: of two that had read the same, one would be lost.
      case "tools/call":
        return tools[params.name]?.reads ? this.call(params, signal) : navigator.locks.request("changes", { signal }, () => this.call(params, signal));
    }
    throw new Error(`${method} is not known here`, { cause: -32601 });
  }
  // call asks the policy at the start of every call, so that a switch works at once. A
  // failure is a result, which the model can read.
  async call({ name, arguments: args = {}, _meta }, signal) {
    const tool = Object.hasOwn(tools, name) ? tools[name] : void 0;
    if (!tool) throw new Error(`there is no tool ${name}`, { cause: -32602 });
    const failed = (text) => ({ isError: true, content: [{ type: "text", text }] });
    const refused = await refusal(this.caller, tool.reads ? "" : name);
    if (refused) return failed(refused);
    const progressToken = _meta?.progressToken;
    return tool.run(args, signal, (progress, total) => {
      if (progressToken !== void 0) this.send({ method: "notifications/progress", params: { progressToken, progress, total } });
    }).catch((error) => failed(error.message));
  }
};

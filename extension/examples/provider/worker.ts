// An example provider: an extension that serves tools to hosts such as chrome-mcp. It
// keeps notes; copy it and put your own policy and tools into notes.ts.
//
// A host asks in two layers. L0 is one message: can I use you, and if not, what has the
// user to do? L1 is MCP over a port. docs/extension-protocol.md is the contract.
import { policy, refusal, tools } from './notes';

const service = { namespace: 'notes', name: 'Notes', version: chrome.runtime.getManifest().version };
const maxWaiting = 64; // messages before the caller is authorized

// Both listeners go before the first await: Chrome wakes the worker for a message and
// delivers it only to listeners that were there in the first turn.
chrome.runtime.onMessageExternal.addListener((message, sender, answer) => {
  if (message?.channel !== 'lumo:probe') return false;
  void probe(message, sender.id ?? '').then(answer);
  return true; // the answer comes later
});
chrome.runtime.onConnectExternal.addListener((port) => {
  if (port.name === 'lumo:mcp' || port.name === 'mcp') void new Session(port, port.sender?.id ?? '').start();
  else port.disconnect();
});

// probe answers L0. What the user has switched off is no error of the protocol.
async function probe(message: any, caller: string): Promise<object> {
  if (message.version !== 1) return { ok: false, error: { code: 'BAD_VERSION', message: `this is version 1, not ${message.version}` } };
  const { enabled, callers, reason } = await policy(caller);
  const status = { enabled, authorized: callers[caller] === 'allowed', ready: !reason, reason: reason || undefined };
  return { ok: true, id: message.id, service, status: { ...status, pendingApproval: callers[caller] === 'pending' || undefined } };
}

// Session is MCP on one port, as much as a provider of tools needs; a host that
// reconnects gets another and initializes anew. What comes before start waits.
class Session {
  private waiting: any[] | undefined = [];
  private readonly running = new Map<unknown, AbortController>();
  private readonly changed = () => this.send({ method: 'notifications/tools/list_changed' });

  constructor(private readonly port: chrome.runtime.Port, private readonly caller: string) {
    port.onMessage.addListener((message) => {
      if (message?.jsonrpc !== '2.0') return; // a sign of life
      if (!this.waiting) void this.take(message);
      else if (this.waiting.push(message) > maxWaiting) port.disconnect();
    });
  }

  async start(): Promise<void> {
    if (await refusal(this.caller)) return this.port.disconnect();
    chrome.storage.local.onChanged.addListener(this.changed);
    const waiting = this.waiting ?? [];
    this.waiting = undefined;
    for (const message of waiting) void this.take(message);
  }

  private send(message: object): void {
    try {
      this.port.postMessage({ jsonrpc: '2.0', ...message });
    } catch { chrome.storage.local.onChanged.removeListener(this.changed); } // the host has gone
  }

  private async take({ id, method, params = {} }: any): Promise<void> {
    if (method === 'notifications/cancelled') this.running.get(params.requestId)?.abort();
    if (id === undefined || method === undefined) return;
    const cancel = new AbortController();
    this.running.set(id, cancel);
    const answer = await this.result(method, params, cancel.signal).then(
      (result) => ({ result }),
      (error) => ({ error: { code: error.cause ?? -32603, message: error.message } }),
    );
    this.running.delete(id);
    if (!cancel.signal.aborted) this.send({ id, ...answer });
  }

  private async result(method: string, params: any, signal: AbortSignal): Promise<unknown> {
    const { writes } = await policy();
    switch (method) {
      case 'initialize': return {
        protocolVersion: ['2025-06-18', '2025-03-26'].find((v) => v === params.protocolVersion) ?? '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: service.name, version: service.version },
        instructions: `The user's notes, to ${writes ? 'read and change' : 'read only'}.`,
      };
      case 'ping': return {};
      case 'tools/list': return { tools: Object.entries(tools).filter(([, tool]) => writes || tool.reads).map(([name, tool]) =>
        ({ name, description: tool.description, inputSchema: tool.input, annotations: { readOnlyHint: tool.reads } })) };
      // Changes go one after another: of two that had read the same, one would be lost.
      case 'tools/call': return tools[params.name]?.reads ? this.call(params, signal) : navigator.locks.request('changes', { signal }, () => this.call(params, signal));
    }
    throw new Error(`${method} is not known here`, { cause: -32601 });
  }

  // call asks the policy at the start of every call, so that a switch works at once. A
  // failure is a result, which the model can read.
  private async call({ name, arguments: args = {}, _meta }: any, signal: AbortSignal): Promise<unknown> {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (!tool) throw new Error(`there is no tool ${name}`, { cause: -32602 });
    const failed = (text: string) => ({ isError: true, content: [{ type: 'text', text }] });
    const refused = await refusal(this.caller, tool.reads ? '' : name);
    if (refused) return failed(refused);
    const progressToken = _meta?.progressToken;
    return tool.run(args, signal, (progress, total) => {
      if (progressToken !== undefined) this.send({ method: 'notifications/progress', params: { progressToken, progress, total } });
    }).catch((error: Error) => failed(error.message));
  }
}

// An example host: an extension that uses the tools of other extensions, chrome-mcp's
// among them. The page beside it shows them and calls them.
//
// Providers come and go, and Chrome stops their workers. So a port that closes is no
// reason to forget what was known: the next call opens another one and initializes anew.
import { probe } from './probe';

const timeout = { initialize: 5000, call: 60_000 };
const providers = new Map<string, Provider>();

chrome.runtime.onMessage.addListener((request, _sender, answer) => {
  const provider = providers.get(request.id) ?? new Provider(request.id);
  providers.set(request.id, provider);
  provider.ask(request).then((result) => answer({ result }), (error: Error) => answer({ error: error.message }));
  return true;
});

interface Waiting { done(result: any): void; failed(error: Error): void; progress?(params: any): void }

class Provider {
  tools: any[] = []; // as it listed them last, whether or not the port is open
  private port: chrome.runtime.Port | undefined;
  private ready: Promise<void> | undefined; // of the port
  private last = 0;
  private readonly waiting = new Map<number, Waiting>();

  constructor(private readonly id: string) {}

  async ask(request: { type: string; tool?: string; args?: object; ms?: number }): Promise<unknown> {
    switch (request.type) {
      case 'probe':
        return probe(this.id);
      case 'tools':
        await this.connect();
        return this.tools;
      case 'call': {
        await this.connect();
        const progress: unknown[] = [];
        const params = { name: request.tool, arguments: request.args ?? {} };
        const result = await this.request('tools/call', params, request.ms ?? timeout.call, (p) => progress.push(p.progress));
        return { ...result, progress };
      }
      case 'close':
        return this.closed(this.port, 'the host closed it');
    }
    throw new Error(`no such request: ${request.type}`);
  }

  // connect opens a port if there is none.
  private connect(): Promise<void> {
    this.ready ??= this.open().catch((error) => {
      this.ready = undefined;
      throw error;
    });
    return this.ready;
  }

  private async open(): Promise<void> {
    const { state, text } = await probe(this.id);
    if (state !== 'connected') throw new Error(text);
    const port = chrome.runtime.connect(this.id, { name: 'lumo:mcp' });
    this.port = port;
    port.onMessage.addListener((message) => this.take(message));
    port.onDisconnect.addListener(() => this.closed(port, chrome.runtime.lastError?.message ?? 'the provider closed the port'));
    await this.request('initialize', {
      protocolVersion: '2025-11-25', capabilities: {},
      clientInfo: { name: chrome.runtime.getManifest().name, version: chrome.runtime.getManifest().version },
    }, timeout.initialize);
    this.send({ method: 'notifications/initialized' });
    await this.list();
  }

  private async list(): Promise<void> {
    this.tools = (await this.request('tools/list', {}, timeout.initialize)).tools;
  }

  // request asks and waits, but not for ever. What was asked is never asked again by
  // itself: nobody knows whether it was done.
  private request(method: string, params: object, ms: number, progress?: Waiting['progress']): Promise<any> {
    // The port may have closed since connect: a promise that is kept is read a turn later.
    if (!this.port) return Promise.reject(new Error('the provider closed the port; nothing was done'));
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'timeout' } });
        entry.failed(new Error(`${method} was not answered in ${ms} ms`));
      }, ms);
      const end = () => {
        clearTimeout(late);
        this.waiting.delete(id);
      };
      const entry: Waiting = {
        done: (result) => { end(); resolve(result); },
        failed: (error) => { end(); reject(error); },
        ...progress && { progress },
      };
      this.waiting.set(id, entry);
      this.send({ id, method, params: progress ? { ...params, _meta: { progressToken: id } } : params });
    });
  }

  private send(message: object): void {
    try {
      this.port?.postMessage({ jsonrpc: '2.0', ...message });
    } catch {} // closed says so
  }

  private take(message: any): void {
    if (message?.jsonrpc !== '2.0') return; // a sign of life
    const { id, method, params, result, error } = message;
    if (method === 'ping') this.send({ id, result: {} });
    else if (method === 'notifications/tools/list_changed') void this.list().catch(() => {});
    else if (method === 'notifications/progress') this.waiting.get(params?.progressToken)?.progress?.(params);
    else if (error) this.waiting.get(id)?.failed(new Error(error.message));
    else if (id !== undefined) this.waiting.get(id)?.done(result);
  }

  private closed(port: chrome.runtime.Port | undefined, why: string): void {
    if (!port || this.port !== port) return;
    this.port = this.ready = undefined;
    port.disconnect();
    for (const waiting of [...this.waiting.values()]) waiting.failed(new Error(`${why}; it is not known whether the call was done`));
  }
}

// Serving is what the user lets other extensions do: the switches, who is allowed, who
// waits for their word. It answers probes by that, also while no server runs. Nobody is
// allowed until the user says so, and who an extension is Chrome says, not the extension.

import { faultOf, isExtensionId, nameOf } from './extproto';
import type { CallerState } from './state';
import type { CallerWord, Serve } from './store';
import { ServiceName, ServiceNamespace } from './wire.gen';
import type { ExtServing, ProbeAnswer } from './wire.gen';

// most bounds the callers that wait for the user's word; the oldest go first.
const most = 20;

// Shelf is what the store keeps of it.
export interface Shelf {
  readonly local: { readonly serve: Serve };
  readonly pending: CallerState[];
  saveServing(serve: Serve, pending: CallerState[]): void;
}

// Serving holds it.
export class Serving {
  private readonly names = new Map<string, string>(); // what callers called themselves

  constructor(private readonly shelf: Shelf, private readonly changed: () => void) {}

  private get serve(): Serve {
    return this.shelf.local.serve;
  }

  get switches(): { enabled: boolean; writes: boolean; review: boolean } {
    const { enabled, writes, review } = this.serve;
    return { enabled, writes, review };
  }

  // told is what servers are told.
  told(): ExtServing {
    return { ...this.switches, callers: this.serve.callers.filter((c) => c.word === 'allow').map((c) => c.id) };
  }

  // callers lists those that the user has spoken about and those that wait, newest first.
  callers(): CallerState[] {
    const said = this.serve.callers.map(({ id, name, word, at }): CallerState => ({ id, name, at, state: word === 'allow' ? 'allowed' : 'denied' }));
    return [...this.shelf.pending, ...said];
  }

  // name is what a caller called itself.
  name(id: string): string {
    return this.names.get(id) ?? this.serve.callers.find((c) => c.id === id)?.name ?? '';
  }

  private word(id: string): CallerWord | undefined {
    return this.serve.callers.find((c) => c.id === id)?.word;
  }

  // allowed reports whether a caller may come now.
  allowed(id: string): boolean {
    return this.serve.enabled && this.word(id) === 'allow';
  }

  // refusal is why a caller may not come, "" if it may. One that nobody has judged waits
  // for the user's word from now on.
  refusal(id: string): string {
    if (!this.serve.enabled) return 'access for other extensions is switched off in chrome-mcp; the user can switch it on in its options';
    switch (this.word(id)) {
      case 'allow':
        return '';
      case 'deny':
        return 'the user denied this extension in chrome-mcp';
      default:
        this.ask(id);
        return 'waiting for the user’s approval in the options of chrome-mcp';
    }
  }

  // probe answers a probe; ready tells why nothing can be called, "" if it can.
  async probe(sender: string | undefined, message: unknown, version: string, ready: () => Promise<string>): Promise<ProbeAnswer> {
    const wrong = faultOf(message);
    if (wrong) return wrong;
    if (sender === undefined) return { ok: false, error: { code: 'NO_EXTENSION', message: 'the sender is no extension, or a script of one in a web page' } };
    const name = nameOf(message);
    // The first name stands: whom the user is about to allow must not change under the
    // pointer, nor may each probe be work for everybody.
    if (name !== '' && this.name(sender) === '') this.names.set(sender, name);
    const service = { namespace: ServiceNamespace, name: ServiceName, version };
    const { enabled } = this.serve;
    const reason = this.refusal(sender);
    const pendingApproval = enabled && this.shelf.pending.some((c) => c.id === sender);
    if (reason !== '') return { ok: true, service, status: { enabled, authorized: enabled && this.word(sender) === 'allow', ready: false, ...(pendingApproval ? { pendingApproval } : {}), reason } };
    const unready = await ready();
    return { ok: true, service, status: { enabled, authorized: true, ready: unready === '', ...(unready === '' ? {} : { reason: unready }) } };
  }

  private ask(id: string): void {
    const name = this.name(id);
    const known = this.shelf.pending.find((c) => c.id === id);
    if (known && known.name === name) return;
    const rest = this.shelf.pending.filter((c) => c.id !== id);
    this.save(this.serve, [{ id, name, state: 'pending' as const, at: known?.at ?? Date.now() }, ...rest].slice(0, most));
  }

  // Only the extension's own pages come to what follows.

  // set turns a switch.
  set(change: { enabled?: boolean; writes?: boolean; review?: boolean }): void {
    const { enabled, writes, review } = { ...this.switches, ...change };
    this.save({ ...this.serve, enabled, writes, review }, enabled ? this.shelf.pending : []);
  }

  // say takes the user's word on a caller; "forget" takes it back.
  say(id: string, word: CallerWord | 'forget'): void {
    if (!isExtensionId(id)) return;
    const name = this.name(id);
    const rest = this.serve.callers.filter((c) => c.id !== id);
    const callers = word === 'forget' ? rest : [{ id, name, word, at: Date.now() }, ...rest];
    this.save({ ...this.serve, callers }, this.shelf.pending.filter((c) => c.id !== id));
  }

  private save(serve: Serve, pending: CallerState[]): void {
    this.shelf.saveServing(serve, pending);
    this.changed();
  }
}

// Flow bounds what another extension may send: Chrome delivers all of it, and the socket
// that it goes to is every tab's.

import { MaxOpens, WriteWindowMS } from './wire.gen';

// What a port may send at once, and what comes back of that each second. A host that
// calls one tool after the other stays far below it.
const burst = { messages: 2000, bytes: 16 << 20 };
const refill = { messages: 500, bytes: 4 << 20 };

// Flow is one port's.
export class Flow {
  private left = { ...burst };
  private at = Date.now();

  // take counts a message; false when it is too much.
  take(bytes: number): boolean {
    const now = Date.now();
    const seconds = (now - this.at) / 1000;
    this.at = now;
    this.left.messages = Math.min(burst.messages, this.left.messages + seconds * refill.messages) - 1;
    this.left.bytes = Math.min(burst.bytes, this.left.bytes + seconds * refill.bytes) - bytes;
    return this.left.messages >= 0 && this.left.bytes >= 0;
  }
}

// Doorkeeper bounds how often an extension may come. One that broke a limit stays out
// for a while.
export class Doorkeeper {
  private readonly came = new Map<string, number[]>();
  private readonly out = new Map<string, number>(); // until when

  // enter counts a visit; false when it is one too many.
  enter(extension: string): boolean {
    const now = Date.now();
    if ((this.out.get(extension) ?? 0) > now) return false;
    this.out.delete(extension);
    const visits = (this.came.get(extension) ?? []).filter((at) => now - at < WriteWindowMS);
    if (visits.length >= MaxOpens) return false;
    visits.push(now);
    this.came.set(extension, visits);
    return true;
  }

  // ban keeps an extension out for a minute.
  ban(extension: string): void {
    this.out.set(extension, Date.now() + WriteWindowMS);
  }
}

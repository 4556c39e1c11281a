// Reviews are writes of other extensions that wait for the user's click. They are shown,
// and kept nowhere: with the worker they are gone, and the server asks again.

import { printable } from './extproto';
import type { ReviewState } from './state';
import { ReviewWithinMS } from './wire.gen';
import type { ExtReviewParams, ExtReviewResult } from './wire.gen';

// most bounds what waits at once; a person can judge no more.
const most = 20;

interface Waiting extends ReviewState {
  port: string;
  answer(result: ExtReviewResult): void;
}

// Reviews holds them, the oldest first.
export class Reviews {
  private readonly waiting = new Map<string, Waiting>();

  constructor(private readonly changed: () => void) {}

  list(): ReviewState[] {
    return [...this.waiting.values()].map(({ id, extension, name, tool, target, detail, until }) => ({ id, extension, name, tool, target, detail, until }));
  }

  // ask waits for the user's word, or the end of their time.
  ask(caller: { extension: string; name: string }, params: ExtReviewParams): Promise<ExtReviewResult> {
    if (this.waiting.size >= most) return Promise.resolve({ allowed: false, reason: `${most} writes wait for the user already; let them answer first` });
    return new Promise((resolve) => {
      const id = crypto.randomUUID();
      const late = setTimeout(() => this.end(id, { allowed: false, reason: lateText }), ReviewWithinMS);
      this.waiting.set(id, {
        id, ...caller, port: params.port, until: Date.now() + ReviewWithinMS,
        tool: printable(params.tool, 60), target: printable(params.target ?? '', 200), detail: printable(params.detail ?? '', 300),
        answer: (result) => {
          clearTimeout(late);
          resolve(result);
        },
      });
      this.changed();
    });
  }

  // say takes the user's word.
  say(id: string, allowed: boolean): void {
    this.end(id, allowed ? { allowed } : { allowed, reason: 'the user denied it; do not try again unless they ask for it' });
  }

  // drop ends what waits for a port that is closed.
  drop(port: string): void {
    for (const w of [...this.waiting.values()]) {
      if (w.port === port) this.end(w.id, { allowed: false, reason: 'the caller is gone' });
    }
  }

  private end(id: string, result: ExtReviewResult): void {
    const w = this.waiting.get(id);
    if (!w) return;
    this.waiting.delete(id);
    w.answer(result);
    this.changed();
  }
}

const lateText = `the user did not answer within ${ReviewWithinMS / 1000} s; ask them to look at the chrome-mcp extension, then call again`;

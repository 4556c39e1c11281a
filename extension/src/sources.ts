// Sources knows which document an observer's event is about. A target tells of all its
// frames at once, and of requests for pages that are not shown yet, so the document in
// its root frame is not enough to judge by.

import type { Place } from './gate';
import type { FrameTree } from './frames';

type Params = Record<string, unknown>;

// Event is an event of a target of a tab; frames are those of the tab.
export interface Event {
  tab: number;
  target: string; // root frame of the target, "" for the tab's own
  method: string;
  params: Params;
  frames: FrameTree | undefined;
}

const maxKept = 4000;

// Sources keeps the documents of requests and the frames of script contexts.
export class Sources {
  private readonly requests = new Map<string, Place>();
  private readonly contexts = new Map<string, string>();

  // place is the document to judge an event by; fallback is the target's own.
  place(event: Event, fallback: Place): Place {
    if (event.method.startsWith('Network.')) return this.request(event, fallback);
    if (event.method.startsWith('Runtime.')) return this.context(event, fallback);
    return fallback;
  }

  private request(event: Event, fallback: Place): Place {
    const key = `${event.tab} ${event.target} ${String(event.params.requestId)}`;
    if (event.method !== 'Network.requestWillBeSent') return this.requests.get(key) ?? fallback;
    const url = String(event.params.documentURL ?? '');
    const frame = event.frames?.get(String(event.params.frameId ?? ''));
    const made = url === '' || /^(about|blob):/.test(url); // by a page, which judges it
    const place = made ? (frame ?? fallback) : { url, origin: '' };
    keep(this.requests, key, { url: place.url, origin: place.origin });
    return place;
  }

  private context(event: Event, fallback: Place): Place {
    const { method, params } = event;
    const details = (params.context ?? params.exceptionDetails ?? params) as Params;
    const id = method === 'Runtime.executionContextCreated' ? details.id : details.executionContextId;
    const key = `${event.tab} ${event.target} ${String(id)}`;
    if (method === 'Runtime.executionContextCreated') {
      keep(this.contexts, key, String((details.auxData as Params | undefined)?.frameId ?? ''));
    }
    const frame = this.contexts.get(key);
    return (frame ? event.frames?.get(frame) : undefined) ?? fallback;
  }

  // forget drops what is known of a tab.
  forget(tab: number): void {
    for (const map of [this.requests, this.contexts]) {
      for (const key of map.keys()) if (key.startsWith(`${tab} `)) map.delete(key);
    }
  }
}

// keep remembers, and forgets the oldest of too many.
function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= maxKept) break;
    map.delete(oldest);
  }
}

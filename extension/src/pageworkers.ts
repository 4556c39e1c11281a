// PageWorkers are the workers of a tab's documents. Each has a target of its own, which tells
// of its console and of what it asks the network for. That is passed on as its
// document's. They are only listened to, and only while observers are on.

type Params = Record<string, unknown>;

// passes is what is passed on of a worker. What it starts, and how it ends, is not.
const passes = /^(Runtime\.(executionContextCreated|consoleAPICalled|exceptionThrown)$|Network\.)/;

// aboutRequests are the commands that the target answers which made the request.
const aboutRequests = new Set(['Network.getResponseBody', 'Network.getRequestPostData']);

const maxRequests = 2000;

interface Worker {
  root: string; // root frame of its document's target
  frame: string; // its document's
  context: number; // what its script context is called in the page, where its own number is another's
}

export class PageWorkers {
  private readonly known = new Map<string, Worker>(); // by session
  private readonly requests = new Map<string, string>(); // request id → session
  private count = 0;

  joined(session: string, root: string, frame: string): void {
    this.known.set(session, { root, frame, context: -++this.count });
  }

  left(session: string): void {
    this.known.delete(session);
  }

  // root is the root frame of the target that a worker belongs to, if it is a worker.
  root(session: string): string | undefined {
    return this.known.get(session)?.root;
  }

  sessions(): Iterable<string> {
    return this.known.keys();
  }

  // told is what an event says when it is passed on, if it is.
  told(session: string, method: string, params: Params): Params | undefined {
    const worker = this.known.get(session);
    if (!worker) return params;
    if (!passes.test(method)) return undefined;
    if (method.startsWith('Network.')) return this.asked(worker, session, params);
    return inContext(worker, params);
  }

  private asked(worker: Worker, session: string, params: Params): Params {
    this.requests.set(String(params.requestId), session);
    for (const oldest of this.requests.keys()) {
      if (this.requests.size <= maxRequests) break;
      this.requests.delete(oldest);
    }
    return { ...params, frameId: worker.frame };
  }

  // answering is the session of the worker that made the request which a command is about.
  answering(method: string, params: Params): string | undefined {
    const session = aboutRequests.has(method) ? this.requests.get(String(params.requestId)) : undefined;
    return session !== undefined && this.known.has(session) ? session : undefined;
  }
}

// originOf is the origin of a worker, for which Chrome may give its whole address.
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

// inContext is an event of a worker's script context, as the page's.
function inContext(worker: Worker, params: Params): Params {
  const { context, exceptionDetails } = params as { context?: Params; exceptionDetails?: Params };
  if (context) return { context: { ...context, id: worker.context, origin: originOf(String(context.origin)), auxData: { isDefault: true, frameId: worker.frame } } };
  if (exceptionDetails) return { ...params, exceptionDetails: { ...exceptionDetails, executionContextId: worker.context } };
  return { ...params, executionContextId: worker.context };
}

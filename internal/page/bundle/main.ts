// The page bundle's entry: see package bundle and package pagefn.
import { content } from './content';
import { adoptRoot, docURL } from './dom';
import { focus, value } from './editable';
import { Failure } from './failure';
import { fileFunctions } from './files';
import { find } from './find';
import { frameOwner } from './frame';
import { candidates, fertile, Hosts, requireHosts } from './hosts';
import { links } from './links';
import { Several } from './locate';
import { documentId } from './numbers';
import type * as P from './pagefn.gen';
import { paste } from './paste';
import { element, Pointed, ticket } from './pointed';
import { locateBox, prepare } from './prepare';
import { probe } from './probe';
import { scroll } from './scroll';
import { select } from './select';
import { setValue } from './setvalue';
import { signIn } from './signin';
import { snapshot } from './snapshot';
import { setStorage, storage } from './storage';
import { freshStyles } from './style';
import { html, text } from './text';
import { waitFor } from './waitfor';
import { outcome } from './watch';
import { webmcpCall, webmcpList } from './webmcp';

/** Envelope is what the runner gets: who answers, and a value, an error or a wish. */
interface Envelope {
  url: string;
  origin: string;
  document: string;
  value?: unknown;
  json?: string; // the value, of those in lists
  error?: { code: P.Code; message: string; data?: unknown };
  hosts?: number; // elements that may hold closed shadow roots; nothing was done yet
  element?: number; // ticket of an element that the value points at
}

const functions: Record<string, (args: never, nodes: Node[]) => unknown> = {
  probe,
  snapshot: (args: P.SnapshotArgs) => (requireHosts(), snapshot(args)),
  find,
  text: (args: P.TextArgs) => (requireHosts(), text(args)),
  html: (args: P.HTMLArgs) => (requireHosts(), html(args)),
  waitFor,
  box: (args: P.BoxArgs) => locateBox(args.target, !!args.into),
  frameOwner: (args: P.FrameOwnerArgs, nodes: Node[]) => frameOwner(args, nodes[0]),
  prepare,
  outcome,
  focus,
  paste,
  setValue,
  value,
  select,
  scroll,
  content: (args: P.ContentArgs) => (requireHosts(), content(args)),
  links: (args: P.LinksArgs) => (requireHosts(), links(args)),
  signIn: () => (requireHosts(), signIn()),
  storage,
  setStorage,
  webmcpList,
  webmcpCall,
  ...fileFunctions,
};

// lists are functions that answer with thousands of objects. DevTools passes objects on one
// by one, several times over, which takes longer than to find them; a string is copied.
const lists = new Set(['snapshot', 'find', 'links']);

async function run(name: string, args: unknown, nodes: Node[] = []): Promise<Envelope> {
  const answer = (rest: Partial<Envelope>): Envelope => ({ url: docURL(document), origin: self.origin, document: documentId, ...rest });
  const fn = Object.prototype.hasOwnProperty.call(functions, name) ? functions[name] : undefined;
  if (!fn) return answer({ error: { code: 'UNKNOWN_METHOD', message: `there is no page function ${name}; server and extension may differ in version` } });
  try {
    freshStyles();
    const value = await fn((args ?? {}) as never, nodes);
    if (lists.has(name)) return answer({ json: JSON.stringify(value) });
    return value instanceof Pointed ? answer({ value: value.value, element: ticket(value.element) }) : answer({ value });
  } catch (e) {
    if (e instanceof Hosts) return answer({ hosts: e.count });
    if (e instanceof Several) return answer({ error: { code: e.code, message: e.message, data: e.data } });
    if (e instanceof Failure) return answer({ error: { code: e.code, message: e.message } });
    const err = e as Error;
    return answer({ error: { code: 'CDP_ERROR', message: `page function ${name} failed: ${err?.message ?? String(e)}${where(err)}` } });
  }
}

// The first line of the stack, for reports of our own faults.
const where = (e: Error) => /\n\s*at ([^\n]+)/.exec(e?.stack ?? '')?.[1]?.replace(/^/, ' at ') ?? '';

const scope = globalThis as { __chromeMcp?: unknown };
// A world can be given the bundle twice; numbers already handed out must stay good.
if (!scope.__chromeMcp) {
  scope.__chromeMcp = {
    run,
    candidates,
    element,
    adopt(host: Element, root: ShadowRoot) {
      adoptRoot(host, root);
      fertile(host);
    },
  };
}

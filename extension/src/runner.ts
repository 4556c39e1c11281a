// The runner calls named page functions in the isolated world of a frame. It sends
// names and arguments; the only code it sends is the page bundle of this extension.

import { within } from './attachment';
import type { Attachment } from './attachment';
import { Failure, fromChrome, gone } from './failure';
import { World as WorldName } from './wire.gen';
import type { PageParams, PageResult } from './wire.gen';

// Envelope is what the bundle answers. With hosts, nothing was done yet: so many
// elements may hold closed shadow roots, which only the debugger can open.
interface Envelope extends PageResult {
  hosts?: number;
  element?: number; // ticket of an element that the value points at
  stale?: boolean; // the call reached another world than the one it was meant for
  missing?: boolean; // the bundle is not in this world
}

interface RemoteObject {
  objectId?: string;
  value?: unknown;
  description?: string;
}

interface Called {
  result: RemoteObject;
  exceptionDetails?: { text: string; exception?: RemoteObject };
}

// A context's number can come to mean another world when a frame changes its process.
// So each world has a key, which is asked for when the world is made, and a call that
// does not find that key does nothing. Strict, so that nothing it touches can look at
// its arguments.
const run = `function () {
  'use strict';
  const [key, name, args, ...nodes] = arguments;
  if (globalThis.__chromeMcpKey !== key) return { stale: true };
  const page = globalThis.__chromeMcp;
  return page ? page.run(name, args, nodes) : { missing: true };
}`;

// The world may have a key from before: of a worker or an attachment that ended.
const key = "function (fresh) { 'use strict'; return globalThis.__chromeMcpKey ??= fresh; }";

const pointed = 'function (n) { return globalThis.__chromeMcp.element(n); }';
const candidates = 'function () { return globalThis.__chromeMcp.candidates(); }';
const adopt = 'function (...pairs) { for (let i = 0; i < pairs.length; i += 2) globalThis.__chromeMcp.adopt(pairs[i], pairs[i + 1]); }';

// Closed roots can hold elements with closed roots; deeper than this is no page.
const maxDepth = 30;

// A command that a document left unanswered when it went must not keep others waiting.
const patience = 1000;

// A page that goes elsewhere at every try is not one to work in.
const maxDocuments = 5;

// Call is one call of a page function.
export interface Call {
  attachment: Attachment;
  bundle: () => Promise<string>;
  params: PageParams;
  acts: boolean;
}

// World is the isolated world of one document.
interface World {
  session: string;
  frame: string;
  id: number; // execution context
  key: string;
  group: string; // of the handles that this call makes
}

let calls = 0;

// runPage calls a page function and returns the bundle's envelope.
export async function runPage(call: Call): Promise<PageResult> {
  let world = await enter(call);
  for (let depth = 0, documents = 0; ; depth++) {
    const envelope = await attempt(call, world);
    if (envelope.stale) {
      if (++documents > maxDocuments) throw gone({ tab: call.attachment.tab, method: call.params.fn, acts: false }, 'navigated');
      call.attachment.worlds.delete(world.frame);
      world = await enter(call);
    } else if (envelope.missing) {
      await evaluateBundle(call, world);
    } else if (envelope.hosts) {
      await adoptRoots(call, world);
    } else {
      return envelope.element ? await named(call, world, envelope) : envelope;
    }
    if (depth > maxDepth) throw new Failure('CDP_ERROR', `the page functions do not start in tab ${call.attachment.tab}; reload the page`);
  }
}

// named puts the backend node id of the element that an answer points at in the place
// of its ticket, which means nothing outside the page.
async function named(call: Call, world: World, { element, ...envelope }: Envelope): Promise<PageResult> {
  const { objectId } = await callIn(call, world, pointed, [{ value: element }], false);
  const { node } = await call.attachment.send<{ node: { backendNodeId: number } }>(world.session, 'DOM.describeNode', { objectId });
  release(call, world);
  return { ...envelope, node: node.backendNodeId };
}

// prepare makes the world of a document that has just begun, while the rest of it loads.
export function prepare(attachment: Attachment, session: string, frame: string): void {
  attachment.worlds.make(frame, makeWorld(attachment, session, frame));
}

// enter finds or makes the frame's isolated world. Nothing has happened in the page
// until it returns, so a frame that just moved to another process is followed.
async function enter(call: Call): Promise<World> {
  const { attachment, params } = call;
  for (let again = true; ; again = false) {
    const session = await attachment.route(params.frame ?? '', params.fn);
    const frame = params.frame || attachment.frames.main;
    const making = attachment.worlds.making(frame);
    if (making) await within(patience, making.catch(() => {})); // then it is made again
    const known = attachment.worlds.get(frame);
    const group = `${WorldName}-${++calls}`;
    if (known) return { session, frame, group, ...known };
    try {
      return { session, frame, group, ...await makeWorld(attachment, session, frame) };
    } catch (thrown) {
      const failure = fromChrome(thrown, { tab: attachment.tab, method: params.fn, acts: false });
      if (!again || failure.code !== 'TARGET_GONE') throw failure;
      await attachment.refresh();
    }
  }
}

async function makeWorld(attachment: Attachment, session: string, frame: string): Promise<{ id: number; key: string }> {
  const turn = attachment.worlds.turn(frame);
  const { executionContextId: id } = await attachment.send<{ executionContextId: number }>(session,
    'Page.createIsolatedWorld', { frameId: frame, worldName: WorldName });
  const called = await attachment.send<Called>(session, 'Runtime.callFunctionOn',
    { functionDeclaration: key, executionContextId: id, arguments: [{ value: crypto.randomUUID() }], returnByValue: true });
  const world = { id, key: String(called.result.value) };
  if (!attachment.worlds.set(frame, world, turn)) {
    throw gone({ tab: attachment.tab, method: 'the page function', acts: false }, 'navigated');
  }
  return world;
}

async function attempt(call: Call, world: World): Promise<Envelope> {
  const { attachment, params } = call;
  try {
    const nodes = await Promise.all((params.nodes ?? []).map((node) => resolve(call, world, node)));
    return await invoke(call, world, nodes);
  } catch (thrown) {
    const failure = fromChrome(thrown, { tab: attachment.tab, method: params.fn, acts: call.acts });
    if (failure.code === 'TARGET_GONE' && failure.more.unsent) return staleAnswer;
    throw failure;
  }
}

const staleAnswer: Envelope = { url: '', origin: '', document: '', stale: true };

async function resolve(call: Call, world: World, backendNodeId: number): Promise<string> {
  const { object } = await call.attachment.send<{ object: RemoteObject }>(world.session, 'DOM.resolveNode',
    { backendNodeId, executionContextId: world.id, objectGroup: world.group });
  if (!object.objectId) throw new Failure('REF_EXPIRED', `the element is no longer in the page of tab ${call.attachment.tab}; take a new snapshot`);
  return object.objectId;
}

// nodeIn is a handle for a node of one frame. Chrome gives none for a node whose document
// the frame's code could not reach, whatever its number.
export async function nodeIn(attachment: Attachment, frame: string, node: number): Promise<{ objectId: string; release(): void }> {
  const call: Call = { attachment, bundle: () => Promise.resolve(''), params: { fn: 'the command', frame }, acts: false };
  const world = await enter(call);
  try {
    return { objectId: await resolve(call, world, node), release: () => release(call, world) };
  } catch (thrown) {
    throw fromChrome(thrown, { tab: attachment.tab, method: call.params.fn, acts: false });
  }
}

async function invoke(call: Call, world: World, nodes: string[]): Promise<Envelope> {
  const { params } = call;
  const called = await callIn(call, world, run,
    [{ value: world.key }, { value: params.fn }, { value: params.args ?? {} }, ...nodes.map((objectId) => ({ objectId }))]);
  if (nodes.length > 0) release(call, world);
  return called.value as Envelope;
}

// callIn calls one of the functions above and answers its result by value.
async function callIn(call: Call, world: World, code: string, args: object[], byValue = true): Promise<RemoteObject> {
  const { attachment, params, acts } = call;
  const called = await attachment.send<Called>(world.session, 'Runtime.callFunctionOn', {
    functionDeclaration: code, executionContextId: world.id, arguments: args,
    awaitPromise: true, returnByValue: byValue, objectGroup: world.group,
  }, acts && code === run);
  if (called.exceptionDetails) {
    const { exception, text } = called.exceptionDetails;
    throw new Failure('CDP_ERROR', `the page function ${params.fn} failed: ${exception?.description ?? text}`);
  }
  return called.result;
}

async function evaluateBundle(call: Call, world: World): Promise<void> {
  await call.attachment.send(world.session, 'Runtime.evaluate', { expression: await call.bundle(), contextId: world.id });
}

// adoptRoots hands the bundle the closed shadow roots of the elements it asks about.
async function adoptRoots(call: Call, world: World): Promise<void> {
  const hosts = await elements(call, world);
  const pairs = await Promise.all(hosts.map(async (host) => {
    const root = await closedRoot(call, world, host);
    return root ? [{ objectId: host }, { objectId: root }] : [];
  }));
  const flat = pairs.flat();
  if (flat.length > 0) await callIn(call, world, adopt, flat);
  release(call, world);
}

// elements are the bundle's candidates, as handles.
async function elements(call: Call, world: World): Promise<string[]> {
  const array = await callIn(call, world, candidates, [], false);
  const { result } = await call.attachment.send<{ result: { name: string; value?: RemoteObject }[] }>(world.session,
    'Runtime.getProperties', { objectId: array.objectId, ownProperties: true });
  return result.filter((property) => /^\d+$/.test(property.name)).map((property) => property.value?.objectId ?? '').filter(Boolean);
}

async function closedRoot(call: Call, world: World, host: string): Promise<string | undefined> {
  const { node } = await call.attachment.send<{ node: { shadowRoots?: { backendNodeId: number; shadowRootType?: string }[] } }>(world.session,
    'DOM.describeNode', { objectId: host, depth: 0, pierce: true });
  const root = node.shadowRoots?.find((r) => r.shadowRootType === 'closed');
  return root && resolve(call, world, root.backendNodeId);
}

// release lets the page free what was handed over. Nobody waits for it.
function release(call: Call, world: World): void {
  call.attachment.send(world.session, 'Runtime.releaseObjectGroup', { objectGroup: world.group }).catch(() => {});
}

// FrameTree is what is known of one tab's frames: their documents and which target
// hosts each. It is kept by the events of all the tab's targets, so that routing and
// the gate need no question to the browser. It holds no connection.

import type { Frame } from './wire.gen';

// MAIN is the session of the tab's own target.
export const MAIN = '';

// ProtocolFrame is Page.Frame of the DevTools protocol, as far as it is used.
export interface ProtocolFrame {
  id: string;
  parentId?: string;
  loaderId?: string;
  name?: string;
  url: string;
  urlFragment?: string;
  securityOrigin?: string;
  unreachableUrl?: string;
}

// ProtocolTree is Page.FrameTree.
export interface ProtocolTree {
  frame: ProtocolFrame;
  childFrames?: ProtocolTree[];
}

// Known is one frame.
export interface Known {
  id: string;
  parent: string; // "" for the main frame
  url: string; // "" while no document is known: the gate refuses that
  origin: string;
  name: string;
  session: string;
}

// FrameTree knows the frames of a tab.
export class FrameTree {
  private readonly frames = new Map<string, Known>();
  main = ''; // id of the main frame

  // get returns a frame; "" is the main frame.
  get(id: string): Known | undefined {
    return this.frames.get(id || this.main);
  }

  // load takes a target's frame tree. parent is the frame that the target's root
  // hangs in, where the tree does not say.
  load(tree: ProtocolTree, session: string, parent = ''): void {
    const seen = new Set<string>();
    this.add(tree, session, parent, seen);
    for (const [id, frame] of this.frames) {
      if (frame.session === session && !seen.has(id)) this.frames.delete(id);
    }
  }

  private add(tree: ProtocolTree, session: string, parent: string, seen: Set<string>): void {
    seen.add(tree.frame.id);
    this.navigated(tree.frame, session, parent);
    for (const child of tree.childFrames ?? []) this.add(child, session, tree.frame.id, seen);
  }

  // attached notes a new frame, which has no document yet.
  attached(id: string, parent: string, session: string): void {
    const known = this.frames.get(id);
    this.frames.set(id, { id, parent, url: known?.url ?? '', origin: known?.origin ?? '', name: known?.name ?? '', session });
  }

  // navigated notes a frame's new document.
  navigated(frame: ProtocolFrame, session: string, parent = ''): void {
    const known = this.frames.get(frame.id);
    const above = frame.parentId ?? (parent || known?.parent || '');
    // Only the tab's own target has a root without a parent.
    if (!above && session === MAIN) this.renamed(frame.id);
    this.frames.set(frame.id, {
      id: frame.id,
      parent: above,
      url: address(frame),
      origin: this.origin(frame, above),
      name: frame.name ?? known?.name ?? '',
      session,
    });
  }

  // origin is a document's origin as JavaScript spells it. Chrome computes it from the
  // URL; one that names no site (about:blank, about:srcdoc) has the site of the page it
  // stands in.
  private origin(frame: ProtocolFrame, above: string): string {
    const said = frame.securityOrigin ?? '';
    if (said !== '' && said !== '://' && said !== 'null') return said;
    return frame.url.startsWith('about:') && above ? (this.frames.get(above)?.origin ?? '') : 'null';
  }

  // renamed makes id the main frame. Chrome changes it when a prerendered page is
  // shown; the frames of the old one are gone then.
  private renamed(id: string): void {
    if (this.main && this.main !== id) this.frames.clear();
    this.main = id;
  }

  // within notes that a document changed its own URL.
  within(id: string, url: string): void {
    const known = this.frames.get(id);
    if (known) known.url = url;
  }

  // detached notes that a frame left a target. After a swap it lives on in another
  // one, which tells of it by itself.
  detached(id: string, session: string, reason: string): void {
    const known = this.frames.get(id);
    if (!known || known.session !== session || id === this.main) return;
    for (const child of [...this.frames.values()]) {
      if (child.parent === id) this.detached(child.id, child.session, 'remove');
    }
    if (reason === 'swap') known.url = '';
    else this.frames.delete(id);
  }

  // moved notes that a child target now hosts a frame.
  moved(id: string, url: string, session: string, parent: string): void {
    const known = this.frames.get(id);
    this.frames.set(id, { id, parent: known?.parent || parent, url, origin: '', name: known?.name ?? '', session });
  }

  // dropped forgets what a child target hosted.
  dropped(session: string): void {
    for (const [id, frame] of this.frames) {
      if (frame.session === session) this.frames.delete(id);
    }
  }

  // list is the whole tree, parents before children.
  list(): Frame[] {
    const children = new Map<string, Known[]>();
    for (const frame of this.frames.values()) {
      if (frame.id === this.main) continue;
      const siblings = children.get(frame.parent);
      if (siblings) siblings.push(frame);
      else children.set(frame.parent, [frame]);
    }
    const out: Frame[] = [];
    const walk = (frame: Known): void => {
      out.push(wireFrame(frame));
      for (const child of children.get(frame.id) ?? []) walk(child);
    };
    const root = this.frames.get(this.main);
    if (root) walk(root);
    return out;
  }
}

function wireFrame(frame: Known): Frame {
  const out: Frame = { frameId: frame.id, url: frame.url };
  if (frame.parent) out.parentId = frame.parent;
  if (frame.origin) out.origin = frame.origin;
  if (frame.name) out.name = frame.name;
  if (frame.session !== MAIN) out.outOfProcess = true;
  return out;
}

// address is the document's URL. Chrome's error pages stand at chrome-error://, which
// says nothing of the site: the address that could not be reached does.
function address(frame: ProtocolFrame): string {
  return (frame.unreachableUrl || frame.url) + (frame.urlFragment ?? '');
}

// The accessible tree of the document, folded to what a reader needs.
import {
  allRoots, attr, bodyOf, checkVisibility, data, documentElement, eachChild, firstChild, flatParent, fold, hasAttr, hasAttrs, HTML, innerText, isElement, isText,
  localName, namespaceURI, nextSibling, query, shadowOf, within,
} from './dom';
import { hiddenControl, notePasswords, optionLabel, valueOf } from './controls';
import { infoOf, kindOf, shownName } from './describe';
import { clip } from './failure';
import { resolve } from './locate';
import { anyOwned, ownedBy } from './names';
import { numberOf } from './numbers';
import type { Node as PageNode, Snapshot, SnapshotArgs } from './pagefn.gen';
import { editableRoot, namedByContent } from './roles';
import { folded, frames, isDrawing, linkURL, pointed, quieting, saidElsewhere, skipped, structure } from './outline';
import { generated } from './pseudo';
import { closedDetails, displayOf, freshStyles, rendered, shows, topModal } from './style';
import { statesOf } from './states';

/** Entry is a line of the snapshot with the element that it shows. */
export interface Entry {
  node: PageNode;
  el: Element;
}

const maxValue = 300;

/** snapshot takes the snapshot of the document or of one element. */
export function snapshot(args: SnapshotArgs): Snapshot {
  freshStyles();
  const root = args.root ? resolve(args.root) : null;
  const walker = new Walker(args);
  const entries = walker.run(root);
  return { nodes: entries.map(e => e.node), ...(walker.left ? { truncated: walker.left } : {}) };
}

/** frameOwners lists the elements that hold frames, in the order of their numbers. */
export function frameOwners(): Element[] {
  const found: Element[] = [];
  for (const root of allRoots()) for (const el of query(root, 'iframe,frame,fencedframe,object,embed')) found.push(el);
  return found;
}

interface At {
  depth: number;
  quiet: boolean; // the text here is in a name above
}

/** Walker makes the entries in document order. */
export class Walker {
  entries: Entry[] = [];
  left = 0;
  private text = '';
  private textEl: Element | null = null;
  private textDepth = 0;
  private readonly only: boolean;
  private readonly max: number;
  private readonly maxDepth: number;
  private modal: Element | null = null;
  private aboveModal = new Set<Element>();
  private owned = new Set<Element>();
  private owners = false;
  private frameList: Element[] | null = null;
  private evenHidden = false;

  constructor(args: SnapshotArgs) {
    this.only = !!args.interactiveOnly;
    this.max = args.max || 20000;
    this.maxDepth = args.depth || Infinity;
  }

  run(root: Element | null): Entry[] {
    notePasswords();
    if (!root) this.lookForModal();
    if (anyOwned()) this.lookForOwned();
    const top = root ?? bodyOf(document) ?? documentElement(document);
    if (top) {
      if (root || localName(top) !== 'body' || editableRoot(top)) this.element(top, { depth: 0, quiet: false });
      else this.children(top, { depth: 0, quiet: false });
    }
    this.flush();
    // Pages forget aria-hidden on their root when a dialog closes: all is there to be seen.
    if (!root && !this.entries.length && !this.left && !this.evenHidden && query(document, '[aria-hidden=true]').length) {
      this.evenHidden = true;
      return this.run(root);
    }
    return this.entries;
  }

  private lookForModal(): void {
    this.modal = topModal();
    for (let at = this.modal; at; at = flatParent(at)) this.aboveModal.add(at);
  }

  private lookForOwned(): void {
    this.owners = true;
    for (const el of query(document, '[aria-owns]')) for (const o of ownedBy(el)) if (!within(el, o)) this.owned.add(o);
  }

  private children(el: Element, at: At): void {
    const say = !at.quiet && !this.only && shows(el) && !closedDetails(el);
    if (say) this.addText(generated(el, '::before'), el, at.depth);
    const visit = (n: Node) => {
      if (isElement(n)) {
        if (!this.owners || !this.owned.has(n)) this.element(n, at);
      } else if (say && isText(n)) this.addText(data(n), el, at.depth);
    };
    // The common case by hand: no shadow root, no slot.
    if (!shadowOf(el) && localName(el) !== 'slot') for (let n = firstChild(el); n; n = nextSibling(n)) visit(n);
    else eachChild(el, visit);
    if (this.owners) for (const o of ownedBy(el)) if (this.owned.has(o)) this.element(o, at);
    if (say) this.addText(generated(el, '::after'), el, at.depth);
  }

  private addText(s: string, el: Element, depth: number): void {
    if (!s) return;
    if (depth !== this.textDepth) this.flush();
    if (!this.text) this.textEl = el;
    this.textDepth = depth;
    this.text += s;
  }

  private flush(): void {
    if (!this.text) return;
    const s = fold(this.text);
    this.text = '';
    if (s && this.textEl) this.push({ d: this.textDepth, r: 'text', n: s }, this.textEl);
    this.textEl = null;
  }

  private push(node: PageNode, el: Element): boolean {
    if (node.d >= this.maxDepth || this.entries.length >= this.max) {
      this.left++;
      return false;
    }
    this.entries.push({ node, el });
    return true;
  }

  private element(el: Element, at: At): void {
    const name = localName(el);
    const html = namespaceURI(el) === HTML;
    if (html && skipped.has(name)) return;
    if (this.modal && !this.aboveModal.has(el) && !within(el, this.modal)) return;
    if (hasAttrs(el) && ((attr(el, 'aria-hidden') === 'true' && !this.evenHidden) || (html && hasAttr(el, 'inert')))) return;
    if (!checkVisibility(el) || (html && hasAttr(el, 'hidden'))) {
      if (html && name === 'map') return this.children(el, at);
      if (!rendered(el)) return;
    }
    const inside = this.modal === el ? ((this.modal = null), true) : false;
    this.visible(el, at, name, html);
    if (inside) this.modal = el;
  }

  private visible(el: Element, at: At, name: string, html: boolean): void {
    if (html && name === 'br') return this.addText(' ', el, at.depth);
    const { role, act } = kindOf(el);
    if (html && quieting.has(name) && saidElsewhere(el, name)) at = { ...at, quiet: true };
    if (!html && name === 'text') this.addText(' ', el, at.depth); // drawn on its own, not after the one before
    if (this.only || (!html && !role) || /^(inline|contents)$/.test(displayOf(el))) return this.inside(el, at, role, act);
    this.flush();
    this.inside(el, at, role, act);
    this.flush();
  }

  private inside(el: Element, at: At, role: string, act: boolean): void {
    const leaf = namespaceURI(el) !== HTML && role === 'img' && !isDrawing(el);
    if (!role || (!act && folded.has(role)) || !shows(el)) {
      if (!leaf) this.children(el, at);
      return;
    }
    if (this.only && !act && role !== 'iframe' && !frames.has(role)) return this.children(el, at);
    if (at.quiet && !act && role !== 'iframe') return this.children(el, at);
    const info = infoOf(el);
    if (!act && role === 'group' && !info.name) return this.children(el, at);
    if (!act && (role === 'separator' || (role === 'img' && !info.name))) return leaf ? undefined : this.children(el, at);
    this.node(el, at, role, act, info.name);
  }

  private node(el: Element, at: At, role: string, act: boolean, name: string): void {
    if (!this.only) this.flush();
    const node: PageNode = { d: at.depth, r: role };
    if (name) node.n = shownName(name);
    this.detail(node, el, role, act);
    const mark = this.entries.length;
    const before = this.left;
    const shown = this.push(node, el);
    const quiet = at.quiet || (!!name && (namedByContent.has(role) || act || role === 'img'));
    if (!this.closed(el, node, role)) this.children(el, { depth: at.depth + 1, quiet });
    this.flush();
    if (shown) this.tidy(mark, node, act, this.left > before);
  }

  private detail(node: PageNode, el: Element, role: string, act: boolean): void {
    const subject = localName(el) === 'label' ? (hiddenControl(el) ?? el) : el;
    if (act) node.a = true;
    const value = editableRoot(subject) ? fold(richText(subject)) : valueOf(subject, role);
    if (value && value !== node.n) node.v = clip(fold(value), maxValue);
    const states = statesOf(subject, role);
    if (states.length) node.s = states;
    if (act || pointed.has(role)) node.e = numberOf(el);
    if (role === 'link') {
      const url = linkURL(el);
      if (url) node.u = url;
    }
    if (role === 'iframe') {
      this.frameList ??= frameOwners();
      node.f = this.frameList.indexOf(el) + 1;
      if (!node.n) delete node.n;
    }
  }

  // Elements whose content is not walked: it is their value, or not there.
  private closed(el: Element, node: PageNode, role: string): boolean {
    if (el instanceof HTMLSelectElement) {
      if (role === 'combobox') {
        this.options(el, node);
        return true;
      }
      return false;
    }
    if (role === 'img') return !isDrawing(el);
    if (role === 'canvas' || role === 'iframe') return true;
    if (el instanceof HTMLTextAreaElement || el instanceof HTMLMeterElement || el instanceof HTMLProgressElement) return true;
    return editableRoot(el);
  }

  // The options of a collapsed select on one line: enough to choose by.
  private options(el: HTMLSelectElement, node: PageNode): void {
    const all = Array.from(el.options).filter(o => rendered(o));
    const most = this.only ? 12 : 30;
    const labels = all.slice(0, most).map(o => clip(optionLabel(o), 40) + (o.disabled ? ' (disabled)' : ''));
    if (all.length > most) labels.push(`… ${all.length - most} more`);
    if (all.length) this.push({ d: node.d + 1, r: 'options', n: labels.join(' | ') }, el);
  }

  private tidy(mark: number, node: PageNode, act: boolean, cut: boolean): void {
    const kids = this.entries.length - mark - 1;
    const first = this.entries[mark + 1]?.node;
    if (!kids && !cut) {
      // A frame of reference with nothing in it.
      if (!act && (this.only ? node.r !== 'iframe' : structure.has(node.r) && !node.n && !node.v)) this.entries.length = mark;
      return;
    }
    if (!first) return;
    if (node.r === 'listitem' && !node.n && !act && first.e && this.onlyChild(mark)) return this.lift(mark);
    if (node.r === 'clickable' && kids > 1 && this.repeats(mark)) delete node.n;
    if (kids !== 1) return;
    if (first.r === 'text' && !node.n && structure.has(node.r)) {
      node.n = first.n!;
      this.entries.pop();
    } else if (node.r === 'clickable' && first.a && (!node.n || first.n === node.n)) {
      if (first.r === 'clickable' && !hasAttr(this.entries[mark + 1]!.el, 'onclick')) this.entries.pop();
      else this.lift(mark);
    } else if (node.r === 'heading' && first.r === 'link' && first.n === node.n && !act) {
      first.s = [...(node.s ?? []).map(s => s.replace('level', 'heading')), ...(first.s ?? [])];
      this.lift(mark);
    }
  }

  // Whether a name is no more than the names of what is in the entry, one after the other.
  private repeats(mark: number): boolean {
    const plain = (s = '') => s.replace(/[\s\u200b]/g, '');
    return plain(this.entries[mark]!.node.n) === plain(this.entries.slice(mark + 1).map(e => e.node.n ?? '').join(''));
  }

  private onlyChild(mark: number): boolean {
    const depth = this.entries[mark]!.node.d;
    return this.entries.findLastIndex(e => e.node.d === depth + 1) === mark + 1;
  }

  // Takes an entry away and its children up.
  private lift(mark: number): void {
    this.entries.splice(mark, 1);
    for (let i = mark; i < this.entries.length; i++) this.entries[i]!.node.d--;
  }
}

function richText(el: Element): string {
  return innerText(el) ?? '';
}

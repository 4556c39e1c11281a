// The DOM as the browser made it, whatever the page does to it.
//
// The page's scripts cannot reach this world, but its markup can: a form with a field
// named "children" or "getAttribute", or an image named "querySelector", shadows the
// property of that name on the form or the document. So nothing here reads a property
// off an element: every access goes through a getter or method of the prototype.

type Fn = (...args: never[]) => unknown;

const uncall = <T extends Fn>(method: T) =>
  Function.prototype.call.bind(method) as unknown as (self: unknown, ...args: Parameters<T>) => ReturnType<T>;

function getter<T>(proto: object, name: string): (self: unknown) => T {
  const get = Object.getOwnPropertyDescriptor(proto, name)?.get;
  return get ? (Function.prototype.call.bind(get) as (self: unknown) => T) : () => undefined as T;
}

const element = Element.prototype;
const node = Node.prototype;
const html = HTMLElement.prototype;
const doc = Document.prototype;

export const nodeType = getter<number>(node, 'nodeType');
export const parentNode = getter<Node | null>(node, 'parentNode');
export const firstChild = getter<Node | null>(node, 'firstChild');
export const nextSibling = getter<Node | null>(node, 'nextSibling');
export const isConnected = getter<boolean>(node, 'isConnected');
export const textContent = getter<string | null>(node, 'textContent');
export const baseURI = getter<string>(node, 'baseURI');
export const ownerDocument = getter<Document | null>(node, 'ownerDocument');
export const data = getter<string>(CharacterData.prototype, 'data');
export const rootOf = uncall(node.getRootNode);
export const contains = uncall(node.contains);
export const comparePosition = uncall(node.compareDocumentPosition);

export const localName = getter<string>(element, 'localName');
export const namespaceURI = getter<string | null>(element, 'namespaceURI');
export const idOf = getter<string>(element, 'id');
export const attr = uncall(element.getAttribute);
export const hasAttr = uncall(element.hasAttribute);
export const hasAttrs = uncall(element.hasAttributes);
export const attributesOf = getter<NamedNodeMap>(element, 'attributes');
export const matches = uncall(element.matches);
export const closest = uncall(element.closest);
export const queryIn = uncall(element.querySelectorAll);
export const firstElement = getter<Element | null>(element, 'firstElementChild');
export const rectOf = uncall(element.getBoundingClientRect);
export const rectsOf = uncall(element.getClientRects);
export const checkVisibility = uncall(element.checkVisibility);
export const animationsOf = uncall(element.getAnimations);
export const clientWidth = getter<number>(element, 'clientWidth');
export const clientHeight = getter<number>(element, 'clientHeight');
export const clientLeft = getter<number>(element, 'clientLeft');
export const clientTop = getter<number>(element, 'clientTop');
export const scrollWidth = getter<number>(element, 'scrollWidth');
export const scrollHeight = getter<number>(element, 'scrollHeight');
export const scrollLeft = getter<number>(element, 'scrollLeft');
export const scrollTop = getter<number>(element, 'scrollTop');
export const scrollTo = uncall(element.scrollTo as (o: ScrollToOptions) => void);
export const scrollIntoView = uncall(element.scrollIntoView);
export const cssZoom = getter<number | undefined>(element, 'currentCSSZoom');
export const labelledByElements = getter<Element[] | null>(element, 'ariaLabelledByElements');
export const outerHTML = getter<string>(element, 'outerHTML');
export const innerHTML = getter<string>(element, 'innerHTML');
export const offsetWidth = getter<number>(html, 'offsetWidth');
export const offsetHeight = getter<number>(html, 'offsetHeight');
export const tabIndex = getter<number>(html, 'tabIndex');
export const isContentEditable = getter<boolean>(html, 'isContentEditable');
export const editContext = getter<object | null | undefined>(html, 'editContext');
export const focusElement = uncall(html.focus);
export const clickElement = uncall(html.click);
export const assignedSlot = getter<HTMLSlotElement | null>(element, 'assignedSlot');
export const assignedNodes = uncall(HTMLSlotElement.prototype.assignedNodes);
export const objectWindow = getter<Window | null>(HTMLObjectElement.prototype, 'contentWindow');
export const dispatch = uncall(EventTarget.prototype.dispatchEvent);

export const documentElement = getter<Element | null>(doc, 'documentElement');
export const bodyOf = getter<HTMLElement | null>(doc, 'body');
export const queryDoc = uncall(doc.querySelectorAll);
export const docActive = getter<Element | null>(doc, 'activeElement');
export const docFromPoint = uncall(doc.elementFromPoint);
export const docById = uncall(doc.getElementById);
export const scrollingElement = getter<Element | null>(doc, 'scrollingElement');
export const docSelection = uncall(doc.getSelection);
export const execCommand = uncall(doc.execCommand);
export const createElement = uncall(doc.createElement as (name: string) => HTMLElement);
export const docTitle = getter<string>(doc, 'title');
export const docURL = getter<string>(doc, 'URL');
export const docReadyState = getter<DocumentReadyState>(doc, 'readyState');
export const innerText = getter<string>(html, 'innerText');
export const scrollBy = uncall(element.scrollBy as (o: ScrollToOptions) => void);
export const createRange = uncall(doc.createRange);
export const createNS = uncall(doc.createElementNS as (ns: string, name: string) => Element);
export const docAnimations = uncall(doc.getAnimations);
export const compatMode = getter<string>(doc, 'compatMode');
const docSheets = getter<StyleSheetList>(doc, 'styleSheets');
const docAdopted = getter<CSSStyleSheet[]>(doc, 'adoptedStyleSheets');
export const listen = uncall(EventTarget.prototype.addEventListener as (type: string, f: (e: Event) => void, o?: boolean | AddEventListenerOptions) => void);
export const unlisten = uncall(EventTarget.prototype.removeEventListener as (type: string, f: (e: Event) => void, o?: boolean) => void);
export const designMode = getter<string>(doc, 'designMode');
export const docHidden = getter<boolean>(doc, 'hidden');

const openRoot = getter<ShadowRoot | null>(element, 'shadowRoot');
const rootHost = getter<Element>(ShadowRoot.prototype, 'host');
const rootQuery = uncall(DocumentFragment.prototype.querySelectorAll);
const rootById = uncall(DocumentFragment.prototype.getElementById);

export const HTML = 'http://www.w3.org/1999/xhtml';
export const SVG = 'http://www.w3.org/2000/svg';

const closedRoots = new WeakMap<Element, ShadowRoot>();
let anyClosed = false;

/** adoptRoot makes a closed shadow root known. */
export function adoptRoot(host: Element, root: ShadowRoot): void {
  closedRoots.set(host, root);
  anyClosed = true;
  roots = null;
}

/** shadowOf returns the open or known closed shadow root of an element. */
export function shadowOf(el: Element): ShadowRoot | null {
  return openRoot(el) ?? (anyClosed ? (closedRoots.get(el) ?? null) : null);
}

export const isElement = (n: unknown): n is Element => nodeType(n) === 1;
export const isText = (n: Node): n is Text => nodeType(n) === 3 || nodeType(n) === 4;
export const isShadowRoot = (n: unknown): n is ShadowRoot => n instanceof ShadowRoot;
export const isHTML = (el: Element): boolean => namespaceURI(el) === HTML;
export const hostOf = (root: ShadowRoot): Element => rootHost(root);

/** tagOf is the local name of an HTML element, and "svg:rect" and the like for others. */
export function tagOf(el: Element): string {
  const ns = namespaceURI(el);
  return ns === HTML ? localName(el) : ns === SVG ? 'svg:' + localName(el) : ':' + localName(el);
}

/** slotNodes is what is shown in a slot: the assigned nodes, or its own children. */
function slotNodes(slot: Element): Node[] | null {
  if (!(slot instanceof HTMLSlotElement) || !isShadowRoot(rootOf(slot))) return null;
  const assigned = assignedNodes(slot);
  return assigned.length ? assigned : null;
}

/** eachChild calls f with the children in the flat tree: what is rendered inside el. */
export function eachChild(el: Element | ShadowRoot, f: (n: Node) => void): void {
  if (isElement(el)) {
    const root = shadowOf(el);
    if (root) return eachChild(root, f);
    if (localName(el) === 'slot') {
      const nodes = slotNodes(el);
      if (nodes) return nodes.forEach(f);
    }
  }
  for (let n = firstChild(el); n; n = nextSibling(n)) f(n);
}

/** flatParent is the element that n is rendered in. */
export function flatParent(n: Node): Element | null {
  const p = parentNode(n);
  if (!p) return null;
  if (isShadowRoot(p)) return hostOf(p);
  if (!isElement(p)) return null;
  const root = shadowOf(p);
  if (root) return slotFor(n, root) ?? null;
  return p;
}

// assignedSlot hides slots of closed roots, and text nodes have it on another prototype.
function slotFor(n: Node, root: ShadowRoot): Element | null {
  if (isElement(n)) {
    const slot = assignedSlot(n);
    if (slot) return slot;
  }
  let map = slotMaps.get(root);
  if (!map) {
    slotMaps.set(root, (map = new Map()));
    for (const slot of rootQuery(root, 'slot')) for (const shown of assignedNodes(slot as HTMLSlotElement)) map.set(shown, slot);
  }
  return map.get(n) ?? null;
}

let slotMaps = new Map<ShadowRoot, Map<Node, Element>>();

/** composedParent leaves a shadow root through its host; slots do not count. */
export function composedParent(n: Node): Element | null {
  const p = parentNode(n);
  if (!p) return null;
  if (isShadowRoot(p)) return hostOf(p);
  return isElement(p) ? p : null;
}

/** within says whether n is el or rendered anywhere inside it. */
export function within(n: Node | null, el: Element): boolean {
  for (let at: Node | null = n; at; at = flatParent(at) ?? composedParent(at)) if (at === el) return true;
  return false;
}

/** sheetsOf returns the style sheets of one root. */
export function sheetsOf(root: Document | ShadowRoot): CSSStyleSheet[] {
  return isShadowRoot(root) ? [...root.styleSheets, ...root.adoptedStyleSheets] : [...docSheets(root), ...docAdopted(root)];
}

/** query runs a selector in one root. */
export function query(root: Document | ShadowRoot, selector: string): NodeListOf<Element> {
  return (isShadowRoot(root) ? rootQuery(root, selector) : queryDoc(root, selector)) as NodeListOf<Element>;
}

/** byId resolves an id as references in el's tree do. */
export function byId(el: Element, id: string): Element | null {
  const root = rootOf(el);
  if (isShadowRoot(root)) return rootById(root, id);
  if (nodeType(root) === 9) return docById(root as Document, id);
  return null;
}

type Root = Document | ShadowRoot;

let roots: Root[] | null = null;

/** freshRoots forgets the roots found in an earlier pass. */
export function freshRoots(): void {
  roots = null;
  slotMaps = new Map();
}

/** allRoots is the document and every open or known closed shadow root in it. */
export function allRoots(): Root[] {
  return (roots ??= eachElement(() => {}));
}

/** eachElement visits every element of every root and returns the roots. */
export function eachElement(visit: (el: Element, root: ShadowRoot | null) => void): Root[] {
  const found: Root[] = [document];
  for (let i = 0; i < found.length; i++) {
    const all = query(found[i]!, '*');
    for (let k = 0, n = all.length; k < n; k++) {
      const el = all[k]!;
      const root = shadowOf(el);
      if (root) found.push(root);
      visit(el, root);
    }
  }
  return (roots = found);
}

/** fromPoint is the innermost element that receives the pointer at a point. */
export function fromPoint(x: number, y: number): Element | null {
  let el = docFromPoint(document, x, y);
  while (el) {
    const root = shadowOf(el);
    const inner: Element | null = root ? root.elementFromPoint(x, y) : null;
    if (!inner || inner === el) break;
    el = inner;
  }
  return el;
}

/** activeElement is the focused element, through shadow roots; null for body. */
export function activeElement(): Element | null {
  let el = docActive(document);
  while (el) {
    const inner: Element | null = shadowOf(el)?.activeElement ?? null;
    if (!inner) break;
    el = inner;
  }
  return el && el !== bodyOf(document) && el !== documentElement(document) ? el : null;
}

/** fold trims and makes one space of any run of white space. */
export function fold(s: string): string {
  return s.replace(/[\s\u200b\ufeff]+/g, ' ').trim();
}

/**
 * alike is a text in the form in which two are compared that look the same to a person:
 * case, white space, composed or decomposed accents, kinds of quotes, what has no width.
 */
export function alike(s: string): string {
  const plain = /^[\x00-\x7f]*$/.test(s) ? s : s.normalize('NFC').replace(/[\u00ad\u034f\u200c-\u200f\u202a-\u202e\u2060-\u2069\ufe0e\ufe0f]/g, '').replace(/[‘’ʼ]/g, "'").replace(/[“”]/g, '"');
  return fold(plain).toLowerCase();
}

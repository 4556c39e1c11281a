(() => {
  // dom.ts
  var uncall = (method) => Function.prototype.call.bind(method);
  function getter(proto, name) {
    const get2 = Object.getOwnPropertyDescriptor(proto, name)?.get;
    return get2 ? Function.prototype.call.bind(get2) : () => void 0;
  }
  var element = Element.prototype;
  var node = Node.prototype;
  var html = HTMLElement.prototype;
  var doc = Document.prototype;
  var nodeType = getter(node, "nodeType");
  var parentNode = getter(node, "parentNode");
  var firstChild = getter(node, "firstChild");
  var nextSibling = getter(node, "nextSibling");
  var isConnected = getter(node, "isConnected");
  var textContent = getter(node, "textContent");
  var baseURI = getter(node, "baseURI");
  var ownerDocument = getter(node, "ownerDocument");
  var data = getter(CharacterData.prototype, "data");
  var rootOf = uncall(node.getRootNode);
  var contains = uncall(node.contains);
  var comparePosition = uncall(node.compareDocumentPosition);
  var localName = getter(element, "localName");
  var namespaceURI = getter(element, "namespaceURI");
  var idOf = getter(element, "id");
  var attr = uncall(element.getAttribute);
  var hasAttr = uncall(element.hasAttribute);
  var hasAttrs = uncall(element.hasAttributes);
  var attributesOf = getter(element, "attributes");
  var matches = uncall(element.matches);
  var closest = uncall(element.closest);
  var queryIn = uncall(element.querySelectorAll);
  var firstElement = getter(element, "firstElementChild");
  var rectOf = uncall(element.getBoundingClientRect);
  var rectsOf = uncall(element.getClientRects);
  var checkVisibility = uncall(element.checkVisibility);
  var animationsOf = uncall(element.getAnimations);
  var clientWidth = getter(element, "clientWidth");
  var clientHeight = getter(element, "clientHeight");
  var clientLeft = getter(element, "clientLeft");
  var clientTop = getter(element, "clientTop");
  var scrollWidth = getter(element, "scrollWidth");
  var scrollHeight = getter(element, "scrollHeight");
  var scrollLeft = getter(element, "scrollLeft");
  var scrollTop = getter(element, "scrollTop");
  var scrollTo = uncall(element.scrollTo);
  var scrollIntoView = uncall(element.scrollIntoView);
  var cssZoom = getter(element, "currentCSSZoom");
  var labelledByElements = getter(element, "ariaLabelledByElements");
  var outerHTML = getter(element, "outerHTML");
  var innerHTML = getter(element, "innerHTML");
  var offsetWidth = getter(html, "offsetWidth");
  var offsetHeight = getter(html, "offsetHeight");
  var tabIndex = getter(html, "tabIndex");
  var isContentEditable = getter(html, "isContentEditable");
  var editContext = getter(html, "editContext");
  var focusElement = uncall(html.focus);
  var clickElement = uncall(html.click);
  var assignedSlot = getter(element, "assignedSlot");
  var assignedNodes = uncall(HTMLSlotElement.prototype.assignedNodes);
  var objectWindow = getter(HTMLObjectElement.prototype, "contentWindow");
  var dispatch = uncall(EventTarget.prototype.dispatchEvent);
  var documentElement = getter(doc, "documentElement");
  var bodyOf = getter(doc, "body");
  var queryDoc = uncall(doc.querySelectorAll);
  var docActive = getter(doc, "activeElement");
  var docFromPoint = uncall(doc.elementFromPoint);
  var docById = uncall(doc.getElementById);
  var scrollingElement = getter(doc, "scrollingElement");
  var docSelection = uncall(doc.getSelection);
  var execCommand = uncall(doc.execCommand);
  var createElement = uncall(doc.createElement);
  var docTitle = getter(doc, "title");
  var docURL = getter(doc, "URL");
  var docReadyState = getter(doc, "readyState");
  var innerText = getter(html, "innerText");
  var scrollBy = uncall(element.scrollBy);
  var createRange = uncall(doc.createRange);
  var createNS = uncall(doc.createElementNS);
  var docAnimations = uncall(doc.getAnimations);
  var compatMode = getter(doc, "compatMode");
  var docSheets = getter(doc, "styleSheets");
  var docAdopted = getter(doc, "adoptedStyleSheets");
  var listen = uncall(EventTarget.prototype.addEventListener);
  var unlisten = uncall(EventTarget.prototype.removeEventListener);
  var designMode = getter(doc, "designMode");
  var docHidden = getter(doc, "hidden");
  var openRoot = getter(element, "shadowRoot");
  var rootHost = getter(ShadowRoot.prototype, "host");
  var rootQuery = uncall(DocumentFragment.prototype.querySelectorAll);
  var rootById = uncall(DocumentFragment.prototype.getElementById);
  var HTML = "http://www.w3.org/1999/xhtml";
  var SVG = "http://www.w3.org/2000/svg";
  var closedRoots = /* @__PURE__ */ new WeakMap();
  var anyClosed = false;
  function adoptRoot(host, root) {
    closedRoots.set(host, root);
    anyClosed = true;
    roots = null;
  }
  function shadowOf(el) {
    return openRoot(el) ?? (anyClosed ? closedRoots.get(el) ?? null : null);
  }
  var isElement = (n) => nodeType(n) === 1;
  var isText = (n) => nodeType(n) === 3 || nodeType(n) === 4;
  var isShadowRoot = (n) => n instanceof ShadowRoot;
  var isHTML = (el) => namespaceURI(el) === HTML;
  var hostOf = (root) => rootHost(root);
  function tagOf(el) {
    const ns = namespaceURI(el);
    return ns === HTML ? localName(el) : ns === SVG ? "svg:" + localName(el) : ":" + localName(el);
  }
  function slotNodes(slot) {
    if (!(slot instanceof HTMLSlotElement) || !isShadowRoot(rootOf(slot))) return null;
    const assigned = assignedNodes(slot);
    return assigned.length ? assigned : null;
  }
  function eachChild(el, f) {
    if (isElement(el)) {
      const root = shadowOf(el);
      if (root) return eachChild(root, f);
      if (localName(el) === "slot") {
        const nodes = slotNodes(el);
        if (nodes) return nodes.forEach(f);
      }
    }
    for (let n = firstChild(el); n; n = nextSibling(n)) f(n);
  }
  function flatParent(n) {
    const p = parentNode(n);
    if (!p) return null;
    if (isShadowRoot(p)) return hostOf(p);
    if (!isElement(p)) return null;
    const root = shadowOf(p);
    if (root) return slotFor(n, root) ?? null;
    return p;
  }
  function slotFor(n, root) {
    if (isElement(n)) {
      const slot = assignedSlot(n);
      if (slot) return slot;
    }
    let map2 = slotMaps.get(root);
    if (!map2) {
      slotMaps.set(root, map2 = /* @__PURE__ */ new Map());
      for (const slot of rootQuery(root, "slot")) for (const shown of assignedNodes(slot)) map2.set(shown, slot);
    }
    return map2.get(n) ?? null;
  }
  var slotMaps = /* @__PURE__ */ new Map();
  function composedParent(n) {
    const p = parentNode(n);
    if (!p) return null;
    if (isShadowRoot(p)) return hostOf(p);
    return isElement(p) ? p : null;
  }
  function within(n, el) {
    for (let at = n; at; at = flatParent(at) ?? composedParent(at)) if (at === el) return true;
    return false;
  }
  function sheetsOf(root) {
    return isShadowRoot(root) ? [...root.styleSheets, ...root.adoptedStyleSheets] : [...docSheets(root), ...docAdopted(root)];
  }
  function query(root, selector) {
    return isShadowRoot(root) ? rootQuery(root, selector) : queryDoc(root, selector);
  }
  function byId(el, id) {
    const root = rootOf(el);
    if (isShadowRoot(root)) return rootById(root, id);
    if (nodeType(root) === 9) return docById(root, id);
    return null;
  }
  var roots = null;
  function freshRoots() {
    roots = null;
    slotMaps = /* @__PURE__ */ new Map();
  }
  function allRoots() {
    return roots ??= eachElement(() => {
    });
  }
  function eachElement(visit) {
    const found = [document];
    for (let i = 0; i < found.length; i++) {
      const all = query(found[i], "*");
      for (let k = 0, n = all.length; k < n; k++) {
        const el = all[k];
        const root = shadowOf(el);
        if (root) found.push(root);
        visit(el, root);
      }
    }
    return roots = found;
  }
  function fromPoint(x, y) {
    let el = docFromPoint(document, x, y);
    while (el) {
      const root = shadowOf(el);
      const inner = root ? root.elementFromPoint(x, y) : null;
      if (!inner || inner === el) break;
      el = inner;
    }
    return el;
  }
  function activeElement() {
    let el = docActive(document);
    while (el) {
      const inner = shadowOf(el)?.activeElement ?? null;
      if (!inner) break;
      el = inner;
    }
    return el && el !== bodyOf(document) && el !== documentElement(document) ? el : null;
  }
  function fold(s) {
    return s.replace(/[\s\u200b\ufeff]+/g, " ").trim();
  }
  function alike(s) {
    const plain3 = /^[\x00-\x7f]*$/.test(s) ? s : s.normalize("NFC").replace(/[\u00ad\u034f\u200c-\u200f\u202a-\u202e\u2060-\u2069\ufe0e\ufe0f]/g, "").replace(/[‘’ʼ]/g, "'").replace(/[“”]/g, '"');
    return fold(plain3).toLowerCase();
  }

  // style.ts
  var compute = window.getComputedStyle.bind(window);
  var looks = /* @__PURE__ */ new Map();
  var visible = /* @__PURE__ */ new Map();
  var passes = [];
  function onFresh(f) {
    passes.push(f);
  }
  function freshStyles() {
    looks = /* @__PURE__ */ new Map();
    visible = /* @__PURE__ */ new Map();
    freshRoots();
    for (const f of passes) f();
  }
  function styleOf(el) {
    const l = lookOf(el);
    return l.style ??= compute(el);
  }
  function lookOf(el) {
    let l = looks.get(el);
    if (!l) looks.set(el, l = { style: void 0, display: void 0, shows: void 0, pointer: void 0 });
    return l;
  }
  function displayOf(el) {
    const l = lookOf(el);
    return l.display ??= styleOf(el).display;
  }
  function shows(el) {
    const l = lookOf(el);
    return l.shows ??= styleOf(el).visibility === "visible";
  }
  function hasPointer(el) {
    const l = lookOf(el);
    return l.pointer ??= styleOf(el).cursor === "pointer";
  }
  function rendered(el) {
    if (checkVisibility(el)) return !(hasAttrs(el) && attr(el, "hidden") === "until-found");
    const name = isHTML(el) ? localName(el) : "";
    if (name === "option" || name === "optgroup") return optionRendered(el);
    if (name === "area") return areaRendered(el);
    if (displayOf(el) !== "contents") return false;
    const parent = flatParent(el);
    return !parent || rendered(parent);
  }
  function optionRendered(el) {
    const parent = composedParent(el);
    if (hasAttr(el, "hidden") || !parent) return false;
    return rendered(parent);
  }
  function areaRendered(el) {
    const img = imageOfArea(el);
    return !!img && rendered(img);
  }
  function imageOfArea(area2) {
    let map2 = composedParent(area2);
    while (map2 && localName(map2) !== "map") map2 = composedParent(map2);
    const name = map2 && attr(map2, "name");
    return name ? queryDoc(document, `[usemap="#${CSS.escape(name)}" i]`)[0] ?? null : null;
  }
  function isVisible(el) {
    let v = visible.get(el);
    if (v === void 0) {
      v = rendered(el) && shows(el);
      visible.set(el, v);
    }
    return v;
  }
  function closedDetails(el) {
    return localName(el) === "details" && el instanceof HTMLDetailsElement && !el.open;
  }
  function ariaHidden(el) {
    for (let at = el; at; at = flatParent(at)) if (hasAttrs(at) && attr(at, "aria-hidden") === "true") return true;
    return false;
  }
  function topModal() {
    const open = queryDoc(document, "dialog:modal");
    return open.length ? open[open.length - 1] : null;
  }
  function inertBy(el) {
    const modal = topModal();
    let inModal = !modal;
    for (let at = el; at; at = flatParent(at)) {
      if (at === modal) inModal = true;
      if (hasAttrs(at) && hasAttr(at, "inert") && isHTML(at)) return at;
    }
    return inModal ? null : modal;
  }

  // code.ts
  function codeBlock(el) {
    const out = new Source(styleOf(el).userSelect !== "none");
    out.children(el);
    return { text: out.done(), lang: language(el) };
  }
  function isCodeBlock(el) {
    return displayOf(el) === "block" && /^preserve/.test(styleOf(el).whiteSpaceCollapse) && /\n/.test((textContent(el) ?? "").trim());
  }
  function codeTable(table) {
    const rows = cellRows(table);
    if (!rows.length || rows.some((r) => r.length < 2 || r.length > 3 || localName(r[0]) === "th")) return null;
    if (!rows.every((r) => r.slice(0, -1).every(isGutter))) return null;
    const codes = rows.map((r) => r[r.length - 1]);
    if (!codes.every((c) => queryIn(c, "pre,code").length || codeCell.test(attr(c, "class") ?? "") || /^preserve/.test(styleOf(c).whiteSpaceCollapse))) return null;
    const texts2 = codes.map((c) => codeBlock(c).text);
    return { text: texts2.join("\n"), lang: language(codes[0]) || language(table) };
  }
  var codeCell = /(^|[\s_-])(code|blob-code|line-content)\b/;
  var gutterClass = /(^|[\s_-])(line-?numbers?(-rows)?|line-?nos?|linenodiv|gutters?|ln-num|blob-num|hljs-ln-n(umbers)?|rouge-gutter|react-syntax-highlighter-line-number)(?=$|[\s_-])/i;
  function cellRows(table) {
    const rows = [];
    const walk2 = (el) => eachChild(el, (n) => {
      if (!isElement(n)) return;
      if (localName(n) === "tr") {
        const cells = [];
        eachChild(n, (c) => void (isElement(c) && cells.push(c)));
        rows.push(cells);
      } else if (/^(tbody|thead|tfoot)$/.test(localName(n))) walk2(n);
    });
    walk2(table);
    return rows;
  }
  function isGutter(cell2) {
    const text3 = (textContent(cell2) ?? "").trim();
    if (!text3) return gutterClass.test(attr(cell2, "class") ?? "") || hasAttr(cell2, "data-line-number");
    return /^\d+(\s+\d+)*$/.test(text3);
  }
  var Source = class {
    constructor(selectable) {
      this.selectable = selectable;
    }
    selectable;
    out = "";
    owed = false;
    children(el) {
      eachChild(el, (n) => {
        if (isText(n)) this.text(data(n));
        else if (isElement(n)) this.element(n);
      });
    }
    text(s) {
      if (!s) return;
      if (this.owed && !s.startsWith("\n")) this.out += "\n";
      this.owed = false;
      this.out += s;
    }
    boundary() {
      this.owed = this.out !== "" && !this.out.endsWith("\n");
    }
    element(el) {
      const name = namespaceURI(el) === HTML ? localName(el) : "";
      if (name === "br") {
        if (this.owed) this.text("\n");
        return this.text("\n");
      }
      if (/^(button|script|style|template|)$/.test(name) || displayOf(el) === "none" || this.gutter(el)) return;
      if (name === "table") {
        const code = codeTable(el);
        if (code) return this.text(code.text);
      }
      const block = /^(block|flex|grid|list-item|table|table-row)$/.test(displayOf(el));
      if (block) this.boundary();
      this.children(el);
      if (block) this.boundary();
    }
    gutter(el) {
      if (gutterClass.test(attr(el, "class") ?? "")) return true;
      return this.selectable && styleOf(el).userSelect === "none" && /^[\s\d$>#%]*$/.test(textContent(el) ?? "");
    }
    done() {
      return this.out.replace(/[ \t]+(?=\n|$)/g, "").replace(/^\n+|\s+$/g, "");
    }
  };
  var named = [
    /(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.-]+)/i,
    /(?:^|\s)(?:brush:\s*|sourceCode\s+)([\w+#.-]+)/i
    // SyntaxHighlighter, Pandoc
  ];
  var plain = /^(none|plain|plaintext|text|txt|nohighlight|no-highlight|default|source|code|wrapper|container|table|undefined|block)$/i;
  function language(el) {
    const inner = queryIn(el, "code,pre");
    const chain = inner.length ? [inner[inner.length - 1], el] : [el];
    for (let at = composedParent(el), n = 0; at && n < 4; at = composedParent(at), n++) chain.push(at);
    for (const at of chain) {
      const lang = languageOf(at);
      if (lang) return lang;
    }
    return "";
  }
  function languageOf(el) {
    for (const name of ["data-lang", "data-language", "data-code-language"]) {
      const value2 = attr(el, name);
      if (value2 && /^[\w+#.-]{1,30}$/.test(value2) && !plain.test(value2)) return value2.toLowerCase();
    }
    const classes2 = attr(el, "class") ?? "";
    const found = named.map((n) => n.exec(classes2)?.[1]).find(Boolean);
    if (found && !plain.test(found)) return found.toLowerCase();
    if (/(^|\s)hljs(\s|$)/.test(classes2)) {
      const bare = classes2.split(/\s+/).find((c) => /^[a-z][\w+#]{0,15}$/.test(c) && c !== "hljs" && !plain.test(c));
      if (bare) return bare;
    }
    return "";
  }

  // controls.ts
  function inputType(el) {
    return el instanceof HTMLInputElement ? el.type : "";
  }
  var revealed = /* @__PURE__ */ new WeakSet();
  var secrets = /(^|\s)((current|new)-password|one-time-code|cc-number|cc-csc)(\s|$)/i;
  function isPassword(el) {
    if (!(el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement)) return false;
    if (revealed.has(el)) return true;
    if (el.type !== "password" && !drawnAsDots(el)) return hasAttr(el, "autocomplete") && secrets.test(attr(el, "autocomplete") ?? "");
    revealed.add(el);
    return true;
  }
  var texts = /^(text|search|email|url|tel|number|textarea)$/;
  function drawnAsDots(el) {
    const drawn2 = texts.test(el.type) ? styleOf(el).getPropertyValue("-webkit-text-security") : "";
    return drawn2 !== "" && drawn2 !== "none";
  }
  function notePasswords() {
    for (const root of allRoots()) for (const el of query(root, "input[type=password]")) revealed.add(el);
  }
  function labelsOf(el) {
    if (!isHTML(el)) return [];
    const list3 = labelsGetter(el);
    return list3 ? Array.from(list3) : [];
  }
  function labelsGetter(el) {
    for (const type of labelable) {
      if (el instanceof type) return Object.getOwnPropertyDescriptor(type.prototype, "labels").get.call(el);
    }
    return localName(el).includes("-") ? customLabels(el) : null;
  }
  var labelable = [
    HTMLInputElement,
    HTMLSelectElement,
    HTMLTextAreaElement,
    HTMLButtonElement,
    HTMLMeterElement,
    HTMLProgressElement,
    HTMLOutputElement
  ];
  function customLabels(el) {
    const id = idOf(el);
    const root = rootOf(el);
    if (!id || root !== document && !isShadowRoot(root)) return null;
    return query(root, `label[for="${CSS.escape(id)}"]`);
  }
  function controlOf(label2) {
    return label2 instanceof HTMLLabelElement ? label2.control : null;
  }
  function labelledControl(el) {
    for (let at = el; at; at = flatParent(at)) {
      if (at instanceof HTMLLabelElement) return at.control;
      if (at !== el && interactiveContent(at)) return null;
    }
    return null;
  }
  var interactiveContent = (el) => isHTML(el) && /^(a|button|input|select|textarea|summary)$/.test(localName(el));
  function hiddenControl(label2) {
    const control = controlOf(label2);
    if (!(control instanceof HTMLInputElement) || !/^(checkbox|radio|file)$/.test(control.type)) return null;
    return isVisible(control) ? null : control;
  }
  function selectedLabels(select2) {
    return Array.from(select2.selectedOptions, optionLabel);
  }
  function optionLabel(o) {
    return fold(o.label || o.text);
  }
  function isDisabled(el) {
    if (nativeDisabled(el)) return true;
    for (let at = el; at; at = flatParent(at)) {
      const value2 = hasAttrs(at) ? attr(at, "aria-disabled") : null;
      if (value2 === "true") return true;
      if (value2 === "false") return false;
    }
    return false;
  }
  function nativeDisabled(el) {
    if (!isHTML(el) || !/^(button|fieldset|input|optgroup|option|select|textarea)$/.test(localName(el))) {
      const button = isHTML(el) || localName(el) ? closest(el, "button,select") : null;
      return !!button && button !== el && nativeDisabled(button);
    }
    if (localName(el) === "option") {
      const parent = composedParent(el);
      if (parent && nativeDisabled(parent)) return true;
    }
    return matches(el, ":disabled");
  }
  function isReadOnly(el) {
    if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) return el.readOnly;
    return attr(el, "aria-readonly") === "true";
  }
  function checkedOf(el, role) {
    if (el instanceof HTMLInputElement && (el.type === "checkbox" || el.type === "radio")) {
      return el.indeterminate && el.type === "checkbox" ? "mixed" : el.checked;
    }
    if (!/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio|option|treeitem)$/.test(role)) return null;
    const value2 = attr(el, "aria-checked");
    if (value2 === null) return role === "option" || role === "treeitem" ? null : false;
    return value2 === "mixed" ? "mixed" : value2 === "true";
  }
  function valueOf(el, role) {
    if (el instanceof HTMLSelectElement) return selectedLabels(el).join(", ");
    if (isPassword(el)) return "";
    if (el instanceof HTMLTextAreaElement) return el.value;
    if (el instanceof HTMLInputElement) return inputValue(el);
    if (el instanceof HTMLMeterElement || el instanceof HTMLProgressElement) {
      return attr(el, "aria-valuetext") ?? (el instanceof HTMLProgressElement && el.position < 0 ? "" : String(el.value));
    }
    if (/^(slider|spinbutton|scrollbar|progressbar|meter|separator)$/.test(role)) {
      return attr(el, "aria-valuetext") ?? attr(el, "aria-valuenow") ?? "";
    }
    return "";
  }
  function inputValue(el) {
    switch (el.type) {
      case "checkbox":
      case "radio":
      case "button":
      case "submit":
      case "reset":
      case "image":
      case "hidden":
        return "";
      case "file":
        return Array.from(el.files ?? [], (f) => f.name).join(", ");
      case "range":
        return attr(el, "aria-valuetext") ?? el.value;
    }
    return el.value;
  }
  function firstControl(el) {
    const all = [];
    const look3 = (part) => eachChild(part, (n) => {
      if (!isElement(n)) return;
      if (matches(n, fillable)) all.push(n);
      else look3(n);
    });
    look3(el);
    const shown = all.length > 1 ? all.filter(isVisible) : all;
    return shown.length === 1 ? shown[0] : null;
  }
  var fillable = 'input:not([type=hidden]),textarea,select,[contenteditable=""],[contenteditable=true],[contenteditable=plaintext-only]';

  // contentstring.ts
  function contentText(content3, counters = () => []) {
    if (!content3 || content3 === "none" || content3 === "normal") return "";
    content3 = content3.replace(/\b(counters?)\(\s*([^\s,()]+)\s*(?:,\s*"((?:[^"\\]|\\.)*)"\s*)?(?:,\s*([\w-]+)\s*)?\)/g, (_, kind, name, between, style) => {
      const values = counters(name);
      const shown = kind === "counters" ? values : values.slice(-1);
      return `"${shown.map((v) => counted(v, style)).join(between ?? "")}"`;
    });
    content3 = content3.replace(/[\w-]+\((?:"(?:[^"\\]|\\.)*"|[^()"]|\([^()]*\))*\)/g, "");
    const parts = [[]];
    const token = /"((?:[^"\\]|\\.)*)"|\/|[^"/]+/gs;
    for (const m of content3.matchAll(token)) {
      if (m[1] !== void 0) parts[parts.length - 1].push(unescape(m[1]));
      else if (m[0] === "/") parts.push([]);
    }
    return withoutGlyphs((parts[1] ?? parts[0]).join(""));
  }
  var roman = [[1e3, "m"], [900, "cm"], [500, "d"], [400, "cd"], [100, "c"], [90, "xc"], [50, "l"], [40, "xl"], [10, "x"], [9, "ix"], [5, "v"], [4, "iv"], [1, "i"]];
  function counted(v, style = "decimal") {
    const upper = style.startsWith("upper-");
    let s = "";
    if (style === "decimal-leading-zero" && v >= 0 && v < 10) s = `0${v}`;
    else if (/^(lower|upper)-roman$/.test(style) && v > 0 && v < 4e3) for (const [n, sign] of roman) for (; v >= n; v -= n) s += sign;
    else if (/^(lower|upper)-(alpha|latin)$/.test(style) && v > 0) for (; v > 0; v = Math.floor((v - 1) / 26)) s = String.fromCharCode(97 + (v - 1) % 26) + s;
    else if (style === "none") return "";
    else if (/^(disc|circle|square)$/.test(style)) return { disc: "•", circle: "◦", square: "▪" }[style];
    else return String(v);
    return upper ? s.toUpperCase() : s;
  }
  function unescape(s) {
    return s.replace(/\\(?:([0-9a-f]{1,6}) ?|(.))/gis, (_, hex, char) => hex ? String.fromCodePoint(parseInt(hex, 16)) : char);
  }
  function withoutGlyphs(s) {
    return s.replace(/[\ue000-\uf8ff]|[\u{f0000}-\u{10fffd}]/gu, "");
  }

  // failure.ts
  var Failure = class {
    constructor(code, message, patience2 = Infinity) {
      this.code = code;
      this.message = message;
      this.patience = patience2;
    }
    code;
    message;
    patience;
  };
  function fail(code, message, patience2) {
    throw new Failure(code, message, patience2);
  }
  function quote(s, max = 80) {
    return JSON.stringify(clip(s.replace(/\s+/g, " ").trim(), max));
  }
  function clip(s, max) {
    if (s.length <= max) return s;
    const last3 = s.charCodeAt(max - 1);
    return s.slice(0, last3 >= 55296 && last3 < 56320 ? max - 1 : max) + "…";
  }

  // roles.ts
  var known = new Set(
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form grid gridcell group heading img insertion link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation note option paragraph progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript superscript suggestion switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem".split(" ")
  );
  var aliases = { image: "img", directory: "list" };
  var interactive = new Set(
    "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox slider spinbutton switch tab textbox treeitem clickable".split(" ")
  );
  var namedByContent = new Set(
    "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem".split(" ")
  );
  var inputs = {
    button: "button",
    submit: "button",
    reset: "button",
    image: "button",
    file: "button",
    checkbox: "checkbox",
    radio: "radio",
    range: "slider",
    number: "spinbutton",
    search: "searchbox",
    hidden: ""
  };
  var simple = {
    address: "group",
    article: "article",
    blockquote: "blockquote",
    button: "button",
    caption: "caption",
    code: "code",
    datalist: "listbox",
    dd: "definition",
    del: "deletion",
    details: "group",
    dfn: "term",
    dialog: "dialog",
    dt: "term",
    em: "emphasis",
    fieldset: "group",
    figure: "figure",
    h1: "heading",
    h2: "heading",
    h3: "heading",
    h4: "heading",
    h5: "heading",
    h6: "heading",
    hgroup: "group",
    hr: "separator",
    ins: "insertion",
    legend: "",
    main: "main",
    menu: "list",
    meter: "meter",
    nav: "navigation",
    ol: "list",
    optgroup: "group",
    option: "option",
    output: "status",
    p: "paragraph",
    progress: "progressbar",
    search: "search",
    strong: "strong",
    sub: "subscript",
    sup: "superscript",
    textarea: "textbox",
    time: "time",
    ul: "list",
    iframe: "iframe",
    frame: "iframe",
    fencedframe: "iframe",
    canvas: "canvas",
    video: "video",
    audio: "audio"
  };
  var sections = "article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]";
  var cache = /* @__PURE__ */ new Map();
  onFresh(() => cache = /* @__PURE__ */ new Map());
  function roleOf(el) {
    let r = cache.get(el);
    if (r === void 0) cache.set(el, r = compute2(el));
    return r;
  }
  function compute2(el) {
    const explicit = hasAttrs(el) ? attr(el, "role") : null;
    if (explicit) {
      for (const token of explicit.toLowerCase().split(/\s+/)) {
        if (token === "none" || token === "presentation") {
          if (!keepsRole(el)) return "";
          break;
        }
        if (token === "generic") return "";
        const role = aliases[token] ?? token;
        if (!known.has(role) || (role === "form" || role === "region") && !labelled(el)) continue;
        return role;
      }
    }
    return implicitRole(el);
  }
  function keepsRole(el) {
    if (focusable(el)) return true;
    return globals.some((name) => hasAttr(el, name));
  }
  var globals = "aria-atomic aria-busy aria-controls aria-current aria-describedby aria-details aria-dropeffect aria-flowto aria-grabbed aria-label aria-labelledby aria-live aria-owns aria-relevant aria-roledescription aria-keyshortcuts".split(" ");
  function focusable(el) {
    if (!isHTML(el)) return hasAttr(el, "tabindex") || localName(el) === "a" && (hasAttr(el, "href") || hasAttr(el, "xlink:href"));
    if (hasAttr(el, "tabindex") && !isNaN(parseInt(attr(el, "tabindex") ?? "", 10))) return true;
    if (hasAttr(el, "disabled")) return false;
    return tabIndex(el) >= 0 || el === activeElement();
  }
  var labelled = (el) => !!(attr(el, "aria-label") ?? "").trim() || !!(attr(el, "aria-labelledby") ?? "").trim() || !!(attr(el, "title") ?? "").trim();
  function implicitRole(el) {
    const ns = namespaceURI(el);
    const name = localName(el);
    if (ns === SVG) return svgRole(el, name);
    if (ns !== HTML) return name === "math" ? "math" : "";
    const context2 = contextual[name];
    if (context2) return context2(el);
    const role = simple[name];
    if (role !== void 0) return role;
    if (name === "summary") return isDisclosure(el) ? "button" : "";
    return editableRoot(el) ? "textbox" : "";
  }
  function isDisclosure(el) {
    const parent = composedParent(el);
    if (!parent || localName(parent) !== "details") return false;
    return queryIn(parent, ":scope > summary")[0] === el;
  }
  function editableRoot(el) {
    if (!isHTML(el)) return false;
    if (localName(el) === "body" && designMode(document) === "on") return true;
    if (editContext(el)) return true;
    if (!hasAttrs(el) || !hasAttr(el, "contenteditable") || !isContentEditable(el)) return false;
    const parent = composedParent(el);
    return !parent || !isHTML(parent) || !isContentEditable(parent);
  }
  var contextual = {
    object: (el) => objectWindow(el) ? "iframe" : "object",
    embed: (el) => /^($|text\/html|application\/xhtml|image\/svg)/.test(attr(el, "type") ?? "") ? "iframe" : "embed",
    a: (el) => hasAttr(el, "href") ? "link" : editableRoot(el) ? "textbox" : "",
    area: (el) => hasAttr(el, "href") ? "link" : "",
    aside: (el) => !closest(parentOr(el), "article,aside,nav,section") || labelled(el) ? "complementary" : "",
    footer: (el) => closest(parentOr(el), sections) ? "" : "contentinfo",
    header: (el) => closest(parentOr(el), sections) ? "" : "banner",
    form: (el) => labelled(el) ? "form" : "",
    section: (el) => labelled(el) ? "region" : "",
    img: (el) => attr(el, "alt") === "" && !attr(el, "aria-label") && !attr(el, "aria-labelledby") && !attr(el, "title") ? "" : "img",
    input: inputRole,
    li: (el) => /^(ol|ul|menu)$/.test(localName(flatParent(el) ?? el)) || roleOf(flatParent(el) ?? el) === "list" ? "listitem" : "",
    select: (el) => hasAttr(el, "multiple") || Number(attr(el, "size") ?? 0) > 1 ? "listbox" : "combobox",
    table: (el) => isLayoutTable(el) ? "" : "table",
    tbody: (el) => tableRole(el) ? "rowgroup" : "",
    td: (el) => cellRole(el, "cell"),
    tfoot: (el) => tableRole(el) ? "rowgroup" : "",
    th: headerRole,
    thead: (el) => tableRole(el) ? "rowgroup" : "",
    tr: (el) => tableRole(el) ? "row" : ""
  };
  var nowhere = createNS(document, HTML, "i");
  var parentOr = (el) => composedParent(el) ?? nowhere;
  function inputRole(el) {
    const type = (attr(el, "type") ?? "text").toLowerCase();
    const role = inputs[type];
    if (type === "checkbox" && hasAttr(el, "switch")) return "switch";
    if (role !== void 0 && role !== "searchbox") return role;
    const list3 = attr(el, "list");
    if (list3 && closest(el, "html") && /^(text|search|email|tel|url|)$/.test(type)) return "combobox";
    return role ?? "textbox";
  }
  function tableRole(el) {
    const table = closest(el, "table");
    return table ? roleOf(table) : "";
  }
  function isLayoutTable(table) {
    if (labelled(table) || hasAttr(table, "summary") || focusable(table)) return false;
    if (queryIn(table, "th,caption,thead,tfoot,colgroup,[headers],[scope]").length) return false;
    if (queryIn(table, "table").length) return true;
    const rows = table.rows;
    return rows.length < 2 || Array.prototype.every.call(rows, (r) => r.cells.length < 2);
  }
  function cellRole(el, plain3) {
    const table = tableRole(el);
    if (table === "grid" || table === "treegrid") return plain3 === "cell" ? "gridcell" : plain3;
    return table ? plain3 : "";
  }
  function headerRole(el) {
    const scope2 = (attr(el, "scope") ?? "").toLowerCase();
    if (scope2 === "row" || scope2 === "rowgroup") return cellRole(el, "rowheader");
    if (scope2 === "col" || scope2 === "colgroup") return cellRole(el, "columnheader");
    const row2 = composedParent(el);
    if (row2 && !closest(row2, "thead") && queryIn(row2, ":scope > td").length && queryIn(row2, ":scope > th")[0] === el) {
      return cellRole(el, "rowheader");
    }
    return cellRole(el, "columnheader");
  }
  function svgRole(el, name) {
    if (name === "a" && (hasAttr(el, "href") || hasAttr(el, "xlink:href"))) return "link";
    if (name === "svg") return "img";
    if (name === "image") return "img";
    if (!labelled(el) && !queryIn(el, ":scope > title").length) return "";
    return name === "g" ? "group" : /^(circle|ellipse|line|path|polygon|polyline|rect|use)$/.test(name) ? "img" : "";
  }
  function headingLevel(el) {
    const given = parseInt(attr(el, "aria-level") ?? "", 10);
    if (given > 0) return given;
    const m = /^h([1-6])$/.exec(localName(el));
    return m ? Number(m[1]) : 2;
  }
  function canonicalRole(role) {
    const r = role.trim().toLowerCase();
    return aliases[r] ?? (r === "generic" ? "clickable" : r);
  }

  // counters.ts
  var compute3 = window.getComputedStyle.bind(window);
  function countersIn(marked2) {
    const all = /* @__PURE__ */ new Set([...marked2[""], ...marked2["::before"], ...marked2["::after"]]);
    const order = [...all].filter(rendered).sort((a, b) => comparePosition(a, b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
    const stacks = /* @__PURE__ */ new Map();
    const seen2 = { "": /* @__PURE__ */ new Map(), "::before": /* @__PURE__ */ new Map(), "::after": /* @__PURE__ */ new Map() };
    const leave = (el) => {
      for (const stack of stacks.values()) {
        for (let top2 = stack.at(-1); top2?.scope && top2.scope !== el && !contains(top2.scope, el); top2 = stack.at(-1)) stack.pop();
      }
    };
    const count2 = (el, place) => {
      if (place === "") leave(el);
      if (!marked2[place].has(el)) return;
      const style = compute3(el, place);
      const scope2 = place === "" ? flatParent(el) : el;
      const make = (name, value2) => {
        const stack = stacks.get(name) ?? [];
        stacks.set(name, stack);
        if (stack.at(-1)?.scope === scope2) stack.pop();
        const counter = { value: value2, scope: scope2 };
        stack.push(counter);
        return counter;
      };
      for (const [name, n] of pairs(style.counterReset, 0)) make(name, n);
      for (const [name, n] of pairs(style.counterIncrement, 1)) (stacks.get(name)?.at(-1) ?? make(name, 0)).value += n;
      for (const [name, n] of pairs(style.counterSet, 0)) (stacks.get(name)?.at(-1) ?? make(name, 0)).value = n;
      const now2 = new Map([...stacks].map(([name, stack]) => [name, stack.map((c) => c.value)]));
      seen2[place].set(el, (name) => now2.get(name) ?? []);
    };
    const open = [];
    const close = (next) => {
      for (let el = open.at(-1); el && !(next && contains(el, next)); el = open.at(-1)) {
        open.pop();
        for (const stack of stacks.values()) while (stack.at(-1)?.scope && stack.at(-1).scope !== el && contains(el, stack.at(-1).scope)) stack.pop();
        count2(el, "::after");
      }
    };
    for (const el of order) {
      close(el);
      count2(el, "");
      count2(el, "::before");
      open.push(el);
    }
    close(null);
    return (el, place) => seen2[place].get(el) ?? (() => []);
  }
  function* pairs(value2, otherwise) {
    if (!value2 || value2 === "none") return;
    for (const m of value2.matchAll(/([^\s\d+-][^\s]*)(?:\s+([+-]?\d+))?/g)) yield [m[1], m[2] === void 0 ? otherwise : Number(m[2])];
  }

  // pseudo.ts
  var compute4 = window.getComputedStyle.bind(window);
  var sheets = /* @__PURE__ */ new WeakMap();
  var pass = null;
  onFresh(() => pass = null);
  function generated(el, pseudo) {
    pass ??= look();
    return pass[pseudo].has(el) ? said(pass, el, pseudo) : "";
  }
  function generatedForName(el, pseudo) {
    pass ??= look();
    return pass.blind || pass[pseudo].has(el) ? said(pass, el, pseudo) : "";
  }
  function said(p, el, pseudo) {
    const { content: content3 } = compute4(el, pseudo);
    if (!content3.includes("counter")) return contentText(content3);
    p.counters ??= countersIn({
      "": p.counting[""],
      "::before": /* @__PURE__ */ new Set([...p.counting["::before"], ...p["::before"]]),
      "::after": /* @__PURE__ */ new Set([...p.counting["::after"], ...p["::after"]])
    });
    return contentText(content3, p.counters(el, pseudo));
  }
  function look() {
    const counting = { "": /* @__PURE__ */ new Set(), "::before": /* @__PURE__ */ new Set(), "::after": /* @__PURE__ */ new Set() };
    const out = { "::before": /* @__PURE__ */ new Set(), "::after": /* @__PURE__ */ new Set(), counting, blind: false };
    for (const root of allRoots()) {
      for (const sheet of sheetsOf(root)) {
        const found = readSheet(sheet);
        out.blind ||= found.blind;
        for (const pseudo of ["::before", "::after"]) {
          for (const selector of found[pseudo]) out.blind = !collect(root, selector, out[pseudo]) || out.blind;
        }
        for (const place of ["", "::before", "::after"]) {
          for (const selector of found.counting[place]) collect(root, selector, counting[place]);
        }
      }
      collect(root, '[style*="counter-"]', counting[""]);
    }
    return out;
  }
  function collect(root, selector, into) {
    if (/:host|::slotted|::part/.test(selector)) return false;
    try {
      for (const el of query(root, selector)) into.add(el);
      return true;
    } catch {
      return false;
    }
  }
  function readSheet(sheet) {
    const fresh = { "::before": [], "::after": [], counting: { "": [], "::before": [], "::after": [] }, blind: false };
    let rules2;
    try {
      rules2 = sheet.cssRules;
    } catch {
      return { ...fresh, blind: true };
    }
    const known2 = sheets.get(sheet);
    if (known2 && known2.rules === rules2.length) return known2.found;
    readRules(rules2, "", fresh);
    sheets.set(sheet, { rules: rules2.length, found: fresh });
    return fresh;
  }
  function readRules(rules2, parent, found) {
    for (const rule of rules2) {
      if (rule instanceof CSSStyleRule) {
        readRule(rule, parent, found);
      } else if (rule instanceof CSSImportRule) {
        if (rule.styleSheet) {
          const inner = readSheet(rule.styleSheet);
          found["::before"].push(...inner["::before"]);
          found["::after"].push(...inner["::after"]);
          for (const place of ["", "::before", "::after"]) found.counting[place].push(...inner.counting[place]);
          found.blind ||= inner.blind;
        }
      } else if ("cssRules" in rule) {
        readRules(rule.cssRules, parent, found);
      }
    }
  }
  function readRule(rule, parent, found) {
    const nested2 = rule.cssRules;
    const selector = rule.selectorText;
    if (/:(before|after)/.test(selector) && speaks(rule.style.content)) {
      for (const part of selector.split(/,(?![^(]*\))/)) {
        const m = /^(.*?)::?(before|after)\b/.exec(part.trim());
        if (m) found[`::${m[2]}`].push(within2(parent, base(m[1])));
      }
    }
    if (rule.style.counterReset || rule.style.counterIncrement || rule.style.counterSet) {
      for (const part of selector.split(/,(?![^(]*\))/)) {
        const m = /^(.*?)(?:::?(before|after)\b.*)?$/s.exec(part.trim());
        if (!m) continue;
        const place = m[2] ? `::${m[2]}` : "";
        found.counting[place].push(within2(parent, place ? base(m[1]) : m[1]));
      }
    }
    if (nested2?.length) readRules(nested2, within2(parent, selector), found);
  }
  var base = (s) => s === "" || /[\s>+~]$/.test(s) ? s + "*" : s;
  function within2(parent, selector) {
    if (!parent) return selector;
    return selector.includes("&") ? selector.replaceAll("&", `:is(${parent})`) : `:is(${parent}) ${selector}`;
  }
  function speaks(content3) {
    return /attr\(|var\(|counter/.test(content3) || contentText(content3).trim() !== "";
  }

  // names.ts
  var cache2 = /* @__PURE__ */ new Map();
  onFresh(() => cache2 = /* @__PURE__ */ new Map());
  function nameOf(el) {
    let name = cache2.get(el);
    if (name === void 0) {
      name = fold(text(el, { root: true, reference: false, content: false, hidden: false, seen: /* @__PURE__ */ new Set() }));
      cache2.set(el, name);
    }
    return name;
  }
  function contentName(el) {
    return fold(fromContent(el, { root: false, reference: false, content: true, hidden: false, seen: /* @__PURE__ */ new Set([el]) }));
  }
  function ownName(el) {
    const w = { root: true, reference: false, content: false, hidden: false, seen: /* @__PURE__ */ new Set([el]) };
    return fold(fromReferences(el, w) || ariaLabel(el) || native(el, w) || attr(el, "title") || "");
  }
  var ariaLabel = (el) => (attr(el, "aria-label") ?? "").trim();
  var isHidden = (el) => !isVisible(el) || attr(el, "aria-hidden") === "true";
  function text(el, w) {
    if (w.seen.has(el)) return "";
    if (!w.root && !w.hidden && isHidden(el)) return "";
    w.seen.add(el);
    if (!w.root && !hasAttrs(el) && plain2.has(localName(el))) return fromContent(el, w);
    if (!w.reference) {
      const referenced2 = fromReferences(el, w);
      if (referenced2) return referenced2;
    }
    if (!w.root && w.content) {
      const value2 = embedded(el);
      if (value2 !== null) return value2;
    }
    const label2 = ariaLabel(el);
    if (label2) return label2;
    const own = native(el, w);
    if (own) return own;
    const role = roleOf(el);
    if (namedByContent.has(role) || w.content || w.reference || tagOf(el) === "summary" || tagOf(el) === "label" || tagOf(el) === "legend") {
      const content3 = fromContent(el, w);
      if (fold(content3) || w.content) return content3 || tooltip(el);
    }
    return tooltip(el) || (hasAttr(el, "placeholder") ? placeholder(el) : "");
  }
  var plain2 = new Set("div span p li ul b i strong em small".split(" "));
  var tooltip = (el) => attr(el, "title") ?? "";
  var placeholder = (el) => attr(el, "placeholder") ?? attr(el, "aria-placeholder") ?? "";
  function referenced(el) {
    const ids = attr(el, "aria-labelledby");
    if (ids === null) return [];
    if (ids.trim() === "") return [...labelledByElements(el) ?? []];
    return ids.trim().split(/\s+/).map((id) => byId(el, id)).filter((t) => t !== null);
  }
  function fromReferences(el, w) {
    if (!hasAttrs(el)) return "";
    const parts = referenced(el).map(
      (target) => text(target, {
        root: false,
        reference: true,
        content: target !== el,
        hidden: w.hidden || isHidden(target) || ariaHidden(target),
        seen: /* @__PURE__ */ new Set()
      })
    );
    return fold(parts.join(" "));
  }
  function embedded(el) {
    const role = roleOf(el);
    if (isPassword(el)) return "";
    switch (role) {
      case "textbox":
      case "searchbox":
        return hasValue(el) ? el.value : null;
      case "combobox":
      case "listbox":
        if (el instanceof HTMLSelectElement) return selectedLabels(el).join(" ");
        if (el instanceof HTMLInputElement) return el.value;
        return chosenOption(el);
      case "slider":
      case "spinbutton":
      case "progressbar":
      case "scrollbar":
      case "meter":
        return attr(el, "aria-valuetext") ?? attr(el, "aria-valuenow") ?? (hasValue(el) || el instanceof HTMLMeterElement || el instanceof HTMLProgressElement ? String(el.value) : null);
    }
    return null;
  }
  var hasValue = (el) => el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement;
  function chosenOption(el) {
    const chosen = [];
    const visit = (n) => {
      if (!isElement(n)) return;
      if (roleOf(n) === "option" && attr(n, "aria-selected") === "true") chosen.push(contentName(n));
      else eachChild(n, visit);
    };
    eachChild(el, visit);
    return chosen.length ? chosen.join(" ") : null;
  }
  function native(el, w) {
    const ns = namespaceURI(el);
    if (ns === SVG) return svgTitle(el);
    if (ns !== HTML) return attr(el, "alttext") ?? "";
    switch (localName(el)) {
      case "input":
        return inputName(el, w);
      case "button":
      case "select":
      case "textarea":
      case "meter":
      case "progress":
      case "output":
        return fromLabels(el, w);
      case "img":
      case "area":
        return attr(el, "alt") ?? "";
      case "fieldset":
        return child(el, "legend", w);
      case "figure":
        return child(el, "figcaption", w);
      case "table":
        return child(el, "caption", w);
      case "optgroup":
        return attr(el, "label") ?? "";
      case "option":
        return attr(el, "label") ?? "";
      case "details":
        return "";
    }
    return localName(el).includes("-") ? fromLabels(el, w) : "";
  }
  function inputName(el, w) {
    const type = inputType(el);
    const label2 = fromLabels(el, w);
    if (label2) return label2;
    switch (type) {
      case "button":
        return attr(el, "value") ?? "";
      case "submit":
        return attr(el, "value") ?? "Submit";
      case "reset":
        return attr(el, "value") ?? "Reset";
      case "image":
        return attr(el, "alt") || attr(el, "title") || attr(el, "value") || "Submit";
      case "file":
        return tooltip(el) || (el.multiple ? "Choose Files" : "Choose File");
    }
    return "";
  }
  function fromLabels(el, w) {
    if (w.reference && w.content) return "";
    const parts = labelsOf(el).map(
      (label2) => text(label2, { root: false, reference: w.reference, content: true, hidden: isHidden(label2), seen: new Set([...w.seen].filter((e) => e !== label2)) })
    );
    return fold(parts.filter(Boolean).join(" "));
  }
  function child(el, tag, w) {
    for (let n = firstChild(el); n; n = nextSibling(n)) {
      if (isElement(n) && localName(n) === tag && isHTML(n)) {
        return text(n, { ...w, root: false, content: true });
      }
    }
    return "";
  }
  function svgTitle(el) {
    for (let n = firstChild(el); n; n = nextSibling(n)) {
      if (isElement(n) && localName(n) === "title" && namespaceURI(n) === SVG) return fold(textOf(n));
    }
    return localName(el) === "a" ? attr(el, "xlink:title") ?? "" : "";
  }
  function textOf(n) {
    let s = "";
    for (let c = firstChild(n); c; c = nextSibling(c)) s += isText(c) ? data(c) : isElement(c) ? textOf(c) : "";
    return s;
  }
  var silent = new Set("script style template noscript head meta link svg:title svg:desc svg:defs svg:style".split(" "));
  function fromContent(el, w) {
    const inner = { ...w, root: false, content: true };
    let out = generatedForName(el, "::before");
    const add = (n) => {
      if (isText(n)) {
        if (inner.hidden || textShown(el) && !closedDetails(el)) out += withoutGlyphs(data(n));
        return;
      }
      if (!isElement(n) || silent.has(tagOf(n))) return;
      if (w.root && ownBranch(el, n)) return;
      if (tagOf(n) === "br") return void (out += " ");
      const part = text(n, inner);
      out += inlineBox(n) ? part : ` ${part} `;
    };
    eachChild(el, add);
    for (const owned of ownedBy(el)) {
      const part = text(owned, inner);
      out += ` ${part} `;
    }
    return out + generatedForName(el, "::after");
  }
  function ownBranch(el, child2) {
    const role = hasAttrs(el) ? attr(el, "role") : null;
    return (role === "treeitem" || role === "menuitem") && /^(group|menu|tree)$/.test(roleOf(child2));
  }
  var textShown = (el) => styleOf(el).visibility !== "hidden" || !isConnected(el);
  function inlineBox(el) {
    const display = displayOf(el);
    return display === "inline" || display === "contents" || display === "";
  }
  function ownedBy(el) {
    const ids = hasAttrs(el) ? attr(el, "aria-owns") : null;
    if (!ids) return [];
    return ids.trim().split(/\s+/).map((id) => byId(el, id)).filter((t) => t !== null);
  }
  function anyOwned() {
    return queryDoc(document, "[aria-owns]").length > 0;
  }

  // describe.ts
  var maxName = 300;
  var maxClickable = 120;
  var infos = /* @__PURE__ */ new Map();
  onFresh(() => infos = /* @__PURE__ */ new Map());
  function infoOf(el) {
    let i = infos.get(el);
    if (!i) infos.set(el, i = describe(el));
    return i;
  }
  var shownName = (name) => clip(name, maxName);
  function shownAs(el) {
    const i = infoOf(el);
    return `${i.role || "generic"} ${shownName(i.name)}`.trim();
  }
  function describe(el) {
    const { role, act } = kindOf(el);
    return { role, act, name: role ? nameFor(el, role, act) : "" };
  }
  function kindOf(el) {
    const role = roleOf(el);
    if (interactive.has(role)) return { role, act: role !== "scrollbar" || focusable(el) };
    if (!role && localName(el) === "label") {
      const control = hiddenControl(el);
      if (control) return { role: roleOf(control), act: true };
    }
    if (isClickable(el, role)) return { role: role || "clickable", act: true };
    return { role, act: role === "canvas" || role === "video" || role === "audio" };
  }
  function nameFor(el, role, act) {
    if (role === "row") return rowName(el);
    if (localName(el) === "label") {
      const control = hiddenControl(el);
      if (control) return nameOf(control);
    }
    if (interactive.has(role) && role !== "clickable") return nameOf(el);
    if (!act || role === "canvas") return nameOf(el);
    const name = role === "clickable" ? ownName(el) : nameOf(el);
    if (name) return name;
    const content3 = contentName(el);
    return content3.length <= maxClickable ? content3 : "";
  }
  function isClickable(el, role) {
    return (handled(el, role) || ownPointer(el) && role !== "iframe" && !redundantPointer(el)) && el !== bodyOf(document) && el !== documentElement(document);
  }
  function handled(el, role) {
    if (marked().has(el)) {
      if (hasAttr(el, "onclick") || hasAttr(el, "onmousedown") || hasAttr(el, "onpointerdown")) return true;
      if (hasAttr(el, "tabindex") && Number(attr(el, "tabindex")) >= 0 && role !== "dialog" && role !== "iframe") return true;
    }
    return false;
  }
  var marks = null;
  onFresh(() => marks = null);
  function marked() {
    if (!marks) {
      marks = /* @__PURE__ */ new Set();
      for (const root of allRoots()) for (const el of query(root, "[onclick],[onmousedown],[onpointerdown],[tabindex]")) marks.add(el);
    }
    return marks;
  }
  function ownPointer(el) {
    if (!hasPointer(el)) return false;
    const parent = flatParent(el);
    return !parent || !hasPointer(parent);
  }
  function redundantPointer(el) {
    if (localName(el) === "label" && controlOf(el) && isVisible(controlOf(el))) return true;
    if (localName(el) === "summary" && isDisclosure(el)) return true;
    for (let at = flatParent(el); at; at = flatParent(at)) {
      if (interactive.has(roleOf(at))) return true;
      if (at === bodyOf(document)) break;
    }
    return false;
  }
  function rowName(row2) {
    const given = hasAttrs(row2) && (attr(row2, "aria-label") || attr(row2, "aria-labelledby")) ? nameOf(row2) : "";
    if (given) return given;
    const cells = [];
    eachChild(row2, (n) => {
      if (!isElement(n) || !isVisible(n)) return;
      cells.push(fold(plainText(n)));
    });
    return fold(cells.join(" | ").replace(/(\s*\|\s*)+$/, ""));
  }
  function ownNode(el) {
    const { role, act } = kindOf(el);
    return act && role !== "link" && role !== "clickable";
  }
  function plainText(el) {
    let out = "";
    eachChild(el, (n) => {
      if (isText(n)) out += data(n);
      else if (isElement(n) && isVisible(n) && !ownNode(n) && attr(n, "aria-hidden") !== "true" && !/^(script|style|template)$/.test(localName(n))) {
        const inline2 = displayOf(n) === "inline";
        const text3 = roleOf(n) === "img" ? nameOf(n) : plainText(n);
        out += inline2 ? text3 : ` ${text3} `;
      }
    });
    return out;
  }
  function label(el) {
    const i = infoOf(el);
    const tag = `<${tagOf(el).replace("svg:", "")}${idOf(el) ? "#" + idOf(el) : ""}${classes(el)}>`;
    const name = i.name ? ` ${JSON.stringify(clip(i.name, 60))}` : "";
    return i.role ? `${i.role}${name} ${tag}` : tag;
  }
  function classes(el) {
    if (idOf(el)) return "";
    const list3 = (attr(el, "class") ?? "").trim().split(/\s+/).filter(Boolean).slice(0, 2);
    return list3.map((c) => "." + clip(c, 30)).join("");
  }
  function surroundings(el) {
    for (let at = flatParent(el), n = 0; at && n < 12; at = flatParent(at), n++) {
      const role = roleOf(at);
      if (!/^(row|listitem|dialog|alertdialog|form|region|navigation|group|article|tabpanel|main|banner|contentinfo|table|list)$/.test(role)) continue;
      const name = role === "listitem" || role === "article" ? contentName(at) : infoOf(at).name;
      if (name) return `in ${role} ${JSON.stringify(clip(name, 50))}`;
      if (/^(navigation|main|banner|contentinfo)$/.test(role)) return `in ${role}`;
    }
    return "";
  }
  function activeName() {
    const el = activeElement();
    return el ? shownAs(el) : "";
  }

  // hosts.ts
  var Hosts = class {
    constructor(count2) {
      this.count = count2;
    }
    count;
  };
  var most = 400;
  var looked = /* @__PURE__ */ new WeakMap();
  var barren = /* @__PURE__ */ new Map();
  var pending = [];
  var attachable = new Set("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "));
  function requireHosts() {
    pending = search();
    if (pending.length) throw new Hosts(pending.length);
  }
  function candidates() {
    const out = pending.length ? pending : search();
    pending = [];
    for (const el of out) {
      looked.set(el, signature(el));
      if (isCustom(el)) barren.set(localName(el), (barren.get(localName(el)) ?? 0) + 1);
    }
    return out;
  }
  function fertile(host) {
    barren.set(localName(host), -1e9);
  }
  function search() {
    const found = [];
    eachElement((el, root) => {
      if (!root && found.length < most && mayHost(el) && looked.get(el) !== signature(el)) found.push(el);
    });
    for (const root of allRoots()) {
      for (const child2 of query(root, "[slot]")) {
        const host = composedParent(child2);
        if (host && !shadowOf(host) && attachable.has(localName(host)) && looked.get(host) !== signature(host) && !found.includes(host)) found.push(host);
      }
    }
    return found;
  }
  var isCustom = (el) => localName(el).includes("-");
  function signature(el) {
    return isCustom(el) ? String(matches(el, ":defined")) : `${offsetWidth(el)}x${offsetHeight(el)}`;
  }
  function mayHost(el) {
    const name = localName(el);
    if (name.includes("-")) return isHTML(el) && (barren.get(name) ?? 0) < 3;
    if (!attachable.has(name)) return false;
    const only = firstElement(el);
    if (only) return !settled.has(el) && unslotted(el, only);
    return blank(el) && isHTML(el) && offsetHeight(el) > 0 && offsetWidth(el) > 0;
  }
  function unslotted(host, child2) {
    if (checkVisibility(child2)) return settled.add(host), false;
    return window.getComputedStyle(child2).display === "" && window.getComputedStyle(host).display !== "";
  }
  var settled = /* @__PURE__ */ new WeakSet();
  function blank(el) {
    for (let n = firstChild(el); n; n = nextSibling(n)) if (isText(n) && data(n).trim()) return false;
    return true;
  }

  // numbers.ts
  var documentId = Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36)).join("");
  var numbers = /* @__PURE__ */ new WeakMap();
  var elements = /* @__PURE__ */ new Map();
  var last = 0;
  var forget = new FinalizationRegistry((n) => elements.delete(n));
  function numberOf(el) {
    let n = numbers.get(el);
    if (n === void 0) {
      n = ++last;
      numbers.set(el, n);
      elements.set(n, new WeakRef(el));
      forget.register(el, n);
    }
    return n;
  }
  function elementOf(n) {
    const el = everElement(n);
    return el && isConnected(el) ? el : null;
  }
  function everElement(n) {
    return elements.get(n)?.deref() ?? null;
  }

  // closeness.ts
  function closeness(want, has) {
    const a = want.toLowerCase().trim();
    const b = has.toLowerCase().trim();
    if (!a || !b) return 0;
    if (a === b) return 1;
    if (b.includes(a) || a.includes(b)) return 0.6 + 0.4 * (Math.min(a.length, b.length) / Math.max(a.length, b.length));
    const pairs2 = (s) => {
      const m = /* @__PURE__ */ new Map();
      for (let i = 0; i < s.length - 1; i++) m.set(s.slice(i, i + 2), (m.get(s.slice(i, i + 2)) ?? 0) + 1);
      return m;
    };
    const pa = pairs2(a.slice(0, 200));
    const pb = pairs2(b.slice(0, 200));
    let common = 0;
    let total = 0;
    for (const [pair, n] of pa) {
      common += Math.min(n, pb.get(pair) ?? 0);
      total += n;
    }
    for (const n of pb.values()) total += n;
    return total ? 2 * common / total : 0;
  }

  // nearest.ts
  function nearest(role, name) {
    const same2 = [];
    const other = [];
    for (const root of allRoots()) {
      for (const el of query(root, "*")) {
        const kind = kindOf(el);
        if (kind.role !== role && !interactive.has(kind.role)) continue;
        if (!isVisible(el)) continue;
        const has = infoOf(el).name;
        const score = closeness(name, has);
        const shown = `${kind.role} ${JSON.stringify(clip(has, 60))}`;
        if (kind.role === role) same2.push([score, shown]);
        else if (score > 0.6) other.push([score, shown]);
      }
    }
    const best = [.../* @__PURE__ */ new Set([...top(same2, name ? 0.25 : 0), ...top(other, 0.6)])].slice(0, 5);
    if (best.length) return `; nearest: ${best.join(", ")}`;
    if (same2.length) return `; ${role}s here: ${top(same2, -1).slice(0, 5).join(", ")}`;
    return "; take a snapshot to see what there is";
  }
  function top(list3, least) {
    return list3.filter(([score]) => score >= least).sort((a, b) => b[0] - a[0]).map(([, shown]) => shown);
  }

  // locate.ts
  var Several = class extends Failure {
    constructor(message, data2) {
      super("AMBIGUOUS", message);
      this.data = data2;
    }
    data;
  };
  function resolve(loc) {
    if (loc.node) return byNode(loc);
    let found = matchesOf(loc);
    if (!found.length) {
      requireHosts();
      fail("SELECTOR_NOT_FOUND", missing(loc));
    }
    found = preferred(found);
    if (loc.nth != null) {
      const el = found[loc.nth < 0 ? found.length + loc.nth : loc.nth];
      if (!el) fail("SELECTOR_NOT_FOUND", `${wording(loc)} has ${count(found.length)}, so there is no nth ${loc.nth}; nth counts from 0`);
      return el;
    }
    if (found.length > 1) throw several(loc, found);
    return found[0];
  }
  function matchesOf(loc) {
    if (loc.selector) return bySelector(loc.selector);
    if (loc.role) return byRole(loc.role, loc.name);
    return fail("BAD_ARGS", "a target needs a selector, a ref, or a role with a name");
  }
  function byNode(loc) {
    if (loc.document && loc.document !== documentId) {
      fail("REF_EXPIRED", `the page was replaced since ${wording(loc)} was listed; take a new snapshot`);
    }
    const el = elementOf(loc.node);
    if (!el) return fail("REF_EXPIRED", `${wording(loc)} is no longer on the page; take a new snapshot`);
    if (loc.shownAs && isVisible(el) && !stillShown(el, loc.shownAs)) {
      fail("REF_EXPIRED", `the element listed as ${quote(loc.shownAs)} is now ${quote(shownAs(el))}; take a new snapshot`);
    }
    return el;
  }
  function stillShown(el, was) {
    const want = fold(was);
    if (fold(shownAs(el)) === want) return true;
    const text3 = /^text (.*?)…?$/s.exec(want);
    return !!text3 && fold(innerTextOf(el)).includes(fold(text3[1]).slice(0, 200));
  }
  var innerTextOf = (el) => (isHTML(el) ? innerText(el) : textContent(el)) ?? "";
  function bySelector(selector) {
    const found = [];
    try {
      for (const root of allRoots()) for (const el of query(root, selector)) found.push(el);
    } catch (e) {
      const hint2 = /^\s*\/|text=|:has-text|>>|:contains\(|xpath/.test(selector) ? "; only CSS is understood here, text is found by role and name" : "";
      fail("BAD_ARGS", `${quote(selector, 200)} is not a CSS selector (${e.message.replace(/^.*?: /, "")})${hint2}`);
    }
    const active = found.length > 1 && /:focus\b(?!-)/.test(selector) ? activeElement() : null;
    return active && found.includes(active) ? [active] : found;
  }
  var tags = {
    button: "button,summary,input,label,[role]",
    link: "a,area,[role]",
    textbox: "input,textarea,[contenteditable],[role],body,div",
    searchbox: "input,[role]",
    spinbutton: "input,[role]",
    slider: "input,[role]",
    checkbox: "input,label,[role]",
    radio: "input,label,[role]",
    switch: "input,label,[role]",
    combobox: "select,input,[role]",
    listbox: "select,[role]",
    option: "option,[role]",
    heading: "h1,h2,h3,h4,h5,h6,[role]",
    tab: "[role]",
    menuitem: "[role]",
    treeitem: "[role]",
    menuitemcheckbox: "[role]",
    menuitemradio: "[role]",
    dialog: "dialog,[role]",
    iframe: "iframe,frame,fencedframe,object,embed",
    list: "ul,ol,menu,[role]",
    listitem: "li,[role]",
    row: "tr,[role]",
    table: "table,[role]"
  };
  function ofRole(role) {
    const found = [];
    const want = canonicalRole(role);
    for (const root of allRoots()) for (const el of query(root, tags[want] ?? "*")) if (kindOf(el).role === want) found.push(el);
    return found;
  }
  function byRole(role, name) {
    const all = ofRole(role);
    if (!name) return all;
    const want = fold(name);
    const like = alike(name);
    const found = all.filter((el) => {
      const has = infoOf(el).name;
      return alike(has) === like || has.length > 100 && alike(shownName(has)) === like;
    });
    if (found.length < 2) return found;
    const exact = found.filter((el) => infoOf(el).name === want);
    return exact.length ? exact : found;
  }
  function preferred(found) {
    if (found.length < 2) return found;
    for (const good of [isVisible, (el) => !ariaHidden(el), (el) => !inertBy(el)]) {
      const some = found.filter(good);
      if (some.length) found = some;
    }
    return found;
  }
  function several(loc, found) {
    const listed = found.slice(0, 5);
    const lines = listed.map((el, i) => `nth ${i}: ${[label(el), surroundings(el)].filter(Boolean).join(" ")}`);
    const more = found.length > listed.length ? `; … ${found.length - listed.length} more` : "";
    return new Several(`${wording(loc)} has ${count(found.length)}: ${lines.join("; ")}${more}. Say which with nth, a ref or a narrower target`, {
      candidates: listed.map((el) => ({ node: numberOf(el), role: infoOf(el).role, name: shownName(infoOf(el).name), where: surroundings(el) }))
    });
  }
  var count = (n) => n === 1 ? "one match" : `${n} matches`;
  function wording(loc) {
    if (loc.selector) return `selector ${quote(loc.selector, 120)}`;
    if (loc.role) return loc.name ? `${loc.role} ${quote(loc.name)}` : `role ${loc.role}`;
    return loc.shownAs ? quote(loc.shownAs) : "the element";
  }
  function missing(loc) {
    if (loc.selector) return `nothing matches ${wording(loc)} in this frame${idHint(loc.selector)}`;
    return `there is no ${wording(loc)} in this frame${nearest(canonicalRole(loc.role), loc.name ?? "")}`;
  }
  function idHint(selector) {
    const id = /#([\w-]+)/.exec(selector)?.[1]?.toLowerCase();
    if (!id) return "";
    const near = [];
    for (const el of query(document, "[id]")) {
      const has = attr(el, "id");
      if (has.toLowerCase() !== id && !has.toLowerCase().includes(id)) continue;
      near.push("#" + has);
      if (near.length === 3) break;
    }
    return near.length ? `; there is ${near.join(", ")}` : "";
  }

  // math.ts
  var accents = {
    "^": "hat",
    "ˆ": "hat",
    "~": "tilde",
    "˜": "tilde",
    "¯": "bar",
    "‾": "overline",
    "―": "overline",
    "→": "vec",
    "⃗": "vec",
    "˙": "dot",
    "¨": "ddot",
    "⏞": "overbrace"
  };
  var large = /^[∑∏∐⋂⋃⋁⋀]$/;
  var most2 = 2e3;
  function texOfMath(el) {
    const s = queryIn(el, "*").length > most2 ? textContent(el) ?? "" : row(el);
    return s.replace(/\s+/g, " ").trim();
  }
  function children(el) {
    const found = [];
    for (let n = firstChild(el); n; n = nextSibling(n)) if (isElement(n)) found.push(n);
    return found;
  }
  var row = (el) => {
    const parts = children(el);
    return parts.length ? parts.map(tex).join("") : (textContent(el) ?? "").replace(/[\u2061-\u2064]/g, "").trim();
  };
  var arg = (el) => el ? `{${tex(el).trim()}}` : "{}";
  var base2 = (el) => {
    const s = el ? tex(el).trim() : "";
    return [...s].length > 1 && !/^\\[a-z]+(\{.*\})?$/.test(s) && !/^[\p{L}\d.]+$/u.test(s) ? `{${s}}` : s;
  };
  function tex(el) {
    const [a, b, c] = children(el);
    switch (localName(el)) {
      case "semantics":
        return a ? tex(a) : "";
      case "annotation":
      case "annotation-xml":
      case "mphantom":
        return "";
      case "mfrac":
        return `\\frac${arg(a)}${arg(b)}`;
      case "msqrt":
        return `\\sqrt{${row(el).trim()}}`;
      case "mroot":
        return `\\sqrt[${b ? tex(b).trim() : ""}]${arg(a)}`;
      case "msup":
        return `${base2(a)}^${arg(b)}`;
      case "msub":
        return `${base2(a)}_${arg(b)}`;
      case "msubsup":
      case "munderover":
        return `${base2(a)}_${arg(b)}^${arg(c)}`;
      case "munder":
        return `${base2(a)}_${arg(b)}`;
      case "mover":
        return over(a, b);
      case "mtable":
        return `\\begin{matrix}${children(el).map((r) => children(r).map((d) => tex(d).trim()).join(" & ")).join(" \\\\ ")}\\end{matrix}`;
      case "mspace":
        return " ";
      case "mtext":
        return `\\text{${textContent(el) ?? ""}}`;
      case "mo":
        return operator(row(el));
      default:
        return row(el);
    }
  }
  function over(a, b) {
    const sign = b ? (textContent(b) ?? "").trim() : "";
    const accent = accents[sign];
    return accent && !(a && large.test((textContent(a) ?? "").trim())) ? `\\${accent}${arg(a)}` : `${base2(a)}^${arg(b)}`;
  }
  var operator = (s) => /^[{}%#&$_]$/.test(s) ? "\\" + s : /^[=<>≤≥≠≈±∓×÷·→⇒∈−]$/.test(s) ? ` ${s} ` : s;

  // hit.ts
  function reaches(hit, el) {
    if (!hit) return false;
    if (hit === el || within(hit, el)) return true;
    if (labelledControl(hit) === el) return true;
    if (localName(el) === "area" && hit === imageOfArea(el)) return true;
    if (hit instanceof HTMLOptionElement || localName(el) === "option") return localName(hit) === "select" && within(el, hit);
    return throughPart(hit, el) || unseenHost(hit, el);
  }
  function throughPart(hit, el) {
    if (kindOf(el).act || styleOf(el).pointerEvents !== "none") return false;
    for (let at = flatParent(el); at; at = flatParent(at)) if (kindOf(at).act) return within(hit, at);
    return false;
  }
  function unseenHost(hit, el) {
    for (let root = rootOf(el); isShadowRoot(root); root = rootOf(hostOf(root))) if (hostOf(root) === hit && shadowOf(hit) !== root) return true;
    return false;
  }
  function nested(hit, el) {
    for (let at = hit; at && at !== el; at = flatParent(at)) if (kindOf(at).act) return true;
    return false;
  }
  function hitAt(p) {
    return fromPoint(p.x, p.y);
  }
  function coverName(hit) {
    if (!hit) return "nothing of this page";
    const own = label(hit);
    if (infoOf(hit).act || /dialog|alert/.test(infoOf(hit).role)) return own;
    for (let at = composedParent(hit), n = 0; at && n < 10; at = composedParent(at), n++) {
      const info = infoOf(at);
      if (info.role && info.role !== "iframe" && (info.name || /dialog/.test(info.role))) return `${own} in ${label(at)}`;
    }
    return own;
  }

  // points.ts
  function viewport() {
    const root = documentElement(document);
    const quirks = compatMode(document) === "BackCompat";
    if (!root || quirks || !(root instanceof HTMLElement)) return { width: innerWidth, height: innerHeight };
    return { width: Math.min(innerWidth, clientWidth(root) || innerWidth), height: Math.min(innerHeight, clientHeight(root) || innerHeight) };
  }
  function inView(p) {
    const v = viewport();
    return p.x >= 0 && p.y >= 0 && p.x < v.width && p.y < v.height;
  }
  var spread = [
    [0.5, 0.5],
    [0.25, 0.5],
    [0.75, 0.5],
    [0.5, 0.25],
    [0.5, 0.75],
    [0.1, 0.5],
    [0.9, 0.5],
    [0.15, 0.15],
    [0.85, 0.85],
    [0.15, 0.85],
    [0.85, 0.15]
  ];
  function boxes(el) {
    if (localName(el) === "area") return areaBoxes(el);
    const own = Array.from(rectsOf(el)).filter((r) => r.width > 0 && r.height > 0);
    if (own.length) return own;
    const inner = [];
    eachChild(el, (n) => {
      if (isElement(n) && inner.length < 8) inner.push(...boxes(n));
      else if (!isElement(n) && inner.length < 8) inner.push(...textBoxes(n));
    });
    return inner;
  }
  function textBoxes(n) {
    const range = createRange(document);
    range.selectNodeContents(n);
    return Array.from(range.getClientRects()).filter((r) => r.width > 0 && r.height > 0);
  }
  function pointsOf(el) {
    if (localName(el) === "area") return areaPoints(el).filter(inView);
    const v = viewport();
    const points = [];
    const rects = boxes(el).slice(0, 6);
    for (const [fx, fy] of spread) {
      for (const r of rects) {
        const left = Math.max(0, r.left);
        const top2 = Math.max(0, r.top);
        const right = Math.min(v.width, r.right);
        const bottom = Math.min(v.height, r.bottom);
        if (right - left <= 0 || bottom - top2 <= 0) continue;
        points.push({ x: left + (right - left) * fx, y: top2 + (bottom - top2) * fy });
      }
    }
    return points.concat(shapePoints(el));
  }
  function shapePoints(el) {
    if (el instanceof SVGGeometryElement) return outlinePoints(el);
    if (!(el instanceof SVGGraphicsElement)) return [];
    const shapes = Array.from(queryIn(el, "path,circle,ellipse,line,polygon,polyline,rect")).slice(0, 8);
    return shapes.flatMap((s) => s instanceof SVGGeometryElement ? outlinePoints(s) : []);
  }
  function outlinePoints(el) {
    const matrix = el.getScreenCTM();
    const length = el.getTotalLength();
    if (!matrix || !length) return [];
    return [0.5, 0.25, 0.75, 0.1, 0.9].map((f) => {
      const p = el.getPointAtLength(length * f).matrixTransform(matrix);
      return { x: p.x, y: p.y };
    }).filter(inView);
  }
  function areaOf(area2) {
    const img = imageOfArea(area2);
    if (!img) return null;
    const image = rectOf(img);
    const at = (attr(area2, "coords") ?? "").split(/[\s,;]+/).filter(Boolean).map(Number).filter((n) => !isNaN(n));
    const shape = (attr(area2, "shape") ?? "rect").toLowerCase();
    const kind = shape.startsWith("def") || at.length < 3 ? "all" : shape.startsWith("circ") ? "circle" : shape.startsWith("poly") ? "poly" : "rect";
    const html3 = img instanceof HTMLElement;
    return { shape: kind, at, image, sx: html3 && image.width / offsetWidth(img) || 1, sy: html3 && image.height / offsetHeight(img) || 1 };
  }
  var even = (at) => at.filter((_, i) => i % 2 === 0);
  var odd = (at) => at.filter((_, i) => i % 2 === 1);
  function areaBoxes(area2) {
    const a = areaOf(area2);
    if (!a) return [];
    if (a.shape === "all") return [a.image];
    const c = a.at;
    let [left, top2, right, bottom] = [Math.min(c[0], c[2]), Math.min(c[1], c[3] ?? c[1]), Math.max(c[0], c[2]), Math.max(c[1], c[3] ?? c[1])];
    if (a.shape === "circle") [left, top2, right, bottom] = [c[0] - c[2], c[1] - c[2], c[0] + c[2], c[1] + c[2]];
    if (a.shape === "poly") [left, top2, right, bottom] = [Math.min(...even(c)), Math.min(...odd(c)), Math.max(...even(c)), Math.max(...odd(c))];
    return [new DOMRect(a.image.left + left * a.sx, a.image.top + top2 * a.sy, (right - left) * a.sx, (bottom - top2) * a.sy)];
  }
  function areaPoints(area2) {
    const a = areaOf(area2);
    const box = areaBoxes(area2)[0];
    if (!a || !box) return [];
    if (a.shape !== "poly") return spread.slice(0, 5).map(([fx, fy]) => ({ x: box.left + box.width * fx, y: box.top + box.height * fy }));
    const xs = even(a.at).map((x) => a.image.left + x * a.sx);
    const ys = odd(a.at).map((y) => a.image.top + y * a.sy);
    return [0.5, 0.25, 0.75, 0.1, 0.9].flatMap((f) => widest(xs, ys, box.top + box.height * f));
  }
  function widest(xs, ys, y) {
    const cuts = [];
    for (let i = 0, k = ys.length - 1; i < ys.length; k = i++) {
      const [a, b] = [ys[k], ys[i]];
      if (a <= y !== b <= y) cuts.push(xs[k] + (y - a) / (b - a) * (xs[i] - xs[k]));
    }
    cuts.sort((a, b) => a - b);
    let best = null;
    for (let i = 0; i + 1 < cuts.length; i += 2) if (!best || cuts[i + 1] - cuts[i] > best[1] - best[0]) best = [cuts[i], cuts[i + 1]];
    return best ? [{ x: (best[0] + best[1]) / 2, y }] : [];
  }

  // outline.ts
  var skipped = new Set("script style template noscript head meta link title base param source track col colgroup datalist".split(" "));
  var folded = new Set("paragraph strong emphasis code subscript superscript insertion deletion time rowgroup document application caption none suggestion".split(" "));
  var structure = new Set(
    "list listitem table grid treegrid row cell gridcell columnheader rowheader term definition blockquote article figure complementary main banner contentinfo navigation search region form group status alert log note feed toolbar tablist menu menubar radiogroup tree listbox tabpanel dialog alertdialog directory marquee timer heading".split(" ")
  );
  var frames = new Set("dialog alertdialog main navigation banner contentinfo complementary search form region menu listbox toolbar tablist tree grid radiogroup".split(" "));
  var pointed = new Set("heading img list table grid treegrid tree dialog alertdialog iframe canvas video audio form region main navigation complementary article group figure tabpanel alert status".split(" "));
  var quieting = new Set("label legend caption figcaption".split(" "));
  function saidElsewhere(el, name) {
    if (name === "label") {
      const control = controlOf(el);
      return !!control && isVisible(control) && !hasAttr(control, "aria-label") && !hasAttr(control, "aria-labelledby");
    }
    const parent = flatParent(el);
    return !!parent && !!roleOf(parent) && infoOf(parent).name === contentName(el);
  }
  var origin = self.origin;
  function linkURL(el) {
    const raw = (attr(el, "href") ?? attr(el, "xlink:href") ?? "").trim();
    if (!raw || /^(javascript|data|blob):/i.test(raw)) return "";
    if (raw.startsWith("#")) return raw.length <= 40 && raw.length > 1 ? raw : "";
    const full = el instanceof HTMLAnchorElement || el instanceof HTMLAreaElement ? el.href : raw;
    const short = full.startsWith(origin + "/") ? full.slice(origin.length) : full;
    return short.length <= 80 ? short : "";
  }
  var icon = 48;
  function isDrawing(el) {
    if (namespaceURI(el) !== SVG) return queryIn(el, "a[href],button,input,select,textarea,[tabindex],[onclick]").length > 0;
    return localName(el) === "svg" && clientWidth(el) > icon && clientHeight(el) > icon || queryIn(el, "a,text,foreignObject,[tabindex],[onclick],[role=button],[role=link]").length > 0;
  }

  // states.ts
  var focused;
  onFresh(() => focused = void 0);
  var told = new Set("date time datetime-local month week color file email tel url".split(" "));
  function statesOf(el, role) {
    const s = [];
    if (role === "heading") s.push(`level=${headingLevel(el)}`);
    const type = inputType(el);
    if (told.has(type)) s.push(type);
    if ((type || localName(el) === "textarea") && isPassword(el)) s.push(type === "password" ? "password" : "secret");
    if (isDisabled(el)) s.push("disabled");
    const checked = checkedOf(el, role);
    if (checked) s.push(checked === "mixed" ? "mixed" : "checked");
    if (hasAttrs(el) || role === "option" || localName(el) === "summary") ariaStates(el, role, s);
    if ((type || localName(el) === "textarea") && isReadOnly(el)) s.push("readonly");
    if (focused === void 0) focused = activeElement();
    if (el === focused) s.push("focused");
    return s;
  }
  function ariaStates(el, role, s) {
    const expanded = expandedOf(el);
    if (expanded !== null) s.push(expanded ? "expanded" : "collapsed");
    if (isSelected(el, role)) s.push("selected");
    const pressed = attr(el, "aria-pressed");
    if (pressed === "true") s.push("pressed");
    else if (pressed === "mixed") s.push("mixed");
    if (hasAttr(el, "required") || attr(el, "aria-required") === "true") s.push("required");
    const invalid = attr(el, "aria-invalid");
    if (invalid !== null && invalid !== "false" || userInvalid(el)) s.push("invalid");
    const current2 = attr(el, "aria-current");
    if (current2 && current2 !== "false") s.push("current");
    if (attr(el, "aria-busy") === "true") s.push("busy");
    const popup = attr(el, "aria-haspopup");
    if (popup && popup !== "false") s.push(popup === "true" ? "haspopup" : `haspopup=${popup}`);
    const sort = attr(el, "aria-sort");
    if (sort === "ascending" || sort === "descending") s.push(`sort=${sort}`);
  }
  var userInvalid = (el) => /^(input|select|textarea)$/.test(localName(el)) && matches(el, ":user-invalid");
  function expandedOf(el) {
    const given = attr(el, "aria-expanded");
    if (given === "true" || given === "false") return given === "true";
    if (localName(el) === "summary") {
      const parent = composedParent(el);
      return parent instanceof HTMLDetailsElement ? parent.open : null;
    }
    if (hasAttr(el, "popovertarget") && el instanceof HTMLButtonElement) {
      const target = el.popoverTargetElement;
      return target ? matches(target, ":popover-open") : null;
    }
    return null;
  }
  function isSelected(el, role) {
    if (el instanceof HTMLOptionElement) return el.selected;
    return attr(el, "aria-selected") === "true" && /^(option|tab|treeitem|gridcell|row|columnheader|rowheader)$/.test(role);
  }

  // snapshot.ts
  var maxValue = 300;
  function snapshot(args) {
    freshStyles();
    const root = args.root ? resolve(args.root) : null;
    const walker = new Walker(args);
    const entries = walker.run(root);
    return { nodes: entries.map((e) => e.node), ...walker.left ? { truncated: walker.left } : {} };
  }
  function frameOwners() {
    const found = [];
    for (const root of allRoots()) for (const el of query(root, "iframe,frame,fencedframe,object,embed")) found.push(el);
    return found;
  }
  var Walker = class {
    entries = [];
    left = 0;
    text = "";
    textEl = null;
    textDepth = 0;
    only;
    max;
    maxDepth;
    modal = null;
    aboveModal = /* @__PURE__ */ new Set();
    owned = /* @__PURE__ */ new Set();
    owners = false;
    frameList = null;
    evenHidden = false;
    constructor(args) {
      this.only = !!args.interactiveOnly;
      this.max = args.max || 2e4;
      this.maxDepth = args.depth || Infinity;
    }
    run(root) {
      notePasswords();
      if (!root) this.lookForModal();
      if (anyOwned()) this.lookForOwned();
      const top2 = root ?? bodyOf(document) ?? documentElement(document);
      if (top2) {
        if (root || localName(top2) !== "body" || editableRoot(top2)) this.element(top2, { depth: 0, quiet: false });
        else this.children(top2, { depth: 0, quiet: false });
      }
      this.flush();
      if (!root && !this.entries.length && !this.left && !this.evenHidden && query(document, "[aria-hidden=true]").length) {
        this.evenHidden = true;
        return this.run(root);
      }
      return this.entries;
    }
    lookForModal() {
      this.modal = topModal();
      for (let at = this.modal; at; at = flatParent(at)) this.aboveModal.add(at);
    }
    lookForOwned() {
      this.owners = true;
      for (const el of query(document, "[aria-owns]")) for (const o of ownedBy(el)) if (!within(el, o)) this.owned.add(o);
    }
    children(el, at) {
      const say = !at.quiet && !this.only && shows(el) && !closedDetails(el);
      if (say) this.addText(generated(el, "::before"), el, at.depth);
      const visit = (n) => {
        if (isElement(n)) {
          if (!this.owners || !this.owned.has(n)) this.element(n, at);
        } else if (say && isText(n)) this.addText(data(n), el, at.depth);
      };
      if (!shadowOf(el) && localName(el) !== "slot") for (let n = firstChild(el); n; n = nextSibling(n)) visit(n);
      else eachChild(el, visit);
      if (this.owners) {
        for (const o of ownedBy(el)) if (this.owned.has(o)) this.element(o, at);
      }
      if (say) this.addText(generated(el, "::after"), el, at.depth);
    }
    addText(s, el, depth) {
      if (!s) return;
      if (depth !== this.textDepth) this.flush();
      if (!this.text) this.textEl = el;
      this.textDepth = depth;
      this.text += s;
    }
    flush() {
      if (!this.text) return;
      const s = fold(this.text);
      this.text = "";
      if (s && this.textEl) this.push({ d: this.textDepth, r: "text", n: s }, this.textEl);
      this.textEl = null;
    }
    push(node2, el) {
      if (node2.d >= this.maxDepth || this.entries.length >= this.max) {
        this.left++;
        return false;
      }
      this.entries.push({ node: node2, el });
      return true;
    }
    element(el, at) {
      const name = localName(el);
      const html3 = namespaceURI(el) === HTML;
      if (html3 && skipped.has(name)) return;
      if (this.modal && !this.aboveModal.has(el) && !within(el, this.modal)) return;
      if (hasAttrs(el) && (attr(el, "aria-hidden") === "true" && !this.evenHidden || html3 && hasAttr(el, "inert"))) return;
      if (!checkVisibility(el) || html3 && hasAttr(el, "hidden")) {
        if (html3 && name === "map") return this.children(el, at);
        if (!rendered(el)) return;
      }
      const inside = this.modal === el ? (this.modal = null, true) : false;
      this.visible(el, at, name, html3);
      if (inside) this.modal = el;
    }
    visible(el, at, name, html3) {
      if (html3 && name === "br") return this.addText(" ", el, at.depth);
      const { role, act } = kindOf(el);
      if (html3 && quieting.has(name) && saidElsewhere(el, name)) at = { ...at, quiet: true };
      if (!html3 && name === "text") this.addText(" ", el, at.depth);
      if (this.only || !html3 && !role || /^(inline|contents)$/.test(displayOf(el))) return this.inside(el, at, role, act);
      this.flush();
      this.inside(el, at, role, act);
      this.flush();
    }
    inside(el, at, role, act) {
      const leaf = namespaceURI(el) !== HTML && role === "img" && !isDrawing(el);
      if (!role || !act && folded.has(role) || !shows(el)) {
        if (!leaf) this.children(el, at);
        return;
      }
      if (this.only && !act && role !== "iframe" && !frames.has(role)) return this.children(el, at);
      if (at.quiet && !act && role !== "iframe") return this.children(el, at);
      const info = infoOf(el);
      if (!act && role === "group" && !info.name) return this.children(el, at);
      if (!act && (role === "separator" || role === "img" && !info.name)) return leaf ? void 0 : this.children(el, at);
      this.node(el, at, role, act, info.name);
    }
    node(el, at, role, act, name) {
      if (!this.only) this.flush();
      const node2 = { d: at.depth, r: role };
      if (name) node2.n = shownName(name);
      this.detail(node2, el, role, act);
      const mark = this.entries.length;
      const before = this.left;
      const shown = this.push(node2, el);
      const quiet = at.quiet || !!name && (namedByContent.has(role) || act || role === "img");
      if (!this.closed(el, node2, role)) this.children(el, { depth: at.depth + 1, quiet });
      this.flush();
      if (shown) this.tidy(mark, node2, act, this.left > before);
    }
    detail(node2, el, role, act) {
      const subject = localName(el) === "label" ? hiddenControl(el) ?? el : el;
      if (act) node2.a = true;
      const value2 = editableRoot(subject) ? fold(richText(subject)) : valueOf(subject, role);
      if (value2 && value2 !== node2.n) node2.v = clip(fold(value2), maxValue);
      const states = statesOf(subject, role);
      if (states.length) node2.s = states;
      if (act || pointed.has(role)) node2.e = numberOf(el);
      if (role === "link") {
        const url = linkURL(el);
        if (url) node2.u = url;
      }
      if (role === "iframe") {
        this.frameList ??= frameOwners();
        node2.f = this.frameList.indexOf(el) + 1;
        if (!node2.n) delete node2.n;
      }
    }
    // Elements whose content is not walked: it is their value, or not there.
    closed(el, node2, role) {
      if (el instanceof HTMLSelectElement) {
        if (role === "combobox") {
          this.options(el, node2);
          return true;
        }
        return false;
      }
      if (role === "img") return !isDrawing(el);
      if (role === "canvas" || role === "iframe") return true;
      if (el instanceof HTMLTextAreaElement || el instanceof HTMLMeterElement || el instanceof HTMLProgressElement) return true;
      return editableRoot(el);
    }
    // The options of a collapsed select on one line: enough to choose by.
    options(el, node2) {
      const all = Array.from(el.options).filter((o) => rendered(o));
      const most4 = this.only ? 12 : 30;
      const labels = all.slice(0, most4).map((o) => clip(optionLabel(o), 40) + (o.disabled ? " (disabled)" : ""));
      if (all.length > most4) labels.push(`… ${all.length - most4} more`);
      if (all.length) this.push({ d: node2.d + 1, r: "options", n: labels.join(" | ") }, el);
    }
    tidy(mark, node2, act, cut2) {
      const kids = this.entries.length - mark - 1;
      const first = this.entries[mark + 1]?.node;
      if (!kids && !cut2) {
        if (!act && (this.only ? node2.r !== "iframe" : structure.has(node2.r) && !node2.n && !node2.v)) this.entries.length = mark;
        return;
      }
      if (!first) return;
      if (node2.r === "listitem" && !node2.n && !act && first.e && this.onlyChild(mark)) return this.lift(mark);
      if (node2.r === "clickable" && kids > 1 && this.repeats(mark)) delete node2.n;
      if (kids !== 1) return;
      if (first.r === "text" && !node2.n && structure.has(node2.r)) {
        node2.n = first.n;
        this.entries.pop();
      } else if (node2.r === "clickable" && first.a && (!node2.n || first.n === node2.n)) {
        if (first.r === "clickable" && !hasAttr(this.entries[mark + 1].el, "onclick")) this.entries.pop();
        else this.lift(mark);
      } else if (node2.r === "heading" && first.r === "link" && first.n === node2.n && !act) {
        first.s = [...(node2.s ?? []).map((s) => s.replace("level", "heading")), ...first.s ?? []];
        this.lift(mark);
      }
    }
    // Whether a name is no more than the names of what is in the entry, one after the other.
    repeats(mark) {
      const plain3 = (s = "") => s.replace(/[\s\u200b]/g, "");
      return plain3(this.entries[mark].node.n) === plain3(this.entries.slice(mark + 1).map((e) => e.node.n ?? "").join(""));
    }
    onlyChild(mark) {
      const depth = this.entries[mark].node.d;
      return this.entries.findLastIndex((e) => e.node.d === depth + 1) === mark + 1;
    }
    // Takes an entry away and its children up.
    lift(mark) {
      this.entries.splice(mark, 1);
      for (let i = mark; i < this.entries.length; i++) this.entries[i].node.d--;
    }
  };
  function richText(el) {
    return innerText(el) ?? "";
  }

  // frame.ts
  function frameOwner(args, owner2) {
    if (!(owner2 instanceof Element)) return fail("BAD_ARGS", "frameOwner needs the element that holds the frame");
    freshStyles();
    const was = map(owner2, args);
    let p = was;
    if (args.into && !inView(p)) {
      scrollIntoView(owner2, { block: "nearest", inline: "nearest", behavior: "instant" });
      freshStyles();
      p = map(owner2, args);
      if (!inView(p)) p = pull(owner2, args, p);
    }
    if (args.wake && attr(owner2, "loading") === "lazy" && !inView(p)) scrollIntoView(owner2, { block: "nearest", inline: "nearest", behavior: "instant" });
    let hit = hitAt(p);
    if (args.into && inView(p) && hit !== owner2) {
      p = toMiddle(owner2, args, p);
      hit = hitAt(p);
    }
    const out = { x: p.x, y: p.y, index: frameOwners().indexOf(owner2) + 1 };
    if (inView(p) ? hit !== owner2 : args.into) out.covered = inView(p) ? coverName(hit) : "the edge of the viewport";
    if (args.into && (p.x !== was.x || p.y !== was.y)) out.moved = true;
    out.selector = selectorOf(owner2);
    if (!frameShows(owner2)) out.hidden = true;
    return out;
  }
  function frameShows(owner2) {
    return isVisible(owner2) && clientWidth(owner2) > 1 && clientHeight(owner2) > 1;
  }
  function pull(owner2, args, p) {
    for (let at = owner2; at && !inView(p); at = flatParent(at)) {
      scrollBy(at, { left: p.x - innerWidth / 2, top: p.y - innerHeight / 2, behavior: "instant" });
      freshStyles();
      p = map(owner2, args);
    }
    return p;
  }
  function toMiddle(owner2, args, p) {
    for (let at = owner2; at && hitAt(p) !== owner2; at = flatParent(at)) {
      scrollBy(at, { left: 0, top: p.y - innerHeight / 2, behavior: "instant" });
      freshStyles();
      p = map(owner2, args);
    }
    return p;
  }
  function map(owner2, child2) {
    const style = styleOf(owner2);
    const zoom = cssZoom(owner2) ?? 1;
    const box = rectOf(owner2);
    const linear = linearPart(owner2);
    const width = owner2 instanceof HTMLElement ? offsetWidth(owner2) : box.width;
    const height = owner2 instanceof HTMLElement ? offsetHeight(owner2) : box.height;
    const x = clientLeft(owner2) + parseFloat(style.paddingLeft) + child2.x - width / 2;
    const y = clientTop(owner2) + parseFloat(style.paddingTop) + child2.y - height / 2;
    return {
      x: box.left + box.width / 2 + (linear.a * x + linear.c * y) * zoom,
      y: box.top + box.height / 2 + (linear.b * x + linear.d * y) * zoom
    };
  }
  function linearPart(el) {
    let total = new DOMMatrix();
    for (let at = el; at; at = flatParent(at)) {
      const style = styleOf(at);
      const own = new DOMMatrix();
      if (style.rotate && style.rotate !== "none") own.multiplySelf(new DOMMatrix(`rotate(${style.rotate})`));
      if (style.scale && style.scale !== "none") own.multiplySelf(new DOMMatrix(`scale(${style.scale.split(" ").join(",")})`));
      if (style.transform && style.transform !== "none") own.multiplySelf(new DOMMatrix(style.transform));
      if (!own.isIdentity) total = own.multiply(total);
    }
    return total;
  }
  function siblings(el) {
    const found = [];
    const parent = parentNode(el);
    for (let n = parent && firstChild(parent); n; n = nextSibling(n)) if (isElement(n)) found.push(n);
    return found;
  }
  function selectorOf(el) {
    const root = rootOf(el);
    const id = idOf(el);
    const unique = (s) => query(root, s).length === 1;
    if (id && unique("#" + CSS.escape(id))) return "#" + CSS.escape(id);
    for (const name of ["name", "title", "src"]) {
      const value2 = attr(el, name);
      const s = value2 && value2.length < 120 ? `${localName(el)}[${name}="${CSS.escape(value2)}"]` : "";
      if (s && unique(s)) return s;
    }
    const steps = [];
    for (let at = el; at; at = isElement(parentNode(at)) ? parentNode(at) : null) {
      const same2 = siblings(at).filter((s2) => localName(s2) === localName(at));
      steps.unshift(same2.length > 1 ? `${localName(at)}:nth-of-type(${same2.indexOf(at) + 1})` : localName(at));
      const s = steps.join(" > ");
      if (unique(s)) return s;
    }
    return steps.join(" > ");
  }

  // cut.ts
  var encoder = new TextEncoder();
  function cut(s, max) {
    s = s.toWellFormed();
    const total = byteLength(s);
    if (total <= max) return { text: s, total };
    let end = unitsFor(s, max);
    const from = Math.max(0, end - 64);
    const near = s.slice(from, end + 64);
    let boundary = from;
    for (const seg of new Intl.Segmenter().segment(near)) {
      if (from + seg.index > end) break;
      boundary = from + seg.index;
    }
    if (boundary > from || from === 0) end = boundary;
    return { text: s.slice(0, end), total, cut: true };
  }
  var scratch;
  function byteLength(s) {
    scratch ??= new Uint8Array(64 << 10);
    let bytes2 = 0;
    for (let at = 0; at < s.length; ) {
      const { read, written } = encoder.encodeInto(at ? s.slice(at) : s, scratch);
      bytes2 += written;
      at += read;
    }
    return bytes2;
  }
  function unitsFor(s, max) {
    const { read } = encoder.encodeInto(s, new Uint8Array(max));
    return read ?? 0;
  }

  // wait.ts
  var now = () => performance.now();
  function pause(ms) {
    if (docHidden(document)) {
      const late = engineTimer(ms);
      if (late) return late;
    }
    return new Promise((done) => setTimeout(done, ms));
  }
  var cell;
  function engineTimer(ms) {
    if (cell === void 0) {
      try {
        cell = new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer);
      } catch {
        cell = null;
      }
    }
    const atomics = Atomics;
    if (!cell || !atomics.waitAsync) return null;
    return Promise.resolve(atomics.waitAsync(cell, 0, 0, ms).value).then(() => void 0);
  }
  function change(ms) {
    return new Promise((done) => {
      const observer = new MutationObserver(() => end());
      const end = () => {
        observer.disconnect();
        done();
      };
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      void pause(ms).then(end);
    });
  }
  var passing = /* @__PURE__ */ new Set(["SELECTOR_NOT_FOUND", "NOT_ACTIONABLE"]);
  async function retry(p, attempt) {
    const start = now();
    const end = start + Math.max(0, p.timeoutMs || 0);
    for (let tries = 0; ; tries++) {
      const began = now();
      try {
        freshStyles();
        return await attempt(end - began);
      } catch (e) {
        if (!(e instanceof Failure) || !passing.has(e.code)) throw e;
        if (p.now && e.code === "SELECTOR_NOT_FOUND") throw e;
        const left = end - now();
        if (left <= 0 || now() - start >= e.patience) throw e;
        const rest = Math.max(8, 2 * (now() - began));
        await pause(Math.min(rest, left));
        await change(Math.min(tries < 10 ? 20 : 80, Math.max(0, end - now())));
      }
    }
  }

  // text.ts
  var maxBytes = 8 << 20;
  function text2(args) {
    return retry({ timeoutMs: args.timeoutMs ?? 0, now: args.target?.now }, () => cut(visibleText(rootOrTarget(args.target)), args.maxBytes || maxBytes));
  }
  function html2(args) {
    return retry({ timeoutMs: args.timeoutMs ?? 0, now: args.target?.now }, () => {
      const el = args.target ? resolve(args.target) : documentElement(document);
      if (!el) return cut("", 1);
      return cut(markup(el, args.target ? !!args.outer : true), args.maxBytes || maxBytes);
    });
  }
  var rootOrTarget = (target) => target ? resolve(target) : bodyOf(document) ?? documentElement(document);
  var silent2 = new Set("script style template noscript head title meta link datalist iframe frame object embed canvas audio video".split(" "));
  var blocks = /^(block|flex|grid|list-item|table|table-caption|flow-root|table-row|table-row-group|table-header-group|table-footer-group)$/;
  function visibleText(root) {
    if (!root) return "";
    const out = new Lines(2);
    if (rendered(root)) walk(root, out);
    return out.done();
  }
  function typedText(editor) {
    const out = new Lines(1);
    walk(editor, out);
    return out.done();
  }
  var Lines = class {
    // there may be spaces at ends of lines, or too many empty lines
    constructor(paragraph) {
      this.paragraph = paragraph;
    }
    paragraph;
    parts = [];
    owed = 0;
    // line breaks before the next text
    space = false;
    // a space before the next text
    empty = true;
    rough = false;
    text(s) {
      if (!s) return;
      const lead = /^\s/.test(s);
      const body = (uneven.test(s) ? s.replace(/[ \t\n\r\f]+/g, " ") : s).trim();
      if (!body) {
        this.space = true;
        return;
      }
      this.put((lead || this.space) && !this.owed && !this.empty ? " " + body : body);
      this.space = /\s$/.test(s);
    }
    raw(s) {
      this.rough ||= s.includes("\n") || s.endsWith(" ") || s.endsWith("	");
      if (s) this.put(this.space && !this.owed && !this.empty ? " " + s : s);
    }
    put(s) {
      if (this.owed && !this.empty) this.parts.push("\n".repeat(this.owed));
      this.parts.push(s);
      this.owed = 0;
      this.space = false;
      this.empty = false;
    }
    break(n) {
      this.owed = Math.max(this.owed, n);
      this.space = false;
    }
    newline() {
      if (++this.owed > 2) this.rough = true;
      this.space = false;
    }
    tab() {
      if (this.owed || this.empty) return;
      this.parts.push("	");
      this.rough = true;
      this.space = false;
    }
    done() {
      const s = this.parts.join("");
      return (this.rough ? s.replace(/[ \t]+\n/g, "\n").replace(/\n{3,}/g, "\n\n") : s).trim();
    }
  };
  var uneven = /[\t\n\r\f]|  /;
  function walk(el, out) {
    const display = displayOf(el);
    const html3 = namespaceURI(el) === HTML;
    if (html3 && localName(el) === "br") return out.newline();
    const gap = blocks.test(display) ? html3 && localName(el) === "p" ? out.paragraph : 1 : 0;
    if (gap) out.break(gap);
    else if (/^inline-(block|flex|grid|table)$/.test(display)) out.text(" ");
    if (display === "table-cell" && cellBefore(el)) out.tab();
    const own = html3 ? fieldText(el) : null;
    const visible3 = shows(el);
    if (own !== null) {
      if (visible3 && own) {
        out.raw(own);
        out.text(" ");
      }
    } else content(el, out, visible3);
    if (gap) out.break(gap);
    else if (/^inline-(block|flex|grid|table)$/.test(display)) out.text(" ");
  }
  function content(el, out, visible3) {
    let pre;
    const closed = closedDetails(el);
    if (visible3) out.text(generated(el, "::before"));
    eachChild(el, (n) => {
      if (isText(n)) {
        if (!visible3 || closed) return;
        pre ??= /^preserve/.test(styleOf(el).whiteSpaceCollapse);
        if (pre) out.raw(data(n));
        else out.text(data(n));
      } else if (isElement(n)) {
        const ns = namespaceURI(n);
        if (ns === HTML ? silent2.has(localName(n)) : /^(title|desc|defs|style|script|metadata)$/.test(localName(n))) return;
        if (rendered(n)) walk(n, out);
      }
    });
    if (visible3) out.text(generated(el, "::after"));
  }
  function cellBefore(el) {
    for (let n = el.previousElementSibling; n; n = n.previousElementSibling) if (displayOf(n) === "table-cell") return true;
    return false;
  }
  var fields = /* @__PURE__ */ new Set(["select", "textarea", "input"]);
  function fieldText(el) {
    if (!fields.has(localName(el))) return null;
    if (el instanceof HTMLSelectElement) return selectedLabels(el).join(", ");
    if (isPassword(el)) return "";
    if (el instanceof HTMLTextAreaElement) return el.value;
    if (!(el instanceof HTMLInputElement)) return null;
    if (/^(checkbox|radio|hidden|file|image|range|color)$/.test(el.type)) return "";
    if (el.type === "submit" || el.type === "reset") return el.value || (el.type === "submit" ? "Submit" : "Reset");
    return el.value;
  }
  function markup(el, outer) {
    notePasswords();
    if (!needsCare(el)) return outer ? outerHTML(el) : innerHTML(el);
    const parts = [];
    if (outer) serialize(el, parts);
    else children2(el, parts);
    return parts.join("");
  }
  function needsCare(el) {
    if (allRoots().some((r) => r !== document && (rootOf(el) === r || r instanceof ShadowRoot))) return true;
    if (isPassword(el)) return true;
    return Array.from(queryIn(el, "input[value],textarea")).some((i) => isPassword(i));
  }
  var empty = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
  var rawText = new Set("style script xmp iframe noembed noframes plaintext noscript".split(" "));
  var escapeText = (s) => s.replace(/[&<>\u00a0]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", " ": "&nbsp;" })[c]);
  var escapeAttr = (s) => s.replace(/[&"\u00a0<>]/g, (c) => ({ "&": "&amp;", '"': "&quot;", " ": "&nbsp;", "<": "&lt;", ">": "&gt;" })[c]);
  function serialize(el, parts) {
    const name = localName(el);
    parts.push("<", name);
    const blank2 = isPassword(el);
    for (const a of attributesOf(el)) parts.push(" ", a.name, '="', blank2 && a.name === "value" ? "" : escapeAttr(a.value), '"');
    parts.push(">");
    if (namespaceURI(el) === HTML && empty.has(name)) return;
    const root = shadowOf(el);
    if (root) {
      parts.push(`<template shadowrootmode="${root.mode}">`);
      children2(root, parts);
      parts.push("</template>");
    }
    if (!blank2) children2(el, parts);
    parts.push("</", name, ">");
  }
  function children2(el, parts) {
    const from = el instanceof HTMLTemplateElement ? el.content : el;
    const raw = isElement(el) && namespaceURI(el) === HTML && rawText.has(localName(el));
    for (let n = firstChild(from); n; n = nextSibling(n)) {
      if (isElement(n)) serialize(n, parts);
      else if (isText(n)) parts.push(raw ? data(n) : escapeText(data(n)));
      else if (nodeType(n) === 8) parts.push("<!--", data(n), "-->");
    }
  }

  // content.ts
  var maxLength = 8 << 20;
  function content2(args) {
    return retry({ timeoutMs: args.timeoutMs ?? 0, now: args.target?.now }, () => {
      notePasswords();
      const root = args.target ? resolve(args.target) : bodyOf(document) ?? documentElement(document);
      const out = new Writer(args.maxBytes || maxLength, !args.target);
      if (root) out.element(root, { opened: false, link: false, heading: false });
      const title = docTitle(document);
      return { html: out.parts.join(""), ...title && { title }, ...out.full && { cut: true } };
    });
  }
  function address(el, value2) {
    if (value2 === null) return "";
    try {
      const url = new URL(value2, baseURI(el));
      return /^(javascript|vbscript|data|blob|about|filesystem):$/.test(url.protocol) ? "" : url.href;
    } catch {
      return "";
    }
  }
  var same = "h1 h2 h3 h4 h5 h6 p ul ol li dl dt dd table thead tbody tfoot tr th td caption blockquote figure figcaption details summary main article section header footer nav aside strong em del code sub sup".split(" ");
  var tags2 = new Map([
    ...same.map((t) => [t, t]),
    ["b", "strong"],
    ["i", "em"],
    ["var", "em"],
    ["dfn", "em"],
    ["s", "del"],
    ["strike", "del"],
    ["kbd", "code"],
    ["samp", "code"],
    ["tt", "code"],
    ["menu", "ul"],
    ["dir", "ul"]
  ]);
  var roles = /* @__PURE__ */ new Map([
    ["list", "ul"],
    ["listitem", "li"],
    ["table", "table"],
    ["grid", "table"],
    ["treegrid", "table"],
    ["row", "tr"],
    ["cell", "td"],
    ["gridcell", "td"],
    ["columnheader", "th"],
    ["rowheader", "th"],
    ["main", "main"],
    ["navigation", "nav"],
    ["banner", "header"],
    ["contentinfo", "footer"],
    ["complementary", "aside"],
    ["article", "article"],
    ["search", "nav"]
  ]);
  var inline = new Set("strong em del code sub sup a".split(" "));
  var phrasing = new Set("a abbr b bdi bdo button cite code data del dfn em i img input ins kbd label mark q s samp select small span strike strong sub sup svg time u var".split(" "));
  var frames2 = new Set("iframe frame fencedframe object embed".split(" "));
  var framed = new Set("div section article main aside header footer nav p ul ol table figure blockquote".split(" "));
  var escapeText2 = (s) => s.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
  var escapeAttr2 = (s) => s.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  var Writer = class {
    constructor(max, named2) {
      this.max = max;
      this.named = named2;
    }
    max;
    named;
    parts = [];
    full = false;
    length = 0;
    said = 0;
    // pieces of text and pictures so far
    owners = null;
    put(s) {
      this.full ||= this.length + s.length > this.max;
      if (this.full) return;
      this.length += s.length;
      this.parts.push(s);
    }
    say(s) {
      if (s.trim()) this.said++;
      if (s) this.put(escapeText2(s));
    }
    // within writes an element around what inner writes, or nothing if that is nothing.
    within(tag, attrs, inner) {
      let open = "<" + tag;
      for (const [name, value2] of Object.entries(attrs)) if (value2) open += ` ${name}="${escapeAttr2(value2)}"`;
      const before = this.parts.length;
      this.parts.push(open + ">");
      this.length += open.length + tag.length + 4;
      inner();
      if (this.parts.length === before + 1 && !/^t[hd]$/.test(tag)) this.parts.length = before;
      else this.parts.push(`</${tag}>`);
    }
    element(el, at) {
      if (this.full) return;
      const ns = namespaceURI(el);
      if (ns !== HTML) return this.foreign(el, at);
      const name = localName(el);
      if (name === "br") return this.put("<br>");
      if (silent2.has(name) && !frames2.has(name) && name !== "video" && name !== "audio") return;
      if (hasAttrs(el) && attr(el, "hidden") === "until-found") at = { ...at, opened: true };
      if (!(at.opened ? displayOf(el) !== "none" : rendered(el)) || !at.opened && offStage(el)) return;
      this.shown(el, name, at);
    }
    shown(el, name, at) {
      switch (name) {
        case "hr":
          return this.put("<hr>");
        case "img":
          return this.image(el);
        case "video":
        case "audio":
          return this.media(el, name);
        case "input":
          return this.input(el);
        case "select":
        case "textarea":
          return this.spaced(() => this.lines(fieldText(el) ?? ""));
        case "pre":
          return this.code(codeBlock(el));
        case "wbr":
          return;
      }
      if (frames2.has(name)) return this.frame(el, name, at);
      if (name === "code" && isCodeBlock(el)) return this.code(codeBlock(el));
      if (name === "table") {
        const code = codeTable(el);
        if (code) return this.code(code);
      }
      const tex2 = texOf(el);
      if (tex2) return this.math(tex2.text, tex2.display);
      this.box(el, name, at);
    }
    // box writes an element that holds others, as block or inline by its layout.
    box(el, name, at) {
      const tag = tagOf2(el, name);
      const display = displayOf(el);
      const row2 = phrasing.has(name) && rowChild(el);
      const block = (blocks.test(display) || !tag && display === "table-cell") && !row2;
      const inside = () => this.tagged(el, name, tag, at);
      if (row2 || /^inline-(block|flex|grid|table)$/.test(display)) return this.spaced(inside);
      if (tag && !inline.has(tag)) return inside();
      if (block) return this.within("div", this.marks(el, name), inside);
      inside();
    }
    tagged(el, name, tag, at) {
      if (name === "a") return this.link(el, at);
      const inner = () => this.content(el, /^h\d$/.test(tag) ? { ...at, heading: true } : at);
      if (name === "q" || name === "rt") {
        const [open, close] = name === "q" ? ["“", "”"] : ["(", ")"];
        this.put(open);
        inner();
        return this.put(close);
      }
      if (!tag) return inner();
      const attrs = this.marks(el, name);
      for (const a of attributes[tag] ?? []) attrs[a] = attr(el, a);
      if (attrs.reversed === "") attrs.reversed = "reversed";
      if (tag === "details") attrs.open = hasAttr(el, "open") ? "open" : null;
      this.within(tag, attrs, inner);
    }
    marks(el, name) {
      if (!this.named || !hasAttrs(el) || !(framed.has(name) || name.includes("-") || attr(el, "id"))) return hasAttrs(el) && attr(el, "id") ? { id: attr(el, "id") } : {};
      return { id: attr(el, "id"), class: attr(el, "class")?.slice(0, 200) };
    }
    content(el, at) {
      const visible3 = shows(el);
      const closed = !at.opened && closedDetails(el);
      if (visible3) this.generated(el, "::before");
      eachChild(el, (n) => {
        if (isText(n)) {
          if (visible3) this.text(data(n), el);
        } else if (isElement(n)) this.element(n, closed && localName(n) !== "summary" ? { ...at, opened: true } : at);
      });
      if (visible3) this.generated(el, "::after");
    }
    // Most of what style sheets write is decoration; words, numbers and currencies are not.
    generated(el, pseudo) {
      const s = generated(el, pseudo);
      if (/[\p{L}\p{N}\p{Sc}]/u.test(s)) this.say(s);
    }
    text(s, el) {
      const clean = withoutGlyphs(s).replace(/[\u00ad\u200b\u2060\ufeff\0]/g, "");
      if (!clean || isLigature(clean, el)) return;
      if (/\n/.test(clean) && /^(preserve|break-spaces)/.test(styleOf(el).whiteSpaceCollapse)) return this.lines(clean);
      this.say(clean);
    }
    lines(s) {
      s.split("\n").forEach((line, i) => {
        if (i) this.put("<br>");
        this.say(line);
      });
    }
    spaced(inner) {
      this.put(" ");
      inner();
      this.put(" ");
    }
    link(el, at) {
      const href = address(el, attr(el, "href"));
      if (!href || at.link) return this.content(el, at);
      if (at.heading && isPermalink(el)) return;
      const before = this.said;
      const title = attr(el, "title");
      this.within("a", { id: attr(el, "id"), href, title: title && title.trim() !== (textContent(el) ?? "").trim() ? title : null, role: attr(el, "role")?.startsWith("doc-") ? attr(el, "role") : null }, () => {
        this.content(el, { ...at, link: true });
        if (this.said === before && shows(el)) this.say(nameOf(el));
      });
    }
    image(el) {
      if (!shows(el)) return;
      const alt = attr(el, "alt");
      const src = pictureOf(el);
      const box = rectOf(el);
      if (alt !== null && !alt.trim() || box.width <= 3 && box.height <= 3 && !alt) return;
      if (!alt && !src) return;
      this.said++;
      this.put(`<img${src ? ` src="${escapeAttr2(src)}"` : ""}${alt ? ` alt="${escapeAttr2(alt)}"` : ""}>`);
    }
    media(el, name) {
      const media = el;
      const href = address(el, media.currentSrc || attr(el, "src"));
      if (href) this.within("a", { href }, () => this.say(nameOf(el) || name));
    }
    input(el) {
      const type = inputType(el);
      if (type === "checkbox" || type === "radio") return this.put(`<input type="${type}"${el.checked ? ' checked="checked"' : ""}>`);
      if (type === "image") return this.spaced(() => this.say(attr(el, "alt") ?? ""));
      this.spaced(() => this.say(fieldText(el) ?? ""));
    }
    code(code) {
      if (!code.text) return;
      this.said++;
      this.within("pre", { lang: code.lang }, () => this.put(escapeText2(code.text)));
    }
    math(tex2, display) {
      this.within("math", { display: display ? "block" : null }, () => this.say(tex2));
    }
    frame(el, name, at) {
      if (!frameShows(el)) return;
      this.owners ??= new Map(frameOwners().map((owner2, i) => [owner2, i + 1]));
      this.put(`<frame n="${this.owners.get(el) ?? 0}" name="${name}" title="${escapeAttr2(attr(el, "title") ?? "")}">`);
      if (name === "object") this.content(el, at);
    }
    foreign(el, at) {
      if (localName(el) === "math") {
        const tex2 = texOf(el) ?? { text: texOfMath(el), display: attr(el, "display") === "block" };
        if (tex2.text && rendered(el)) this.math(tex2.text, tex2.display);
        return;
      }
      if (namespaceURI(el) !== SVG || !rendered(el)) return;
      const name = attr(el, "role") === "img" || hasAttr(el, "aria-label") ? nameOf(el) : "";
      if (name && !at.link) {
        this.said++;
        return this.put(`<img alt="${escapeAttr2(name)}">`);
      }
      for (const text3 of queryIn(el, "text")) if (shows(text3)) this.spaced(() => this.say(textContent(text3) ?? ""));
    }
  };
  var attributes = { ol: ["start", "reversed"], li: ["value"], td: ["colspan", "rowspan"], th: ["colspan", "rowspan"], a: ["href"] };
  function tagOf2(el, name) {
    const role = hasAttrs(el) ? (attr(el, "role") ?? "").trim().toLowerCase() : "";
    if (role === "heading") return "h" + Math.min(6, Math.max(1, Number(attr(el, "aria-level")) || 2));
    if (/^(none|presentation)$/.test(role) && /^(table|ul|ol|li)$/.test(name)) return "";
    if (/^(tr|td|th|tbody|thead|tfoot)$/.test(name)) return layoutTable(el) ? "" : name;
    return !tags2.has(name) && roles.get(role) || tags2.get(name) || "";
  }
  function layoutTable(part) {
    for (let at = flatParent(part); at; at = flatParent(at)) {
      if (localName(at) === "table") return /^(none|presentation)$/.test(attr(at, "role") ?? "");
    }
    return false;
  }
  function rowChild(el) {
    const parent = flatParent(el);
    return !!parent && /flex$/.test(displayOf(parent)) && styleOf(parent).flexDirection.startsWith("row");
  }
  function offStage(el) {
    if (!hasAttrs(el)) return false;
    const style = styleOf(el);
    if (style.position !== "absolute" && style.position !== "fixed") return false;
    if (/^rect\(\s*(0|1)px[ ,]+(0|1)px[ ,]+(0|1)px/.test(style.clip) || /^inset\((50|100)%/.test(style.clipPath)) return true;
    const box = rectOf(el);
    if (box.width <= 1 && box.height <= 1 && style.overflow !== "visible") return true;
    return rectsOf(el).length > 0 && (box.right + scrollX <= 0 || box.bottom + scrollY <= 0);
  }
  function isPermalink(el) {
    if (!/^#/.test(attr(el, "href") ?? "")) return false;
    const text3 = (textContent(el) ?? "").trim();
    return /^[^\p{L}\p{N}]{0,2}$/u.test(text3) || /(^|[\s_-])(anchor|headerlink|hash-?link|header-?anchor|permalink)(?=$|[\s_-])/i.test(attr(el, "class") ?? "");
  }
  function isLigature(s, el) {
    return /^\s*[a-z0-9_]+\s*$/.test(s) && /material (icons|symbols)/i.test(styleOf(el).fontFamily);
  }
  function pictureOf(img) {
    for (const src of [img.currentSrc, attr(img, "src"), attr(img, "data-src"), attr(img, "data-original"), attr(img, "data-lazy-src")]) {
      const url = src ? address(img, src) : "";
      if (url) return url;
    }
    return "";
  }
  function texOf(el) {
    const katex = hasAttrs(el) && /(^|\s)katex(\s|$)/.test(attr(el, "class") ?? "");
    const math = localName(el) === "math";
    if (!katex && !math && localName(el) !== "mjx-container") return null;
    const note = queryIn(el, 'annotation[encoding="application/x-tex"]')[0];
    const inner = math ? el : queryIn(el, "math")[0];
    const text3 = note && textContent(note) || inner && (attr(inner, "alttext") || !math && texOfMath(inner)) || "";
    if (!text3.trim()) return null;
    const parent = flatParent(el);
    const display = attr(el, "display") || inner && attr(inner, "display") || (parent && /katex-display/.test(attr(parent, "class") ?? "") ? "block" : "");
    return { text: text3.replace(/\s+/g, " ").trim(), display: display === "block" || display === "true" };
  }

  // editable.ts
  var setTypes = /^(date|time|datetime-local|month|week|color|range)$/;
  var textTypes = /^(text|search|email|url|tel|password|number)$/;
  function controlKind(el) {
    if (el instanceof HTMLTextAreaElement) return "text";
    if (el instanceof HTMLSelectElement) return "select";
    if (el instanceof HTMLInputElement) {
      if (textTypes.test(el.type)) return "text";
      if (setTypes.test(el.type)) return "set";
      return el.type === "checkbox" || el.type === "radio" || el.type === "file" ? el.type : "none";
    }
    if (isHTML(el) && (isContentEditable(el) || editContext(el) || editableRoot(el))) return "rich";
    const role = roleOf(el);
    if (/^(checkbox|switch|menuitemcheckbox)$/.test(role)) return "checkbox";
    return /^(radio|menuitemradio)$/.test(role) ? "radio" : "none";
  }
  function editingHost(el) {
    let host = el;
    for (let at = composedParent(el); at && isHTML(at) && localName(at) !== "html" && isContentEditable(at); at = composedParent(at)) host = at;
    return host;
  }
  function fieldOf(el) {
    const kind = controlKind(el);
    if (kind === "rich") return editingHost(el);
    if (kind !== "none" || /^(button|a)$/.test(localName(el))) return el;
    const labelled2 = controlOf(el);
    if (labelled2) return labelled2;
    const editor = editorInput(el);
    if (editor) return editor;
    return firstControl(el) ?? el;
  }
  var editors = ".CodeMirror,.monaco-editor,.ace_editor";
  var codeEditors = editors + ",.cm-editor";
  function editorInput(el) {
    const editor = editorOf(el);
    if (!editor || contains(el, editor) && queryIn(el, editors).length > 1) return null;
    return queryIn(editor, "textarea,[contenteditable=true],.native-edit-context")[0] ?? null;
  }
  var editorOf = (el) => closest(el, editors) ?? queryIn(el, editors)[0] ?? null;
  function keepsOwnSelection(field) {
    return !!closest(field, editors) || !!editContext(field);
  }
  function contentOf(field) {
    const editor = closest(field, editors);
    if (editor) return editorText(editor);
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
    if (field instanceof HTMLSelectElement) return selectedLabels(field).join(", ");
    if (controlKind(field) !== "rich") return "";
    const lines = queryIn(field, ".cm-line");
    if (lines.length) return Array.from(lines, (l) => textContent(l) ?? "").join("\n");
    return typedText(field).replace(/\u00a0/g, " ").replace(/[\u200b\ufeff]/g, "");
  }
  function editorText(editor) {
    const lines = Array.from(queryIn(editor, ".CodeMirror-line,.view-line,.ace_line"));
    const top2 = (l) => rectOf(l).top;
    return lines.sort((a, b) => top2(a) - top2(b)).map((l) => (textContent(l) ?? "").replace(/[\u00a0\u200b]/g, (c) => c === " " ? " " : "")).join("\n");
  }
  function describeField(field) {
    const info = infoOf(field);
    const content3 = contentOf(field);
    const password = isPassword(field);
    const point = pointsOf(field)[0];
    const out = {
      node: numberOf(field),
      kind: controlKind(field),
      role: info.role,
      name: shownName(info.name),
      value: password ? "" : content3,
      length: content3.length,
      x: point?.x ?? 0,
      y: point?.y ?? 0
    };
    const type = inputType(field);
    if (type) out.type = type;
    if (password) out.password = true;
    if ((field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) && field.maxLength >= 0 && hasAttr(field, "maxlength")) {
      out.maxLength = field.maxLength;
    }
    if (out.kind === "rich" ? attr(field, "aria-multiline") !== "false" : field instanceof HTMLTextAreaElement) out.multiline = true;
    if (closest(field, codeEditors)) out.code = true;
    if (isFocused(field)) out.focused = true;
    const checked = out.kind === "checkbox" || out.kind === "radio" ? checkedOf(field, info.role) : null;
    if (checked !== null) out.checked = checked === true;
    if (checked === "mixed") out.mixed = true;
    if (isReadOnly(field)) out.readOnly = true;
    if (isDisabled(field)) out.disabled = true;
    const boxes2 = boxCount(field);
    if (boxes2 > 1) out.boxes = boxes2;
    const invalid = validation(field);
    if (invalid) out.invalid = invalid;
    return out;
  }
  function validation(field) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement)) return "";
    return field.willValidate && !field.validity.valid ? field.validationMessage : "";
  }
  function isFocused(field) {
    const active = activeElement();
    if (localName(field) === "body") return !active && document.hasFocus();
    return !!active && (active === field || controlKind(field) === "rich" && within(active, field));
  }
  function boxCount(field) {
    if (!oneCharacter(field)) return 0;
    for (let at = composedParent(field), n = 0; at && n < 3; at = composedParent(at), n++) {
      const all = Array.from(queryIn(at, "input")).filter((i) => oneCharacter(i) && isVisible(i));
      if (all.length > 1) return all.length - all.indexOf(field);
    }
    return 1;
  }
  var oneCharacter = (el) => el instanceof HTMLInputElement && textTypes.test(el.type) && el.maxLength === 1;
  function value(args) {
    const left = args.left && args.target.document === documentId ? everElement(args.target.node ?? 0) : null;
    return retry({ timeoutMs: 0 }, () => describeField(left ?? fieldOf(resolve(args.target))));
  }
  function mayEdit(field) {
    if (isDisabled(field)) fail("NOT_ACTIONABLE", `${label(field)} is disabled; nothing was changed`);
    if (isReadOnly(field)) fail("NOT_ACTIONABLE", `${label(field)} is read-only; nothing was changed`);
    if (!isVisible(field) && !keepsOwnSelection(field) && styleOf(field).display === "none") fail("NOT_ACTIONABLE", `${label(field)} is not visible`);
  }
  function focus(args) {
    return retry({ timeoutMs: args.timeoutMs, now: args.target.now }, async () => {
      const field = fieldOf(resolve(args.target));
      const kind = controlKind(field);
      if (kind === "checkbox" || kind === "radio") return describeField(field);
      mayEdit(field);
      if (kind === "none") {
        requireHosts();
        fail("NOT_ACTIONABLE", `${label(field)} takes no text${hint(field)}`);
      }
      const had = isFocused(field);
      if (!had) {
        focusElement(field, { preventScroll: false });
        await pause(0);
      }
      if (!isFocused(field)) fail("NOT_ACTIONABLE", `${label(field)} does not take the focus${elsewhere()}`);
      const own = keepsOwnSelection(field);
      const atCaret = !own && !args.clear && had && hasSelection(field);
      if (kind === "text" && !own && !atCaret) caretInText(field, args, had);
      if (kind === "rich" && !own && !atCaret) await caretInRich(field, args, had);
      const out = describeField(field);
      if (atCaret) out.atCaret = true;
      if (own && args.clear) out.selectAll = true;
      else if (own && (args.end || !had)) out.toEnd = true;
      return out;
    });
  }
  var elsewhere = () => {
    const now2 = activeElement();
    return now2 ? `: the page moved it to ${label(now2)}` : "; the page may have moved it elsewhere";
  };
  var hint = (el) => {
    const role = infoOf(el).role;
    return role === "combobox" || role === "listbox" ? "; click it and then the option" : "";
  };
  function hasSelection(field) {
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
      return field.selectionStart === null ? selectedIn(docSelection(document)) : field.selectionStart !== field.selectionEnd;
    }
    const selection = selectionIn(field);
    return !!selection?.anchorNode && within(selection.anchorNode, field) && selectedIn(selection);
  }
  var selectedIn = (selection) => !!selection && selection.toString() !== "";
  function caretInText(field, args, had) {
    if (args.clear) return field.select();
    if (had && !args.end) return;
    const end = field.value.length;
    try {
      field.setSelectionRange(end, end);
    } catch {
      field.select();
      docSelection(document)?.modify?.("move", "forward", "character");
    }
  }
  async function caretInRich(host, args, had) {
    const selection = selectionIn(host);
    if (!selection) return;
    for (let tries = 0; tries < 3; tries++) {
      const anchor = selection.anchorNode;
      if (!args.clear && had && !args.end && anchor && within(anchor, host)) return;
      const heard2 = selectionHeard();
      if (args.clear) selectContent(selection, host);
      else {
        selection.selectAllChildren(host);
        selection.collapseToEnd();
      }
      const node2 = selection.anchorNode;
      const offset = selection.anchorOffset;
      await heard2;
      if (args.clear ? covers(selection, host) : selection.anchorNode === node2 && selection.anchorOffset === offset) return;
    }
  }
  function selectContent(selection, host) {
    execCommand(document, "selectAll");
    if (!covers(selection, host)) selection.selectAllChildren(host);
  }
  function selectionHeard() {
    return new Promise((done) => {
      const end = () => {
        unlisten(document, "selectionchange", end, true);
        void pause(0).then(done);
      };
      listen(document, "selectionchange", end, true);
      void pause(40).then(end);
    });
  }
  function selectionIn(host) {
    const root = rootOf(host);
    return (root instanceof ShadowRoot && root.getSelection ? root.getSelection() : null) ?? docSelection(document);
  }
  function covers(selection, host) {
    if (!selection.rangeCount) return false;
    if (!(textContent(host) ?? "").trim()) return true;
    return selection.toString().trim().length >= (textContent(host) ?? "").trim().length || selection.containsNode(host, false);
  }

  // pointed.ts
  var Pointed = class {
    constructor(element3, value2) {
      this.element = element3;
      this.value = value2;
    }
    element;
    value;
  };
  var waiting = /* @__PURE__ */ new Map();
  var last2 = 0;
  function ticket(el) {
    waiting.set(++last2, el);
    return last2;
  }
  function element2(n) {
    const el = waiting.get(n);
    waiting.delete(n);
    return el;
  }

  // setvalue.ts
  var formats = {
    date: "YYYY-MM-DD",
    time: "HH:MM",
    "datetime-local": "YYYY-MM-DDTHH:MM",
    month: "YYYY-MM",
    week: "YYYY-Www",
    color: "#rrggbb",
    range: "a number"
  };
  function setValue(args) {
    return retry({ timeoutMs: args.timeoutMs, now: args.target.now }, () => {
      const field = fieldOf(resolve(args.target));
      const kind = controlKind(field);
      const native2 = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
      if (!native2 || kind !== "set" && kind !== "checkbox" && kind !== "radio" && kind !== "text") {
        fail("BAD_ARGS", `${label(field)} cannot be set to a value`);
      }
      mayEdit(field);
      if (kind === "checkbox" || kind === "radio") check(field, args.value);
      else assign(field, kind === "set" ? normal(field, args.value) : args.value);
      return describeField(field);
    });
  }
  function check(field, value2) {
    const want = truth(value2, field);
    if (want === null) return fail("BAD_ARGS", `${label(field)} takes true or false, not ${quote(value2)}`);
    if (field.checked === want && !field.indeterminate) return;
    if (field.type === "radio" && !want) fail("BAD_ARGS", `${label(field)} is a radio button: it is switched off by choosing another one of its group`);
    clickElement(field);
    if (field.checked !== want) fail("NOT_ACTIONABLE", `${label(field)} did not become ${want ? "checked" : "unchecked"}: the page changed it back`);
  }
  function truth(value2, field) {
    const v = value2.trim().toLowerCase();
    if (/^(true|on|yes|1|checked)$/.test(v) || v && v === field.value.toLowerCase()) return true;
    return /^(false|off|no|0|unchecked|)$/.test(v) ? false : null;
  }
  function normal(field, value2) {
    const v = value2.trim();
    if (v === "" && field.type !== "range" && field.type !== "color") return "";
    if (field.type === "color") return color(field, v);
    const probe2 = createElement(document, "input");
    probe2.type = field.type;
    for (const limit of ["min", "max", "step"]) if (field.getAttribute(limit) !== null) probe2[limit] = field[limit];
    probe2.value = v;
    const taken = field.type === "range" ? Number(probe2.value) === Number(v) && v !== "" : probe2.value !== "";
    if (!taken) fail("BAD_ARGS", `${label(field)} does not take ${quote(value2)}: it wants ${formats[field.type]}${limits(field)}; it still holds ${quote(field.value)}`);
    return probe2.value;
  }
  function limits(field) {
    if (field.type !== "range") return "";
    return ` from ${field.min || 0} to ${field.max || 100}${field.step ? ` in steps of ${field.step}` : ""}`;
  }
  function color(field, v) {
    const context2 = new OffscreenCanvas(1, 1).getContext("2d");
    for (const start of ["#000000", "#ffffff"]) {
      context2.fillStyle = start;
      context2.fillStyle = v;
      const got = String(context2.fillStyle);
      if (got !== start && /^#[0-9a-f]{6}$/.test(got)) return got;
    }
    if (/^(#000(000)?|black)$/i.test(v)) return "#000000";
    if (/^(#fff(fff)?|white)$/i.test(v)) return "#ffffff";
    return fail("BAD_ARGS", `${label(field)} does not take ${quote(v)}: it wants #rrggbb; it still holds ${quote(field.value)}`);
  }
  function assign(field, value2) {
    focusElement(field, { preventScroll: true });
    if (field.value === value2) return;
    field.value = value2;
    changed(field);
  }
  function changed(el) {
    dispatch(el, new Event("input", { bubbles: true, composed: true }));
    dispatch(el, new Event("change", { bubbles: true }));
  }

  // files.ts
  var filesOf = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "files");
  var typeOf = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "type").get;
  var isFileInput = (n) => n instanceof HTMLInputElement && typeOf.call(n) === "file";
  function fileInput(args, nodes) {
    const given = nodes[0];
    if (given) {
      if (!isFileInput(given)) return fail("UPLOAD_FAILED", "what the page opened a file chooser for is no file input");
      return described(given);
    }
    if (!args.target) return fail("BAD_ARGS", "fileInput needs a target or a node");
    const target = args.target;
    return retry({ timeoutMs: args.timeoutMs ?? 0, now: target.now }, () => {
      const el = resolve(target);
      const input = inputOf(el);
      if (input) return described(input);
      requireHosts();
      let inputs2 = 0;
      for (const root of allRoots()) for (const e of query(root, "input")) if (isFileInput(e)) inputs2++;
      return new Pointed(el, { label: label(el), inputs: inputs2 });
    });
  }
  function inputOf(el) {
    if (isFileInput(el)) return el;
    const labelled2 = labelledControl(el);
    if (isFileInput(labelled2)) return labelled2;
    const within3 = [el, shadowOf(el)].flatMap((root) => root ? [...isShadowRoot(root) ? query(root, "input") : queryIn(root, "input")] : []).filter(isFileInput);
    return within3.length === 1 ? within3[0] : null;
  }
  function described(input) {
    return new Pointed(input, {
      found: true,
      label: label(input),
      multiple: hasAttr(input, "multiple"),
      directory: hasAttr(input, "webkitdirectory"),
      accept: attr(input, "accept") ?? "",
      disabled: isDisabled(input)
    });
  }
  var transfers = /* @__PURE__ */ new Map();
  function setFiles(args, nodes) {
    const input = nodes[0];
    if (!isElement(input) || !isFileInput(input) && !args.drop) return fail("UPLOAD_FAILED", "the file input has become another kind of field; look at the page with snapshot");
    const parts = transfers.get(args.transfer) ?? [];
    transfers.set(args.transfer, parts);
    if (args.data) (parts[args.file ?? 0] ??= []).push(decode(args.data));
    if (!args.files) return { files: [] };
    transfers.delete(args.transfer);
    const transfer = new DataTransfer();
    for (const [i, meta] of args.files.entries()) {
      transfer.items.add(new File(parts[i] ?? [], meta.name, { type: meta.type ?? "", lastModified: meta.modified ?? Date.now() }));
    }
    if (!isFileInput(input)) return drop(input, transfer);
    filesOf.set.call(input, transfer.files);
    const held = list(input);
    changed(input);
    return held;
  }
  function drop(el, dataTransfer) {
    const box = rectOf(el);
    const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true, cancelable: true, composed: true, dataTransfer };
    const taken = (type) => !dispatch(el, new DragEvent(type, at));
    taken("dragenter");
    if (!taken("dragover")) {
      taken("dragleave");
      return fail("UPLOAD_FAILED", `${label(el)} takes no dropped files`);
    }
    const files2 = Array.from(dataTransfer.files, (f) => ({ name: f.name, bytes: f.size }));
    taken("drop");
    return { files: files2 };
  }
  function list(input) {
    const files2 = filesOf.get.call(input) ?? [];
    return {
      files: Array.from(files2, (f) => f.webkitRelativePath ? { name: f.name, bytes: f.size, path: f.webkitRelativePath } : { name: f.name, bytes: f.size })
    };
  }
  function files(_, nodes) {
    return isFileInput(nodes[0]) ? list(nodes[0]) : { files: [] };
  }
  var reading = null;
  async function bytes(args) {
    if (!args.url.startsWith("blob:")) return fail("BAD_ARGS", "only blob: addresses are read here");
    if (reading?.url !== args.url || !args.offset) {
      try {
        reading = { url: args.url, blob: await (await fetch(args.url)).blob() };
      } catch {
        return fail("DOWNLOAD_FAILED", `${args.url} is not there (any more), or the page's rules forbid to read it; download_file with the link or button as target may work`);
      }
    }
    const { blob } = reading;
    const from = args.offset ?? 0;
    const piece = new Uint8Array(await blob.slice(from, from + (args.max ?? 1 << 20)).arrayBuffer());
    if (from + piece.length >= blob.size) reading = null;
    return { data: encode(piece), total: blob.size, type: blob.type };
  }
  function decode(base64) {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  }
  function encode(b) {
    let text3 = "";
    for (let i = 0; i < b.length; i += 32768) text3 += String.fromCharCode(...b.subarray(i, i + 32768));
    return btoa(text3);
  }
  var veiled = /* @__PURE__ */ new Map();
  function veil(args, nodes) {
    if (!args.on) {
      for (const [el, was] of veiled) {
        if (was === null) el.removeAttribute("style");
        else el.setAttribute("style", was);
      }
      veiled.clear();
      return { count: 0 };
    }
    for (const el of nodes) {
      if (!(el instanceof HTMLElement) || veiled.has(el)) continue;
      veiled.set(el, attr(el, "style"));
      el.style.setProperty("visibility", "hidden", "important");
    }
    return { count: veiled.size };
  }
  var fileFunctions = { fileInput, setFiles, files, bytes, veil };

  // find.ts
  function find(args) {
    requireHosts();
    freshStyles();
    const test = matcher(args);
    const role = args.role ? canonicalRole(args.role) : "";
    const max = args.max || 20;
    const nodes = [];
    let left = 0;
    for (const { node: node2, el } of new Walker({ max: 1e6 }).run(null)) {
      if (role && node2.r !== role) continue;
      if (!test(`${node2.n ?? ""}
${node2.v ?? ""}`)) continue;
      if (nodes.length >= max) {
        left++;
        continue;
      }
      nodes.push({ ...node2, d: 0, e: node2.e ?? numberOf(el) });
    }
    return { nodes, ...left ? { truncated: left } : {} };
  }
  function matcher(args) {
    if (args.pattern) {
      try {
        const pattern = new RegExp(args.pattern, "iu");
        return (s) => pattern.test(s);
      } catch (e) {
        fail("BAD_ARGS", `pattern: ${e.message}`);
      }
    }
    const want = alike(args.text ?? "");
    return (s) => alike(s).includes(want);
  }

  // links.ts
  var most3 = 2e4;
  var maxText = 300;
  function links(args) {
    return retry({ timeoutMs: args.timeoutMs ?? 0, now: args.target?.now }, () => list2(args.target ? resolve(args.target) : null, args.max || most3));
  }
  function list2(root, max) {
    const out = { links: [] };
    let more = 0;
    let hidden = 0;
    for (const el of inOrder(root)) {
      const url = address(el, attr(el, "href") ?? attr(el, "xlink:href"));
      if (!url) continue;
      if (!isVisible(el)) hidden++;
      else if (out.links.length === max) more++;
      else out.links.push(link(el, url));
    }
    return { ...out, ...more && { more }, ...hidden && { hidden } };
  }
  function inOrder(root) {
    const found = [];
    for (const r of allRoots()) for (const el of query(r, "a,area")) if (isLink(el) && (!root || within(el, root))) found.push(el);
    return found;
  }
  var isLink = (el) => hasAttr(el, "href") || hasAttr(el, "xlink:href");
  function link(el, url) {
    const rel = (attr(el, "rel") ?? "").toLowerCase().split(/\s+/).filter((t) => t && t !== "noopener" && t !== "noreferrer").join(" ");
    return { text: clip(fold(visibleText(el)) || nameOf(el), maxText), url, ...rel && { rel } };
  }

  // paste.ts
  function paste(args) {
    return retry({ timeoutMs: 0 }, () => {
      const data2 = new DataTransfer();
      data2.setData("text/plain", args.text);
      const event = new ClipboardEvent("paste", { clipboardData: data2, bubbles: true, cancelable: true, composed: true });
      return { taken: !dispatch(fieldOf(resolve(args.target)), event) };
    });
  }

  // motion.ts
  var frame = 17;
  var paint = /color|opacity|shadow|background|outline|radius|filter|visibility|fill|stroke|^offset$|^easing$|^composite$|^computedOffset$|content|cursor/i;
  async function still(el, motion, left) {
    const end = performance.now() + Math.max(left, frame);
    const running = moving(el);
    if (running.length) {
      const patience2 = Math.min(end - performance.now(), 3e3);
      await Promise.race([Promise.allSettled(running.map((a) => a.finished)), pause(patience2)]);
    } else if (!motion.waited && !motion.scrolled && !scripted(el)) return;
    let last3 = rectOf(el);
    for (; ; ) {
      await pause(frame);
      const now2 = rectOf(el);
      if (Math.abs(now2.x - last3.x) < 1 && Math.abs(now2.y - last3.y) < 1 && Math.abs(now2.width - last3.width) < 1) return;
      if (performance.now() > end) fail("NOT_ACTIONABLE", `${label(el)} keeps moving`);
      last3 = now2;
    }
  }
  function moving(el) {
    const all = docAnimations(document);
    return all.filter((a) => {
      const effect = a.effect;
      if (a.playState !== "running" || !(effect instanceof KeyframeEffect) || !effect.target) return false;
      if (effect.getComputedTiming().endTime === Infinity || !within(el, effect.target)) return false;
      return effect.getKeyframes().some((k) => Object.keys(k).some((name) => !paint.test(name)));
    });
  }
  function scripted(el) {
    let at = el;
    for (let n = 0; at && n < 12; at = flatParent(at), n++) {
      if (hasAttrs(at) && /transform|translate|left\s*:|top\s*:|right\s*:|bottom\s*:/i.test(attr(at, "style") ?? "")) return true;
    }
    return false;
  }

  // watch.ts
  var sequence = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu", "dragstart"];
  var current = null;
  var hear = (e) => {
    if (current) onEvent(current, e);
  };
  var heard = (e) => {
    if (current?.landed && e.isTrusted) current.calm = !movedFrom(current.box, current.at);
  };
  function install() {
    for (const type of sequence) listen(window, type, hear, { capture: true, passive: false });
    listen(window, "mousedown", heard, { capture: false, passive: true });
  }
  install();
  function watch(aim, point, again) {
    current?.end();
    install();
    const w = { ...aim, node: numberOf(aim.el), again, point, had: null, box: rectOf(aim.at), calm: false, clicked: false, pressed: false, landed: false, instead: "", blocking: false, end: () => {
    } };
    const timer = setTimeout(() => w.end(), 15e3);
    w.end = () => {
      clearTimeout(timer);
      if (current === w) current = null;
    };
    current = w;
  }
  function onEvent(w, e) {
    if (!e.isTrusted) return;
    const press = e.type === "pointerdown" || e.type === "mousedown" && !w.pressed;
    if (press) {
      if (!ours(w, e)) {
        w.blocking = false;
        return;
      }
      judge(w, e);
    }
    if (e.type === "click" && w.landed) w.clicked ||= aimed(w, innermost(e));
    if (!w.blocking) return;
    e.preventDefault();
    e.stopImmediatePropagation();
  }
  function ours(w, e) {
    const near = window === window.top ? 3 : 40;
    return Math.abs(e.clientX - w.point.x) <= near && Math.abs(e.clientY - w.point.y) <= near;
  }
  function judge(w, e) {
    freshStyles();
    if (!w.pressed) w.had = activeElement();
    w.pressed = true;
    const hit = innermost(e);
    if (!isConnected(w.el)) redrawn(w);
    w.blocking = !aimed(w, hit);
    if (w.blocking) w.instead = coverName(hit);
    else w.landed = true;
    w.box = rectOf(w.at);
  }
  var aimed = (w, hit) => localName(w.at) === "area" ? hit === w.at : reaches(hit, w.at) || reaches(hit, w.el);
  function redrawn(w) {
    try {
      Object.assign(w, w.again());
    } catch {
    }
  }
  function slipped(w) {
    if (!w.landed || w.clicked || !w.calm || !w.had || w.had === activeElement() || !isConnected(w.el)) return false;
    return movedFrom(w.box, w.at) && !aimed(w, fromPoint(w.point.x, w.point.y));
  }
  function movedFrom(box, el) {
    freshStyles();
    const now2 = rectOf(el);
    return Math.abs(now2.x - box.x) > 1 || Math.abs(now2.y - box.y) > 1;
  }
  function innermost(e) {
    const first = e.composedPath()[0];
    let el = first instanceof Element ? first : fromPoint(e.clientX, e.clientY);
    for (let root = el && shadowOf(el); root; root = el && shadowOf(el)) {
      const inner = root.elementFromPoint(e.clientX, e.clientY);
      if (!inner || inner === el) break;
      el = inner;
    }
    return el;
  }
  async function outcome(args) {
    const w = current?.node === args.node ? current : null;
    for (let waited = 0; w && !w.pressed && waited < 100; waited += 5) await pause(5);
    w?.end();
    freshStyles();
    const out = { landed: !!w?.landed };
    if (w?.instead) out.instead = w.instead;
    if (w && slipped(w)) out.slipped = true;
    const el = w?.el ?? elementOf(args.node);
    if (!el || !isConnected(el)) return { ...out, gone: true };
    const role = infoOf(el).role;
    if (checkedOf(el, role) !== null) {
      await pause(0);
      freshStyles();
    }
    const checked = checkedOf(el, role);
    if (checked !== null) out.checked = checked === true;
    const states = statesOf(el, role);
    if (states.length) out.states = states;
    return out;
  }

  // prepare.ts
  var unlikely = 1e3;
  async function prepare(args) {
    const began = performance.now();
    const motion = { waited: false, scrolled: false };
    return retry({ timeoutMs: args.timeoutMs, now: args.target.now }, async (left) => {
      motion.waited = performance.now() - began > 5;
      const el = resolve(args.target);
      if (isCollapsedOption(el)) return describePrepared({ el, at: el }, { x: 0, y: 0 }, began, true);
      let aim = aimOf(el);
      mustBeReady(aim, args);
      if (!find2(aim, args)) motion.scrolled = bring(aim, args) || motion.scrolled;
      await still(aim.at, motion, left);
      freshStyles();
      const point = find2(aim, args) ?? find2(aim = fallback(aim), args) ?? covered(aim, args);
      if (args.watch) watch(aim, point, () => aimOf(resolve(args.target)));
      return describePrepared(aim, point, began, false);
    });
  }
  function describePrepared(aim, p, began, option) {
    const { el } = aim;
    const info = infoOf(el);
    const kind = controlKind(el);
    const out = { node: numberOf(el), role: info.role, name: shownName(info.name), tag: tagOf(el).replace("svg:", ""), x: p.x, y: p.y };
    const type = inputType(el);
    if (type) out.type = type;
    if (kind === "text" || kind === "rich") {
      if (isReadOnly(el)) out.readOnly = true;
      else out.editable = true;
    }
    if (option) out.option = true;
    const href = (el instanceof HTMLAnchorElement || el instanceof HTMLAreaElement) && hasAttr(el, "href") ? el.href : "";
    if (href) out.href = href.slice(0, 2e3);
    const waited = Math.round(performance.now() - began);
    if (waited > 4) out.waitedMs = waited;
    const checked = checkedOf(el, info.role);
    if (checked !== null) out.checked = checked === true;
    const states = statesOf(el, info.role);
    if (states.length) out.states = states;
    if (aim.at !== el) out.label = true;
    return out;
  }
  function isCollapsedOption(el) {
    if (!(el instanceof HTMLOptionElement)) return false;
    const select2 = closest(el, "select");
    return !!select2 && infoOf(select2).role === "combobox" && !boxes(el).length;
  }
  function aimOf(el) {
    if (el instanceof HTMLLabelElement && el.control && !isVisible(el.control)) return { el: el.control, at: el };
    if (/^(checkbox|radio|file)$/.test(inputType(el)) && (!isVisible(el) || !boxes(el).length)) {
      const shown = labelsOf(el).find(isVisible);
      if (shown) return { el, at: shown };
    }
    return { el, at: el };
  }
  function fallback(aim) {
    if (aim.at !== aim.el || !inputType(aim.el)) return aim;
    const shown = labelsOf(aim.el).find((l) => isVisible(l) && labelledControl(l) === aim.el);
    return shown ? { el: aim.el, at: shown } : aim;
  }
  function mustBeReady(aim, args) {
    const { el, at } = aim;
    const what = () => args.target.node || args.target.selector ? label(el) : wording(args.target);
    if (!isVisible(at)) {
      const why = whyHidden(at);
      fail("NOT_ACTIONABLE", `${what()} is not visible (${why})`, why.startsWith("inside a closed") ? unlikely : void 0);
    }
    if (!boxes(at).length && localName(at) !== "area") fail("NOT_ACTIONABLE", `${what()} is not visible (it has no size)`);
    const inert = inertBy(at);
    if (inert) fail("NOT_ACTIONABLE", `${what()} is inert: ${label(inert)} keeps it from being used`, unlikely);
    if ((args.for === "click" || args.for === "type") && isDisabled(el)) fail("NOT_ACTIONABLE", `${what()} is disabled`);
  }
  function whyHidden(el) {
    if (rendered(el)) return "visibility: hidden";
    for (let at = el; at; at = flatParent(at)) {
      const display = styleOf(at).display;
      if (display === "none") return at === el ? "display: none" : `display: none on ${label(at)}`;
      if (localName(at) === "details" && !at.open) return `inside a closed ${label(at)}; open it first`;
    }
    return "it is not rendered";
  }
  function find2(aim, args) {
    let second = null;
    for (const p of candidates2(aim.at, args)) {
      if (!inView(p)) continue;
      const hit = hitAt(p);
      if (!reachesAim(hit, aim)) continue;
      if (args.offset || !nested(hit, aim.at)) return p;
      second ??= p;
    }
    return second;
  }
  var reachesAim = (hit, aim) => reaches(hit, aim.at) || reaches(hit, aim.el);
  function candidates2(el, args) {
    if (!args.offset) return pointsOf(el);
    const box = rectOf(el);
    return [{ x: box.left + args.offset.x, y: box.top + args.offset.y }];
  }
  var alignments = [
    { block: "center", inline: "nearest" },
    { block: "nearest", inline: "center" },
    { block: "end", inline: "end" },
    { block: "start", inline: "start" }
  ];
  function bring(aim, args) {
    const before = rectOf(aim.at);
    const target = scrollTarget(aim.at);
    for (const alignment of alignments) {
      scrollIntoView(target, { ...alignment, behavior: "instant" });
      if (find2(aim, args)) break;
    }
    const after = rectOf(aim.at);
    return before.x !== after.x || before.y !== after.y;
  }
  function scrollTarget(el) {
    if (rectOf(el).width || rectOf(el).height) return el;
    let inner = null;
    for (const child2 of queryIn(el, "*")) {
      if (rectOf(child2).width && rectOf(child2).height) {
        inner = child2;
        break;
      }
    }
    return inner ?? el;
  }
  function covered(aim, args) {
    const what = label(aim.el);
    const p = candidates2(aim.at, args).find(inView);
    if (!p) {
      const box = rectOf(aim.at);
      return fail("NOT_ACTIONABLE", `${what} lies outside the viewport at ${Math.round(box.x)},${Math.round(box.y)} and cannot be scrolled into it`);
    }
    const hit = hitAt(p);
    if (styleOf(aim.at).pointerEvents === "none") {
      return fail("NOT_ACTIONABLE", `${what} lets the pointer through (pointer-events: none); the press would go to ${coverName(hit)}; hover that first if the page wakes it under the pointer, or look with snapshot what it waits for`, unlikely);
    }
    return fail("NOT_ACTIONABLE", `${what} is covered by ${coverName(hit)}; close that or wait until it is gone`);
  }
  function locateBox(target, into) {
    freshStyles();
    const el = resolve(target);
    if (into) scrollIntoView(el, { block: "center", inline: "nearest", behavior: "instant" });
    let box = rectOf(el);
    if (!box.width && !box.height) box = boxes(el)[0] ?? box;
    return { x: box.x, y: box.y, width: box.width, height: box.height };
  }

  // probe.ts
  var patience = 300;
  function probe(args) {
    if (args.drawn) return Promise.race([drawn(), pause(patience)]).then(look2);
    return look2();
  }
  var drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
  function look2() {
    freshStyles();
    const v = viewport();
    const sizes = [documentElement(document), bodyOf(document)].filter((e) => e !== null);
    const out = {
      title: docTitle(document),
      readyState: docReadyState(document),
      width: v.width,
      height: v.height,
      scrollX,
      scrollY,
      fullWidth: Math.max(v.width, ...sizes.map(scrollWidth)),
      fullHeight: Math.max(v.height, ...sizes.map(scrollHeight)),
      dpr: devicePixelRatio
    };
    const active = activeName();
    if (active) out.active = active;
    const entry2 = performance.getEntriesByType("navigation")[0];
    if (entry2?.responseStatus) out.status = entry2.responseStatus;
    return out;
  }

  // scroll.ts
  function scroll(args) {
    freshStyles();
    const el = scroller(args.target ? resolve(args.target) : null);
    if (!el) return { x: 0, y: 0, maxX: 0, maxY: 0 };
    const left = (args.x ?? scrollLeft(el)) + (args.deltaX ?? 0);
    const top2 = (args.y ?? scrollTop(el)) + (args.deltaY ?? 0);
    scrollTo(el, { left, top: top2, behavior: "instant" });
    const out = { x: scrollLeft(el), y: scrollTop(el), maxX: scrollWidth(el) - clientWidth(el), maxY: scrollHeight(el) - clientHeight(el) };
    const wheel = args.wheel ? wheelPoint(el, args.target ? resolve(args.target) : null, args.wheel) : null;
    if (wheel) out.wheel = wheel;
    return out;
  }
  function wheelPoint(el, target, axes) {
    const inside = target ?? (isPage(el) ? null : el);
    for (const p of inside ? pointsOf(inside) : viewPoints()) {
      const hit = inView(p) ? hitAt(p) : null;
      if (hit && (!inside || reaches(hit, inside)) && turns(hit, inside ?? el, axes)) return p;
    }
    return null;
  }
  function turns(hit, whole, axes) {
    for (let at = hit; at && at !== whole; at = flatParent(at)) {
      if (/^(iframe|frame|object|embed)$/.test(localName(at))) return false;
      if (!isPage(at) && takesWheel(at, axes)) return false;
    }
    return true;
  }
  function takesWheel(el, axes) {
    const style = styleOf(el);
    return axes.includes("y") && scrollHeight(el) - clientHeight(el) > 1 && /auto|scroll/.test(style.overflowY) || axes.includes("x") && scrollWidth(el) - clientWidth(el) > 1 && /auto|scroll/.test(style.overflowX);
  }
  var isPage = (el) => el === scrollingElement(document) || el === documentElement(document) || el === bodyOf(document);
  function viewPoints() {
    const v = viewport();
    const at = [0.5, 0.25, 0.75, 0.1, 0.9, 0.02, 0.98];
    return at.flatMap((fy) => at.map((fx) => ({ x: v.width * fx, y: v.height * fy })));
  }
  function scroller(el) {
    const page = scrollingElement(document) ?? documentElement(document);
    for (let at = el; at && at !== page && at !== bodyOf(document); at = flatParent(at)) if (canScroll(at)) return at;
    const modal = topModal();
    if (el || !page || room(page) > 1 && !modal && !locked()) return page;
    let best = null;
    for (const pane of query(document, "body,main,div,section,ul,article,dialog")) {
      if (canScroll(pane) && !(pane === bodyOf(document) && !locked()) && area(pane) > area(best) && (!modal || within(pane, modal))) best = pane;
    }
    return best && (modal || area(best) > 0.3 * innerWidth * innerHeight) ? best : page;
  }
  function locked() {
    const root = documentElement(document);
    const body = bodyOf(document);
    const own = root ? styleOf(root).overflowY : "visible";
    return /hidden|clip/.test(own !== "visible" || !body ? own : styleOf(body).overflowY);
  }
  var room = (el) => Math.max(scrollHeight(el) - clientHeight(el), scrollWidth(el) - clientWidth(el));
  var area = (el) => el ? clientWidth(el) * clientHeight(el) : 0;
  function canScroll(el) {
    if (room(el) <= 1) return false;
    const style = styleOf(el);
    return /auto|scroll|hidden|overlay/.test(style.overflowY + style.overflowX);
  }

  // select.ts
  function select(args) {
    return retry({ timeoutMs: args.timeoutMs, now: args.target.now }, async () => {
      const target = resolve(args.target);
      const el = target instanceof HTMLOptionElement ? owner(target) : fieldOf(target);
      if (!(el instanceof HTMLSelectElement)) return fail("BAD_ARGS", `${label(el)} is not a <select>; click it and then the option`);
      mayEdit(el);
      const options = target instanceof HTMLOptionElement && !args.values?.length ? [usable(target)] : args.values.map((v) => pick(el, v));
      if (options.length > 1 && !el.multiple) fail("BAD_ARGS", `${label(el)} takes one value, not ${options.length}`);
      if (choose(el, new Set(options))) await kept(el, options);
      return { node: numberOf(el), values: Array.from(el.selectedOptions, (o) => o.value), labels: Array.from(el.selectedOptions, optionLabel) };
    });
  }
  function owner(option) {
    let at = option;
    while (at && !(at instanceof HTMLSelectElement)) at = composedParent(at);
    return at ?? option;
  }
  function choose(el, wanted) {
    const same2 = Array.from(el.options).every((o) => o.selected === wanted.has(o));
    if (same2) return false;
    focusElement(el, { preventScroll: true });
    if (el.multiple) for (const o of el.options) o.selected = wanted.has(o);
    else el.selectedIndex = [...wanted][0].index;
    changed(el);
    return true;
  }
  async function kept(el, wanted) {
    await pause(0);
    if (!isConnected(el) || wanted.some((o) => !isConnected(o)) || wanted.every((o) => o.selected)) return;
    fail("NOT_ACTIONABLE", `${label(el)} holds ${quote(selectedLabels(el).join(", "))}: the page put it back after ${wanted.map((o) => quote(optionLabel(o))).join(", ")} was selected`, 0);
  }
  var rules = [
    (o, v) => o.value === v,
    (o, v) => o.label === v || o.text === v,
    (o, v) => optionLabel(o) === fold(v) || fold(o.text) === fold(v),
    (o, v) => alike(optionLabel(o)) === alike(v),
    (o, v) => unspaced(optionLabel(o)) === unspaced(v)
  ];
  var unspaced = (s) => alike(s).replace(/ /g, "");
  function pick(el, v) {
    const all = Array.from(el.options);
    for (const rule of rules) {
      const found = all.filter((o) => rule(o, v));
      const open = found.filter((o) => !isDisabled(o));
      if (open.length > 1 && new Set(open.map((o) => o.value)).size > 1) {
        fail("AMBIGUOUS", `${label(el)} has ${open.length} options ${quote(v)}; say which by value: ${open.slice(0, 5).map((o) => quote(o.value)).join(", ")}`);
      }
      if (open.length) return open[0];
      if (found.length) return usable(found[0]);
    }
    const near = all.map((o) => [closeness(v, optionLabel(o)), optionLabel(o)]).sort((a, b) => b[0] - a[0]);
    return fail("SELECTOR_NOT_FOUND", `${label(el)} has no option ${quote(v)}; it has ${near.slice(0, 8).map((n) => quote(n[1], 40)).join(", ")}${near.length > 8 ? ` and ${near.length - 8} more` : ""}`);
  }
  function usable(o) {
    if (isDisabled(o)) fail("BAD_ARGS", `option ${quote(optionLabel(o))} is disabled`);
    return o;
  }

  // signin.ts
  var few = 12;
  function signIn() {
    const fields2 = visible2('input,textarea,[contenteditable=""],[contenteditable=true]').filter(takesText);
    const passwords = fields2.filter((el) => inputType(el) === "password");
    const chosen = passwords.filter((el) => /\bnew-password\b/i.test(attr(el, "autocomplete") ?? ""));
    const users = fields2.filter((el) => inputType(el) !== "password" && isUser(el));
    const codes = fields2.filter((el) => /\bone-time-code\b/i.test(attr(el, "autocomplete") ?? ""));
    const key = passwords[0] ?? codes[0] ?? users[0];
    const form = key ? closest(key, "form,[role=form],dialog,[role=dialog]") : null;
    return {
      password: passwords.length - chosen.length,
      newPassword: chosen.length,
      user: users.length,
      code: codes.length,
      fields: fields2.length,
      form: form ? formName(form) : "",
      title: clip(docTitle(document), 200),
      headings: visible2("h1,h2,h3,legend,[role=heading]").slice(0, 5).map((el) => clip(fold(textContent(el) ?? ""), 120)),
      buttons: visible2("button,input[type=submit],input[type=button],input[type=image],[role=button],a[class*=btn],a[class*=button]").slice(0, few).map((el) => clip(nameOf(el), 60)),
      words: wordsBeside(form)
    };
  }
  function visible2(selector) {
    const found = [];
    for (const root of allRoots()) for (const el of query(root, selector)) if (isVisible(el)) found.push(el);
    return found;
  }
  function takesText(el) {
    return !/^(hidden|submit|button|image|reset|checkbox|radio|file|range|color)$/.test(inputType(el));
  }
  function isUser(el) {
    const text3 = ["autocomplete", "name", "id", "placeholder", "aria-label"].map((a) => attr(el, a) ?? "").join(" ");
    return inputType(el) === "email" || /\b(username|webauthn)\b/i.test(attr(el, "autocomplete") ?? "") || /user|login|log_in|e-?mail|account|identifier|phone|benutzer|usuario|utilisateur/i.test(text3);
  }
  function formName(form) {
    let path = "";
    try {
      const action = attr(form, "action");
      if (action) path = new URL(action, baseURI(form)).pathname;
    } catch {
    }
    return clip([path, attr(form, "id"), attr(form, "name"), attr(form, "class"), attr(form, "aria-label")].filter(Boolean).join(" "), 300);
  }
  function wordsBeside(form) {
    const body = bodyOf(document) ?? documentElement(document);
    if (!body) return 0;
    const count2 = (el) => (innerText(el) ?? "").split(/\s+/).filter(Boolean).length;
    return Math.max(0, count2(body) - (form && within(form, body) ? count2(form) : 0));
  }

  // storage.ts
  var size = (s) => new TextEncoder().encode(s).length;
  function storage(args) {
    const area2 = areaOf2(!!args.session);
    const all = keysOf(area2);
    const keys = args.key == null ? all : all.filter((k) => k === args.key);
    return {
      entries: keys.slice(0, args.max || void 0).map((k) => entry(area2, k, args.maxValue || 0)),
      total: all.length,
      bytes: all.reduce((n, k) => n + size(k) + size(get(area2, k)), 0)
    };
  }
  function setStorage(args) {
    const area2 = areaOf2(!!args.session);
    const key = args.key ?? "";
    switch (args.op) {
      case "set":
        set(area2, key, args.value ?? "");
        break;
      case "remove":
        Storage.prototype.removeItem.call(area2, key);
        break;
      case "clear":
        Storage.prototype.clear.call(area2);
        break;
      default:
        fail("BAD_ARGS", `op is ${JSON.stringify(args.op)}; it is set, remove or clear`);
    }
    return storage({ session: args.session, key, maxValue: 200 });
  }
  function set(area2, key, value2) {
    try {
      Storage.prototype.setItem.call(area2, key, value2);
    } catch {
      fail("NOT_ACTIONABLE", `the storage is full: ${size(value2)} bytes more are not taken; remove what is no longer needed`);
    }
  }
  function keysOf(area2) {
    const length = Object.getOwnPropertyDescriptor(Storage.prototype, "length").get.call(area2);
    return Array.from({ length }, (_, i) => Storage.prototype.key.call(area2, i) ?? "").sort();
  }
  var get = (area2, key) => Storage.prototype.getItem.call(area2, key) ?? "";
  function entry(area2, key, max) {
    const value2 = get(area2, key);
    const t = cut(value2, max || Number.MAX_SAFE_INTEGER);
    return { key, value: t.text, bytes: size(value2), ...t.cut && { cut: true } };
  }
  function areaOf2(session) {
    const name = session ? "sessionStorage" : "localStorage";
    try {
      return window[name];
    } catch {
      const why = self.origin === "null" ? "it is sandboxed or has no site of its own (data:, blob: or about:)" : "the browser blocks site data for it";
      return fail("NOT_ACTIONABLE", `this document has no ${name}: ${why}; open a page of the site itself`);
    }
  }

  // waitfor.ts
  async function waitFor(args) {
    try {
      return await retry({ timeoutMs: args.timeoutMs }, () => {
        const found = args.target ? seen(args.target, !!args.gone) : says(args.textContains ?? "");
        if (!!found === !!args.gone) throw new Failure("NOT_ACTIONABLE", "not yet");
        return { matched: true, ...typeof found === "number" ? { node: found } : {} };
      });
    } catch (e) {
      if (e instanceof Failure && (e.code === "NOT_ACTIONABLE" || e.code === "SELECTOR_NOT_FOUND")) return { matched: false };
      throw e;
    }
  }
  function seen(target, gone) {
    try {
      const el = resolve(target);
      return isVisible(el) ? numberOf(el) : 0;
    } catch (e) {
      if (e instanceof Hosts || !(e instanceof Failure)) throw e;
      if (e.code === "SELECTOR_NOT_FOUND" || e.code === "REF_EXPIRED" && gone) return 0;
      if (e.code === "AMBIGUOUS") return -1;
      throw e;
    }
  }
  function says(want) {
    if (alike(visibleText(bodyOf(document) ?? documentElement(document))).includes(alike(want))) return true;
    requireHosts();
    return false;
  }

  // webmcp.ts
  var context = () => document.modelContext;
  async function webmcpList(args) {
    const found = context();
    if (!found) return { there: false, tools: [], total: 0 };
    const all = await registered(found);
    return { there: true, tools: all.slice(0, args.max).map((t) => described2(t, args)), total: all.length };
  }
  async function webmcpCall(args) {
    const found = context();
    if (!found) fail("SELECTOR_NOT_FOUND", "this browser has no WebMCP");
    const all = await registered(found);
    const tool = all.find((t) => t.name === args.tool);
    if (!tool) fail("SELECTOR_NOT_FOUND", `the page offers no tool ${JSON.stringify(args.tool)}${all.length ? "" : "; it offers none"}`);
    const stop = new AbortController();
    let timer;
    const late = new Promise((resolve2) => {
      timer = setTimeout(() => {
        resolve2({ late: true });
        stop.abort();
      }, args.timeoutMs);
    });
    const done = found.executeTool(tool, args.arguments ?? {}, { signal: stop.signal }).then((value2) => answer(value2, args.max), (thrown) => ({ error: cut(String(thrown?.message ?? thrown), 2e3).text }));
    try {
      return await Promise.race([done, late]);
    } finally {
      clearTimeout(timer);
    }
  }
  async function registered(from) {
    const all = await from.getTools();
    return all.filter((t) => !t.window || t.window === window);
  }
  function described2(t, args) {
    const schema = t.inputSchema ? JSON.stringify(t.inputSchema) : "";
    return {
      name: cut(t.name, args.maxText).text,
      ...t.title && { title: cut(t.title, args.maxText).text },
      description: shorten(t.description ?? "", args.maxText),
      ...schema && schema.length <= args.maxSchema && { schema },
      ...schema.length > args.maxSchema && { schemaBytes: schema.length },
      ...t.annotations?.readOnlyHint && { readOnly: true }
    };
  }
  function shorten(s, max) {
    const short = cut(s, max);
    return short.cut ? `${short.text}…` : short.text;
  }
  function answer(value2, max) {
    const text3 = typeof value2 === "string" ? value2 : JSON.stringify(value2) ?? "null";
    const whole = new TextEncoder().encode(text3).length;
    const short = cut(text3, max);
    return { value: short.text, bytes: whole, ...short.cut && { truncated: true } };
  }

  // main.ts
  var functions = {
    probe,
    snapshot: (args) => (requireHosts(), snapshot(args)),
    find,
    text: (args) => (requireHosts(), text2(args)),
    html: (args) => (requireHosts(), html2(args)),
    waitFor,
    box: (args) => locateBox(args.target, !!args.into),
    frameOwner: (args, nodes) => frameOwner(args, nodes[0]),
    prepare,
    outcome,
    focus,
    paste,
    setValue,
    value,
    select,
    scroll,
    content: (args) => (requireHosts(), content2(args)),
    links: (args) => (requireHosts(), links(args)),
    signIn: () => (requireHosts(), signIn()),
    storage,
    setStorage,
    webmcpList,
    webmcpCall,
    ...fileFunctions
  };
  var lists = /* @__PURE__ */ new Set(["snapshot", "find", "links"]);
  async function run(name, args, nodes = []) {
    const answer2 = (rest) => ({ url: docURL(document), origin: self.origin, document: documentId, ...rest });
    const fn = Object.prototype.hasOwnProperty.call(functions, name) ? functions[name] : void 0;
    if (!fn) return answer2({ error: { code: "UNKNOWN_METHOD", message: `there is no page function ${name}; server and extension may differ in version` } });
    try {
      freshStyles();
      const value2 = await fn(args ?? {}, nodes);
      if (lists.has(name)) return answer2({ json: JSON.stringify(value2) });
      return value2 instanceof Pointed ? answer2({ value: value2.value, element: ticket(value2.element) }) : answer2({ value: value2 });
    } catch (e) {
      if (e instanceof Hosts) return answer2({ hosts: e.count });
      if (e instanceof Several) return answer2({ error: { code: e.code, message: e.message, data: e.data } });
      if (e instanceof Failure) return answer2({ error: { code: e.code, message: e.message } });
      const err = e;
      return answer2({ error: { code: "CDP_ERROR", message: `page function ${name} failed: ${err?.message ?? String(e)}${where(err)}` } });
    }
  }
  var where = (e) => /\n\s*at ([^\n]+)/.exec(e?.stack ?? "")?.[1]?.replace(/^/, " at ") ?? "";
  var scope = globalThis;
  if (!scope.__chromeMcp) {
    scope.__chromeMcp = {
      run,
      candidates,
      element: element2,
      adopt(host, root) {
        adoptRoot(host, root);
        fertile(host);
      }
    };
  }
})();

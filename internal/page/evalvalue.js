// What an expression came to, in a form that keeps what JSON by value would lose: the
// order of keys, dates, maps, lists of the DOM. It runs in the page's own world, where
// JSON, toJSON and the like may be the page's; so it leans on the language instead.
//
// A list is [0, …], an object [1, key, value, …]; all else stands for itself.
function (most) {
  const around = []; // what the part is in
  const common = ({}).toJSON; // a page that gives one to every object means no object by it
  let left = most;
  let note = '';
  const said = (text) => { note = note || text; return null; };
  const kindOf = (v) => ({}).toString.call(v).slice(8, -1);
  const lists = /^(Arguments|Set|NodeList|RadioNodeList|HTML\w*Collection|DOMTokenList|FileList|StyleSheetList|CSSRuleList|DOMRectList|TouchList|NamedNodeMap|\w+Array)$/;
  const pairs = /^(Map|Headers|FormData)$/;
  const texts = /^(RegExp|Error|DOMException|URLSearchParams)$/;

  function list(v, depth) {
    const out = [0];
    const add = (item) => { const part = walk(item, depth); out[out.length] = part === undefined ? null : part; };
    if (typeof v.length === 'number') for (let i = 0; i < v.length && left >= 0; i++) add(v[i]);
    else v.forEach(add);
    return out;
  }

  function entries(v, depth) {
    const out = [0];
    v.forEach((value, key) => { out[out.length] = list([key, value], depth); });
    return out;
  }

  function object(v, depth) {
    const out = [1];
    for (const key of Object.keys(v)) {
      let part;
      try { part = walk(v[key], depth); } catch { part = said('a part that throws is null'); }
      if (part !== undefined) { out[out.length] = key; out[out.length] = part; }
      if (left < 0) break;
    }
    return out;
  }

  function node(v) {
    if (v.nodeType !== 1) return v.nodeType === 3 ? v.data : v.nodeName;
    return '<' + v.localName + (typeof v.id === 'string' && v.id ? '#' + v.id : '') + '>';
  }

  function walk(v, depth) {
    if (v === null || typeof v === 'string' || typeof v === 'boolean') return v;
    if (typeof v === 'number') return v - v === 0 ? v : null;
    if (typeof v === 'bigint') return '' + v;
    if (typeof v !== 'object') return undefined;
    if (--left < 0) return said('it has too many parts, so some are left out; return less');
    if (depth > 200) return said('it is too deep, so some of it is left out; return the parts you need');
    for (let i = 0; i < depth; i++) if (around[i] === v) return said('a part of it refers to itself and is null; return the parts you need');
    around[depth] = v;
    if (v.window === v) return '[object Window]';
    if (typeof v.nodeType === 'number' && typeof v.nodeName === 'string') return node(v);
    const kind = kindOf(v);
    if (Array.isArray(v) || lists.test(kind)) return list(v, depth + 1);
    if (pairs.test(kind)) return entries(v, depth + 1);
    if (texts.test(kind)) return '' + v;
    if (typeof v.toJSON === 'function' && v.toJSON !== common) return walk(v.toJSON(), depth + 1);
    return object(v, depth + 1);
  }

  const value = walk(this, 0);
  return { value: value === undefined ? null : value, note };
}

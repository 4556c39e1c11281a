// The links of the page.
import { address } from './content';
import { allRoots, attr, fold, hasAttr, query, within } from './dom';
import { clip } from './failure';
import { resolve } from './locate';
import { nameOf } from './names';
import type { Link, Links, LinksArgs } from './pagefn.gen';
import { isVisible } from './style';
import { visibleText } from './text';
import { retry } from './wait';

const most = 20000;
const maxText = 300;

/** links lists the links of the document or of one element. */
export function links(args: LinksArgs): Promise<Links> {
  return retry({ timeoutMs: args.timeoutMs ?? 0, now: args.target?.now }, () => list(args.target ? resolve(args.target) : null, args.max || most));
}

function list(root: Element | null, max: number): Links {
  const out: Links = { links: [] };
  let more = 0;
  let hidden = 0;
  for (const el of inOrder(root)) {
    const url = address(el, attr(el, 'href') ?? attr(el, 'xlink:href'));
    if (!url) continue;
    if (!isVisible(el)) hidden++;
    else if (out.links.length === max) more++;
    else out.links.push(link(el, url));
  }
  return { ...out, ...(more && { more }), ...(hidden && { hidden }) };
}

function inOrder(root: Element | null): Element[] {
  const found: Element[] = [];
  for (const r of allRoots()) for (const el of query(r, 'a,area')) if (isLink(el) && (!root || within(el, root))) found.push(el);
  return found;
}

const isLink = (el: Element) => hasAttr(el, 'href') || hasAttr(el, 'xlink:href');

function link(el: Element, url: string): Link {
  const rel = (attr(el, 'rel') ?? '').toLowerCase().split(/\s+/).filter(t => t && t !== 'noopener' && t !== 'noreferrer').join(' ');
  return { text: clip(fold(visibleText(el)) || nameOf(el), maxText), url, ...(rel && { rel }) };
}

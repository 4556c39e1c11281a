// Elements by their text, without a whole snapshot.
import { Walker } from './snapshot';
import { alike } from './dom';
import { requireHosts } from './hosts';
import { fail } from './failure';
import { numberOf } from './numbers';
import type { FindArgs, Node as PageNode, Snapshot } from './pagefn.gen';
import { canonicalRole } from './roles';
import { freshStyles } from './style';

/** find returns the nodes whose name, text or value matches, in document order. */
export function find(args: FindArgs): Snapshot {
  requireHosts();
  freshStyles();
  const test = matcher(args);
  const role = args.role ? canonicalRole(args.role) : '';
  const max = args.max || 20;
  const nodes: PageNode[] = [];
  let left = 0;
  for (const { node, el } of new Walker({ max: 1e6 }).run(null)) {
    if (role && node.r !== role) continue;
    if (!test(`${node.n ?? ''}\n${node.v ?? ''}`)) continue;
    if (nodes.length >= max) {
      left++;
      continue;
    }
    nodes.push({ ...node, d: 0, e: node.e ?? numberOf(el) });
  }
  return { nodes, ...(left ? { truncated: left } : {}) };
}

function matcher(args: FindArgs): (s: string) => boolean {
  if (args.pattern) {
    try {
      const pattern = new RegExp(args.pattern, 'iu');
      return s => pattern.test(s);
    } catch (e) {
      fail('BAD_ARGS', `pattern: ${(e as Error).message}`);
    }
  }
  const want = alike(args.text ?? '');
  return s => alike(s).includes(want);
}

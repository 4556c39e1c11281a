// The nearest names to one that was not found.
import { allRoots, query } from './dom';
import { infoOf, kindOf } from './describe';
import { clip } from './failure';
import { interactive } from './roles';
import { isVisible } from './style';
import { closeness } from './closeness';

/** nearest lists what a miss may have meant, or "". */
export function nearest(role: string, name: string): string {
  const same: [number, string][] = [];
  const other: [number, string][] = [];
  for (const root of allRoots()) {
    for (const el of query(root, '*')) {
      const kind = kindOf(el);
      if (kind.role !== role && !interactive.has(kind.role)) continue;
      if (!isVisible(el)) continue;
      const has = infoOf(el).name;
      const score = closeness(name, has);
      const shown = `${kind.role} ${JSON.stringify(clip(has, 60))}`;
      if (kind.role === role) same.push([score, shown]);
      else if (score > 0.6) other.push([score, shown]);
    }
  }
  const best = [...new Set([...top(same, name ? 0.25 : 0), ...top(other, 0.6)])].slice(0, 5);
  if (best.length) return `; nearest: ${best.join(', ')}`;
  if (same.length) return `; ${role}s here: ${top(same, -1).slice(0, 5).join(', ')}`;
  return '; take a snapshot to see what there is';
}

function top(list: [number, string][], least: number): string[] {
  return list.filter(([score]) => score >= least).sort((a, b) => b[0] - a[0]).map(([, shown]) => shown);
}

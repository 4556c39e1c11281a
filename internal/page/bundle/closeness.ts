// How alike two names are. Pure: see closeness.test.ts.

/** closeness is 1 for names equal but for case and down to 0 for unlike ones. */
export function closeness(want: string, has: string): number {
  const a = want.toLowerCase().trim();
  const b = has.toLowerCase().trim();
  if (!a || !b) return 0;
  if (a === b) return 1;
  if (b.includes(a) || a.includes(b)) return 0.6 + 0.4 * (Math.min(a.length, b.length) / Math.max(a.length, b.length));
  const pairs = (s: string) => {
    const m = new Map<string, number>();
    for (let i = 0; i < s.length - 1; i++) m.set(s.slice(i, i + 2), (m.get(s.slice(i, i + 2)) ?? 0) + 1);
    return m;
  };
  const pa = pairs(a.slice(0, 200));
  const pb = pairs(b.slice(0, 200));
  let common = 0;
  let total = 0;
  for (const [pair, n] of pa) {
    common += Math.min(n, pb.get(pair) ?? 0);
    total += n;
  }
  for (const n of pb.values()) total += n;
  return total ? (2 * common) / total : 0;
}

// The state of the document.
import { bodyOf, documentElement, docReadyState, docTitle, scrollHeight, scrollWidth } from './dom';
import { activeName } from './describe';
import type { Probe, ProbeArgs } from './pagefn.gen';
import { viewport } from './points';
import { freshStyles } from './style';
import { pause } from './wait';

const patience = 300; // a hidden tab draws nothing

/** probe describes the document. */
export function probe(args: ProbeArgs): Probe | Promise<Probe> {
  if (args.drawn) return Promise.race([drawn(), pause(patience)]).then(look);
  return look();
}

// The second frame begins when the first has been handed on.
const drawn = () => new Promise<void>(done => requestAnimationFrame(() => requestAnimationFrame(() => done())));

function look(): Probe {
  freshStyles();
  const v = viewport();
  const sizes = [documentElement(document), bodyOf(document)].filter(e => e !== null);
  const out: Probe = {
    title: docTitle(document), readyState: docReadyState(document), width: v.width, height: v.height, scrollX, scrollY,
    fullWidth: Math.max(v.width, ...sizes.map(scrollWidth)), fullHeight: Math.max(v.height, ...sizes.map(scrollHeight)), dpr: devicePixelRatio,
  };
  const active = activeName();
  if (active) out.active = active;
  const entry = performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined;
  if (entry?.responseStatus) out.status = entry.responseStatus;
  return out;
}

// Where an element can be pointed at, in the viewport.
import { attr, clientHeight, clientWidth, compatMode, createRange, documentElement, eachChild, isElement, localName, offsetHeight, offsetWidth, queryIn, rectOf, rectsOf } from './dom';
import { imageOfArea } from './style';

/** Point is in CSS pixels of the frame's viewport. */
export interface Point {
  x: number;
  y: number;
}

/** viewport is the layout viewport without scroll bars. */
export function viewport(): { width: number; height: number } {
  const root = documentElement(document);
  const quirks = compatMode(document) === 'BackCompat';
  if (!root || quirks || !(root instanceof HTMLElement)) return { width: innerWidth, height: innerHeight };
  return { width: Math.min(innerWidth, clientWidth(root) || innerWidth), height: Math.min(innerHeight, clientHeight(root) || innerHeight) };
}

/** inView says whether a point lies in the viewport. */
export function inView(p: Point): boolean {
  const v = viewport();
  return p.x >= 0 && p.y >= 0 && p.x < v.width && p.y < v.height;
}

const spread: [number, number][] = [
  [0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.5], [0.9, 0.5], [0.15, 0.15], [0.85, 0.85], [0.15, 0.85], [0.85, 0.15],
];

/** boxes returns the client rectangles of an element that have an area. */
export function boxes(el: Element): DOMRect[] {
  if (localName(el) === 'area') return areaBoxes(el);
  const own = Array.from(rectsOf(el)).filter(r => r.width > 0 && r.height > 0);
  if (own.length) return own;
  // No box of its own (display:contents, an anchor around a float): what is in it counts.
  const inner: DOMRect[] = [];
  eachChild(el, n => {
    if (isElement(n) && inner.length < 8) inner.push(...boxes(n));
    else if (!isElement(n) && inner.length < 8) inner.push(...textBoxes(n));
  });
  return inner;
}

function textBoxes(n: Node): DOMRect[] {
  const range = createRange(document);
  range.selectNodeContents(n);
  return Array.from(range.getClientRects()).filter(r => r.width > 0 && r.height > 0);
}

/** pointsOf lists points of the element inside the viewport, the best first. */
export function pointsOf(el: Element): Point[] {
  if (localName(el) === 'area') return areaPoints(el).filter(inView);
  const v = viewport();
  const points: Point[] = [];
  const rects = boxes(el).slice(0, 6);
  for (const [fx, fy] of spread) {
    for (const r of rects) {
      const left = Math.max(0, r.left);
      const top = Math.max(0, r.top);
      const right = Math.min(v.width, r.right);
      const bottom = Math.min(v.height, r.bottom);
      if (right - left <= 0 || bottom - top <= 0) continue;
      points.push({ x: left + (right - left) * fx, y: top + (bottom - top) * fy });
    }
  }
  return points.concat(shapePoints(el));
}

// A group and a link of a drawing have no shape but that of what is in them.
function shapePoints(el: Element): Point[] {
  if (el instanceof SVGGeometryElement) return outlinePoints(el);
  if (!(el instanceof SVGGraphicsElement)) return [];
  const shapes = Array.from(queryIn(el, 'path,circle,ellipse,line,polygon,polyline,rect')).slice(0, 8);
  return shapes.flatMap(s => (s instanceof SVGGeometryElement ? outlinePoints(s) : []));
}

// The middle of a line's or a ring's box is not on it.
function outlinePoints(el: SVGGeometryElement): Point[] {
  const matrix = el.getScreenCTM();
  const length = el.getTotalLength();
  if (!matrix || !length) return [];
  return [0.5, 0.25, 0.75, 0.1, 0.9].map(f => {
    const p = el.getPointAtLength(length * f).matrixTransform(matrix);
    return { x: p.x, y: p.y };
  }).filter(inView);
}

// An area of an image, in the viewport. Its coordinates are pixels of the image as it is
// laid out, before transforms and zoom.
interface Area {
  shape: 'all' | 'rect' | 'circle' | 'poly';
  at: number[];
  image: DOMRect;
  sx: number;
  sy: number;
}

function areaOf(area: Element): Area | null {
  const img = imageOfArea(area);
  if (!img) return null;
  const image = rectOf(img);
  const at = (attr(area, 'coords') ?? '').split(/[\s,;]+/).filter(Boolean).map(Number).filter(n => !isNaN(n));
  const shape = (attr(area, 'shape') ?? 'rect').toLowerCase();
  const kind = shape.startsWith('def') || at.length < 3 ? 'all' : shape.startsWith('circ') ? 'circle' : shape.startsWith('poly') ? 'poly' : 'rect';
  const html = img instanceof HTMLElement;
  return { shape: kind, at, image, sx: (html && image.width / offsetWidth(img)) || 1, sy: (html && image.height / offsetHeight(img)) || 1 };
}

const even = (at: number[]) => at.filter((_, i) => i % 2 === 0);
const odd = (at: number[]) => at.filter((_, i) => i % 2 === 1);

function areaBoxes(area: Element): DOMRect[] {
  const a = areaOf(area);
  if (!a) return [];
  if (a.shape === 'all') return [a.image];
  const c = a.at;
  let [left, top, right, bottom] = [Math.min(c[0]!, c[2]!), Math.min(c[1]!, c[3] ?? c[1]!), Math.max(c[0]!, c[2]!), Math.max(c[1]!, c[3] ?? c[1]!)];
  if (a.shape === 'circle') [left, top, right, bottom] = [c[0]! - c[2]!, c[1]! - c[2]!, c[0]! + c[2]!, c[1]! + c[2]!];
  if (a.shape === 'poly') [left, top, right, bottom] = [Math.min(...even(c)), Math.min(...odd(c)), Math.max(...even(c)), Math.max(...odd(c))];
  return [new DOMRect(a.image.left + left * a.sx, a.image.top + top * a.sy, (right - left) * a.sx, (bottom - top) * a.sy)];
}

// The middle of a bent polygon's box may lie outside of it: so the middle of the widest
// part of some lines through it is taken.
function areaPoints(area: Element): Point[] {
  const a = areaOf(area);
  const box = areaBoxes(area)[0];
  if (!a || !box) return [];
  if (a.shape !== 'poly') return spread.slice(0, 5).map(([fx, fy]) => ({ x: box.left + box.width * fx, y: box.top + box.height * fy }));
  const xs = even(a.at).map(x => a.image.left + x * a.sx);
  const ys = odd(a.at).map(y => a.image.top + y * a.sy);
  return [0.5, 0.25, 0.75, 0.1, 0.9].flatMap(f => widest(xs, ys, box.top + box.height * f));
}

// widest is the middle of the longest piece of a level line that is inside a polygon.
function widest(xs: number[], ys: number[], y: number): Point[] {
  const cuts: number[] = [];
  for (let i = 0, k = ys.length - 1; i < ys.length; k = i++) {
    const [a, b] = [ys[k]!, ys[i]!];
    if (a <= y !== b <= y) cuts.push(xs[k]! + ((y - a) / (b - a)) * (xs[i]! - xs[k]!));
  }
  cuts.sort((a, b) => a - b);
  let best: [number, number] | null = null;
  for (let i = 0; i + 1 < cuts.length; i += 2) if (!best || cuts[i + 1]! - cuts[i]! > best[1] - best[0]) best = [cuts[i]!, cuts[i + 1]!];
  return best ? [{ x: (best[0] + best[1]) / 2, y }] : [];
}

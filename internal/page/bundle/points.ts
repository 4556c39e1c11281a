// Where an element can be pointed at, in the viewport.
import { attr, clientHeight, clientWidth, compatMode, createRange, documentElement, eachChild, isElement, localName, rectOf, rectsOf } from './dom';
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

// The middle of a line's or a ring's box is not on it.
function shapePoints(el: Element): Point[] {
  if (!(el instanceof SVGGeometryElement)) return [];
  const matrix = el.getScreenCTM();
  const length = el.getTotalLength();
  if (!matrix || !length) return [];
  return [0.5, 0.25, 0.75, 0.1, 0.9].map(f => {
    const p = el.getPointAtLength(length * f).matrixTransform(matrix);
    return { x: p.x, y: p.y };
  }).filter(inView);
}

function areaBoxes(area: Element): DOMRect[] {
  const img = imageOfArea(area);
  if (!img) return [];
  const box = rectOf(img);
  const c = (attr(area, 'coords') ?? '').split(/[\s,;]+/).map(Number).filter(n => !isNaN(n));
  const shape = (attr(area, 'shape') ?? 'rect').toLowerCase();
  if (shape.startsWith('def') || c.length < 3) return [box];
  let [left, top, right, bottom] = [c[0]!, c[1]!, c[2]!, c[3] ?? c[1]!];
  if (shape.startsWith('circ')) [left, top, right, bottom] = [c[0]! - c[2]!, c[1]! - c[2]!, c[0]! + c[2]!, c[1]! + c[2]!];
  if (shape.startsWith('poly')) {
    const xs = c.filter((_, i) => i % 2 === 0);
    const ys = c.filter((_, i) => i % 2 === 1);
    [left, top, right, bottom] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  }
  return [new DOMRect(box.left + left, box.top + top, right - left, bottom - top)];
}

// Capture takes a picture of a tab without bringing it to the front.

import type { Attachment, Params } from './attachment';
import { Failure } from './failure';
import { MAIN } from './frames';
import type { CaptureParams, CaptureResult, Rect } from './wire.gen';

// A tab that draws answers in tens of milliseconds. One that does not within patience
// is woken anew and asked once more; whichever answer comes first is taken.
const patience = 700;
const deadline = 10_000;

// capture takes the picture.
export async function capture(attachment: Attachment, params: CaptureParams): Promise<CaptureResult> {
  attachment.wake();
  const whole = !params.clip && (params.scale || 1) === 1;
  // A frame goes by while the page is measured. One whose pixels were those of the screen
  // has them still, as a rule, and is measured while the picture is taken.
  if (whole && attachment.plain) {
    const [picture, metrics] = await Promise.all([taken(attachment, shotOf(params)), measure(attachment)]);
    if (isPlain(metrics)) return picture;
  }
  const shot = shotOf(params);
  const metrics = await measure(attachment);
  // Without a clip Chrome takes the viewport as it is, and need not lay it out anew.
  if (!whole || !isPlain(metrics)) shot.clip = { ...params.clip ?? viewport(metrics), scale: (params.scale || 1) / pixelRatio(metrics) };
  return taken(attachment, shot);
}

async function taken(attachment: Attachment, shot: Params): Promise<CaptureResult> {
  const first = take(attachment, shot);
  const data = await soon(patience, first) ?? await soon(deadline, Promise.race([first, again(attachment, shot)]));
  if (data) return { data, mime: shot.format === 'png' ? 'image/png' : 'image/jpeg' };
  throw new Failure('TIMEOUT', `tab ${attachment.tab} drew no picture in ${deadline / 1000} s; the page may be busy, try again or use snapshot`);
}

function again(attachment: Attachment, shot: Params): Promise<string> {
  attachment.wake(true);
  return take(attachment, shot);
}

async function take(attachment: Attachment, shot: Params): Promise<string> {
  const { data } = await attachment.send<{ data: string }>(MAIN, 'Page.captureScreenshot', shot);
  return data;
}

interface Metrics {
  cssVisualViewport: { pageX: number; pageY: number; clientWidth: number; clientHeight: number; scale: number };
  visualViewport: { clientWidth: number };
}

function shotOf(params: CaptureParams): Params {
  const format = params.format === 'png' ? 'png' : 'jpeg';
  const shot: Params = { format, optimizeForSpeed: true };
  if (format === 'jpeg') shot.quality = Math.round(Math.min(100, Math.max(1, params.quality || 70)));
  if (params.beyond) shot.captureBeyondViewport = true;
  return shot;
}

async function measure(attachment: Attachment): Promise<Metrics> {
  const metrics = await attachment.send<Metrics>(MAIN, 'Page.getLayoutMetrics');
  attachment.plain = isPlain(metrics);
  return metrics;
}

// isPlain tells that neither the screen, nor the user, nor two fingers enlarge the page.
function isPlain(metrics: Metrics): boolean {
  return pixelRatio(metrics) === 1 && metrics.cssVisualViewport.scale === 1;
}

function viewport({ cssVisualViewport: v }: Metrics): Rect {
  return { x: v.pageX, y: v.pageY, width: v.clientWidth, height: v.clientHeight };
}

// pixelRatio is device pixels per CSS pixel; Chrome's own scale of pictures counts in
// the former.
function pixelRatio(metrics: Metrics): number {
  const ratio = metrics.visualViewport.clientWidth / metrics.cssVisualViewport.clientWidth;
  return Number.isFinite(ratio) && ratio > 0 ? Math.round(ratio * 1000) / 1000 : 1;
}

// soon is the promise's value if it comes within ms, else undefined.
async function soon<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => { timer = setTimeout(() => resolve(undefined), ms); });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => {});
  }
}

// Capture takes a picture of a tab without bringing it to the front.

import type { Attachment, Params } from './attachment';
import { Failure } from './failure';
import { MAIN } from './frames';
import type { CaptureParams, CaptureResult, Rect } from './wire.gen';

// A hidden tab draws no frames, so a picture of it may never come. A screencast makes
// it draw; one pixel is enough (Chromium 156).
const wake = { format: 'jpeg', quality: 1, maxWidth: 1, maxHeight: 1 };

// A tab in front answers in tens of milliseconds. One that does not is covered by
// other windows, and wants waking too.
const patience = 1500;
const deadline = 10_000;

// capture takes the picture. shown says that the tab is in front in its window.
export async function capture(attachment: Attachment, params: CaptureParams, shown: boolean): Promise<CaptureResult> {
  const shot = await shotParams(attachment, params);
  const first = shown ? await soon(patience, take(attachment, shot)) : undefined;
  const data = first ?? await soon(deadline, awake(attachment, () => take(attachment, shot)));
  if (data === undefined) {
    throw new Failure('TIMEOUT', `tab ${attachment.tab} drew no picture in ${deadline / 1000} s; the page may be busy, try again or use snapshot`);
  }
  return { data, mime: shot.format === 'png' ? 'image/png' : 'image/jpeg' };
}

async function take(attachment: Attachment, shot: Params): Promise<string> {
  const { data } = await attachment.send<{ data: string }>(MAIN, 'Page.captureScreenshot', shot);
  return data;
}

// casts counts the pictures under way by tab: the screencast is one for all of them.
const casts = new WeakMap<Attachment, number>();

async function awake<T>(attachment: Attachment, work: () => Promise<T>): Promise<T> {
  casts.set(attachment, (casts.get(attachment) ?? 0) + 1);
  // Not awaited: commands of a tab run in order.
  attachment.send(MAIN, 'Page.startScreencast', wake).catch(() => {});
  try {
    return await work();
  } finally {
    const left = (casts.get(attachment) ?? 1) - 1;
    casts.set(attachment, left);
    if (left === 0) attachment.send(MAIN, 'Page.stopScreencast').catch(() => {});
  }
}

interface Metrics {
  cssVisualViewport: { pageX: number; pageY: number; clientWidth: number; clientHeight: number };
  visualViewport: { clientWidth: number };
}

async function shotParams(attachment: Attachment, params: CaptureParams): Promise<Params> {
  const format = params.format === 'png' ? 'png' : 'jpeg';
  const shot: Params = { format, optimizeForSpeed: true };
  if (format === 'jpeg') shot.quality = Math.round(Math.min(100, Math.max(1, params.quality || 70)));
  if (params.beyond) shot.captureBeyondViewport = true;
  const metrics = await attachment.send<Metrics>(MAIN, 'Page.getLayoutMetrics');
  const ratio = pixelRatio(metrics);
  const scale = (params.scale || 1) / ratio;
  const clip = params.clip ?? viewport(metrics);
  // Without a clip Chrome takes the viewport as it is, and need not lay it out anew.
  if (params.clip || scale !== 1) shot.clip = { ...clip, scale };
  return shot;
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

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Attachment } from './attachment';
import { capture } from './capture';
import { MAIN } from './frames';

// Screen is what Chrome would say of the viewport.
interface Screen {
  ratio: number; // of the screen's pixels to CSS pixels
  scale: number; // of the visual viewport, when two fingers enlarge it
}

// tab is a tab on a screen, and what Chrome was asked to picture of it.
function tab(screen: Screen): { attachment: Attachment; shots: Record<string, unknown>[] } {
  const shots: Record<string, unknown>[] = [];
  (globalThis as unknown as { chrome: unknown }).chrome = { debugger: {
    sendCommand: (_: object, method: string, params: Record<string, unknown>) => {
      if (method === 'Page.captureScreenshot') shots.push(params);
      const css = { pageX: 0, pageY: 50, clientWidth: 800 / screen.scale, clientHeight: 600 / screen.scale, scale: screen.scale };
      return Promise.resolve(method === 'Page.getLayoutMetrics'
        ? { cssVisualViewport: css, visualViewport: { clientWidth: css.clientWidth * screen.ratio } } : { data: `picture ${shots.length}` });
    },
  } };
  const attachment = new Attachment(7, 'bundle');
  attachment.frames.load({ frame: { id: 'top', url: 'https://a.example/', securityOrigin: 'https://a.example' } }, MAIN);
  return { attachment, shots };
}

const whole = { format: 'png', quality: 0, scale: 1, beyond: false };

test('a viewport whose pixels are those of the screen is taken as it is', async () => {
  const { attachment, shots } = tab({ ratio: 1, scale: 1 });
  for (const want of ['picture 1', 'picture 2']) assert.equal((await capture(attachment, whole)).data, want);
  assert.deepEqual(shots.map((s) => s.clip), [undefined, undefined]);
  attachment.rest();
});

test('a picture that was taken as if nothing enlarged the page is taken anew when something does', async () => {
  for (const [change, clip] of [
    [{ ratio: 2 }, { x: 0, y: 50, width: 800, height: 600, scale: 0.5 }],
    [{ scale: 2 }, { x: 0, y: 50, width: 400, height: 300, scale: 1 }],
  ] as const) {
    const screen: Screen = { ratio: 1, scale: 1 };
    const { attachment, shots } = tab(screen);
    await capture(attachment, whole);
    Object.assign(screen, change);
    assert.equal((await capture(attachment, whole)).data, 'picture 3');
    assert.deepEqual(shots.at(-1)?.clip, clip);
    assert.equal((await capture(attachment, whole)).data, 'picture 4', 'and not in vain the next time');
    attachment.rest();
  }
});

test('a part is cut out in pixels of the screen', async () => {
  const { attachment, shots } = tab({ ratio: 2, scale: 1 });
  await capture(attachment, { ...whole, clip: { x: 1, y: 2, width: 30, height: 40 }, scale: 0.5 });
  assert.deepEqual(shots[0]?.clip, { x: 1, y: 2, width: 30, height: 40, scale: 0.25 });
  attachment.rest();
});

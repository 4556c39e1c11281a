import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentText } from './contentstring.ts';

const cases: [string, string][] = [
  ['none', ''],
  ['normal', ''],
  ['"x"', 'x'],
  ['"€ "', '€ '],
  ['"*" / ""', ''],
  ['"✖" / "Dismiss"', 'Dismiss'],
  ['"a" "b"', 'ab'],
  ['"say \\"hi\\" \\\\ "', 'say "hi" \\ '],
  ['"\\a "', '\n'],
  ['"\ue012"', ''],
  ['"1/2"', '1/2'],
  ['url("data:image/png;base64,A/B") "x"', 'x'],
  ['url("a.png") / "Logo"', 'Logo'],
  ['counter(n, decimal) ". "', '. '],
  ['counters(n, ".") " "', ' '],
];
for (const [content, want] of cases) test(`contentText ${content}`, () => assert.equal(contentText(content), want));

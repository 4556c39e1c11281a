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
const counted: [string, string][] = [
  ['"Step " counter(n) ": "', 'Step 12: '],
  ['counters(n, ".") " "', '1.2.12 '],
  ['counters(n, "\\"", upper-roman)', 'I"II"XII'],
  ['counter(n, lower-alpha) ")"', 'l)'],
  ['counter(m, decimal-leading-zero)', '07'],
  ['counter(none)', ''],
  ['counter(n) / "Twelve"', 'Twelve'],
];
const counters = (name: string) => ({ n: [1, 2, 12], m: [7] })[name] ?? [];
for (const [content, want] of counted) test(`contentText ${content}, counted`, () => assert.equal(contentText(content, counters), want));
for (const [content, want] of cases) test(`contentText ${content}`, () => assert.equal(contentText(content), want));

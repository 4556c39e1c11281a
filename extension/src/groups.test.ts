import assert from 'node:assert/strict';
import { test } from 'node:test';

import { colour, Groups } from './groups';
import type { Group } from './store';

// Chrome's groups as far as they are used: tabs and the group each is in.
class Strip {
  next = 100;
  readonly of = new Map<number, number>();
  readonly dress = new Map<number, { title?: string; color?: string }>();

  install(): void {
    const gone = () => Promise.reject(new Error('No group with id'));
    (globalThis as unknown as { chrome: unknown }).chrome = {
      tabs: {
        get: (id: number) => Promise.resolve({ id, windowId: 1 }),
        query: ({ groupId }: { groupId: number }) => Promise.resolve([...this.of].filter(([, g]) => g === groupId).map(([id]) => ({ id }))),
        group: async ({ groupId, tabIds }: { groupId?: number; tabIds: number[] }) => {
          await Promise.resolve();
          if (groupId !== undefined && !this.dress.has(groupId)) return gone();
          const group = groupId ?? this.next++;
          if (groupId === undefined) this.dress.set(group, {});
          for (const tab of tabIds) this.of.set(tab, group);
          return group;
        },
        ungroup: (ids: number[]) => {
          for (const id of ids) this.of.delete(id);
          return Promise.resolve();
        },
      },
      tabGroups: {
        get: (id: number) => (this.dress.has(id) ? Promise.resolve({ id, windowId: 1 }) : gone()),
        update: (id: number, change: object) => {
          this.dress.set(id, { ...this.dress.get(id), ...change });
          return Promise.resolve();
        },
      },
    };
  }
}

function setup(): [Strip, Groups, Map<string, Group>] {
  const strip = new Strip();
  strip.install();
  const kept = new Map<string, Group>();
  return [strip, new Groups(kept, () => {}), kept];
}

test('tabs opened at once share one group', async () => {
  const [strip, groups] = setup();
  await Promise.all([groups.add('s', 'work', [1]), groups.add('s', 'work', [2]), groups.add('t', 'other', [3])]);
  assert.equal(strip.of.get(1), strip.of.get(2));
  assert.notEqual(strip.of.get(1), strip.of.get(3));
  assert.deepEqual(strip.dress.get(100), { title: 'work', color: colour('work') });
});

test('a group that the user removed is made anew', async () => {
  const [strip, groups] = setup();
  await groups.add('s', 'work', [1]);
  strip.dress.delete(100);
  assert.equal(await groups.window('s'), undefined);
  await groups.add('s', 'work', [2]);
  assert.equal(strip.of.get(2), 101);
});

test('renaming keeps the group, "" dissolves it and keeps the tabs', async () => {
  const [strip, groups, kept] = setup();
  await groups.add('s', 'work', [1, 2]);
  await groups.rename('s', 'play', [1, 2]);
  assert.equal(strip.dress.get(100)?.title, 'play');
  await groups.follow('s', 3);
  assert.equal(strip.of.get(3), 100);
  await groups.rename('s', '', []);
  assert.equal(strip.of.size, 0);
  assert.equal(kept.size, 0);
});

test('what Chrome refuses does not stop the work', async () => {
  const [, groups] = setup();
  (chrome.tabs as { group: unknown }).group = () => Promise.reject(new Error('Tabs cannot be edited right now'));
  await groups.add('s', 'work', [1]);
});

test('a title has one colour', () => {
  assert.equal(colour('claude · shop'), colour('claude · shop'));
  const seen = new Set(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map(colour));
  assert.ok(seen.size > 4);
});

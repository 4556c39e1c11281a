// localStorage and sessionStorage of the document's origin.
import { cut } from './cut';
import { fail } from './failure';
import type { SetStorageArgs, Storage as Stored, StorageArgs, StorageEntry } from './pagefn.gen';

const size = (s: string) => new TextEncoder().encode(s).length;

/** storage reads entries. */
export function storage(args: StorageArgs): Stored {
  const area = areaOf(!!args.session);
  const all = keysOf(area);
  const keys = args.key == null ? all : all.filter(k => k === args.key);
  return {
    entries: keys.slice(0, args.max || undefined).map(k => entry(area, k, args.maxValue || 0)),
    total: all.length,
    bytes: all.reduce((n, k) => n + size(k) + size(get(area, k)), 0),
  };
}

/** setStorage changes entries and reads back what is there then. */
export function setStorage(args: SetStorageArgs): Stored {
  const area = areaOf(!!args.session);
  const key = args.key ?? '';
  switch (args.op) {
    case 'set':
      set(area, key, args.value ?? '');
      break;
    case 'remove':
      Storage.prototype.removeItem.call(area, key);
      break;
    case 'clear':
      Storage.prototype.clear.call(area);
      break;
    default:
      fail('BAD_ARGS', `op is ${JSON.stringify(args.op)}; it is set, remove or clear`);
  }
  return storage({ session: args.session, key, maxValue: 200 });
}

function set(area: Storage, key: string, value: string): void {
  try {
    Storage.prototype.setItem.call(area, key, value);
  } catch {
    fail('NOT_ACTIONABLE', `the storage is full: ${size(value)} bytes more are not taken; remove what is no longer needed`);
  }
}

// The names of entries are page data too: nothing is read off the storage as a property.
function keysOf(area: Storage): string[] {
  const length = Object.getOwnPropertyDescriptor(Storage.prototype, 'length')!.get!.call(area) as number;
  return Array.from({ length }, (_, i) => Storage.prototype.key.call(area, i) ?? '').sort();
}

const get = (area: Storage, key: string) => Storage.prototype.getItem.call(area, key) ?? '';

function entry(area: Storage, key: string, max: number): StorageEntry {
  const value = get(area, key);
  const t = cut(value, max || Number.MAX_SAFE_INTEGER);
  return { key, value: t.text, bytes: size(value), ...(t.cut && { cut: true }) };
}

function areaOf(session: boolean): Storage {
  const name = session ? 'sessionStorage' : 'localStorage';
  try {
    return window[name];
  } catch {
    const why = self.origin === 'null' ? 'it is sandboxed or has no site of its own (data:, blob: or about:)' : 'the browser blocks site data for it';
    return fail('NOT_ACTIONABLE', `this document has no ${name}: ${why}; open a page of the site itself`);
  }
}

// Files: which input takes them, setting them from bytes, reading blobs out, and hiding
// frames while a page is printed.
import { isDisabled, labelledControl } from './controls';
import { label } from './describe';
import { allRoots, attr, dispatch, hasAttr, isElement, isShadowRoot, query, queryIn, rectOf, shadowOf } from './dom';
import { fail } from './failure';
import { requireHosts } from './hosts';
import { resolve } from './locate';
import type * as P from './pagefn.gen';
import { Pointed } from './pointed';
import { changed } from './setvalue';
import { retry } from './wait';

const filesOf = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'files')!;
const typeOf = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'type')!.get!;

const isFileInput = (n: unknown): n is HTMLInputElement => n instanceof HTMLInputElement && typeOf.call(n) === 'file';

type Answer = P.FileInput | Pointed<P.FileInput>;

function fileInput(args: P.FileInputArgs, nodes: Node[]): Answer | Promise<Answer> {
  const given = nodes[0];
  if (given) {
    if (!isFileInput(given)) return fail('UPLOAD_FAILED', 'what the page opened a file chooser for is no file input');
    return described(given);
  }
  if (!args.target) return fail('BAD_ARGS', 'fileInput needs a target or a node');
  const target = args.target;
  return retry<Answer>({ timeoutMs: args.timeoutMs ?? 0, now: target.now }, () => {
    const el = resolve(target);
    const input = inputOf(el);
    if (input) return described(input);
    requireHosts();
    let inputs = 0;
    for (const root of allRoots()) for (const e of query(root, 'input')) if (isFileInput(e)) inputs++;
    return new Pointed(el, { label: label(el), inputs });
  });
}

// inputOf is the file input that an element stands for.
function inputOf(el: Element): HTMLInputElement | null {
  if (isFileInput(el)) return el;
  const labelled = labelledControl(el);
  if (isFileInput(labelled)) return labelled;
  const within = [el, shadowOf(el)].flatMap(root => (root ? [...(isShadowRoot(root) ? query(root, 'input') : queryIn(root, 'input'))] : [])).filter(isFileInput);
  return within.length === 1 ? within[0]! : null;
}

function described(input: HTMLInputElement): Pointed<P.FileInput> {
  return new Pointed(input, {
    found: true,
    label: label(input),
    multiple: hasAttr(input, 'multiple'),
    directory: hasAttr(input, 'webkitdirectory'),
    accept: attr(input, 'accept') ?? '',
    disabled: isDisabled(input),
  });
}

// Pieces of files on their way, by transfer.
const transfers = new Map<string, BlobPart[][]>();

function setFiles(args: P.SetFilesArgs, nodes: Node[]): P.Files {
  const input = nodes[0];
  if (!isElement(input) || (!isFileInput(input) && !args.drop)) return fail('UPLOAD_FAILED', 'the file input has become another kind of field; look at the page with snapshot');
  const parts = transfers.get(args.transfer) ?? [];
  transfers.set(args.transfer, parts);
  if (args.data) (parts[args.file ?? 0] ??= []).push(decode(args.data));
  if (!args.files) return { files: [] };
  transfers.delete(args.transfer);
  const transfer = new DataTransfer();
  for (const [i, meta] of args.files.entries()) {
    transfer.items.add(new File(parts[i] ?? [], meta.name, { type: meta.type ?? '', lastModified: meta.modified ?? Date.now() }));
  }
  if (!isFileInput(input)) return drop(input, transfer);
  filesOf.set!.call(input, transfer.files);
  const held = list(input);
  changed(input);
  return held;
}

// drop does what a drag of files from another program does. What takes none says so by
// leaving dragover alone; the browser would open the file in its place.
function drop(el: Element, dataTransfer: DataTransfer): P.Files {
  const box = rectOf(el);
  const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true, cancelable: true, composed: true, dataTransfer };
  const taken = (type: string) => !dispatch(el, new DragEvent(type, at));
  taken('dragenter');
  if (!taken('dragover')) {
    taken('dragleave');
    return fail('UPLOAD_FAILED', `${label(el)} takes no dropped files`);
  }
  const files = Array.from(dataTransfer.files, f => ({ name: f.name, bytes: f.size }));
  taken('drop');
  return { files };
}

function list(input: HTMLInputElement): P.Files {
  const files = (filesOf.get!.call(input) as FileList | null) ?? [];
  return {
    files: Array.from(files, f => (f.webkitRelativePath ? { name: f.name, bytes: f.size, path: f.webkitRelativePath } : { name: f.name, bytes: f.size })),
  };
}

function files(_: P.FilesArgs, nodes: Node[]): P.Files {
  return isFileInput(nodes[0]) ? list(nodes[0]) : { files: [] };
}

// The blob that is being read out; the next piece does not ask the page for it again.
let reading: { url: string; blob: Blob } | null = null;

async function bytes(args: P.BytesArgs): Promise<P.Bytes> {
  if (!args.url.startsWith('blob:')) return fail('BAD_ARGS', 'only blob: addresses are read here');
  if (reading?.url !== args.url || !args.offset) {
    try {
      reading = { url: args.url, blob: await (await fetch(args.url)).blob() };
    } catch {
      return fail('DOWNLOAD_FAILED', `${args.url} is not there (any more), or the page's rules forbid to read it; download_file with the link or button as target may work`);
    }
  }
  const { blob } = reading;
  const from = args.offset ?? 0;
  const piece = new Uint8Array(await blob.slice(from, from + (args.max ?? 1 << 20)).arrayBuffer());
  if (from + piece.length >= blob.size) reading = null;
  return { data: encode(piece), total: blob.size, type: blob.type };
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), c => c.charCodeAt(0));
}

function encode(b: Uint8Array): string {
  let text = '';
  for (let i = 0; i < b.length; i += 0x8000) text += String.fromCharCode(...b.subarray(i, i + 0x8000));
  return btoa(text);
}

// What hidden frames had in their style attribute before.
const veiled = new Map<HTMLElement, string | null>();

function veil(args: P.VeilArgs, nodes: Node[]): P.Veiled {
  if (!args.on) {
    for (const [el, was] of veiled) {
      if (was === null) el.removeAttribute('style');
      else el.setAttribute('style', was);
    }
    veiled.clear();
    return { count: 0 };
  }
  for (const el of nodes) {
    if (!(el instanceof HTMLElement) || veiled.has(el)) continue;
    veiled.set(el, attr(el, 'style'));
    el.style.setProperty('visibility', 'hidden', 'important');
  }
  return { count: veiled.size };
}

/** fileFunctions are the page functions of this file. */
export const fileFunctions = { fileInput, setFiles, files, bytes, veil };

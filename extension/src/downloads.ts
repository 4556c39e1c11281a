// Downloads saves files for sessions and finds the files of downloads that pages began.
// It works in steps, so that the server can follow a long download and give it up.
//
// Chrome puts files where the user's downloads go; the server moves them away. It learns
// nothing of a download that is not of a session's tab.

import { Failure, text } from './failure';
import { judge } from './gate';
import type { Place } from './gate';
import type { Ownership } from './ownership';
import type { Request } from './router';
import type { Rules } from './policy';
import type { DownloadParams, DownloadState } from './wire.gen';

type Item = chrome.downloads.DownloadItem;

// A download that a page began is in Chrome's list within this time of the page's event.
const soon = 10_000;

// How long a look at a running download waits for a change before it answers.
const patience = 500;

// What is told of at most so many downloads that pages began.
const maxBegun = 100;

// folder is where files of ours wait in the user's downloads folder.
const folder = 'chrome-mcp';

// Chrome's words for files that it does not hold back.
const harmless = new Set(['safe', 'accepted', 'allowlistedByPolicy', 'deepScannedSafe']);

// Begun is a download that a page began.
interface Begun {
  tab: number;
  url: string;
  name: string;
  page: Place; // the tab's document then
  time: number;
}

// lists says whether an item is of an address. Of one that is long Chrome lists the
// beginning, 8,192 characters (Chromium 156).
const lists = (item: Item, url: string): boolean =>
  item.finalUrl === url || (item.finalUrl.length > 1000 && url.startsWith(item.finalUrl));

const brief = (url: string): string => (url.length > 300 ? `${url.slice(0, 300)}…` : url);

// Downloads does the work.
export class Downloads {
  private readonly owners = new Map<number, string>(); // download → session
  private readonly names = new Map<number, string>(); // as suggested by server or page
  private begun: Begun[] = [];
  private readonly pages = new Map<number, Place>(); // download of a data: address → the page that made that
  private starting = 0; // downloads of ours that have no number yet
  private readonly unnamed = new Set<number>(); // and those that have no name yet

  constructor(private readonly ownership: Ownership) {}

  // began takes DevTools' word that a page began a download.
  began(tab: number, page: Place, params: { url?: unknown; suggestedFilename?: unknown }): void {
    this.begun.push({ tab, page, url: String(params.url), name: String(params.suggestedFilename), time: Date.now() });
    if (this.begun.length > maxBegun) this.begun.shift();
  }

  // step does one step of a download.
  async step(request: Request): Promise<DownloadState> {
    const params = request.params as DownloadParams;
    if (request.tab === 0) throw new Failure('BAD_ARGS', 'the command names no tab; send tabId');
    this.ownership.check(request.tab, request.session);
    if (params.url) return this.begin(request, String(params.url));
    if (params.page) return this.find(request, String(params.page));
    const id = Number(params.id);
    if (this.owners.get(id) !== request.session) throw new Failure('DOWNLOAD_FAILED', `download ${id} is not one of this session; begin it again`);
    if (params.cancel) await discard(id);
    if (params.cancel || params.forget) return this.forget(id);
    return this.look(id, request.policy, params.wait === true);
  }

  private async begin({ session, policy }: Request, url: string): Promise<DownloadState> {
    judge({ url, origin: '' }, 'download', policy);
    chrome.downloads.onDeterminingFilename.addListener(this.name);
    this.starting++;
    try {
      const id = await chrome.downloads.download({ url, saveAs: false });
      this.owners.set(id, session);
      if (!this.names.has(id)) this.unnamed.add(id);
      return await this.look(id, policy, true);
    } catch (thrown) {
      if (thrown instanceof Failure) throw thrown;
      throw new Failure('DOWNLOAD_FAILED', `Chrome does not download ${brief(url)}: ${text(thrown)}`);
    } finally {
      this.starting--;
      this.named(0);
    }
  }

  // name hears what a file is to be called, for all downloads of the browser.
  private readonly name = (item: Item, suggest: (to?: chrome.downloads.FilenameSuggestion) => void): void => {
    if (item.byExtensionId !== chrome.runtime.id) return suggest();
    this.names.set(item.id, item.filename);
    suggest({ filename: `${folder}/${item.filename}`, conflictAction: 'uniquify' });
    this.named(item.id);
  };

  // named ends the hearing once nobody needs it: Chrome asks its listeners about every
  // file of the user's, too.
  private named(id: number): void {
    this.unnamed.delete(id);
    if (this.starting === 0 && this.unnamed.size === 0) chrome.downloads.onDeterminingFilename.removeListener(this.name);
  }

  private async find({ tab, session, policy }: Request, url: string): Promise<DownloadState> {
    const begun = this.begun.findLast((b) => b.tab === tab && b.url === url);
    if (!begun) throw new Failure('DOWNLOAD_FAILED', `no page of tab ${tab} began a download of ${brief(url)}`);
    // What is in a data: address the page has made.
    const made = url.startsWith('data:');
    judge(made ? begun.page : place(url), 'download', policy);
    for (const end = Date.now() + soon; Date.now() < end; await changed(0)) {
      const items = await chrome.downloads.search({ orderBy: ['-startTime'], limit: 50 });
      const item = items.find((i) => lists(i, url) && !this.owners.has(i.id) && Date.parse(i.startTime) > begun.time - soon);
      if (!item) continue;
      this.begun = this.begun.filter((b) => b !== begun);
      this.owners.set(item.id, session);
      this.names.set(item.id, begun.name);
      if (made) this.pages.set(item.id, begun.page);
      return this.look(item.id, policy, false);
    }
    throw new Failure('DOWNLOAD_FAILED', `Chrome does not list the download of ${brief(url)}; it may have been refused: look at chrome://downloads`);
  }

  // look says how a download is. One that was redirected to a site which is not allowed
  // is given up.
  private async look(id: number, policy: Rules, wait: boolean): Promise<DownloadState> {
    let item = await get(id);
    if (wait && item.state === 'in_progress' && !held(item)) {
      await changed(id);
      item = await get(id);
    }
    try {
      judge(this.pages.get(id) ?? place(item.finalUrl || item.url), 'download', policy);
    } catch (denied) {
      await discard(id);
      this.forget(id);
      throw denied;
    }
    if (item.state !== 'in_progress') this.named(id);
    return this.tell(item);
  }

  private tell(item: Item): DownloadState {
    const state: DownloadState = { id: item.id, state: item.state, url: item.finalUrl || item.url, bytes: item.bytesReceived };
    const name = this.names.get(item.id);
    if (name) state.name = name;
    if (item.filename) state.file = item.filename;
    if (item.mime) state.mime = item.mime;
    if (item.totalBytes > 0) state.total = item.totalBytes;
    if (item.error) state.error = item.error;
    if (item.state === 'in_progress' && held(item)) state.held = item.danger;
    return state;
  }

  private async forget(id: number): Promise<DownloadState> {
    this.owners.delete(id);
    this.names.delete(id);
    this.pages.delete(id);
    this.named(id);
    await chrome.downloads.erase({ id });
    return { id, state: 'interrupted', url: '', bytes: 0 };
  }
}

// place is the document that a download's address belongs to.
function place(url: string): Place {
  return { url, origin: url.startsWith('blob:') ? new URL(url).origin : '' };
}

function held(item: Item): boolean {
  return !harmless.has(item.danger);
}

async function get(id: number): Promise<Item> {
  const [item] = await chrome.downloads.search({ id });
  if (!item) throw new Failure('DOWNLOAD_FAILED', 'the download was taken out of Chrome\'s list before it was complete; begin it again');
  return item;
}

// discard ends a download and deletes what there is of it.
async function discard(id: number): Promise<void> {
  await chrome.downloads.cancel(id).catch(() => {}); // over already
  await chrome.downloads.removeFile(id).catch(() => {}); // nothing was saved
}

// changed waits until something of a download changes, or of any for id 0. Chrome tells
// of no progress, so it waits no longer than a moment.
function changed(id: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      chrome.downloads.onChanged.removeListener(listener);
      resolve();
    };
    const listener = (delta: chrome.downloads.DownloadDelta): void => {
      if (id === 0 || (delta.id === id && (delta.state || delta.danger || delta.error))) done();
    };
    const timer = setTimeout(done, patience);
    chrome.downloads.onChanged.addListener(listener);
  });
}

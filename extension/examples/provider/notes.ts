// What this extension is for, and what the user allows to whom.

// policy is read anew for every question, never remembered. An unknown caller is put on
// the list, for the user to decide.
export async function policy(caller?: string) {
  const { policy } = await chrome.storage.local.get<any>('policy');
  const callers: Record<string, 'pending' | 'allowed' | 'denied'> = {}; // by extension id
  const now = { enabled: true, writes: false, reason: '', callers, ...policy } as { enabled: boolean; writes: boolean; reason: string; callers: typeof callers };
  if (!caller || !now.enabled || now.callers[caller]) return now;
  now.callers[caller] = 'pending';
  await chrome.storage.local.set({ policy: now });
  return now;
}

// refusal says why a caller may not call, or nothing. What counts is the id that Chrome
// gives for the sender. Writes are noted, and 30 in a minute are taken.
export async function refusal(caller: string, write = ''): Promise<string | undefined> {
  const { enabled, writes, callers } = await policy();
  if (!enabled) return 'The user has switched off agent access to Notes.';
  if (callers[caller] !== 'allowed') return 'The user has not allowed this caller in Notes.';
  if (!write) return undefined;
  if (!writes) return 'The user has switched off changes in Notes.';
  const { audit = [] } = await chrome.storage.local.get<any>('audit');
  if (audit.filter((a: any) => a.caller === caller && a.at > Date.now() - 60_000).length >= 30) return 'Notes takes 30 changes in a minute; wait a moment.';
  await chrome.storage.local.set({ audit: [...audit, { at: Date.now(), caller, tool: write }].slice(-1000) });
  return undefined;
}

interface Tool {
  description: string;
  reads: boolean; // changes nothing
  input: object; // JSON Schema
  run(args: any, signal: AbortSignal, progress: (done: number, total: number) => void): Promise<{ content: object[] }>;
}

const say = (text: string) => ({ content: [{ type: 'text', text }] });
const notes = async (): Promise<string[]> => (await chrome.storage.local.get<any>('notes')).notes ?? [];

export const tools: Record<string, Tool> = {
  list: {
    description: 'List the notes.', reads: true, input: { type: 'object', properties: {} },
    run: async () => say((await notes()).join('\n') || 'There are no notes.'),
  },
  add: {
    description: 'Add a note.', reads: false, input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    async run({ text }) {
      if (typeof text !== 'string' || text === '') throw new Error('A note needs a text.');
      const all = [...await notes(), text];
      await chrome.storage.local.set({ notes: all });
      return say(`There are ${all.length} notes now.`);
    },
  },
  picture: {
    description: 'A picture of the notes.', reads: true, input: { type: 'object', properties: {} },
    async run() {
      const canvas = new OffscreenCanvas(300, 200);
      const pen = canvas.getContext('2d');
      (await notes()).forEach((note, i) => pen?.fillText(note, 10, 20 + 20 * i));
      const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
      return { content: [{ type: 'image', data: btoa(String.fromCharCode(...bytes)), mimeType: 'image/png' }] };
    },
  },
  wait: {
    description: 'Wait, and tell how far it is.', reads: true, input: { type: 'object', properties: { ms: { type: 'integer' } }, required: ['ms'] },
    async run({ ms }, signal, progress) {
      for (let step = 1; step <= 10 && !signal.aborted; step++) {
        await new Promise((done) => setTimeout(done, ms / 10));
        progress(step, 10);
      }
      return say(`${ms} ms have passed.`);
    },
  },
};

// Tools that the page registered with the browser for agents (WebMCP). Their words are
// the page's own: nothing here believes them.
import { cut } from './cut';
import { fail } from './failure';
import type { PageTool, PageToolArgs, PageToolCalled, PageTools, PageToolsArgs } from './pagefn.gen';

// What Chromium 156 offers; no library has its types yet.
interface ModelContext {
  getTools(): Promise<Registered[]>;
  executeTool(tool: Registered, input: object, options?: { signal: AbortSignal }): Promise<unknown>;
}

interface Registered {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: object;
  annotations?: { readOnlyHint?: boolean };
  window?: Window;
}

const context = (): ModelContext | undefined => (document as { modelContext?: ModelContext }).modelContext;

/** webmcpList says what the page offers. */
export async function webmcpList(args: PageToolsArgs): Promise<PageTools> {
  const found = context();
  if (!found) return { there: false, tools: [], total: 0 };
  const all = await registered(found);
  return { there: true, tools: all.slice(0, args.max).map((t) => described(t, args)), total: all.length };
}

/** webmcpCall calls one of them, and gives up when its time is over. */
export async function webmcpCall(args: PageToolArgs): Promise<PageToolCalled> {
  const found = context();
  if (!found) fail('SELECTOR_NOT_FOUND', 'this browser has no WebMCP');
  const all = await registered(found!);
  const tool = all.find((t) => t.name === args.tool);
  if (!tool) fail('SELECTOR_NOT_FOUND', `the page offers no tool ${JSON.stringify(args.tool)}${all.length ? '' : '; it offers none'}`);
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<PageToolCalled>((resolve) => {
    timer = setTimeout(() => {
      resolve({ late: true });
      stop.abort();
    }, args.timeoutMs);
  });
  const done = found!.executeTool(tool!, (args.arguments ?? {}) as object, { signal: stop.signal })
    .then((value) => answer(value, args.max), (thrown: unknown) => ({ error: cut(String((thrown as Error)?.message ?? thrown), 2000).text }));
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}

// Tools of frames within are asked for there.
async function registered(from: ModelContext): Promise<Registered[]> {
  const all = await from.getTools();
  return all.filter((t) => !t.window || t.window === window);
}

function described(t: Registered, args: PageToolsArgs): PageTool {
  const schema = t.inputSchema ? JSON.stringify(t.inputSchema) : '';
  return {
    name: cut(t.name, args.maxText).text,
    ...(t.title && { title: cut(t.title, args.maxText).text }),
    description: shorten(t.description ?? '', args.maxText),
    ...(schema && schema.length <= args.maxSchema && { schema }),
    ...(schema.length > args.maxSchema && { schemaBytes: schema.length }),
    ...(t.annotations?.readOnlyHint && { readOnly: true }),
  };
}

function shorten(s: string, max: number): string {
  const short = cut(s, max);
  return short.cut ? `${short.text}…` : short.text;
}

// answer is what the tool returned: Chrome hands it over as JSON.
function answer(value: unknown, max: number): PageToolCalled {
  const text = typeof value === 'string' ? value : JSON.stringify(value) ?? 'null';
  const whole = new TextEncoder().encode(text).length;
  const short = cut(text, max);
  return { value: short.text, bytes: whole, ...(short.cut && { truncated: true }) };
}

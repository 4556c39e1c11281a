// L0: can a provider be used, and if not, what has the user to do?

export interface State {
  state: 'connected' | 'error';
  text: string; // for the user
  service?: { namespace: string; name: string; version: string };
}

// isExtensionId is the only judge of ids.
export const isExtensionId = (id: unknown): id is string => typeof id === 'string' && /^[a-p]{32}$/.test(id);

const timeout = 1500; // ms

export async function probe(id: string): Promise<State> {
  if (!isExtensionId(id)) return { state: 'error', text: `${id} is no extension id` };
  const { name, version } = chrome.runtime.getManifest();
  const question = { channel: 'lumo:probe', version: 1, id: crypto.randomUUID(), client: { id: chrome.runtime.id, name, version } };
  let late: ReturnType<typeof setTimeout> | undefined;
  try {
    const answer = await Promise.race([
      chrome.runtime.sendMessage(id, question),
      new Promise((_, reject) => { late = setTimeout(() => reject(new Error(`no answer in ${timeout} ms`)), timeout); }),
    ]);
    return judge(answer);
  } catch (error) {
    const { message } = error as Error;
    const text = message.startsWith('no answer') ? message : 'not installed, or it serves no agent endpoint';
    return { state: 'error', text };
  } finally {
    clearTimeout(late);
  }
}

function judge(answer: any): State {
  const error = (text: string): State => ({ state: 'error', text });
  if (answer?.ok === false) return error(String(answer.error?.message ?? answer.error));
  const { service, status } = answer ?? {};
  if (!service || !status) return error('probe response is incomplete');
  if (!status.enabled) return error('agent access is switched off in the provider');
  if (!status.authorized) return error(status.pendingApproval ? 'waiting for your approval in the provider' : 'this caller is not on the allowlist');
  if (!status.ready) return error(status.reason || 'it is not ready');
  return { state: 'connected', text: 'connected', service };
}

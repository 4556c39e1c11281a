// The page: what a provider offers, and a form to call it.

const byId = (id: string) => document.getElementById(id) as HTMLInputElement;
const show = (value: unknown) => { byId('output').textContent = typeof value === 'string' ? value : JSON.stringify(value, null, 2); };

async function ask(type: string, more: object = {}): Promise<void> {
  show('…');
  const answer = await chrome.runtime.sendMessage({ type, id: byId('id').value.trim(), ...more });
  show(answer.error ?? answer.result);
}

byId('probe').onclick = () => ask('probe');
byId('tools').onclick = () => ask('tools');
byId('call').onclick = () => {
  try {
    void ask('call', { tool: byId('tool').value, args: JSON.parse(byId('args').value || '{}') });
  } catch (error) {
    show((error as Error).message);
  }
};

// The options page: who may call, and what.
import { policy } from './notes';

async function show(): Promise<void> {
  const now = await policy();
  const save = (_changed: unknown) => chrome.storage.local.set({ policy: now });
  for (const name of ['enabled', 'writes'] as const) {
    const box = document.getElementById(name) as HTMLInputElement;
    box.checked = now[name];
    box.onchange = () => save(now[name] = box.checked);
  }
  document.getElementById('callers')?.replaceChildren(...Object.keys(now.callers).flatMap((id) => {
    const button = document.createElement('button');
    button.textContent = now.callers[id] === 'allowed' ? 'Deny' : 'Allow';
    button.onclick = () => save(now.callers[id] = now.callers[id] === 'allowed' ? 'denied' : 'allowed');
    return [`${id}: ${now.callers[id]} `, button, document.createElement('br')];
  }));
}

chrome.storage.local.onChanged.addListener(show);
void show();

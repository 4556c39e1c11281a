// A provider that does what the tests tell it to. What is told is kept in storage, under
// "tell": {probe, deaf, namespace, tools, flood, garbage, big}.
const open = (globalThis.open = new Set()); // ports
globalThis.runs = []; // tools that were run
const told = async () => (await chrome.storage.local.get('tell')).tell ?? {};

chrome.runtime.onMessageExternal.addListener((message, sender, answer) => {
  void told().then((tell) => {
    if (tell.probe === 'never') return;
    answer(tell.probe ?? {
      ok: true, service: { namespace: tell.namespace ?? 'odd', name: 'Odd', version: '1.0' },
      status: { enabled: true, authorized: true, ready: true },
    });
  });
  return true;
});

chrome.runtime.onConnectExternal.addListener((port) => {
  open.add(port);
  port.onDisconnect.addListener(() => open.delete(port));
  port.onMessage.addListener(async ({ id, method, params }) => {
    const tell = await told();
    if (id === undefined || tell.deaf) return;
    const say = (message) => port.postMessage({ jsonrpc: '2.0', id, ...message });
    switch (method) {
      case 'initialize':
        if (tell.garbage) port.postMessage('no JSON-RPC at all');
        return say({ result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'Odd', version: '1.0' } } });
      case 'tools/list':
        return say({ result: { tools: (tell.tools ?? ['echo', 'write']).map((name) => ({
          name, description: tell.description ?? `Does ${name}.`, inputSchema: tell.schema ?? { type: 'object' }, annotations: { readOnlyHint: !name.startsWith('write') },
        })) } });
      case 'ping':
        return say({ result: {} });
      case 'tools/call': {
        const began = performance.now();
        runs.push(params.name);
        if (params.name.endsWith('hang')) return;
        if (params.name === 'die') return port.disconnect();
        if (params.name === 'writedie') {
          await chrome.storage.local.set({ written: ((await chrome.storage.local.get('written')).written ?? 0) + 1 });
          return port.disconnect();
        }
        const text = params.name === 'big' ? 'x'.repeat(tell.big) : JSON.stringify({ args: params.arguments, ms: performance.now() - began });
        return say({ result: { content: [{ type: 'text', text }] } });
      }
    }
    say({ error: { code: -32601, message: `no ${method}` } });
  });
});

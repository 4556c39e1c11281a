// Stands in for the worker: a port that tells the state that the test wants shown and
// keeps what the page asks. Put before the page's own scripts; all else is real.
(() => {
  const { state, site, url, press } = STATE;
  const listeners = [];
  globalThis.asked = [];
  globalThis.wrong = [];
  addEventListener('error', (e) => wrong.push(`error: ${e.message}`));
  addEventListener('unhandledrejection', (e) => wrong.push(`rejected: ${e.reason}`));
  addEventListener('securitypolicyviolation', (e) => wrong.push(`refused by ${e.violatedDirective}: ${e.blockedURI}`));
  chrome.runtime.connect = () => ({
    postMessage(request) {
      asked.push(request);
      if (request.type === 'site') {
        listeners.forEach((tell) => tell({ type: 'site', url: request.url, servers: site ?? [] }));
      }
    },
    onMessage: {
      addListener(tell) {
        listeners.push(tell);
        queueMicrotask(() => tell({ type: 'state', state }));
      },
    },
    onDisconnect: { addListener() {} },
  });
  if (press) {
    const pressed = new MutationObserver(() => {
      const button = document.querySelector(press);
      if (button) {
        pressed.disconnect();
        button.click();
      }
    });
    pressed.observe(document, { childList: true, subtree: true });
  }
  if (url) {
    chrome.tabs.query = async () => [{ id: 1, url }];
  }
})();

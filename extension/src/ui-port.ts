// The port to the worker. Chrome may stop the worker at any time and the port goes
// with it; dialling again wakes it, and it tells the whole state anew.
import { type Message, PORT, type Request, type UiState } from './state.ts';

// Handlers get what the worker tells.
export interface Handlers {
  state(state: UiState): void;
  site?(answer: Extract<Message, { type: 'site' }>): void;
  // gone: this page outlived its extension, which was reloaded or removed.
  gone(): void;
}

// Worker is the other end.
export interface Worker {
  send(request: Request): void;
}

// redial is the pause before dialling again, so that a worker which dies at every
// start is not started in a tight loop.
const redial = 250;

export function connect(on: Handlers): Worker {
  let port: chrome.runtime.Port | undefined;
  const dial = () => {
    try {
      port = chrome.runtime.connect({ name: PORT });
    } catch {
      on.gone();
      return;
    }
    port.onMessage.addListener((m: Message) => {
      if (m.type === 'state') {
        on.state(m.state);
      } else {
        on.site?.(m);
      }
    });
    port.onDisconnect.addListener(() => {
      port = undefined;
      setTimeout(dial, redial);
    });
  };
  dial();
  return {
    send(request) {
      if (!port) {
        dial();
      }
      port?.postMessage(request);
    },
  };
}

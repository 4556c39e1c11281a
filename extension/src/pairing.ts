// Pairing by hand, where the browser cannot start the host: the user hands over the
// text of a server's handshake file.

import type { Problem } from './state';
import type { Server } from './wire.gen';

// readHandshake reads the text of a handshake file: a server, or what is wrong.
export function readHandshake(text: string, extension: string): Server | Problem {
  let file: Record<string, unknown>;
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return wrong('it is not a JSON object');
    file = parsed as Record<string, unknown>;
  } catch (thrown) {
    return wrong(thrown instanceof Error ? thrown.message : String(thrown));
  }
  if (file.v !== 1) return wrong(`its version is ${JSON.stringify(file.v)}, this extension knows 1`);
  const { port, token, sessionId, pid, ts, client } = file;
  if (!Number.isInteger(port) || Number(port) < 1 || Number(port) > 65535) return wrong('it has no valid port');
  if (typeof token !== 'string' || token.length < 32) return wrong('it has no token');
  if (typeof sessionId !== 'string' || sessionId === '') return wrong('it has no sessionId');
  const expected = file.expectedExtensionId;
  if (expected && expected !== extension) return wrong(`it is for the extension ${String(expected)}, not for this one`);
  const server: Server = { sessionId, port: Number(port), token, pid: Number(pid) || 0, ts: Number(ts) || 0 };
  if (typeof client === 'string') server.client = client;
  return server;
}

function wrong(why: string): Problem {
  return { what: 'This is not the handshake file of a running chrome-mcp server.', why, command: 'chrome-mcp --print-pairing' };
}

// isProblem tells the two apart.
export function isProblem(value: Server | Problem): value is Problem {
  return 'what' in value;
}

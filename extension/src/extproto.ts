// The protocol between extensions, as far as the worker has to know it: who is an
// extension, what is a probe, what is only there to keep a worker awake. Names and
// limits come from Go (wire.gen.ts).

import { ExtensionIDPattern, PlainPort, PortName, ProbeChannel, ProbeVersion } from './wire.gen';
import type { ProbeAnswer } from './wire.gen';

const pattern = new RegExp(ExtensionIDPattern);

// isExtensionId is the only judge of extension ids, on every path by which one comes in.
export function isExtensionId(value: unknown): value is string {
  return typeof value === 'string' && pattern.test(value);
}

// senderOf is the extension that sent something, by Chrome's word; undefined for what no
// extension sent, and for its scripts in web pages: those run in the processes of sites,
// and a site that has broken out into its own could speak for them.
export function senderOf(sender: { id?: string | undefined; origin?: string | undefined } | undefined): string | undefined {
  const id = sender?.id;
  if (!isExtensionId(id)) return undefined;
  return sender?.origin === undefined || sender.origin === `chrome-extension://${id}` ? id : undefined;
}

// isOurPort reports whether a port's name is one that we serve MCP on.
export function isOurPort(name: string): boolean {
  return name === PortName || name === PlainPort;
}

// isProbe reports whether a message means to be a probe, of whatever version.
export function isProbe(message: unknown): boolean {
  return isObject(message) && message.channel === ProbeChannel;
}

// faultOf says what is wrong with a probe, or nothing. What the client calls itself is
// for people only, so that it is missing is no fault.
export function faultOf(message: unknown): ProbeAnswer | undefined {
  if (!isObject(message)) return fault('BAD_PROBE', 'the probe is no object');
  if (message.version !== ProbeVersion) {
    return fault('BAD_VERSION', `this extension speaks version ${ProbeVersion} of the probe, not ${short(message.version)}`);
  }
  if (typeof message.id !== 'string' || message.id === '' || message.id.length > 128) return fault('BAD_PROBE', 'the probe needs an id');
  if (message.client !== undefined && !isObject(message.client)) return fault('BAD_PROBE', 'client has to be an object with id, name and version');
  return undefined;
}

function fault(code: string, message: string): ProbeAnswer {
  return { ok: false, error: { code, message } };
}

// nameOf is what a probe's client calls itself, cut to what can be shown.
export function nameOf(message: unknown): string {
  const client = isObject(message) ? message.client : undefined;
  const name = isObject(client) ? client.name : undefined;
  return typeof name === 'string' ? printable(name, 60) : '';
}

// printable keeps what others named from breaking what we say: one line, no marks that
// turn the direction of text, and short.
export function printable(text: string, most: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').replace(/\s+/g, ' ').trim();
  const letters = [...line];
  return letters.length > most ? `${letters.slice(0, most).join('')}…` : line;
}

// keepAlive is the answer to a message that is only there to keep a worker awake: null
// is none. undefined is any other message.
export function keepAlive(message: unknown): object | null | undefined {
  if (!isObject(message) || 'jsonrpc' in message) return undefined;
  if (message.type === 'ping') return { type: 'pong' };
  return message.type === 'keep-alive' || message.type === 'pong' ? null : undefined;
}

// refusalOf answers a request with an error; what is no request needs no answer.
export function refusalOf(message: unknown, reason: string): object | undefined {
  if (!isObject(message) || typeof message.method !== 'string') return undefined;
  const { id } = message;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  return { jsonrpc: '2.0', id, error: { code: -32001, message: reason } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function short(value: unknown): string {
  return printable(JSON.stringify(value) ?? 'undefined', 20);
}

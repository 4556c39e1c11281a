// The job with version 2 of the TypeScript SDK, at either revision.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { args, env, header, me, program, run, url, version } from './job.mjs';

const mode = version === '2026-07-28' ? { pin: version } : 'legacy';
const client = new Client(me, { versionNegotiation: { mode } });
await client.connect(url
  ? new StreamableHTTPClientTransport(new URL(url), { requestInit: header })
  : new StdioClientTransport({ command: program, args, env }));
if (client.getNegotiatedProtocolVersion() !== version) throw new Error(`speaks ${client.getNegotiatedProtocolVersion()}, not ${version}`);
await run(client);

// The job with version 1 of the TypeScript SDK, which speaks the revision with a handshake.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { args, env, header, me, program, run, url } from './job.mjs';

const client = new Client(me);
await client.connect(url
  ? new StreamableHTTPClientTransport(new URL(url), { requestInit: header })
  : new StdioClientTransport({ command: program, args, env }));
await run(client);

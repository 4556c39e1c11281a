// An extension on the public browser transports, as their documentation has one built. It
// serves tools through ports named mcp, and uses those of another extension.
import { ExtensionClientTransport, ExtensionServerTransport } from '@mcp-b/transports';
import { Client } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const todos = [];

chrome.runtime.onConnectExternal.addListener(async (port) => {
  if (port.name !== 'mcp') return port.disconnect();
  const server = new McpServer({ name: 'Todo-App', version: '1.0.0' });
  server.registerTool('create', { description: 'Create a todo.', inputSchema: z.object({ text: z.string() }) }, async ({ text }) => {
    todos.push(text);
    return { content: [{ type: 'text', text: `Todo created: ${text}` }] };
  });
  server.registerTool('count', { description: 'How many there are.', inputSchema: z.object({}), annotations: { readOnlyHint: true } }, async () => (
    { content: [{ type: 'text', text: `${todos.length} todos` }] }));
  globalThis.transport = new ExtensionServerTransport(port);
  await server.connect(transport);
});

let client;

async function connected(id) {
  if (client) return client;
  const made = new Client({ name: 'Todo-App', version: '1.0.0' });
  const transport = new ExtensionClientTransport({ extensionId: id, portName: 'mcp', autoReconnect: false });
  await made.connect(transport, { timeout: 5000 });
  made.onclose = () => { client = undefined; };
  return (client = made);
}

// What the extension's page asks for.
async function ask({ type, id, tool, args }) {
  const mcp = await connected(id);
  return type === 'tools' ? (await mcp.listTools()).tools : mcp.callTool({ name: tool, arguments: args ?? {} });
}

chrome.runtime.onMessage.addListener((request, _sender, answer) => {
  ask(request).then((result) => answer({ result }), (error) => answer({ error: error.message }));
  return true;
});

// The main job, as an agent does it with whatever client: open a page, look at it, fill
// a field, press a button, and read what came of it.
//
// What to do comes as JSON in JOB, so that the token is in no command line.

export const { program, args, env, url, token, page, version } = JSON.parse(process.env.JOB);

// run does the job with a client that is connected, and prints what it found.
export async function run(client) {
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    const text = result.content.filter((c) => c.type === 'text').map((c) => c.text).join('\n');
    if (result.isError) throw new Error(`${name}: ${text}`);
    return text;
  };
  const { tools } = await client.listTools();
  await call('navigate', { url: page });
  const seen = await call('snapshot', { interactiveOnly: true });
  const [, ref] = /textbox "Name" \[(e\d+)\]/.exec(seen) ?? [];
  await call('type', { ref, text: 'Ada' });
  await call('click', { role: 'button', name: 'Send' });
  const read = await call('get_text', {});
  console.log(JSON.stringify({ tools: tools.length, instructions: client.getInstructions() ?? '', read }));
  await client.close();
}

export const me = { name: 'job', version: '1.0.0' };
export const header = { headers: { Authorization: `Bearer ${token}` } };

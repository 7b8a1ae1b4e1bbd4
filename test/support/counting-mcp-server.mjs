// A small MCP server on stdio that leaves a line in a file for each call: what really happened, whatever the log says.
// `append` and `asked` answer at once; `hold` and `again` only when the file `<file>.go` is there.
import { appendFileSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

const file = process.argv[2];
const inputSchema = {
  type: 'object',
  properties: { line: { type: 'string' } },
  required: ['line'],
  additionalProperties: false,
};
const tools = ['append', 'asked', 'hold', 'again'].map((name) => ({
  name,
  description: name,
  inputSchema,
}));
const send = (id, result) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);

const call = (id, { name, arguments: args }) => {
  appendFileSync(file, `${args.line}\n`);
  const text = { content: [{ type: 'text', text: `appended ${args.line}` }] };
  if (name === 'append' || name === 'asked' || existsSync(`${file}.go`)) send(id, text);
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    send(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'counting', version: '1' },
    });
  else if (method === 'tools/list') send(id, { tools });
  else if (method === 'tools/call') call(id, params);
  else if (id !== undefined) send(id, {});
});

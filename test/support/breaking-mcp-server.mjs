// A small MCP server on stdio that fails in the middle of a call: `dies` ends the process, `hangs` never answers, `floods` answers with
// what is no message. `works` answers.
// Every call leaves a line in a file before.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const file = process.argv[2];
const tools = ['dies', 'hangs', 'works', 'floods'].map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
}));
const send = (id, result) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);

const call = (id, name) => {
  appendFileSync(file, `${name}\n`);
  if (name === 'dies') process.exit(1);
  if (name === 'floods') process.stdout.write('this is no message\n');
  if (name === 'works') send(id, { content: [{ type: 'text', text: 'it works' }] });
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    send(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'breaking', version: '1' },
    });
  else if (method === 'tools/list') send(id, { tools });
  else if (method === 'tools/call') call(id, params.name);
  else if (id !== undefined) send(id, {});
});

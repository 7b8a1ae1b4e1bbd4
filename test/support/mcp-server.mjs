// A small MCP server on stdio whose tools misbehave on purpose. Pages of two tools.
import { createInterface } from 'node:readline';

const tool = (name, description = name) => ({ name, description, inputSchema: { type: 'object' } });
const tools = [
  tool('env', 'Shows the environment.'),
  tool('die', 'Ends the process.'),
  tool('hang', 'Never answers.'),
  tool('fail', 'Says that it failed.'),
  tool('mixed', 'Answers with several kinds of content.'),
  tool('refuse', 'Answers with a protocol error.'),
  tool('roots', 'Asks the client for its roots.'),
  tool('grow', 'Adds a tool and says so.'),
  tool('pid', 'Tells its process id.'),
];
const pending = new Map();
let nextId = 1000;

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const ask = (method) =>
  new Promise((done) => {
    nextId += 1;
    pending.set(nextId, done);
    send({ id: nextId, method });
  });

const call = async (name) => {
  if (name === 'env') return text(JSON.stringify(process.env));
  if (name === 'pid') return text(String(process.pid));
  if (name === 'die') process.exit(3);
  if (name === 'hang') return new Promise(() => undefined);
  if (name === 'fail') return { ...text('it did not work'), isError: true };
  if (name === 'mixed')
    return {
      content: [
        { type: 'text', text: 'one' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///x', text: 'two' } },
      ],
    };
  if (name === 'roots') return text(JSON.stringify((await ask('roots/list')).roots));
  if (name === 'grow') {
    tools.push(tool('grown'));
    send({ method: 'notifications/tools/list_changed' });
    return text('grown');
  }
  return null;
};

const answer = async ({ id, method, params }) => {
  if (method === 'initialize')
    return send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'odd', version: '1' },
      },
    });
  if (method === 'tools/list') {
    const from = Number(params?.cursor ?? 0);
    const next = from + 2 < tools.length ? { nextCursor: String(from + 2) } : {};
    return send({ id, result: { tools: tools.slice(from, from + 2), ...next } });
  }
  if (method === 'tools/call') {
    const result = await call(params.name);
    return send(
      result === null ? { id, error: { code: -32602, message: 'no such thing' } } : { id, result },
    );
  }
  if (id !== undefined) send({ id, result: {} });
};

process.stderr.write(`started with ${process.env.TOKEN ?? 'no token'}\n`);
if (process.argv.includes('--broken')) process.exit(1);
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const waiting = pending.get(message.id);
  if (waiting !== undefined && message.method === undefined) waiting(message.result);
  else void answer(message);
});

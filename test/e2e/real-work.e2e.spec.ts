import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { rebuildLog } from '../support/log-folder.ts';
import {
  processFolder,
  type DaemonProcess,
  type ProcessFolder,
} from '../support/lockstep-process.ts';
import { startOpenAiServer, type OpenAiReply } from '../support/openai-server.ts';
import type { ScriptedServer } from '../support/http-script.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** The conversation decides what the model server does, so that turns do not depend on each other. */
const replies = new Map<string, readonly OpenAiReply[]>([
  [
    'stream and call',
    [
      {
        kind: 'answer',
        text: 'I look.',
        calls: [
          { id: 'one', name: 'file_write', args: '{"path":"cloud.txt","content":"from afar"}' },
          { id: 'two', name: 'files__read_text_file', args: '{"path":"seed.txt"}' },
        ],
        usage: { input: 120, output: 30 },
      },
      { kind: 'answer', text: 'Both are done.', usage: { input: 200, output: 10 } },
    ],
  ],
  [
    'busy then fine',
    [
      { kind: 'status', status: 429, message: 'slow down', headers: { 'retry-after': '0' } },
      { kind: 'answer', text: 'Fine now.' },
    ],
  ],
  ['always broken', [{ kind: 'status', status: 500, message: 'internal trouble' }]],
  [
    'cut once',
    [
      { kind: 'cut', text: 'half an ans' },
      { kind: 'answer', text: 'A whole answer.' },
    ],
  ],
  [
    'broken arguments',
    [
      { kind: 'answer', calls: [{ name: 'file_read', args: '{"path": ' }] },
      { kind: 'answer', text: 'I gave up.' },
    ],
  ],
]);

const config = (model: string): string => `
[agents.scripted]
provider = "local"
risk_profile = "worker"
runtime_profile = "short"
mcp_bundles = ["files"]
[agents.cloudy]
provider = "cloud"
risk_profile = "worker"
runtime_profile = "short"
mcp_bundles = ["files"]
[risk_profiles.worker]
autonomy = "full"
[risk_profiles.worker.tools]
allowed = ["file_*", "mcp:files/*"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[providers.cloud]
type = "openai_compatible"
base_url = "${model}/v1"
model = "local"
max_attempts = 2
prices = { input_per_mtok = 1, output_per_mtok = 10 }
[mcp.servers.files]
transport = "stdio"
command = "mcp-server-filesystem"
args = ["{workspace}"]
expose = ["read_text_file", "write_file", "list_directory"]
[mcp.servers.files.tools.read_text_file]
effect = ["read"]
operands = [{ at = "/path", kind = "path", access = "read" }]
[mcp.servers.files.tools.write_file]
effect = ["write"]
operands = [{ at = "/path", kind = "path", access = "write" }]
[mcp_bundles.files]
servers = ["files"]
`;

const script = `
scenarios:
  - when: "tidy the notes"
    steps:
      - calls:
          - { tool: file_list, args: { path: "." } }
          - { tool: "mcp:files/read_text_file", args: { path: "seed.txt" } }
      - calls: [{ tool: file_write, args: { path: "notes/copy.txt", content: "copied {{results.1}}" } }]
      - calls: [{ tool: file_edit, args: { path: "notes/copy.txt", old_text: "copied", new_text: "kept" } }]
      - calls: [{ tool: "mcp:files/write_file", args: { path: "by-server.txt", content: "written by the server" } }]
      - calls:
          - { tool: file_read, args: { path: "notes/copy.txt" } }
          - { tool: file_search, args: { pattern: "by the server" } }
      - say: "{{results.0}} / {{results.1}}"
  - when: "fail"
    steps: [{ fail: { status: 400, message: "no such model" } }]
  - when: "remember"
    steps: [{ say: "Remembered." }]
default: [{ say: "Nothing to do." }]
`;

let model: ScriptedServer;
let place: ProcessFolder;
let daemon: DaemonProcess;

interface Answer {
  readonly id: string;
  readonly status: string;
  readonly session: string;
  readonly reply: string | null;
  readonly reason: string | null;
  readonly usage: {
    readonly cost: number;
    readonly inputTokens: number;
    readonly modelCalls: number;
  };
}

beforeAll(async () => {
  const asked = new Map<string, number>();
  model = await startOpenAiServer(({ body }) => {
    const messages = body['messages'] as { role: string; content: unknown }[];
    const text = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content);
    const [key, planned] = [...replies].find(([name]) => text.includes(name)) ?? ['', []];
    const index = asked.get(key) ?? 0;
    asked.set(key, index + 1);
    return planned[index] ?? planned.at(-1) ?? { kind: 'malformed' };
  });
  place = await processFolder(config(model.url), script);
  for (const agent of ['scripted', 'cloudy']) {
    const folder = join(place.data, 'workspaces', agent);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'seed.txt'), `seed of ${agent}`);
  }
  daemon = await place.up();
});

afterAll(async () => {
  await place.remove();
  await model.close();
});

const local = async (): Promise<string> =>
  (JSON.parse(await readFile(join(place.data, 'local.json'), 'utf8')) as { token: string }).token;
const call = async (path: string, body?: object): Promise<unknown> => {
  const response = await fetch(`${daemon.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${await local()}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
};
const eventsOf = async (turn: string): Promise<LockstepEvent[]> =>
  ((await call(`/v1/turns/${turn}/events`)) as { items: LockstepEvent[] }).items;
const of = <T extends LockstepEvent['type']>(events: readonly LockstepEvent[], type: T) =>
  events.filter((e): e is Extract<LockstepEvent, { type: T }> => e.type === type);
const file = (agent: string, name: string): Promise<string> =>
  readFile(join(place.data, 'workspaces', agent, name), 'utf8');
const ask = (agent: string, input: string): Promise<Answer> =>
  call(`/v1/agents/${agent}/turns`, { input, wait: true }) as Promise<Answer>;
const run = async (agent: string, input: string) => {
  const { code, stdout, stderr } = await place.lockstep(['--json', 'run', agent, input]);
  return { code, stderr, answer: JSON.parse(stdout) as Answer };
};

/** The same over a stream: its deltas put together, and the answer at its end. */
const streamed = async (agent: string, input: string) => {
  const response = await fetch(`${daemon.url}/v1/agents/${agent}/turns`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await local()}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ input }),
  });
  const blocks = (await response.text()).split('\n\n');
  const told = (name: string): unknown[] =>
    blocks
      .filter((block) => block.includes(`event: ${name}\n`))
      .map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)) as unknown);
  return {
    text: (told('delta') as { text: string }[]).map((delta) => delta.text).join(''),
    answer: told('end')[0] as Answer,
  };
};

const expectTidied = async (answer: Answer): Promise<void> => {
  expect(answer).toMatchObject({ status: 'completed', reason: null });
  expect(answer.reply).toMatch(/kept seed of scripted[^]* \/ [^]*by-server\.txt/);
  expect(await file('scripted', 'notes/copy.txt')).toBe('kept seed of scripted');
  expect(await file('scripted', 'by-server.txt')).toBe('written by the server');
  const events = await eventsOf(answer.id);
  const done = of(events, 'ToolCallCompleted');
  expect(of(events, 'ToolCallStarted').map(({ data }) => data.tool)).toEqual([
    'builtin:file_list',
    'mcp:files/read_text_file',
    'builtin:file_write',
    'builtin:file_edit',
    'mcp:files/write_file',
    'builtin:file_read',
    'builtin:file_search',
  ]);
  expect(of(events, 'ToolCallRefused')).toEqual([]);
  const touched = done.flatMap(({ data }) => data.touched);
  const root = join(place.data, 'workspaces', 'scripted');
  expect(touched).toContainEqual({
    kind: 'opened',
    path: join(root, 'notes/copy.txt'),
    access: 'write',
  });
  expect(touched).toContainEqual(
    expect.objectContaining({ kind: 'mcp', server: 'files', sandboxed: true, roots: [root] }),
  );
};

describe('given the scripted model over real files', () => {
  it('reads and writes through built-in tools and the real sandboxed server, over REST', async () => {
    await expectTidied(await ask('scripted', 'tidy the notes'));
  });

  it('does the same from the command line, which ends with 0', async () => {
    const { code, answer } = await run('scripted', 'tidy the notes');
    expect(code).toBe(0);
    await expectTidied(answer);
    const events = await eventsOf(answer.id);
    expect(events.map(({ meta }) => `${meta.path}/${meta.trigger}`)).toEqual(
      events.map(() => 'loop/run'),
    );
  });

  it('ends `lockstep run` with 1 and the reason when the turn fails', async () => {
    const { code, answer, stderr } = await run('scripted', 'fail');
    expect([code, answer.status]).toEqual([1, 'failed']);
    expect(answer.reason).toContain('no such model');
    expect(stderr).toBe('');
  });

  it('keeps one session through `lockstep chat`, and ends with 0 at the empty line', async () => {
    const { code, stdout } = await place.lockstep(
      ['chat', 'scripted'],
      'remember this\nand that\n\nnever read\n',
    );
    expect([code, stdout]).toEqual([0, 'Remembered.\nNothing to do.\n']);
    const { items } = (await call('/v1/turns?limit=2')) as {
      items: { input: string; session: string }[];
    };
    expect(items.map(({ input }) => input)).toEqual(['and that', 'remember this']);
    expect(new Set(items.map(({ session }) => session)).size).toBe(1);
  });
});

describe('given a server that speaks the chat completions protocol', () => {
  it('streams text and runs parallel tool calls, with usage and cost by the configured price', async () => {
    const { text, answer } = await streamed('cloudy', 'stream and call');
    expect(text).toBe('I look.Both are done.');
    expect(answer).toMatchObject({
      status: 'completed',
      reply: 'Both are done.',
      usage: { inputTokens: 320, outputTokens: 40, cost: 720, modelCalls: 2, toolCalls: 2 },
    });
    expect(await file('cloudy', 'cloud.txt')).toBe('from afar');
    const events = await eventsOf(answer.id);
    // Outcomes are recorded as they come; the model sees them in the order of its calls.
    const outcomes = of(events, 'ToolCallCompleted').map(({ data }) => [data.call, data.isError]);
    expect(outcomes.toSorted()).toEqual([
      ['one', false],
      ['two', false],
    ]);
    const second = model.requests.findLast(({ body }) =>
      JSON.stringify(body).includes('stream and call'),
    );
    expect(JSON.stringify(second?.body)).toContain('seed of cloudy');
    const seen = second?.body['messages'] as { role: string; tool_call_id?: string }[];
    expect(seen.filter(({ role }) => role === 'tool').map((m) => m.tool_call_id)).toEqual([
      'one',
      'two',
    ]);
    expect(second?.body['stream']).toBe(true);
  });

  it('tries again after 429, and records the attempt that failed', async () => {
    const answer = await ask('cloudy', 'busy then fine');
    expect(answer).toMatchObject({ status: 'completed', reply: 'Fine now.' });
    const events = await eventsOf(answer.id);
    expect(of(events, 'ModelCallFailed').map(({ data }) => data)).toMatchObject([
      { modelCall: 1, attempt: 1, error: { kind: 'rate_limited', status: 429 } },
    ]);
    expect(of(events, 'ModelCallStarted').map(({ data }) => data.attempt)).toEqual([1, 2]);
  });

  it('fails the turn when the attempts end at 500', async () => {
    const { code, answer } = await run('cloudy', 'always broken');
    expect([code, answer.status, answer.reply]).toEqual([1, 'failed', null]);
    expect(answer.reason).toContain('internal trouble');
    const events = await eventsOf(answer.id);
    expect(of(events, 'ModelCallFailed').map(({ data }) => data.error.status)).toEqual([500, 500]);
    expect(events.at(-1)?.type).toBe('TurnFailed');
  });

  it('gives nothing of a cut answer, and the whole of the next', async () => {
    const answer = await ask('cloudy', 'cut once');
    expect(answer).toMatchObject({ status: 'completed', reply: 'A whole answer.' });
    const events = await eventsOf(answer.id);
    expect(of(events, 'ModelCallFailed').map(({ data }) => data.attempt)).toEqual([1]);
    const completed = of(events, 'ModelCallCompleted').map(({ data }) => data.text);
    expect(completed).toEqual([{ inline: 'A whole answer.' }]);
  });

  it('refuses arguments that are no JSON, and keeps their raw text', async () => {
    const answer = await ask('cloudy', 'broken arguments');
    expect(answer).toMatchObject({ status: 'completed', reply: 'I gave up.' });
    const [refused, ...more] = of(await eventsOf(answer.id), 'ToolCallRefused');
    expect(more).toEqual([]);
    expect(refused?.data).toMatchObject({ rule: 'gate.arguments', args: { inline: '{"path": ' } });
  });
});

describe('given everything that these turns recorded', () => {
  it('builds every model input and every verdict again from the log alone', async () => {
    expect(await daemon.stop()).toMatchObject({ code: 0 });
    expect(await place.lockstep(['doctor', '--log'])).toMatchObject({ code: 0, stderr: '' });
    const built = await rebuildLog(place.data);
    expect(built).toEqual({ turns: 10, inputs: 25, verdicts: 17 });
  });
});

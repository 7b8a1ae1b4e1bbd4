import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  client,
  methods,
  ndJsonStream,
  RequestError,
  type ClientConnection,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

const bin = fileURLToPath(new URL('../../apps/daemon/bin/lockstep.mjs', import.meta.url));

const config = `
[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[agents.beta]
enabled = false
[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_*", "ask_user", "time_now"]
denied = ["file_list"]
[runtime_profiles.short.budgets]
max_tool_iterations = 3
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;
const script = `
scenarios:
  - when: slow
    steps: [{ say: late, wait_ms: 60000 }]
  - when: question
    steps:
      - calls: [{ tool: ask_user, args: { question: 'which?', choices: ['left', 'right'] } }]
      - { say: thanks }
  - when: write
    steps:
      - { say: I will write, calls: [{ tool: file_write, args: { path: note.txt, content: hi } }] }
      - { say: written }
  - when: list
    steps:
      - calls: [{ tool: file_list, args: { path: . } }]
      - { say: not listed }
  - when: loop
    steps:
      - calls: [{ tool: time_now, args: {} }]
      - calls: [{ tool: time_now, args: { timezone: UTC } }]
      - calls: [{ tool: time_now, args: { timezone: Europe/Paris } }]
      - calls: [{ tool: time_now, args: { timezone: Asia/Tokyo } }]
default: [{ say: hello there }]
`;

let daemon: RunningDaemon;
let root: string;
beforeAll(async () => {
  daemon = await runDaemon(config, script);
  root = join(daemon.data, 'workspaces/alpha');
  await mkdir(join(root, 'inside'), { recursive: true });
  editor = await editorOf('alpha');
});
afterAll(async () => {
  await editor.close();
  await daemon.remove();
});
/** The usual one; what the tests before left in it is of no account. */
let editor: Editor;
beforeEach(() => {
  editor.updates.splice(0);
  editor.asked.splice(0);
  editor.answers(choose('once'));
});

/** An editor: the SDK's own client over the pipes of the real program. */
interface Editor {
  readonly agent: ClientConnection['agent'];
  readonly updates: SessionUpdate[];
  readonly asked: RequestPermissionRequest[];
  readonly process: ChildProcessWithoutNullStreams;
  /** From now on the person at the editor answers so. */
  readonly answers: (answer: Answer) => void;
  readonly close: () => Promise<number | null>;
}

type Answer = (asked: RequestPermissionRequest) => RequestPermissionResponse;
const choose =
  (optionId: string): Answer =>
  () => ({ outcome: { outcome: 'selected', optionId } });

const editorOf = async (alias: string): Promise<Editor> => {
  let answer: Answer = choose('once');
  const env = { ...process.env, LOCKSTEP_DATA: daemon.data, LOCKSTEP_CONFIG: daemon.config };
  const child = spawn(process.execPath, [bin, 'acp', '--agent', alias], { env });
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const connection = client({ name: 'spec' })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return answer(params);
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
  const editor: Editor = {
    agent: connection.agent,
    updates,
    asked,
    process: child,
    answers: (given) => {
      answer = given;
    },
    close: () => {
      connection.close();
      child.stdin.end();
      return ended;
    },
  };
  await connection.agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
  });
  return editor;
};

const open = async ({ agent }: Editor, cwd = root): Promise<string> =>
  (await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId;

const prompt = ({ agent }: Editor, sessionId: string, text: string) =>
  agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });

/** What the agent said, as the editor shows it. */
const said = (updates: readonly SessionUpdate[], kind = 'agent_message_chunk'): string =>
  updates
    .map((update) =>
      update.sessionUpdate === kind && 'content' in update && update.content !== null
        ? ((update.content as { text?: string }).text ?? '')
        : '',
    )
    .join('');

const calls = (updates: readonly SessionUpdate[]): [string, string | null | undefined][] =>
  updates.flatMap((update): [string, string | null | undefined][] =>
    update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update'
      ? [[update.sessionUpdate, update.status]]
      : [],
  );

const failure = async (asked: Promise<unknown>): Promise<RequestError> => {
  const thrown: unknown = await asked.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (thrown instanceof RequestError) return thrown;
  throw new Error(`no refusal of the protocol: ${String(thrown)}`);
};

const eventsOf = async (type: string): Promise<LockstepEvent[]> => {
  const { body } = await daemon.admin().get(`/v1/events?types=${type}&limit=500`);
  return (body as { items: LockstepEvent[] }).items;
};

describe('given an editor', () => {
  it('learns what this agent takes, and that its own files and servers are not used', async () => {
    const again = await failure(
      editor.agent.request(methods.agent.initialize, { protocolVersion: 1 }),
    );
    expect(again.message).toContain('said before');
    const [opened] = (await eventsOf('ConnectionOpened')).slice(-1);
    expect(opened?.data).toMatchObject({
      kind: 'acp',
      agent: 'alpha',
      narrowing: { 'mcp.bundles': [] },
      principal: { kind: 'local', id: 'local', person: null },
    });
  });

  it('gets text while it is made, and the end of the turn', async () => {
    const session = await open(editor);
    const answer = await prompt(editor, session, 'hi');
    expect(answer.stopReason).toBe('end_turn');
    expect(said(editor.updates)).toBe('hello there');
    const { turn } = answer._meta?.['lockstep'] as { turn: string };
    const detail = await daemon.admin().get(`/v1/turns/${turn}`);
    expect(detail.body).toMatchObject({
      row: { agent: 'alpha', path: 'rpc', trigger: 'acp', status: 'completed' },
      answer: { session },
    });
  });

  it('is asked before a call, sees the whole of it, and follows it to its outcome', async () => {
    const session = await open(editor, join(root, 'inside'));
    const answer = await prompt(editor, session, 'write');
    expect(answer.stopReason).toBe('end_turn');
    expect(editor.asked).toHaveLength(1);
    expect(editor.asked[0]).toMatchObject({
      sessionId: session,
      toolCall: { title: 'builtin:file_write', kind: 'edit' },
      options: [
        { optionId: 'once', kind: 'allow_once' },
        { optionId: 'always', kind: 'allow_always' },
        { optionId: 'deny', kind: 'reject_once' },
      ],
    });
    expect(JSON.stringify(editor.asked[0]?.toolCall.content)).toContain('inside/note.txt');
    expect(calls(editor.updates)).toEqual([
      ['tool_call', 'pending'],
      ['tool_call_update', 'pending'],
      ['tool_call_update', 'in_progress'],
      ['tool_call_update', 'completed'],
    ]);
    expect(said(editor.updates)).toBe('I will writewritten');
    const granted = (await eventsOf('ApprovalGranted')).at(-1);
    expect(granted?.data).toMatchObject({ choice: 'once', by: { surface: 'acp' } });
  });

  it('grants for the session with `always`, and is not asked again there', async () => {
    editor.answers(choose('always'));
    const session = await open(editor);
    await prompt(editor, session, 'write');
    await prompt(editor, session, 'write');
    expect(editor.asked).toHaveLength(1);
    const { body } = await daemon.admin().get('/v1/grants');
    expect((body as { items: unknown[] }).items).toMatchObject([
      { agent: 'alpha', tool: 'builtin:file_write' },
    ]);
  });

  it('denies', async () => {
    editor.answers(choose('deny'));
    await prompt(editor, await open(editor), 'write');
    expect(calls(editor.updates).at(-1)).toEqual(['tool_call_update', 'failed']);
    expect((await eventsOf('ApprovalDenied')).at(-1)?.data).toMatchObject({
      by: { surface: 'acp' },
    });
  });

  it('sees a refused call as one that failed, with the verdict', async () => {
    await prompt(editor, await open(editor), 'list');
    const refused = editor.updates.find((update) => update.sessionUpdate === 'tool_call');
    expect(refused).toMatchObject({
      title: 'builtin:file_list',
      status: 'failed',
      _meta: { lockstep: { verdict: 'refused', rule: 'tools.denied' } },
    });
    expect(editor.asked).toEqual([]);
  });

  it('decides nothing with an option that was not offered, nor by going away', async () => {
    const leaving = await editorOf('alpha');
    leaving.answers(choose('everything'));
    const session = await open(leaving);
    const waiting = prompt(leaving, session, 'write').catch(() => null);
    await expect.poll(() => leaving.asked.length).toBe(1);
    const before = (await eventsOf('ApprovalGranted')).length;
    await leaving.close();
    await waiting;
    const { body } = await daemon.admin().get('/v1/approvals');
    expect((body as { items: unknown[] }).items).toMatchObject([{ session, state: 'pending' }]);
    expect(await eventsOf('ApprovalGranted')).toHaveLength(before);
  });

  it('answers a question with the next prompt', async () => {
    const session = await open(editor);
    const first = await prompt(editor, session, 'question');
    expect([first.stopReason, said(editor.updates)]).toEqual([
      'end_turn',
      '\nwhich?\n- left\n- right\n',
    ]);
    const second = await prompt(editor, session, 'left');
    expect([second.stopReason, said(editor.updates.slice(-1))]).toEqual(['end_turn', 'thanks']);
    expect((await eventsOf('QuestionAnswered')).at(-1)?.data).toMatchObject({
      text: { inline: 'left' },
      by: { surface: 'acp' },
    });
  });

  it('cancels a prompt, and takes the next one', async () => {
    const session = await open(editor);
    const slow = prompt(editor, session, 'slow');
    const busy = await failure(prompt(editor, session, 'hi'));
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session });
    expect((await slow).stopReason).toBe('cancelled');
    expect(busy.message).toContain('is being answered');
    expect((await prompt(editor, session, 'hi')).stopReason).toBe('end_turn');
  });

  it('hears of a limit that ended the turn', async () => {
    const answer = await prompt(editor, await open(editor), 'loop');
    expect(answer.stopReason).toBe('max_turn_requests');
  });

  it('takes a session up again with its history, in another process', async () => {
    const session = await open(editor);
    await prompt(editor, session, 'list');
    const second = await editorOf('alpha');
    await second.agent.request(methods.agent.session.load, {
      sessionId: session,
      cwd: root,
      mcpServers: [],
    });
    expect(said(second.updates, 'user_message_chunk')).toBe('list');
    expect(said(second.updates)).toBe('not listed');
    expect(calls(second.updates)).toEqual([['tool_call', 'failed']]);
    expect((await prompt(second, session, 'hi')).stopReason).toBe('end_turn');
    await second.close();
  });
});

describe('given an editor that wants more than it may', () => {
  it.each([
    ['its own tool servers', { mcpServers: [{ name: 'x', command: '/bin/x', args: [], env: [] }] }],
    ['further folders', { additionalDirectories: ['/usr'] }],
    ['a folder outside the workspace', { cwd: '/usr' }],
    ['a folder that is not there', { cwd: '/nowhere/at/all' }],
    ['a folder that is not absolute', { cwd: 'inside' }],
  ])('refuses %s', async (_, wish) => {
    const error = await failure(
      editor.agent.request(methods.agent.session.new, { cwd: root, mcpServers: [], ...wish }),
    );
    expect(error.code).toBe(-32602);
    expect(error.message).toMatch(/not taken|not inside|no folder|absolute/);
  });

  it('refuses a session of somebody else, and pictures in a prompt', async () => {
    const foreign = await daemon.issue({ name: 'other', roles: ['operator'] });
    const { body } = await foreign.post('/v1/agents/alpha/turns', { input: 'hi', wait: true });
    const sessionId = (body as { session: string }).session;
    const load = { sessionId, cwd: root, mcpServers: [] };
    expect((await failure(editor.agent.request(methods.agent.session.load, load))).code).toBe(
      -32002,
    );
    const image = { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' };
    const session = await open(editor);
    const refused = editor.agent.request(methods.agent.session.prompt, {
      sessionId: session,
      prompt: [image],
    });
    expect((await failure(refused)).code).toBe(-32602);
  });

  it.each(['beta', 'nobody'])('gets the same refusal for agent %s, recorded', async (alias) => {
    const other = await editorOf(alias);
    const error = await failure(prompt(other, await open(other), 'hi'));
    await other.close();
    expect(error).toMatchObject({
      code: -32000,
      message: `agent \`${alias}\` is not available`,
      data: { code: 'agent_unavailable' },
    });
    const { turn } = error.data as { turn: string };
    expect((await daemon.admin().get(`/v1/turns/${turn}`)).body).toMatchObject({
      row: { path: 'rpc', trigger: 'acp', status: 'refused' },
    });
  });
});

const idIn = (message: unknown): unknown => (message as { id: unknown }).id;

describe('given any bytes on the socket behind it', () => {
  it('goes on with the others', async () => {
    const opening = fc.constantFrom('', '{"agent":"alpha"}\n', '{"agent":1}\n', '[]\n');
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({
          jsonrpc: fc.constant('2.0'),
          id: fc.oneof(fc.integer(), fc.constant(null)),
          method: fc.constantFrom('initialize', 'session/new', 'session/prompt', 'session/cancel'),
          params: fc.jsonValue(),
        })
        .map((message) => JSON.stringify(message)),
    );
    await fc.assert(
      fc.asyncProperty(opening, fc.array(line, { maxLength: 6 }), async (first, lines) => {
        const socket = connect(join(daemon.data, 'acp.sock'));
        socket.on('error', () => undefined);
        socket.resume();
        socket.end(first + lines.map((said) => `${said}\n`).join(''));
        await new Promise((done) => socket.once('close', done));
      }),
      { numRuns: 40 },
    );
    expect((await prompt(editor, await open(editor), 'hi')).stopReason).toBe('end_turn');
  });
});

describe('given the program itself', () => {
  it('writes nothing but the protocol, survives garbage, and ends with its input', async () => {
    const env = { ...process.env, LOCKSTEP_DATA: daemon.data, LOCKSTEP_CONFIG: daemon.config };
    const child = spawn(process.execPath, [bin, 'acp', '--agent', 'alpha'], { env });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8');
    });
    const lines = (): unknown[] =>
      out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown);
    const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } };
    child.stdin.write(`nonsense\n${JSON.stringify(hello)}\n`);
    await expect.poll(lines).toHaveLength(2);
    child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"no/such"}\n');
    child.stdin.write('{"jsonrpc":"2.0","id":3,"method":"session/new","params":{}}\n');
    await expect.poll(lines).toHaveLength(4);
    const byId = lines().sort((a, b) => Number(idIn(a)) - Number(idIn(b)));
    expect(byId).toMatchObject([
      { error: { code: -32700 } },
      {
        id: 1,
        result: {
          protocolVersion: 1,
          agentCapabilities: {
            loadSession: true,
            promptCapabilities: { image: false, audio: false, embeddedContext: false },
            mcpCapabilities: { http: false, sse: false },
          },
        },
      },
      { id: 2, error: { code: -32601 } },
      { id: 3, error: { code: -32602 } },
    ]);
    child.stdin.end();
    expect(await new Promise((done) => child.once('exit', done))).toBe(0);
  });
});

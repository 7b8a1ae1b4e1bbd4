import OpenAI, { APIError } from 'openai';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

const config = `
[agents.alpha]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
[agents.beta]
enabled = false
provider = "local"
risk_profile = "open"
runtime_profile = "short"
[agents.gamma]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
[agents.incomplete]
provider = "local"
[risk_profiles.open]
autonomy = "supervised"
[risk_profiles.open.tools]
allowed = ["file_*", "ask_user"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;
const script = `
scenarios:
  - when: broken
    steps: [{ fail: { status: 400, message: no such model } }]
  - when: write
    steps:
      - calls: [{ tool: file_write, args: { path: note.txt, content: hi } }]
      - { say: written }
  - when: question
    steps:
      - calls: [{ tool: ask_user, args: { question: 'which?' } }]
      - { say: asked }
default: [{ say: hello there, usage: { input: 7, output: 3 } }]
`;

let daemon: RunningDaemon;
let client: OpenAI;
let token: string;
beforeAll(async () => {
  daemon = await runDaemon(config, script);
  const caller = await daemon.issue({
    name: 'app',
    roles: ['operator'],
    scopes: { agents: ['alpha', 'beta', 'incomplete', 'nobody'] },
  });
  token = caller.token;
  client = new OpenAI({ baseURL: `${daemon.url()}/v1`, apiKey: token });
});
afterAll(() => daemon.remove());

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;
const user = (content: string) => ({ role: 'user' as const, content });
const hi: Body = { model: 'alpha', messages: [user('hi')] };

const failure = async (asked: Promise<unknown>): Promise<APIError> => {
  const thrown: unknown = await asked.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (thrown instanceof APIError) return thrown;
  throw new Error(`no error of the API: ${String(thrown)}`);
};

interface Ours {
  readonly lockstep: {
    readonly turn: string;
    readonly session: string;
    readonly status: string;
    readonly waits: readonly {
      readonly id: string;
      readonly kind: string;
      readonly address: string;
    }[];
  };
}
const ours = (completion: object): Ours['lockstep'] => (completion as Ours).lockstep;

const firstOf = async (turn: string): Promise<LockstepEvent | undefined> => {
  const { body } = await daemon.admin().get(`/v1/turns/${turn}/events`);
  return (body as { items: LockstepEvent[] }).items[0];
};

describe('given the models', () => {
  it("are the agents that take work, within the token's scope", async () => {
    const { data } = await client.models.list();
    expect(data.map(({ id, object, owned_by }) => [id, object, owned_by])).toEqual([
      ['alpha', 'model', 'lockstep'],
    ]);
    expect((await client.models.retrieve('alpha')).id).toBe('alpha');
    expect(await failure(client.models.retrieve('gamma'))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });
});

describe('given a completion', () => {
  it('is the answer of a turn, with its usage', async () => {
    const { data, response } = await client.chat.completions.create(hi).withResponse();
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'alpha',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'hello there' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    });
    const { turn, session } = ours(data);
    expect(response.headers.get('lockstep-session')).toBe(session);
    expect((await firstOf(turn))?.meta).toMatchObject({ path: 'gateway', trigger: 'openai' });
  });

  it('streams text, the end and the usage in chunks', async () => {
    const stream = await client.chat.completions.create({
      ...hi,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const [first] = chunks;
    const deltas = chunks.flatMap(({ choices }) => choices);
    expect(first?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(deltas.map(({ delta }) => delta.content ?? '').join('')).toBe('hello there');
    expect(deltas.map(({ finish_reason }) => finish_reason).filter((r) => r !== null)).toEqual([
      'stop',
    ]);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it('takes what the client says came earlier as untrusted text, without a session alone', async () => {
    const messages = [
      { role: 'developer' as const, content: 'be brief' },
      user('before'),
      { role: 'assistant' as const, content: 'said' },
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'now' }] },
    ];
    const without = await client.chat.completions.create({ model: 'alpha', messages });
    const { session, turn } = ours(without);
    const within = await client.chat.completions.create(
      { model: 'alpha', messages },
      { headers: { 'Lockstep-Session': session } },
    );
    const first = await firstOf(turn);
    const second = await firstOf(ours(within).turn);
    if (first?.type !== 'TurnRequested' || second?.type !== 'TurnRequested')
      throw new Error('a turn begins with its request');
    expect(first.data.input).toEqual({ inline: 'now' });
    expect(first.data.earlier).toEqual([
      { role: 'system', text: { inline: 'be brief' } },
      { role: 'user', text: { inline: 'before' } },
      { role: 'assistant', text: { inline: 'said' } },
    ]);
    expect(ours(within).session).toBe(session);
    expect([second.data.earlier ?? [], second.data.history]).toEqual([[], [turn]]);
  });

  it('goes on with the session of its metadata', async () => {
    const first = await client.chat.completions.create(hi);
    const { session } = ours(first);
    const second = await client.chat.completions.create({ ...hi, metadata: { session } });
    const both = failure(
      client.chat.completions.create(
        { ...hi, metadata: { session } },
        { headers: { 'Lockstep-Session': 'other' } },
      ),
    );
    expect(ours(second).session).toBe(session);
    expect(await both).toMatchObject({
      status: 400,
      code: 'invalid_body',
      param: 'Lockstep-Session',
    });
  });

  it('is the same turn for the same key, and refused with another body', async () => {
    const key = { headers: { 'Idempotency-Key': 'k-1' } };
    const first = await client.chat.completions.create(hi, key);
    const second = await client.chat.completions.create(hi, key);
    const other = failure(client.chat.completions.create({ ...hi, messages: [user('else')] }, key));
    expect(ours(second).turn).toBe(ours(first).turn);
    expect(second.choices).toEqual(first.choices);
    expect(await other).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });

  it.each([false, true])(
    'says where to decide when its turn waits (stream: %s)',
    async (stream) => {
      let content = '';
      if (stream) {
        const chunks = await client.chat.completions.create({
          ...hi,
          messages: [user('write')],
          stream,
        });
        for await (const { choices } of chunks) content += choices[0]?.delta.content ?? '';
      } else {
        const answer = await client.chat.completions.create({ ...hi, messages: [user('write')] });
        content = answer.choices[0]?.message.content ?? '';
        const [waits] = ours(answer).waits;
        expect(ours(answer).status).toBe('waiting');
        expect(waits?.address).toBe(`${daemon.url()}/v1/approvals/${waits?.id ?? ''}/decision`);
        // The address is one, and the turn is still there to be decided.
        const { body } = await daemon.admin().get('/v1/approvals');
        const row = (
          body as { items: { id: string; revision: number; shown: string }[] }
        ).items.find(({ id }) => id === waits?.id);
        const path = new URL(waits?.address ?? '').pathname;
        const decision = { choice: 'once', revision: row?.revision, shown: row?.shown };
        expect((await daemon.admin().post(path, decision)).status).toBe(200);
      }
      expect(content).toContain('waits for a person');
      expect(content).toMatch(/\/v1\/approvals\/[^/]+\/decision/);
    },
  );

  it('names the address of a question', async () => {
    const answer = await client.chat.completions.create({ ...hi, messages: [user('question')] });
    const [waits] = ours(answer).waits;
    expect([waits?.kind, waits?.address]).toEqual([
      'question',
      `${daemon.url()}/v1/questions/${waits?.id ?? ''}/answer`,
    ]);
  });
});

describe('given a completion that is refused', () => {
  const bad = (extra: object): Body => ({ ...hi, ...extra });
  it.each<[string, object, string]>([
    ['tools', { tools: [{ type: 'function', function: { name: 'x' } }] }, 'tools'],
    ['functions', { functions: [{ name: 'x' }] }, 'functions'],
    ['a choice of tool', { tool_choice: 'required' }, 'tool_choice'],
    ['several answers', { n: 2 }, 'n'],
    ['a form of answer', { response_format: { type: 'json_object' } }, 'response_format'],
    ['stop words', { stop: ['x'] }, 'stop'],
    ['sound', { modalities: ['text', 'audio'] }, 'modalities'],
    ['what nobody knows', { policy: 'wide' }, ''],
    ['no messages', { messages: [] }, 'messages'],
    [
      'a last message of the assistant',
      { messages: [user('a'), { role: 'assistant', content: 'b' }] },
      'messages',
    ],
    [
      'a message of a tool',
      { messages: [{ role: 'tool', content: 'x', tool_call_id: 'y' }, user('a')] },
      'messages.0.role',
    ],
    [
      'a picture',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
      'messages.0.content',
    ],
  ])('says so of %s', async (_, extra, param) => {
    const error = await failure(client.chat.completions.create(bad(extra)));
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_body',
      type: 'invalid_request_error',
    });
    expect(error.param ?? '').toBe(param);
  });

  it('is so in the form of the protocol for every reason', async () => {
    const wrong = new OpenAI({ baseURL: `${daemon.url()}/v1`, apiKey: 'wrong' });
    const viewer = await daemon.issue({ name: 'eye', roles: ['viewer'] });
    const looking = new OpenAI({ baseURL: `${daemon.url()}/v1`, apiKey: viewer.token });
    expect(await failure(wrong.chat.completions.create(hi))).toMatchObject({
      status: 401,
      type: 'authentication_error',
      code: 'unauthenticated',
    });
    expect(await failure(looking.chat.completions.create(hi))).toMatchObject({
      status: 403,
      type: 'permission_error',
      code: 'forbidden',
    });
    const other = await failure(client.chat.completions.create({ ...hi, model: 'gamma' }));
    expect(other).toMatchObject({ status: 403, code: 'forbidden' });
    const huge = await failure(
      client.chat.completions.create(bad({ messages: [user('x'.repeat(1_100_000))] })),
    );
    expect(huge).toMatchObject({ status: 413, code: 'too_large' });
  });

  it('is so for any body that is no request, and starts nothing', async () => {
    const before = (await daemon.admin().get('/v1/turns?limit=500')).body as { items: unknown[] };
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (body) => {
        const answer = await fetch(`${daemon.url()}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const { error } = (await answer.json()) as { error: { code: string; message: string } };
        expect([answer.status, error.code]).toEqual([400, 'invalid_body']);
      }),
      { numRuns: 50 },
    );
    const after = (await daemon.admin().get('/v1/turns?limit=500')).body as { items: unknown[] };
    expect(after.items).toHaveLength(before.items.length);
  });

  it.each(['beta', 'incomplete', 'nobody'])(
    'is the same for agent %s, and recorded',
    async (model) => {
      const error = await failure(client.chat.completions.create({ ...hi, model }));
      expect(error).toMatchObject({ status: 404, code: 'agent_unavailable' });
      expect(error.message).toContain(`agent \`${model}\` is not available`);
      const { body } = await daemon.admin().get(`/v1/turns?status=refused&agent=${model}`);
      expect((body as { items: unknown[] }).items).toMatchObject([
        { agent: model, trigger: 'openai' },
      ]);
    },
  );

  it('starts the work once when the turn fails, stream or not', async () => {
    const messages = [user('broken')];
    const before = await turns();
    const error = await failure(client.chat.completions.create({ model: 'alpha', messages }));
    expect(error).toMatchObject({ status: 500, type: 'server_error', code: 'turn_failed' });
    expect(await turns()).toBe(before + 1);
    const stream = await client.chat.completions.create({ model: 'alpha', messages, stream: true });
    const read = async (): Promise<void> => {
      const chunks = stream[Symbol.asyncIterator]();
      while ((await chunks.next()).done !== true);
    };
    expect(await failure(read())).toMatchObject({ code: 'turn_failed' });
    expect(await turns()).toBe(before + 2);
  });
});

const turns = async (): Promise<number> => {
  const { body } = await daemon.admin().get('/v1/turns?status=failed&limit=500');
  return (body as { items: unknown[] }).items.length;
};

import type { ModelInput, ModelOutcome } from '@lockstep/engine';
import type { ProviderConfig } from '@lockstep/policy';
import { afterEach, describe, expect, it } from 'vitest';
import { startAnthropicServer } from '../../../../../test/support/anthropic-server.ts';
import type { ScriptedServer } from '../../../../../test/support/http-script.ts';
import { startOpenAiServer, type OpenAiReply } from '../../../../../test/support/openai-server.ts';
import { startedModel } from '../../../../../test/support/started-calls.ts';
import { modelFor, type ModelContext } from './model-ports.ts';

const key = 'value-of-the-key';
const context: ModelContext = {
  secrets: { env: { LLM_KEY: key }, base: '/' },
  know: () => undefined,
  mask: (text) => text.replaceAll(key, '«secret:LLM_KEY»'),
};
const input: ModelInput = {
  system: 'Be short.',
  tools: [
    {
      id: 'builtin:file_read',
      alias: 'file_read',
      description: 'Reads a file.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    },
  ],
  messages: [
    { role: 'user', text: 'read both' },
    {
      role: 'assistant',
      text: '',
      calls: [
        { call: 'call_0', alias: 'file_read', args: '{"path":"a"}' },
        { call: 'call_1', alias: 'file_read', args: '{"path":' },
      ],
    },
    { role: 'tool', call: 'call_0', alias: 'file_read', text: 'A', isError: false },
    { role: 'tool', call: 'call_1', alias: 'file_read', text: 'no', isError: true },
  ],
};

let server: ScriptedServer;
afterEach(() => server.close());

const never = new AbortController().signal;
const call = async (
  provider: Partial<ProviderConfig> & { type: ProviderConfig['type'] },
  options: { deltas?: string[]; signal?: AbortSignal } = {},
): Promise<ModelOutcome> => {
  const config = {
    base_url: `${server.url}/v1`,
    model: 'local',
    api_key: { env: 'LLM_KEY' },
    timeout_secs: 5,
    max_attempts: 1,
    ...provider,
  } as ProviderConfig;
  return modelFor(config, context).call(startedModel(input), {
    signal: options.signal ?? never,
    onDelta: options.deltas ? (text) => options.deltas?.push(text) : null,
  });
};

const openai = async (reply: OpenAiReply): Promise<void> => {
  server = await startOpenAiServer([reply]);
};

const failed = (rest: Partial<Extract<ModelOutcome, { ok: false }>>) => ({
  ok: false,
  status: null,
  retryable: true,
  retryAfterMs: null,
  ...rest,
});

describe('given a server that speaks chat completions', () => {
  const answer: OpenAiReply = {
    kind: 'answer',
    text: 'Reading both.',
    calls: [
      { id: 'a', name: 'file_read', args: '{"path":"notes/a.md"}' },
      { id: 'b', name: 'file_read', args: '{"path": broken' },
    ],
    usage: { input: 21, output: 9 },
  };
  const expected = {
    ok: true,
    text: 'Reading both.',
    calls: [
      { call: 'a', alias: 'file_read', args: '{"path":"notes/a.md"}' },
      { call: 'b', alias: 'file_read', args: '{"path": broken' },
    ],
    finish: 'tool_calls',
    usage: { inputTokens: 21, outputTokens: 9, cachedInputTokens: 0 },
  };

  it('streams text and keeps the raw arguments of parallel calls', async () => {
    await openai(answer);
    const deltas: string[] = [];
    expect(await call({ type: 'openai_compatible' }, { deltas })).toEqual(expected);
    expect(deltas).toEqual(['Readi', 'ng bo', 'th.']);
  });

  it.each(['openai_compatible', 'openai'] as const)(
    'gives the whole answer to %s',
    async (type) => {
      await openai(answer);
      expect(await call({ type })).toEqual(expected);
    },
  );

  it('sends one request with the neutral input, the limit and the key', async () => {
    await openai({ kind: 'answer', text: 'ok' });
    await call({ type: 'openai_compatible' });
    expect(server.requests).toHaveLength(1);
    const seen = server.requests[0];
    expect(seen?.headers.authorization).toBe(`Bearer ${key}`);
    expect(seen?.body).toMatchObject({
      model: 'local',
      max_tokens: 100,
      tools: [{ type: 'function', function: { name: 'file_read' } }],
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'read both' },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'call_0', function: { name: 'file_read', arguments: '{"path":"a"}' } },
            { id: 'call_1', function: { arguments: '{"unparsed":"{\\"path\\":"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_0', content: 'A' },
        { role: 'tool', tool_call_id: 'call_1', content: 'no' },
      ],
    });
  });

  it('gives calls new ids where the server repeats those of an earlier answer', async () => {
    await openai({ kind: 'answer', calls: [{ id: 'call_0', name: 'file_read', args: '{}' }] });
    expect(await call({ type: 'openai_compatible' })).toMatchObject({
      calls: [{ call: 'm1-0-call_0', alias: 'file_read', args: '{}' }],
    });
  });

  it('reports no usage as none, never as zero', async () => {
    await openai({ kind: 'answer', text: 'ok', usage: null });
    expect(await call({ type: 'openai_compatible' }, { deltas: [] })).toMatchObject({
      ok: true,
      usage: null,
    });
  });

  it.each([
    [429, 'rate_limited', true],
    [401, 'unauthorized', false],
    [400, 'rejected', false],
    [500, 'unavailable', true],
    [503, 'unavailable', true],
  ] as const)('maps status %s to %s', async (status, kind, retryable) => {
    await openai({ kind: 'status', status, message: `no: ${key}` });
    expect(await call({ type: 'openai_compatible' })).toEqual(
      failed({ kind, status, retryable, message: 'no: «secret:LLM_KEY»' }),
    );
    expect(server.requests).toHaveLength(1);
  });

  it('passes on when the provider wants to be asked again', async () => {
    const headers = { 'retry-after': '3' };
    await openai({ kind: 'status', status: 429, message: 'slow down', headers });
    expect(await call({ type: 'openai_compatible' }, { deltas: [] })).toEqual(
      failed({ kind: 'rate_limited', status: 429, message: 'slow down', retryAfterMs: 3000 }),
    );
  });

  it.each([{ deltas: [] }, {}])('fails a connection that is cut with `cut`', async (options) => {
    await openai({ kind: 'cut', text: 'Half a' });
    expect(await call({ type: 'openai_compatible' }, options)).toMatchObject(
      failed({ kind: 'cut' }),
    );
  });

  it.each([
    ['junk', 'malformed'],
    ['unfinished', 'malformed'],
  ] as const)('fails a stream with %s', async (kind, outcome) => {
    await openai({ kind, text: 'Half a' });
    expect(await call({ type: 'openai_compatible' }, { deltas: [] })).toMatchObject(
      failed({ kind: outcome }),
    );
  });

  it('fails a whole answer that is none', async () => {
    await openai({ kind: 'malformed' });
    expect(await call({ type: 'openai_compatible' })).toMatchObject(failed({ kind: 'malformed' }));
  });

  it('ends a server that hangs at the deadline', async () => {
    await openai({ kind: 'hang' });
    expect(await call({ type: 'openai_compatible', timeout_secs: 0.2 }, { deltas: [] })).toEqual(
      failed({ kind: 'timeout', message: 'the model did not answer within 200 ms' }),
    );
  });

  it('ends at the caller’s wish', async () => {
    await openai({ kind: 'hang' });
    const controller = new AbortController();
    const outcome = call({ type: 'openai_compatible' }, { deltas: [], signal: controller.signal });
    await server.arrived(1);
    controller.abort();
    expect(await outcome).toEqual(
      failed({ kind: 'cancelled', retryable: false, message: 'the call was cancelled' }),
    );
  });

  it('does not carry prompt and key to another address', async () => {
    const other = await startOpenAiServer([{ kind: 'answer', text: 'ok' }]);
    await openai({ kind: 'redirect', to: `${other.url}/v1/chat/completions` });
    expect(await call({ type: 'openai_compatible' })).toMatchObject({ ok: false });
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it('fails without a request when nobody listens there', async () => {
    await openai({ kind: 'malformed' });
    await server.close();
    expect(await call({ type: 'openai_compatible' })).toMatchObject(
      failed({ kind: 'unavailable' }),
    );
  });

  it('names a missing key and asks nobody', async () => {
    await openai({ kind: 'answer', text: 'ok' });
    expect(await call({ type: 'openai_compatible', api_key: { env: 'GONE' } })).toEqual(
      failed({
        kind: 'unauthorized',
        retryable: false,
        message: 'the secret in environment variable `GONE` is missing or empty',
      }),
    );
    expect(server.requests).toEqual([]);
  });
});

describe('given a server that speaks the messages protocol', () => {
  const calls = [{ id: 'toolu_1', name: 'file_read', args: '{"path":"a.md"}' }];

  it.each([{ deltas: [] as string[] }, {}])('reads text, calls and usage', async (options) => {
    const usage = { input: 31, output: 12 };
    server = await startAnthropicServer([{ kind: 'answer', text: 'I look.', calls, usage }]);
    expect(await call({ type: 'anthropic' }, options)).toEqual({
      ok: true,
      text: 'I look.',
      calls: [{ call: 'toolu_1', alias: 'file_read', args: '{"path":"a.md"}' }],
      finish: 'tool_calls',
      usage: { inputTokens: 31, outputTokens: 12, cachedInputTokens: 0 },
    });
    expect(server.requests[0]?.headers['x-api-key']).toBe(key);
    expect(server.requests[0]?.body).toMatchObject({
      max_tokens: 100,
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'tool_use' }, { type: 'tool_use' }] },
        { role: 'user', content: [{ type: 'tool_result' }, { type: 'tool_result' }] },
      ],
    });
  });

  it.each([
    [529, 'overloaded_error', 'unavailable', true],
    [401, 'authentication_error', 'unauthorized', false],
    [400, 'invalid_request_error', 'rejected', false],
  ] as const)('maps status %s', async (status, type, kind, retryable) => {
    server = await startAnthropicServer([{ kind: 'status', status, type, message: 'no' }]);
    expect(await call({ type: 'anthropic' }, { deltas: [] })).toEqual(
      failed({ kind, status, retryable, message: 'no' }),
    );
  });

  it('fails an error inside a stream, and a stream that is cut', async () => {
    server = await startAnthropicServer([
      { kind: 'stream_error', text: 'Half a', type: 'overloaded_error', message: 'busy' },
      { kind: 'cut', text: 'Half a' },
    ]);
    expect(await call({ type: 'anthropic' }, { deltas: [] })).toMatchObject({ ok: false });
    expect(await call({ type: 'anthropic' }, { deltas: [] })).toMatchObject(
      failed({ kind: 'cut' }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import type { DataOf, TurnFact } from '../events/event.ts';
import { sampleFacts, samplePath, sampleTool } from '../testing/sample-call.ts';
import { samplePolicy } from '../testing/sample-policy.ts';
import { givenTurn, specTime } from '../testing/turn-spec.ts';
import type { PreparedCall, PreparedModelCall, TurnCommand } from './commands.ts';

const config = { version: 1, digest: 'c'.repeat(64) };
const policy = samplePolicy();
const requested: TurnFact = {
  type: 'TurnRequested',
  data: {
    request: {
      agent: 'ada',
      principal: { kind: 'local', id: 'local', person: null },
      session: 'session-ada-1',
      origin: { kind: 'run' },
      client: 'none',
    },
    records: {},
    config,
    path: 'loop',
    trigger: 'run',
    input: { inline: 'hello' },
    message: 'm1',
    history: [],
  },
};
const resolved: TurnFact = {
  type: 'PolicyResolved',
  data: {
    config,
    registry: 1,
    snapshot: { inline: policy },
    digest: 'd'.repeat(64),
    surfaces: {} as DataOf<'PolicyResolved'>['surfaces'],
    provenance: [],
    narrowings: [],
  },
};
const prepared: PreparedModelCall = {
  system: 'a'.repeat(64),
  tools: 'b'.repeat(64),
  advertised: ['builtin:file_read', 'builtin:file_write'],
  input: 'e'.repeat(64),
  messages: 1,
  historyMessages: 0,
  promptTokens: 50,
  trims: [],
};
const begin: TurnCommand = { type: 'BeginModelCall', now: specTime, prepared, deltas: 'sent' };
const started: TurnFact = {
  type: 'ModelCallStarted',
  data: {
    modelCall: 1,
    attempt: 1,
    provider: policy.provider.alias,
    model: policy.provider.model,
    system: prepared.system,
    tools: prepared.tools,
    advertised: [...prepared.advertised],
    input: prepared.input,
    messages: 1,
    historyMessages: 0,
    promptTokens: 50,
    maxOutputTokens: 4096,
    reserved: { tokens: 4146, cost: 0 },
    final: false,
    deltas: 'sent',
    policy: 'd'.repeat(64),
    now: specTime,
  },
};
const usage = { inputTokens: 40, outputTokens: 5, cachedInputTokens: 0 };
const replied = (calls: readonly { call: string; args: string }[]): TurnFact => ({
  type: 'ModelCallCompleted',
  data: {
    modelCall: 1,
    attempt: 1,
    text: { inline: '' },
    calls: calls.map(({ call, args }) => ({ call, alias: 'file_read', args: { inline: args } })),
    finish: 'tool_calls',
    usage,
    settled: { tokens: 45, cost: 0 },
    durationMs: 7,
  },
});
const reading = sampleTool('file_read');
const prepareRead = (call: string, path: string): PreparedCall => ({
  call: {
    call,
    alias: 'file_read',
    spec: reading,
    args: { ok: true, value: { path } },
    argsDigest: call.padEnd(64, '0'),
  },
  facts: sampleFacts(reading, { operands: [samplePath(path)] }),
  ids: { approval: `approval-${call}`, question: `question-${call}` },
  before: null,
  unsealed: [],
});
const open = [requested, resolved];

describe('given a turn that has not begun', () => {
  it('wants nothing and takes no command of a running turn', () => {
    givenTurn().thenWants({ kind: 'none' });
    givenTurn().when(begin).thenRefuses('not_started');
  });
});

describe('given a turn with its policy', () => {
  it('wants the model and records the whole intent before the call', () => {
    givenTurn(...open).thenWants({ kind: 'call-model', modelCall: 1, attempt: 1, final: false });
    givenTurn(...open)
      .when(begin)
      .thenRecords(started)
      .thenWants({ kind: 'await-model', modelCall: 1, attempt: 1 });
  });

  it('does not begin twice', () => {
    const { state } = givenTurn(...open);
    expect(state.status).toBe('open');
    givenTurn(...open, started)
      .when(begin)
      .thenRefuses('out_of_order');
  });

  it('names the limit instead of a model call that does not fit', () => {
    const tight = samplePolicy({ budgets: { max_tokens_per_turn: 100 } });
    const narrow: TurnFact = {
      type: 'PolicyResolved',
      data: { ...resolved.data, snapshot: { inline: tight } },
    };
    givenTurn(requested, narrow)
      .when(begin)
      .thenRecordsTypes('BudgetExhausted', 'TurnFailed')
      .thenWants({ kind: 'none' });
  });
});

describe('given a model call in flight', () => {
  const inFlight = [...open, started];

  it('settles an interrupted call at its reservation and makes it again at once', () => {
    givenTurn(...inFlight)
      .when({
        type: 'EndModelCall',
        now: specTime,
        outcome: { ok: false, kind: 'interrupted' },
        durationMs: 0,
        masked: 0,
      })
      .thenRecords({
        type: 'ModelCallFailed',
        data: {
          modelCall: 1,
          attempt: 1,
          error: {
            kind: 'interrupted',
            status: null,
            message: 'the daemon stopped during the call',
          },
          retryAt: specTime,
          settled: { tokens: 4146, cost: 0 },
          durationMs: 0,
        },
      })
      .thenWants({ kind: 'retry-model', at: specTime, final: false });
  });

  it('takes the outcome once', () => {
    const outcome = { ok: true, text: 'hi', calls: [], finish: 'stop', usage } as const;
    const end: TurnCommand = {
      type: 'EndModelCall',
      now: specTime,
      outcome,
      durationMs: 1,
      masked: 0,
    };
    givenTurn(...inFlight)
      .when(end)
      .thenRecordsTypes('ModelCallCompleted', 'TurnCompleted')
      .when(end)
      .thenNothing();
  });

  it('keeps the ids of calls unique in the turn', () => {
    const call = { call: 'x', alias: 'file_read', args: '{}' };
    const outcome = {
      ok: true,
      text: '',
      calls: [call, call],
      finish: 'tool_calls',
      usage,
    } as const;
    const { decision } = givenTurn(...inFlight).when({
      type: 'EndModelCall',
      now: specTime,
      outcome,
      durationMs: 1,
      masked: 0,
    });
    const fact = decision.kind === 'record' ? decision.facts[0] : null;
    expect(fact?.type === 'ModelCallCompleted' ? fact.data.calls.map((c) => c.call) : null).toEqual(
      ['x', 'x-2'],
    );
  });
});

describe('given calls that the model asked for', () => {
  const asked = [
    ...open,
    started,
    replied([
      { call: 'c1', args: '{"path":"a"}' },
      { call: 'c2', args: '{"path":"/etc/passwd"}' },
    ]),
  ];
  const judge: TurnCommand = {
    type: 'JudgeCalls',
    now: specTime,
    calls: [prepareRead('c2', '/etc/passwd'), prepareRead('c1', 'a')],
  };

  it('wants them judged, and judges them in call order in one append', () => {
    givenTurn(...asked).thenWants({ kind: 'judge-calls', calls: ['c1', 'c2'] });
    const { decision } = givenTurn(...asked).when(judge);
    const facts = decision.kind === 'record' ? decision.facts : [];
    expect(facts.map((fact) => [fact.type, 'call' in fact.data ? fact.data.call : null])).toEqual([
      ['ToolCallAuthorized', 'c1'],
      ['ToolCallStarted', 'c1'],
      ['ToolCallRefused', 'c2'],
    ]);
  });

  it('takes an outcome of the running attempt only, and once', () => {
    const end = (attempt: number): TurnCommand => ({
      type: 'EndToolCall',
      now: specTime,
      report: {
        call: 'c1',
        attempt,
        outcome: { ok: true, text: 'text', isError: false, masked: 0, touched: [] },
        durationMs: 3,
      },
    });
    const running = givenTurn(...asked)
      .when(judge)
      .thenRecordsTypes('ToolCallAuthorized', 'ToolCallStarted', 'ToolCallRefused');
    running.thenWants({ kind: 'await-tools', calls: ['c1'] });
    running.when(end(2)).thenNothing();
    const ended = running.when(end(1)).thenRecordsTypes('ToolCallCompleted');
    ended.when(end(1)).thenNothing();
    ended.thenWants({ kind: 'call-model', modelCall: 2, attempt: 1, final: false });
  });
});

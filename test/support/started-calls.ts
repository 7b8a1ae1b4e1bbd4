import {
  startedModelCall,
  startedToolCall,
  type EventOf,
  type Meta,
  type ModelInput,
  type Operand,
  type StartedModelCall,
  type StartedToolCall,
  type ToolSpec,
} from '@lockstep/engine';

const digest = 'a'.repeat(64);

const meta: Meta = {
  agent: 'writer',
  path: 'gateway',
  trigger: 'rest',
  principal: { kind: 'local', id: 'local', person: null },
  session: 'session-writer-1',
  turn: 'turn-1',
  root: 'turn-1',
  parent: null,
  chain: [],
  correlation: 'turn-1',
  causation: null,
  attempt: 1,
  epoch: 0,
  agentSeq: 1,
  daemon: 'daemon',
  build: 'test',
};

const envelope = {
  id: '00000000-0000-7000-8000-000000000001',
  stream: 'turn-1',
  revision: 2,
  position: '00000000000000000003',
  schema: 1,
  time: 1_700_000_000_000,
  meta,
};

/** A model call whose intent is recorded, for specs of model adapters. */
export const startedModel = (
  input: ModelInput,
  change: Partial<EventOf<'ModelCallStarted'>['data']> = {},
): StartedModelCall => {
  const event: EventOf<'ModelCallStarted'> = {
    ...envelope,
    type: 'ModelCallStarted',
    data: {
      modelCall: 1,
      attempt: 1,
      provider: 'local',
      model: 'local',
      system: digest,
      tools: digest,
      advertised: input.tools.map((t) => t.id),
      input: digest,
      messages: input.messages.length,
      historyMessages: 0,
      promptTokens: 10,
      maxOutputTokens: 100,
      reserved: { tokens: 110, cost: 0 },
      final: false,
      deltas: 'sent',
      policy: digest,
      now: envelope.time,
      ...change,
    },
  };
  return startedModelCall(event, input);
};

/** A tool call whose intent is recorded, for specs of tool adapters. */
export const startedTool = (
  spec: ToolSpec,
  args: unknown,
  facts: {
    readonly operands?: Operand[];
    readonly unsealed?: string[];
    readonly timeoutMs?: number | 'unlimited';
  } = {},
): StartedToolCall => {
  const event: EventOf<'ToolCallStarted'> = {
    ...envelope,
    type: 'ToolCallStarted',
    data: {
      call: 'call-1',
      attempt: 1,
      tool: spec.id,
      spec: spec.digest,
      argsDigest: digest,
      binding: digest,
      operands: facts.operands ?? [],
      repeatable: spec.repeatable,
      idempotencyKey: 'key-1',
      timeoutMs: facts.timeoutMs ?? 'unlimited',
      unsealed: facts.unsealed ?? [],
      policy: digest,
      now: envelope.time,
    },
  };
  return startedToolCall(event, spec, args);
};

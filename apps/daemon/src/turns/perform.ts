import {
  startedModelCall,
  startedToolCall,
  type CommandOf,
  type EventOf,
  type ModelInput,
  type ModelOutcome,
  type OpenTurn,
  type ToolOutcome,
  type ToolSpec,
} from '@lockstep/engine';
import type { Deltas } from './deltas.ts';
import { scopeOf } from './turn-prepare.ts';
import type { TurnParts } from './turn-parts.ts';

/** Runs a tool whose intent was acknowledged. Never rejects: whatever happens is an outcome. */
export const performTool = async (
  parts: TurnParts,
  state: OpenTurn,
  work: {
    readonly event: EventOf<'ToolCallStarted'>;
    readonly spec: ToolSpec;
    readonly args: unknown;
    readonly controller: AbortController;
  },
): Promise<CommandOf<'EndToolCall'>> => {
  const { event, controller } = work;
  const { call, attempt, timeoutMs } = event.data;
  const since = parts.clock.now();
  const started = startedToolCall(event, work.spec, work.args);
  const run = parts.tools
    .run(scopeOf(state), started, controller.signal)
    .catch((error: unknown): ToolOutcome => {
      parts.report({ turn: state.turn, error });
      return { ok: false, kind: 'io', message: 'the tool could not be run', touched: [] };
    });
  const outcome =
    timeoutMs === 'unlimited'
      ? await run
      : await within(parts, { run, timeoutMs, since, controller });
  const now = parts.clock.now();
  const report = { call, attempt, outcome, durationMs: Math.max(0, now - since) };
  return { type: 'EndToolCall', now, report };
};

/** Makes a model call whose intent was acknowledged. Never rejects. */
export const performModel = async (
  parts: TurnParts & { readonly deltas: Deltas },
  state: OpenTurn,
  work: {
    readonly event: EventOf<'ModelCallStarted'>;
    readonly input: ModelInput;
    readonly controller: AbortController;
  },
): Promise<CommandOf<'EndModelCall'>> => {
  const { event, input, controller } = work;
  const { provider, output, agent } = state.policy;
  const masking = { formats: output.redact, agent };
  const since = parts.clock.now();
  const send = event.data.deltas === 'sent' ? sender(parts, state, event) : null;
  let outcome: ModelOutcome;
  try {
    outcome = await parts.models
      .for(provider.alias, provider.digest)
      .call(startedModelCall(event, input), {
        signal: controller.signal,
        onDelta: send === null ? null : send.push,
      });
  } catch (error) {
    parts.report({ turn: state.turn, error });
    outcome = unavailable;
  }
  send?.end();
  const now = parts.clock.now();
  const done = { type: 'EndModelCall', now, durationMs: Math.max(0, now - since) } as const;
  if (!outcome.ok) {
    const { text } = parts.masker.mask(outcome.message, masking);
    return { ...done, outcome: { ...outcome, message: text }, masked: 0 };
  }
  const { text, masked } = parts.masker.mask(outcome.text, masking);
  const calls = outcome.calls.map((call) => ({
    ...call,
    args: parts.masker.mask(call.args, masking).text,
  }));
  return { ...done, outcome: { ...outcome, text, calls }, masked };
};

const unavailable: ModelOutcome = {
  ok: false,
  kind: 'unavailable',
  status: null,
  message: 'the model could not be called',
  retryable: true,
  retryAfterMs: null,
};

const within = async (
  parts: TurnParts,
  work: {
    readonly run: Promise<ToolOutcome>;
    readonly timeoutMs: number;
    readonly since: number;
    readonly controller: AbortController;
  },
): Promise<ToolOutcome> => {
  let stop = (): void => undefined;
  const late = new Promise<ToolOutcome>((resolve) => {
    stop = parts.alarms.at(work.since + work.timeoutMs, () => {
      const message = `the tool did not end within ${work.timeoutMs} ms`;
      resolve({ ok: false, kind: 'timeout', message, touched: [] });
      work.controller.abort();
    });
  });
  try {
    return await Promise.race([work.run, late]);
  } finally {
    stop();
  }
};

/** Sends pieces on as soon as no later piece can turn them into a secret. */
const sender = (
  parts: TurnParts & { readonly deltas: Deltas },
  state: OpenTurn,
  event: EventOf<'ModelCallStarted'>,
): { readonly push: (text: string) => void; readonly end: () => void } => {
  const { output, agent } = state.policy;
  const masked = parts.masker.stream({ formats: output.redact, agent });
  const send = (text: string): void => {
    if (text !== '') parts.deltas.send({ turn: state.turn, attempt: event.data.attempt, text });
  };
  return {
    push: (text) => {
      send(masked.push(text));
    },
    end: () => {
      send(masked.end());
    },
  };
};

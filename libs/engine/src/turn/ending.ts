import type { Content } from '../events/content.ts';
import type { TurnFact } from '../events/event.ts';
import { cutText } from './cut-text.ts';
import { activeAt, callsOf, type Ending, type OpenTurn } from './state.ts';

type CloseReason = Extract<TurnFact, { type: 'ApprovalClosed' }>['data']['reason'];

/** Facts that close whatever is still open in the turn: approvals, questions, running calls, the model call in flight. */
export const closeOpenItems = (
  state: OpenTurn,
  close: { readonly reason: CloseReason; readonly why: string },
): readonly TurnFact[] => [...closeModelCall(state, close.why), ...closeCalls(state, close)];

/** The turn's last fact when something else than the model's word ended it. */
export const endWithout = (state: OpenTurn, ending: Ending, now: number): TurnFact => {
  const activeMs = activeAt(state, now);
  if (ending.code === 'cancelled')
    return { type: 'TurnCancelled', data: { by: ending.data.by, why: ending.data.why, activeMs } };
  const { modelCalls, toolCalls, tokens, cost } = state.totals;
  return {
    type: 'TurnFailed',
    data: { ...sayWhy(ending), modelCalls, toolCalls, tokens, cost, activeMs },
  };
};

/** The turn's last fact when the model has spoken. */
export const completeTurn = (
  state: OpenTurn,
  reply: { readonly text: string; readonly masked: number },
  now: number,
): TurnFact => {
  const cut = cutText(reply.text, state.policy.output.max_reply_chars);
  const { modelCalls, toolCalls, usage, tokens, cost } = state.totals;
  return {
    type: 'TurnCompleted',
    data: {
      reply: { inline: cut.text },
      chars: cut.chars,
      truncated: cut.truncated,
      masked: reply.masked,
      modelCalls,
      toolCalls,
      usage,
      tokens,
      cost,
      activeMs: activeAt(state, now),
      endedBy: state.final ? 'budgets.max_tool_iterations' : null,
    },
  };
};

const sayWhy = (
  ending: Exclude<Ending, { code: 'cancelled' }>,
): Pick<Extract<TurnFact, { type: 'TurnFailed' }>['data'], 'code' | 'key' | 'message'> => {
  switch (ending.code) {
    case 'budget_exhausted':
    case 'turn_timeout':
      return { code: ending.code, key: ending.data.key, message: ending.data.why };
    case 'loop_detected':
      return {
        code: 'loop_detected',
        key: 'budgets.loop_detection',
        message: `\`${ending.data.tool}\` was called ${ending.data.repeats} times with the same arguments`,
      };
    case 'internal':
      return { code: 'internal', key: ending.data.key ?? null, message: ending.data.message };
    case 'model_failed':
      return {
        code: 'model_failed',
        key: null,
        message: `the model call failed: ${ending.data.error.message}`,
      };
  }
};

const closeModelCall = (state: OpenTurn, why: string): readonly TurnFact[] =>
  state.model.kind === 'calling'
    ? [
        {
          type: 'ModelCallFailed',
          data: {
            modelCall: state.model.modelCall,
            attempt: state.model.attempt,
            error: { kind: 'cancelled', status: null, message: why },
            retryAt: null,
            settled: state.model.reserved,
            durationMs: 0,
          },
        },
      ]
    : [];

const closeCalls = (
  state: OpenTurn,
  close: { readonly reason: CloseReason; readonly why: string },
): readonly TurnFact[] =>
  callsOf(state).flatMap((call): readonly TurnFact[] => {
    switch (call.status) {
      case 'pending':
        return [
          {
            type: 'ApprovalClosed',
            data: { approval: call.approval, call: call.call, ...close },
          },
        ];
      case 'running':
        return [
          {
            type: 'ToolCallCancelled',
            // A question has no effect of its own: it was never handed to a tool.
            data: { call: call.call, started: call.question === null, why: close.why },
          },
        ];
      case 'asked':
      case 'authorized':
      case 'granted':
        return [
          { type: 'ToolCallCancelled', data: { call: call.call, started: false, why: close.why } },
        ];
      case 'ended':
        return [];
    }
  });

/** Text of a content that is known to be inline (artifacts hydrated). */
export const inlineText = (content: Content): string => ('inline' in content ? content.inline : '');

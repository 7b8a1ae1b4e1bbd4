import { digestOfText } from '@lockstep/policy';
import type { Content } from '../events/content.ts';
import type { DataOf } from '../events/event.ts';
import type { Folds } from './evolve.ts';
import {
  callsOf,
  type CallState,
  type EndedCall,
  type JudgedData,
  type OpenTurn,
  type TranscriptItem,
} from './state.ts';

type CallEvent =
  | 'ToolCallAuthorized'
  | 'ToolCallRefused'
  | 'ApprovalRequested'
  | 'ApprovalVoted'
  | 'ApprovalGranted'
  | 'ApprovalDenied'
  | 'ApprovalExpired'
  | 'ApprovalClosed'
  | 'QuestionAsked'
  | 'QuestionAnswered'
  | 'QuestionExpired'
  | 'ToolCallStarted'
  | 'ToolCallCompleted'
  | 'ToolCallFailed'
  | 'ToolCallCancelled'
  | 'ToolCallOutcomeUnknown';

/** What the events of tool calls, approvals and questions do to an open turn. */
export const callFolds: Folds<CallEvent> = {
  ToolCallAuthorized: (state, data) =>
    change(state, data.call, (call) => ({
      ...base(call),
      status: 'authorized',
      judged: judgedOf(data),
      approval: data.approval === null ? null : { id: data.approval, binding: data.binding },
    })),
  ToolCallRefused: (state, data) =>
    change(state, data.call, (call) => ended(call, data.tool, 'refused', { inline: data.shown })),
  ApprovalRequested: (state, data) =>
    change(state, data.call, (call) => ({
      ...base(call),
      status: 'pending',
      approval: data.approval,
      binding: data.binding,
      deadline: data.deadline,
      grantable: data.grantable,
      viewDigest: digestOfContent(data.view),
      judged: judgedOf(data),
      required: data.required ?? 1,
      votes: [],
      notBy: data.notBy ?? null,
      cut: data.cut ?? false,
    })),
  ApprovalVoted: (state, { approval, by, choice }) => {
    const asked = callsOf(state).find(
      (call) => call.status === 'pending' && call.approval === approval,
    );
    if (asked === undefined || choice === 'deny') return state;
    return change(state, asked.call, (call) =>
      call.status === 'pending' ? { ...call, votes: [...call.votes, { by, choice }] } : call,
    );
  },
  ApprovalGranted: (state, data) =>
    change(state, data.call, (call) =>
      call.status === 'pending'
        ? {
            ...base(call),
            ...(data.edited === undefined ? {} : { args: data.edited.args }),
            status: 'granted',
            judged: editedJudgement(call.judged, data.edited),
            approval: { id: data.approval, binding: data.binding },
            grant: data.grant,
            by: data.by,
          }
        : call,
    ),
  // The refusal that follows in the same append ends the call.
  ApprovalDenied: (state) => state,
  ApprovalExpired: (state) => state,
  ApprovalClosed: (state) => state,
  QuestionAsked: (state, data) =>
    change(state, data.call, (call) =>
      call.status === 'running'
        ? {
            ...call,
            question: { id: data.question, deadline: data.deadline, choices: data.choices },
          }
        : call,
    ),
  QuestionAnswered: (state) => state,
  QuestionExpired: (state) => state,
  ToolCallStarted: started,
  ToolCallCompleted: (state, data) =>
    change(state, data.call, (call) => ({
      ...ended(call, toolOf(call), 'completed', data.result),
      isError: data.isError,
      truncated: data.truncated,
    })),
  ToolCallFailed: (state, data) =>
    change(state, data.call, (call) =>
      ended(call, toolOf(call), 'failed', { inline: `the tool failed: ${data.error.message}` }),
    ),
  ToolCallCancelled: (state, data) =>
    change(state, data.call, (call) =>
      ended(call, toolOf(call), 'cancelled', { inline: 'the call was cancelled' }),
    ),
  ToolCallOutcomeUnknown: (state, data) =>
    change(state, data.call, (call) =>
      ended(call, data.tool, 'unknown', {
        inline: 'the outcome of this call is not known: it may have taken effect',
      }),
    ),
};

/** SHA-256 of the text of a content, wherever it is kept. */
export /** What a person put in place of the model's arguments is what runs, what a grant is for, and what the model sees. */
const editedJudgement = (
  judged: JudgedData,
  edited: DataOf<'ApprovalGranted'>['edited'],
): JudgedData => (edited === undefined ? judged : { ...judged, ...edited });

/** Digest of a content's text: an artifact's own, a sealed one's commitment. */
export const digestOfContent = (content: Content): string => {
  if ('inline' in content) return digestOfText(content.inline);
  return 'artifact' in content ? content.artifact : content.sealed.commitment;
};

function started(state: OpenTurn, data: DataOf<'ToolCallStarted'>): OpenTurn {
  const next = change(state, data.call, (call) => ({
    ...base(call),
    status: 'running',
    tool: data.tool,
    argsDigest: data.argsDigest,
    attempt: data.attempt,
    repeatable: data.repeatable,
    idempotencyKey: data.idempotencyKey,
    operands: data.operands,
    effects: call.status === 'authorized' ? call.judged.effects : [],
    approval: call.status === 'authorized' ? call.approval : null,
    question: null,
  }));
  if (data.attempt > 1) return next;
  return {
    ...next,
    trace: [...state.trace, { tool: data.tool, argsDigest: data.argsDigest }],
    totals: { ...state.totals, toolCalls: state.totals.toolCalls + 1 },
  };
}

const change = (state: OpenTurn, id: string, to: (call: CallState) => CallState): OpenTurn => {
  const at = state.transcript.findLastIndex((item) => item.kind === 'step');
  const item = state.transcript[at];
  if (item?.kind !== 'step') return state;
  const changed: TranscriptItem = {
    ...item,
    calls: item.calls.map((call) => (call.call === id ? to(call) : call)),
  };
  return { ...state, transcript: state.transcript.with(at, changed) };
};

const base = (call: CallState): Pick<CallState, 'call' | 'alias' | 'args'> => ({
  call: call.call,
  alias: call.alias,
  args: call.args,
});

const toolOf = (call: CallState): string | null => {
  if (call.status === 'running' || call.status === 'ended') return call.tool;
  return call.status === 'asked' ? null : call.judged.tool;
};

const ended = (
  call: CallState,
  tool: string | null,
  how: EndedCall['how'],
  result: Content,
): EndedCall => ({
  ...base(call),
  status: 'ended',
  tool,
  how,
  result,
  isError: true,
  truncated: false,
});

const judgedOf = (data: DataOf<'ToolCallAuthorized' | 'ApprovalRequested'>): JudgedData => ({
  call: data.call,
  tool: data.tool,
  alias: data.alias,
  args: data.args,
  argsDigest: data.argsDigest,
  effects: data.effects,
  rule: data.rule,
  pattern: data.pattern,
  why: data.why,
  facts: data.facts,
});

import type { TurnFact } from '../../events/event.ts';
import type { CommandOf, ToolReport } from '../commands.ts';
import { cutText } from '../cut-text.ts';
import { nothing, record, refuse, type Decision } from '../decision.ts';
import { finishIfDue } from '../finish.ts';
import { callsOf, type OpenTurn, type RunningCall } from '../state.ts';

/** What a tool did. Appended as it comes, whatever the order of the calls. */
export const endToolCall = (
  { report, now }: CommandOf<'EndToolCall'>,
  state: OpenTurn,
): Decision => {
  const call = running(state, report.call);
  if (call?.attempt !== report.attempt) return nothing;
  const facts = [...knownBy(report), outcomeOf(report, call, state)];
  return record(finishIfDue(state, facts, now));
};

/** What a call learned, recorded before its outcome: rows of memory, a skill. */
const knownBy = ({ call, outcome }: ToolReport): readonly TurnFact[] => {
  if (!outcome.ok) return [];
  const { recalled, activated } = outcome;
  return [
    ...(recalled === undefined
      ? []
      : [{ type: 'MemoryRecalled', data: { ...recalled, by: 'tool', call } } as const]),
    ...(activated === undefined
      ? []
      : [{ type: 'SkillActivated', data: { ...activated, call } } as const]),
  ];
};

/** A started call of whose end nothing is known: the turn goes on with that. */
export const loseToolCall = (command: CommandOf<'LoseToolCall'>, state: OpenTurn): Decision => {
  const call = running(state, command.call);
  if (call === null) return nothing;
  return record(finishIfDue(state, [unknownOutcome(call, command.why)], command.now));
};

/** The fact of a call whose end is not known. */
export const unknownOutcome = (call: RunningCall, why: string): TurnFact => ({
  type: 'ToolCallOutcomeUnknown',
  data: {
    call: call.call,
    attempt: call.attempt,
    tool: call.tool,
    argsDigest: call.argsDigest,
    why,
  },
});

/** The call when it runs, else null. */
export const running = (state: OpenTurn, id: string): RunningCall | null => {
  const call = callsOf(state).find((one) => one.call === id);
  return call?.status === 'running' ? call : null;
};

const outcomeOf = (report: ToolReport, call: RunningCall, state: OpenTurn): TurnFact => {
  const { outcome, durationMs } = report;
  const who = { call: call.call, attempt: call.attempt };
  const touched = [...outcome.touched];
  if (outcome.ok) {
    const cut = cutText(outcome.text, state.policy.budgets.max_tool_result_chars);
    return {
      type: 'ToolCallCompleted',
      data: {
        ...who,
        result: { inline: cut.text },
        isError: outcome.isError,
        chars: cut.chars,
        truncated: cut.truncated,
        masked: outcome.masked,
        touched,
        durationMs,
      },
    };
  }
  if (outcome.kind === 'unknown') return unknownOutcome(call, outcome.message);
  return {
    type: 'ToolCallFailed',
    data: {
      ...who,
      error: { kind: outcome.kind, message: outcome.message },
      touched,
      durationMs,
    },
  };
};

/** An operator's word on a call whose outcome is not known: the same tool and arguments may run again. Once. */
export const settleOutcome = (
  { call: id, as, by }: CommandOf<'SettleOutcome'>,
  state: OpenTurn,
): Decision => {
  const call = state.transcript
    .flatMap((item) => (item.kind === 'step' ? item.calls : []))
    .find((one) => one.call === id);
  if (call?.status !== 'ended' || call.how !== 'unknown' || state.settled.includes(id))
    return refuse('not_pending', `the outcome of call \`${id}\` is not in question`);
  return record([{ type: 'UnknownOutcomeSettled', data: { call: id, as, by } }]);
};

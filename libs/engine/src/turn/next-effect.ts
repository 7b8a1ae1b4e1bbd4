import { recallsUnasked } from '../context/memory-scope.ts';
import { isFinishDue } from './finish.ts';
import { modelStep } from './model-step.ts';
import { mayStart, reachOf } from './start-slots.ts';
import { callsOf, type CallState, type OpenTurn, type TurnState } from './state.ts';

/** What is outstanding in the world. */
export type TurnEffect =
  /** Nothing: the turn has not begun or has ended. */
  | { readonly kind: 'none' }
  /** Before the first model call: what memory gives unasked. */
  | { readonly kind: 'recall-memory' }
  | {
      readonly kind: 'call-model';
      readonly modelCall: number;
      readonly attempt: number;
      readonly final: boolean;
    }
  /** The model call is made; its outcome is awaited. */
  | { readonly kind: 'await-model'; readonly modelCall: number; readonly attempt: number }
  | { readonly kind: 'retry-model'; readonly at: number; readonly final: boolean }
  /** Verdicts are due, in this order. */
  | { readonly kind: 'judge-calls'; readonly calls: readonly string[] }
  /** Started calls whose outcome is awaited. */
  | { readonly kind: 'await-tools'; readonly calls: readonly string[] }
  /** People are asked; `until` is the nearest deadline, or null. */
  | {
      readonly kind: 'wait';
      readonly until: number | null;
      readonly approvals: readonly string[];
      readonly questions: readonly string[];
    }
  /** The turn is to be ended. */
  | { readonly kind: 'finish' };

/** The one thing that is outstanding now. Tools that run while something else is due go on beside it. */
export const nextEffect = (state: TurnState): TurnEffect => {
  if (state.status !== 'open') return { kind: 'none' };
  const { model } = state;
  if (model.kind === 'calling')
    return { kind: 'await-model', modelCall: model.modelCall, attempt: model.attempt };
  if (isFinishDue(state)) return { kind: 'finish' };
  const due = dueVerdicts(state);
  if (due.length > 0) return { kind: 'judge-calls', calls: due };
  const running = callsOf(state).filter(isAtWork);
  if (running.length > 0) return { kind: 'await-tools', calls: running.map((call) => call.call) };
  return waiting(state) ?? nextModelCall(state);
};

/** The nearest deadline of an approval or a question, in ms since the epoch, or null. */
export const nextDeadline = (state: OpenTurn): number | null => {
  let nearest: number | null = null;
  for (const call of callsOf(state)) {
    const deadline = deadlineOf(call);
    if (typeof deadline === 'number' && (nearest === null || deadline < nearest))
      nearest = deadline;
  }
  return nearest;
};

const isAtWork = (call: CallState): boolean => call.status === 'running' && call.question === null;

const dueVerdicts = (state: OpenTurn): readonly string[] =>
  state.ending !== null
    ? []
    : callsOf(state)
        .filter(
          (call) =>
            call.status === 'asked' ||
            call.status === 'granted' ||
            (call.status === 'authorized' && mayStart(state, call.call, reachOf(call))),
        )
        .map((call) => call.call);

const waiting = (state: OpenTurn): TurnEffect | null => {
  const approvals: string[] = [];
  const questions: string[] = [];
  for (const call of callsOf(state)) {
    if (call.status === 'pending') approvals.push(call.approval);
    if (call.status === 'running' && call.question !== null) questions.push(call.question.id);
  }
  if (approvals.length === 0 && questions.length === 0) return null;
  return { kind: 'wait', until: nextDeadline(state), approvals, questions };
};

const nextModelCall = (state: OpenTurn): TurnEffect => {
  const step = modelStep(state);
  if (step === null) return { kind: 'none' };
  if (isRecallDue(state)) return { kind: 'recall-memory' };
  return state.model.kind === 'retrying'
    ? { kind: 'retry-model', at: state.model.at, final: step.final }
    : { kind: 'call-model', ...step };
};

const deadlineOf = (call: CallState): number | 'never' | null => {
  if (call.status === 'pending') return call.deadline;
  return call.status === 'running' ? (call.question?.deadline ?? null) : null;
};

/** Asked once in a turn: what was recorded is not looked for again. */
const isRecallDue = (state: OpenTurn): boolean =>
  state.recalled === null && state.totals.modelCalls === 0 && recallsUnasked(state.policy);

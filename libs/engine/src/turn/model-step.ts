import { callsOf, lastStep, type OpenTurn } from './state.ts';

/** The next call of the model. */
export interface ModelStep {
  readonly modelCall: number;
  readonly attempt: number;
  /** The iteration cap is reached: it is made without tools. */
  readonly final: boolean;
}

/** The model call that is due, or null while something else is. */
export const modelStep = (state: OpenTurn): ModelStep | null => {
  if (state.ending !== null) return null;
  switch (state.model.kind) {
    case 'calling':
      return null;
    case 'retrying':
      return stepOf(state, state.model.modelCall, state.model.attempt);
    case 'idle':
      return isStepDone(state) && !isLastWord(state)
        ? stepOf(state, state.totals.modelCalls + 1, 1)
        : null;
  }
};

/** The model has spoken for the last time: nothing was asked of a tool, or the step was the one without tools. */
export const isLastWord = (state: OpenTurn): boolean => {
  const step = lastStep(state);
  if (step === null || state.model.kind !== 'idle') return false;
  return state.final || (step.calls.length === 0 && state.steered.length === 0);
};

const isStepDone = (state: OpenTurn): boolean =>
  callsOf(state).every((call) => call.status === 'ended');

/** Past the cap there is one last call, without tools. */
const stepOf = (state: OpenTurn, modelCall: number, attempt: number): ModelStep => {
  const cap = state.policy.budgets.max_tool_iterations;
  return { modelCall, attempt, final: cap !== 'unlimited' && modelCall > cap };
};

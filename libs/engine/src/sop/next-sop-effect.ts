import { digestOf } from '@lockstep/policy';
import type { SopStep } from './definition.ts';
import { renderPrompt } from './render-prompt.ts';
import type { OpenSop, RunningStep, SopState } from './state.ts';

/** What a run wants done next. */
export type SopEffect =
  /** A person must be asked before this step. */
  | { readonly kind: 'open-gate'; readonly step: SopStep; readonly prompt: string }
  | {
      readonly kind: 'wait-gate';
      readonly gate: string;
      /** In ms since the epoch. */
      readonly deadline: number | 'never';
    }
  | { readonly kind: 'begin-step' }
  /** The step's turn: started under its fixed id if there is none, awaited otherwise. */
  | { readonly kind: 'run-step'; readonly running: RunningStep }
  | { readonly kind: 'give-up'; readonly message: string }
  | { readonly kind: 'none' };

/** What follows from the state of a run. Pure: the same after a restart. */
export const nextSopEffect = (state: SopState): SopEffect => {
  if (state.status === 'unreadable')
    return { kind: 'give-up', message: 'the recorded definition cannot be read' };
  if (state.status !== 'open') return { kind: 'none' };
  if (state.running !== null) return { kind: 'run-step', running: state.running };
  const step = currentStep(state);
  if (step === null) return { kind: 'none' };
  const { gate } = state;
  if (gate.status === 'open')
    return { kind: 'wait-gate', gate: gate.gate, deadline: gate.deadline };
  if (step.gate === 'approval' && gate.status === 'none')
    return { kind: 'open-gate', step, prompt: stepPrompt(state, step) };
  return { kind: 'begin-step' };
};

/** The step that is on, or null when all are done. */
export const currentStep = (state: OpenSop): SopStep | null =>
  state.definition.steps[state.results.length] ?? null;

/** What the agent of the current step is told; a further try hears what was wrong with the last. */
export const stepPrompt = (state: OpenSop, step: SopStep): string => {
  const steps = new Map(state.results.map(({ step: name, text }) => [name, text]));
  const prompt = renderPrompt(step.prompt, { input: state.input, steps });
  const { problem } = state.tried;
  return problem === null
    ? prompt
    : `${prompt}\n\nThe last try did not do: ${problem}. Do it again and mind that.`;
};

/** The turn of one try of a step: fixed by the run, so that a restart finds it again. */
export const stepTurn = (run: string, step: string, attempt: number): string =>
  digestOf(['sop', run, step, attempt]).slice(0, 32);

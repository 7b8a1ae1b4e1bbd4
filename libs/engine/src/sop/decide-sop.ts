import type { Principal } from '@lockstep/policy';
import type { DataOf } from '../events/event.ts';
import { expiryAt } from '../turn/recover.ts';
import { outputProblem } from './check-output.ts';
import { decideGate, type GateDecision } from './decide-gate.ts';
import { definitionText, type SopDefinition } from './definition.ts';
import { currentStep, stepPrompt, stepTurn } from './next-sop-effect.ts';
import type { OpenSop, SopFact, SopState } from './state.ts';

type Started = DataOf<'SopRunStarted'>;

/** What a run can be told. */
export type SopCommand =
  | {
      readonly type: 'StartRun';
      readonly run: string;
      readonly sop: string;
      readonly config: Started['config'];
      readonly definition: SopDefinition;
      /** Masked. */
      readonly input: string;
      readonly by: Principal;
      readonly trigger: Started['trigger'];
      readonly parent: Started['parent'];
      readonly narrowings: Started['narrowings'];
      readonly depth: number;
      readonly origin: Started['origin'];
    }
  | ({ readonly type: 'OpenGate' } & Omit<DataOf<'SopGateOpened'>, 'run' | 'step' | 'agent'>)
  | ({ readonly type: 'DecideGate' } & GateDecision)
  /** `startedAt`: when the daemon started; people get a grace after it. Both in ms since the epoch. */
  | { readonly type: 'ExpireGate'; readonly now: number; readonly startedAt: number }
  /** Nobody may grant it any more: config denies the step now, or its agent was stopped. */
  | {
      readonly type: 'CloseGate';
      readonly gate: string;
      readonly code: 'refused' | 'stopped';
      readonly why: string;
    }
  | { readonly type: 'BeginStep' }
  | {
      readonly type: 'EndStep';
      readonly turn: string;
      readonly outcome: 'completed' | 'failed' | 'refused' | 'cancelled';
      /** The reply of a completed turn. */
      readonly reply: string;
      /** Why it did not complete. */
      readonly why: string | null;
      /** Who cancelled. */
      readonly by: string | null;
      /** The emergency stop refused it. */
      readonly stopped: boolean;
    }
  | { readonly type: 'CancelRun'; readonly by: string; readonly why: string }
  | { readonly type: 'RefuseRun'; readonly message: string };

/** Facts to record, or why the command is not valid now. None = a repeat. */
export type SopDecision =
  | { readonly ok: true; readonly facts: readonly SopFact[] }
  | {
      readonly ok: false;
      readonly code: 'not_started' | 'ended' | 'not_pending' | 'wrong_view' | 'not_permitted';
      readonly message: string;
    };

/** Which facts follow from a command. Pure; the runner's own commands may come twice. */
export const decideSop = (command: SopCommand, state: SopState): SopDecision => {
  if (command.type === 'StartRun')
    return state.status === 'none' ? facts(started(command)) : facts();
  if (state.status === 'none') return refuse('not_started', 'the run has not begun');
  if (state.status === 'unreadable')
    return command.type === 'CancelRun' || command.type === 'RefuseRun'
      ? facts(runFailed(state.run, null, { code: 'refused', message: wordsOf(command), by: null }))
      : facts();
  if (state.status === 'ended')
    return command.type === 'CancelRun' || command.type === 'DecideGate'
      ? refuse('ended', 'the run has ended')
      : facts();
  return decideOpen(command, state);
};

const decideOpen = (
  command: Exclude<SopCommand, { type: 'StartRun' }>,
  state: OpenSop,
): SopDecision => {
  switch (command.type) {
    case 'OpenGate':
      return openGate(command, state);
    case 'DecideGate':
      return decideGate(command, state);
    case 'ExpireGate':
      return expireGate(command, state);
    case 'CloseGate':
      return closeGate(command, state);
    case 'BeginStep':
      return beginStep(state);
    case 'EndStep':
      return endStep(command, state);
    case 'CancelRun':
      return cancelRun(command, state);
    case 'RefuseRun':
      return facts(failNow(state, { code: 'refused', message: command.message, by: null }));
  }
};

type CommandOf<T extends SopCommand['type']> = Extract<SopCommand, { type: T }>;

const facts = (...list: readonly SopFact[]): SopDecision => ({ ok: true, facts: list });

const refuse = (
  code: Extract<SopDecision, { ok: false }>['code'],
  message: string,
): SopDecision => ({
  ok: false,
  code,
  message,
});

const wordsOf = (command: { readonly why?: string; readonly message?: string }): string =>
  command.message ?? command.why ?? '';

const started = ({ type: _, definition, input, ...rest }: CommandOf<'StartRun'>): SopFact => ({
  type: 'SopRunStarted',
  data: {
    ...rest,
    definition: { inline: definitionText(definition) },
    input: { inline: input },
    scopes: definition.steps.map(({ name, agent, tools }) => ({ step: name, agent, tools })),
  },
});

const openGate = ({ type: _, ...gate }: CommandOf<'OpenGate'>, state: OpenSop): SopDecision => {
  const step = currentStep(state);
  if (step?.gate !== 'approval' || state.gate.status !== 'none' || state.running !== null)
    return facts();
  const { run } = state;
  return facts({
    type: 'SopGateOpened',
    data: { run, step: step.name, agent: step.agent, ...gate },
  });
};

const expireGate = ({ now, startedAt }: CommandOf<'ExpireGate'>, state: OpenSop): SopDecision => {
  const { gate } = state;
  if (gate.status !== 'open' || gate.deadline === 'never') return facts();
  if (expiryAt(gate.deadline, startedAt) > now) return facts();
  const why = 'nobody decided before the deadline';
  return facts(
    undecided(state, { gate: gate.gate, outcome: 'expired', why }),
    failNow(state, { code: 'gate_expired', message: why, by: null }),
  );
};

const closeGate = (
  { code, why, ...command }: CommandOf<'CloseGate'>,
  state: OpenSop,
): SopDecision => {
  const { gate } = state;
  if (gate.status !== 'open' || gate.gate !== command.gate) return facts();
  return facts(
    undecided(state, { gate: gate.gate, outcome: 'closed', why }),
    failNow(state, { code, message: why, by: null }),
  );
};

/** The end of a gate that no person decided. */
const undecided = (
  state: OpenSop,
  end: Pick<DataOf<'SopGateDecided'>, 'gate' | 'outcome' | 'why'>,
): SopFact => ({
  type: 'SopGateDecided',
  data: {
    run: state.run,
    step: currentStep(state)?.name ?? '',
    ...end,
    by: null,
    shown: null,
  },
});

const beginStep = (state: OpenSop): SopDecision => {
  const step = currentStep(state);
  if (step === null || state.running !== null) return facts();
  // INVARIANT: a step behind a gate never begins before a person let it.
  if (step.gate === 'approval' && state.gate.status !== 'granted') return facts();
  const { run } = state;
  const attempt = state.tried.attempts + 1;
  return facts({
    type: 'SopStepStarted',
    data: {
      run,
      step: step.name,
      index: state.results.length,
      attempt,
      agent: step.agent,
      turn: stepTurn(run, step.name, attempt),
      prompt: { inline: stepPrompt(state, step) },
    },
  });
};

const endStep = (command: CommandOf<'EndStep'>, state: OpenSop): SopDecision => {
  const { running } = state;
  const step = currentStep(state);
  if (running === null || step === null || running.turn !== command.turn) return facts();
  const wrong = command.outcome === 'completed' ? outputProblem(step, command.reply) : command.why;
  const outcome =
    command.outcome === 'completed' && wrong !== null ? 'invalid_output' : command.outcome;
  const { run, index, attempt, turn } = running;
  const output = { inline: command.reply };
  const done: SopFact = {
    type: 'SopStepCompleted',
    data: { run, step: step.name, index, attempt, turn, outcome, output, why: wrong },
  };
  if (outcome === 'completed')
    return index + 1 < state.definition.steps.length
      ? facts(done)
      : facts(done, { type: 'SopRunCompleted', data: { run, output } });
  const mayTryAgain = outcome === 'failed' || outcome === 'invalid_output';
  if (mayTryAgain && attempt <= step.retries) return facts(done);
  return facts(done, failNow(state, failureOf(command, outcome, { step: step.name, wrong })));
};

const failureOf = (
  { by, stopped }: CommandOf<'EndStep'>,
  outcome: Exclude<DataOf<'SopStepCompleted'>['outcome'], 'completed'>,
  { step, wrong }: { readonly step: string; readonly wrong: string | null },
): Failure => {
  const because = wrong ?? 'it gave no reason';
  switch (outcome) {
    case 'failed':
    case 'invalid_output':
      return { code: 'step_failed', message: `step \`${step}\` failed: ${because}`, by: null };
    case 'refused': {
      const code = stopped ? 'stopped' : 'refused';
      return { code, message: `step \`${step}\` was refused: ${because}`, by: null };
    }
    case 'cancelled':
      return { code: 'cancelled', message: `step \`${step}\` was cancelled: ${because}`, by };
  }
};

/** Only what waits is ended here: a step that runs is cancelled first, and its end ends the run. */
const cancelRun = ({ by, why }: CommandOf<'CancelRun'>, state: OpenSop): SopDecision => {
  if (state.running !== null) return facts();
  const failure = failNow(state, { code: 'cancelled', message: why, by });
  const { gate } = state;
  return gate.status === 'open'
    ? facts(undecided(state, { gate: gate.gate, outcome: 'closed', why }), failure)
    : facts(failure);
};

interface Failure {
  readonly code: DataOf<'SopRunFailed'>['code'];
  readonly message: string;
  readonly by: string | null;
}

const failNow = (state: OpenSop, failure: Failure): SopFact =>
  runFailed(state.run, currentStep(state)?.name ?? null, failure);

const runFailed = (run: string, step: string | null, failure: Failure): SopFact => ({
  type: 'SopRunFailed',
  data: { run, step, ...failure },
});

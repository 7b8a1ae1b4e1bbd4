import { capName } from '../budget/warnings.ts';
import type { DataOf, TurnFact } from '../events/event.ts';
import { childVoice } from './child-voice.ts';
import { callFolds } from './evolve-calls.ts';
import { modelFolds } from './evolve-model.ts';
import { waitsForOthers, type ActiveTime, type OpenTurn, type TurnState } from './state.ts';

/** A turn's fact with the two fields of its envelope that the state reads: when, and in which run of a daemon. */
export type RecordedFact = TurnFact & {
  readonly time: number;
  readonly meta: { readonly daemon: string };
};

/** What each event does to an open turn. Every event is named: a new one does not compile until it is placed. */
export type Folds<T extends TurnFact['type']> = {
  readonly [K in T]: (state: OpenTurn, data: DataOf<K>) => TurnState;
};

/** Folds one recorded fact. Snapshots must be inline (hydrate artifacts first).
 * @throws when an event stands where no turn could have recorded it (a broken log) */
export const evolve = (state: TurnState, fact: RecordedFact): TurnState => {
  switch (state.status) {
    case 'none':
      return fact.type === 'TurnRequested'
        ? {
            status: 'requested',
            turn: state.turn,
            data: fact.data,
            time: fact.time,
            daemon: fact.meta.daemon,
          }
        : misplaced(state, fact);
    case 'requested':
      return begin(state, fact);
    case 'open': {
      const fold: (open: OpenTurn, data: never) => TurnState = folds[fact.type];
      return fold({ ...state, time: passed(state, fact) }, fact.data as never);
    }
    case 'ended':
      return state;
  }
};

/** Folds facts in order. */
export const evolveAll = (state: TurnState, facts: readonly RecordedFact[]): TurnState =>
  facts.reduce(evolve, state);

const misplaced = (state: TurnState, fact: { readonly type: string }): never => {
  throw new Error(`${fact.type} cannot follow in a turn that is ${state.status}`);
};

const same = (state: OpenTurn): TurnState => state;

const folds: Folds<TurnFact['type']> = {
  ...modelFolds,
  ...callFolds,
  TurnRequested: (state) => misplaced(state, { type: 'TurnRequested' }),
  PolicyResolved: (state) => misplaced(state, { type: 'PolicyResolved' }),
  TurnRefused: (state) => misplaced(state, { type: 'TurnRefused' }),
  PolicyNarrowed: (state, data) => ({
    ...state,
    config: data.config,
    policy: inlineSnapshot(data.snapshot),
    policyDigest: data.digest,
    records: data.records ?? state.records,
  }),
  BudgetExhausted: (state, data) =>
    // At the iteration cap the model gets one last call without tools; every other cap ends the turn.
    data.key === 'budgets.max_tool_iterations'
      ? state
      : {
          ...state,
          ending: {
            code: data.key === 'budgets.turn_timeout_secs' ? 'turn_timeout' : 'budget_exhausted',
            data,
          },
        },
  LoopDetected: (state, data) => ({ ...state, ending: { code: 'loop_detected', data } }),
  CancelRequested: (state, data) => ({ ...state, ending: { code: 'cancelled', data } }),
  TurnSteered: (state, data) => ({
    ...state,
    steered: [...state.steered, data.text],
    children: state.children.map((child) =>
      data.by === childVoice(child.turn) ? { ...child, told: true } : child,
    ),
  }),
  TurnCompleted: (state, data) => ({
    status: 'ended',
    end: 'completed',
    before: state,
    reply: data.reply,
    reason: null,
  }),
  TurnFailed: (state, data) => ({
    status: 'ended',
    end: 'failed',
    before: state,
    reply: null,
    reason: data.message,
  }),
  TurnCancelled: (state, data) => ({
    status: 'ended',
    end: 'cancelled',
    before: state,
    reply: null,
    reason: data.why,
  }),
  MemoryRecalled: (state, data) => (data.by === 'auto' ? { ...state, recalled: data } : state),
  SkillActivated: (state, data) => ({ ...state, skills: [...state.skills, data] }),
  BudgetWarning: (state, data) => ({
    ...state,
    warned: [...state.warned, capName(data.key, data.scope ?? state.turn)],
  }),
  ChildTurnLinked: (state, { call, child, agent, background }) => ({
    ...state,
    children: [
      ...state.children,
      { call, turn: child, agent, background: background ?? false, told: false },
    ],
  }),
  TurnTakenOver: same,
  UnknownOutcomeSettled: (state, data) => ({ ...state, settled: [...state.settled, data.call] }),
  ReplyDeliveryStarted: same,
  ReplyDelivered: same,
  ReplyDeliveryFailed: same,
};

const passed = (state: OpenTurn, fact: RecordedFact): ActiveTime => {
  const { activeMs, last, daemon } = state.time;
  // What passed while no daemon ran is not active time.
  const counts = fact.meta.daemon === daemon && !waitsForOthers(state);
  return {
    activeMs: counts ? activeMs + Math.max(0, fact.time - last) : activeMs,
    last: fact.time,
    daemon: fact.meta.daemon,
  };
};

const begin = (
  state: Extract<TurnState, { status: 'requested' }>,
  fact: RecordedFact,
): TurnState => {
  if (fact.type === 'TurnRefused')
    return { status: 'ended', end: 'refused', before: null, reply: null, reason: fact.data.shown };
  if (fact.type !== 'PolicyResolved') return misplaced(state, fact);
  const { data } = state;
  return {
    status: 'open',
    turn: state.turn,
    request: data.request,
    records: data.records,
    path: data.path,
    trigger: data.trigger,
    input: data.input,
    message: data.message,
    history: data.history,
    earlier: data.earlier ?? [],
    call: data.call ?? null,
    replyTo: data.replyTo ?? null,
    narrowings: fact.data.narrowings,
    recalled: null,
    made: null,
    children: [],
    skills: [],
    config: fact.data.config,
    policy: inlineSnapshot(fact.data.snapshot),
    policyDigest: fact.data.digest,
    model: { kind: 'idle' },
    advertised: [],
    final: false,
    transcript: [],
    steered: [],
    trace: [],
    trims: [],
    totals: {
      modelCalls: 0,
      toolCalls: 0,
      usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
      tokens: 0,
      cost: 0,
    },
    warned: [],
    settled: [],
    time: { activeMs: 0, last: fact.time, daemon: fact.meta.daemon },
    ending: null,
  };
};

type SnapshotRef = DataOf<'PolicyResolved'>['snapshot'];
const inlineSnapshot = (ref: SnapshotRef): Extract<SnapshotRef, { inline: unknown }>['inline'] => {
  if ('inline' in ref) return ref.inline;
  throw new Error('hydrate the policy snapshot before folding it');
};

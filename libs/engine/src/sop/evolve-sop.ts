import type { Content } from '../events/content.ts';
import { readDefinition } from './definition.ts';
import type { OpenSop, SopFact, SopState } from './state.ts';

/** The state after one more recorded fact. Facts that do not fit the state change nothing. */
export const evolveSop = (state: SopState, fact: SopFact): SopState => {
  if (fact.type === 'SopRunStarted') return state.status === 'none' ? begun(fact.data) : state;
  if (state.status === 'unreadable' && fact.type === 'SopRunFailed') return failed(fact.data);
  if (state.status !== 'open') return state;
  switch (fact.type) {
    case 'SopGateOpened': {
      const { gate, shown, route, deadline, required, notBy } = fact.data;
      return {
        ...state,
        gate: { status: 'open', gate, shown, route, deadline, required, notBy, votes: [] },
      };
    }
    case 'SopGateVoted':
      return voted(state, fact.data);
    case 'SopGateDecided':
      return fact.data.outcome === 'granted' ? { ...state, gate: { status: 'granted' } } : state;
    case 'SopStepStarted':
      return { ...state, running: fact.data };
    case 'SopStepCompleted':
      return stepEnded(state, fact.data);
    case 'SopRunCompleted':
      return {
        status: 'ended',
        run: state.run,
        outcome: { kind: 'completed', output: textOf(fact.data.output) },
      };
    case 'SopRunFailed':
      return failed(fact.data);
  }
};

type Data<T extends SopFact['type']> = Extract<SopFact, { type: T }>['data'];

const begun = (data: Data<'SopRunStarted'>): SopState => {
  const definition = readDefinition(textOf(data.definition));
  const { run, sop, by, parent } = data;
  if (definition === null) return { status: 'unreadable', run };
  return {
    status: 'open',
    run,
    sop,
    definition,
    input: textOf(data.input),
    by,
    parent,
    results: [],
    gate: { status: 'none' },
    running: null,
    tried: { attempts: 0, problem: null },
  };
};

const failed = ({ run, code, step, message }: Data<'SopRunFailed'>): SopState => ({
  status: 'ended',
  run,
  outcome: { kind: 'failed', code, step, message },
});

const voted = (state: OpenSop, { gate, by }: Data<'SopGateVoted'>): OpenSop =>
  state.gate.status === 'open' && state.gate.gate === gate
    ? { ...state, gate: { ...state.gate, votes: [...state.gate.votes, by] } }
    : state;

const stepEnded = (state: OpenSop, data: Data<'SopStepCompleted'>): OpenSop => {
  if (data.outcome !== 'completed')
    return { ...state, running: null, tried: { attempts: data.attempt, problem: data.why } };
  const done = { step: data.step, text: textOf(data.output) };
  return {
    ...state,
    results: [...state.results, done],
    gate: { status: 'none' },
    running: null,
    tried: { attempts: 0, problem: null },
  };
};

const textOf = (content: Content): string => ('inline' in content ? content.inline : '');

import { describe, expect, it } from 'vitest';
import type { LockstepEvent, TurnFact } from '../../events/event.ts';
import { authorized, completed, judgedCall, started } from '../../monitors/fixture/facts.ts';
import { begun } from '../../monitors/fixture/stream.ts';
import { parityMatrix, parityView } from '../parity-matrix.ts';
import { configApplied, fixtureConfig, logOf, recordedTurn, type Departure } from './fixture.ts';

const matrix = parityMatrix({ supportedTriggers: ['rest'] });
const read = judgedCall('c1', 'builtin:file_read', {}, []);

/** A call that begins at a time, in ms after the first turn. */
const call = (ms = 0): readonly TurnFact[] => [
  authorized(read),
  ...[started(read)].map((fact) =>
    fact.type === 'ToolCallStarted' ? { ...fact, data: { ...fact.data, now: begun + ms } } : fact,
  ),
  completed('c1', 'text', []),
];

const gaps = (budgets: object, turns: readonly Departure[]): readonly string[] => {
  const one = fixtureConfig(1, { budgets });
  const log: readonly LockstepEvent[] = logOf(
    configApplied(one),
    ...turns.map((turn, n) => recordedTurn(one, { turn: `t-${n}`, from: 10 + n * 20, ...turn })),
  );
  const state = log.reduce((s, event) => matrix.fold(s, event), matrix.initial());
  // What is kept at a checkpoint is enough to go on with.
  const again = matrix.thaw(JSON.parse(JSON.stringify(matrix.freeze(state))));
  expect(parityView(again)).toEqual(parityView(state));
  return parityView(state).rows.flatMap(({ setting, cells }) =>
    cells.gateway.state === 'gap' ? [setting] : [],
  );
};

const below = { meta: { parent: 't-0', root: 't-0', chain: ['t-0'] } };

describe('given caps that reach over turns', () => {
  it('counts the calls of all turns of an agent within an hour', () => {
    const actions = { max_actions_per_hour: 2 };
    const hour = 3_600_000;
    expect(gaps(actions, [{ between: call() }, { between: call() }])).toEqual([]);
    const third = [{ between: call() }, { between: call() }, { between: call(hour - 1) }];
    expect(gaps(actions, third)).toEqual(['budgets.max_actions_per_hour']);
    const later = [{ between: call() }, { between: call() }, { between: call(hour) }];
    expect(gaps(actions, later)).toEqual([]);
  });

  it('leaves probes out of an agent’s hour', () => {
    const probe = { meta: { probe: 'p-1' }, between: call() };
    expect(gaps({ max_actions_per_hour: 2 }, [{ between: call() }, probe, probe])).toEqual([]);
  });

  it('counts what model calls cost on one day', () => {
    // Each model call settles at 200 micro-dollars and reserves 1,000.
    const cost = (usd: number) => ({ max_cost_usd_per_day: usd });
    expect(gaps(cost(0.0012), [{}, {}])).toEqual([]);
    expect(gaps(cost(0.0011), [{}, {}])).toEqual(['budgets.max_cost_usd_per_day']);
  });

  it('counts calls of a turn below against the cap of the one above', () => {
    const calls = { max_tool_calls: 1, warn_at_percent: 100 };
    expect(gaps(calls, [{ between: call() }, { between: call() }])).toEqual(
      gaps(calls, [{ between: call() }]),
    );
    const tree = [{ between: call() }, { between: call(), ...below }];
    expect(gaps(calls, tree)).toContain('budgets.max_tool_calls');
  });

  it('counts tokens of a turn below against the cap of the one above', () => {
    // Each model call settles at 950 tokens and reserves 4,996.
    const tokens = (most: number) => ({ max_tokens_per_turn: most });
    expect(gaps(tokens(5_946), [{}, below])).toEqual([]);
    expect(gaps(tokens(5_945), [{}, below])).toEqual(['budgets.max_tokens_per_turn']);
    expect(gaps(tokens(5_945), [{}, {}])).toEqual([]);
  });
});

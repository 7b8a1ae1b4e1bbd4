import type { TurnFact } from '../events/event.ts';
import type { TurnCommand } from '../turn/commands.ts';
import { decide } from '../turn/decide.ts';
import type { Decision, Refusal } from '../turn/decision.ts';
import { evolve } from '../turn/evolve.ts';
import { nextEffect, type TurnEffect } from '../turn/next-effect.ts';
import { initialState, type TurnState } from '../turn/state.ts';

/** When every fact of a turn spec is recorded, in ms since the epoch. */
export const specTime = 1_700_000_000_000;

/** What a spec may ask of a turn to which this happened. */
export interface GivenTurn {
  readonly state: TurnState;
  when(command: TurnCommand): WhenTurn;
  /** @throws when another effect is due */
  thenWants(effect: TurnEffect): void;
}

/** What a spec may ask of a decision. Each throws when it does not hold. */
export interface WhenTurn {
  readonly decision: Decision;
  thenRecords(...facts: readonly TurnFact[]): GivenTurn;
  /** The types alone, where the data is not the point. */
  thenRecordsTypes(...types: readonly TurnFact['type'][]): GivenTurn;
  thenNothing(): void;
  thenRefuses(code: Refusal['code']): void;
}

/** A turn `t1` to which these facts happened, one millisecond apart. */
export const givenTurn = (...facts: readonly TurnFact[]): GivenTurn => {
  const state = facts.reduce<TurnState>(
    (before, fact, index) =>
      evolve(before, { ...fact, time: specTime + index, meta: { daemon: 'd1' } }),
    initialState('t1'),
  );
  return {
    state,
    when: (command) => whenTurn(facts, decide(command, state)),
    thenWants: (effect) => {
      same(nextEffect(state), effect);
    },
  };
};

const whenTurn = (before: readonly TurnFact[], decision: Decision): WhenTurn => {
  const recorded = decision.kind === 'record' ? decision.facts : [];
  return {
    decision,
    thenRecords: (...facts) => {
      same(decision.kind === 'record' ? recorded : decision, facts);
      return givenTurn(...before, ...recorded);
    },
    thenRecordsTypes: (...types) => {
      same(decision.kind === 'record' ? recorded.map((fact) => fact.type) : decision, types);
      return givenTurn(...before, ...recorded);
    },
    thenNothing: () => {
      same(decision.kind, 'nothing');
    },
    thenRefuses: (code) => {
      same(decision.kind === 'refuse' ? decision.refusal.code : decision, code);
    },
  };
};

/** Both are plain JSON: equal texts with sorted keys are equal values. */
const same = (actual: unknown, expected: unknown): void => {
  const [a, b] = [sorted(actual), sorted(expected)];
  if (a !== b) throw new Error(`expected\n${b}\nbut was\n${a}`);
};

const sorted = (value: unknown): string =>
  JSON.stringify(
    value,
    (_key, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([x], [y]) => (x < y ? -1 : 1)))
        : part,
    1,
  );

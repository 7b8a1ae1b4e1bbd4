import { describe, expect, it } from 'vitest';
import type { ComparedStep, EventRef, TurnFact } from '@lockstep/engine';
import {
  drawnRows,
  pairingOf,
  triggersOf,
  verdictCounts,
  type PairRow,
  type ReplayAnswer,
} from './replay.logic.ts';

const ref = (revision: number): EventRef => ({
  revision,
  id: `e${revision}`,
  type: 'TurnCompleted',
  time: 1000 + revision,
  position: String(revision),
});

const asked: TurnFact = { type: 'CancelRequested', data: { by: 'ana', why: 'x' } };

const step = (
  revision: number,
  state: ComparedStep['state'],
  now: TurnFact | null,
): ComparedStep => ({
  recorded: { at: ref(revision), fact: asked },
  now,
  state,
  fields: state === 'differs' ? [{ path: 'rule', recorded: '"a"', replayed: '"b"' }] : [],
});

const answer = (steps: readonly ComparedStep[]): ReplayAnswer => ({
  outcome: 'same',
  turn: 't',
  events: 1,
  ended: true,
  steps,
});

describe('given the two timelines of a replay', () => {
  it('names the first line that differs, and the first that nobody can judge', () => {
    const pairing = pairingOf(
      answer([
        step(0, 'same', asked),
        step(1, 'differs', asked),
        step(2, 'same', asked),
        step(3, 'differs', null),
        step(4, 'beyond_horizon', null),
      ]),
    );
    expect([pairing?.first, pairing?.horizon, pairing?.rows.map(({ state }) => state)]).toEqual([
      1,
      4,
      ['same', 'differs', 'same', 'differs', 'beyond'],
    ]);
    expect(pairing?.rows[3]).toMatchObject({
      recorded: { type: 'CancelRequested', at: 1003, fact: asked },
      now: null,
      fields: [{ path: 'rule' }],
    });
  });

  it('passes over what differs because it was put in', () => {
    const given: ComparedStep = {
      ...step(0, 'differs', asked),
      recorded: {
        at: ref(0),
        fact: JSON.parse(
          '{"type":"TurnRequested","data":{"path":"loop","trigger":"run","input":{"inline":""}}}',
        ) as TurnFact,
      },
    };
    const start = { path: 'loop', trigger: 'run', config: { version: 1, digest: 'd' } } as const;
    const pairing = pairingOf({
      outcome: 'compared',
      turn: 't',
      agent: 'a',
      recorded: start,
      now: start,
      policy: [],
      verdicts: [],
      horizon: null,
      notes: [],
      steps: [step(0, 'differs', asked), given, step(2, 'differs', asked)].slice(1),
    });
    expect(pairing?.first).toBe(1);
  });

  it('has none where the answer holds none', () => {
    expect([
      pairingOf({ outcome: 'same', turn: 't', events: 1, ended: true }),
      pairingOf({ outcome: 'refused', turn: 't', problems: [] }),
    ]).toEqual([null, null]);
  });
});

describe('given many lines', () => {
  const rows = (states: readonly PairRow['state'][]): readonly PairRow[] =>
    states.map((state, place) => ({ place, state, recorded: null, now: null, fields: [] }));
  const drawn = (states: readonly PairRow['state'][]) =>
    drawnRows(rows(states)).map((one) =>
      one.kind === 'row' ? one.row.place : one.rows.map(({ place }) => place),
    );

  it('folds a long run that is the same, but for its ends', () => {
    const same = Array.from({ length: 9 }, () => 'same' as const);
    expect(drawn([...same, 'differs'])).toEqual([0, 1, [2, 3, 4, 5, 6], 7, 8, 9]);
    expect(drawn(same.slice(1))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('folds nothing that differs or lies beyond the horizon', () => {
    const beyond = Array.from({ length: 12 }, () => 'beyond' as const);
    expect(drawn(beyond)).toHaveLength(12);
    expect(drawn([])).toEqual([]);
  });
});

it('counts verdicts by how they change', () => {
  const change = (kind: 'unchanged' | 'newly_asked') => ({
    call: 'c',
    tool: 'x',
    at: ref(0),
    recorded: { verdict: 'allow' as const, rule: 'r', key: null, why: '' },
    now: null,
    change: kind,
    decidedBy: null,
    waitedMs: null,
  });
  const counts = verdictCounts([change('unchanged'), change('newly_asked'), change('newly_asked')]);
  expect([counts.unchanged, counts.newly_asked, counts.newly_refused]).toEqual([1, 2, 0]);
});

it('knows the triggers of a path alone', () => {
  expect([
    triggersOf('gateway').includes('rest'),
    triggersOf('constructor'),
    triggersOf(null),
  ]).toEqual([true, [], []]);
});

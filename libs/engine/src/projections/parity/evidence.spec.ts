import { describe, expect, it } from 'vitest';
import type { LockstepEvent } from '../../events/event.ts';
import { judgedCall, pathOperand, refused, started } from '../../monitors/fixture/facts.ts';
import { parityCell, parityMatrix, parityView, type ParityState } from '../parity-matrix.ts';
import { configApplied, fixtureConfig, logOf, recordedTurn, type Departure } from './fixture.ts';

const matrix = parityMatrix({ supportedTriggers: ['rest'] });
const one = fixtureConfig(1);
const fold = (events: readonly LockstepEvent[]): ParityState =>
  events.reduce((state, event) => matrix.fold(state, event), matrix.initial());

const edit = judgedCall('c1', 'builtin:file_edit', { path: 'a.md' }, [
  pathOperand('a.md', 'write'),
]);
const bites = [refused(edit, 'tools.denied')];
const breaks = [started(edit)];

/** One turn a minute, in the order given. */
const history = (...turns: readonly Departure[]): ParityState =>
  fold(
    logOf(
      configApplied(one),
      ...turns.map((turn, n) => recordedTurn(one, { turn: `t-${n}`, from: 10 + n * 60, ...turn })),
    ),
  );
const cell = (state: ParityState, since?: number) =>
  parityView(state, { agent: 'researcher', ...(since === undefined ? {} : { since }) }).rows.find(
    ({ setting }) => setting === 'tools.denied',
  )?.cells.gateway;
const row = (state: ParityState) =>
  parityCell(state, 'tools.denied', 'gateway', { agent: 'researcher' }).evidence.find(
    ({ trigger }) => trigger === 'rest',
  );

const broken = { between: breaks };
const next = { meta: { build: 'next' } };

describe('a gap', () => {
  it('stays, however many turns of the same build pass without it', () => {
    expect(cell(history(broken, { between: bites }, { between: bites }))?.state).toBe('gap');
  });

  it('stays while another build was not put to the test', () => {
    expect(cell(history(broken, next))?.state).toBe('gap');
  });

  it('ends when another build refuses what it should, and is still told', () => {
    const state = history(broken, { ...next, between: bites });
    expect(cell(state)?.state).toBe('enforced');
    expect(row(state)?.ended).toMatchObject({ kind: 'violated', build: 'next' });
  });

  it('comes back with the next violation, and no earlier build ends it', () => {
    const state = history(
      broken,
      { ...next, ...broken },
      { between: bites },
      { ...next, between: bites },
    );
    expect(cell(state)?.state).toBe('gap');
  });

  it('of a differing value ends with an equal value under another build', () => {
    const wider = {
      policy: (s: Parameters<NonNullable<Departure['policy']>>[0]) => ({
        ...s,
        tools: { ...s.tools, denied: [] },
      }),
    };
    expect(cell(history(wider, {}))?.state).toBe('gap');
    expect(cell(history(wider, next))?.state).toBe('held');
  });

  it('counts only in the time that is asked about', () => {
    const state = history(broken, { between: bites });
    const last = row(state)?.lastSeen ?? 0;
    expect(cell(state, last)?.state).toBe('enforced');
  });
});

describe('a probe', () => {
  it('is evidence like a turn that was asked for, and is counted apart', () => {
    const probe = { meta: { probe: 'p-1' }, between: bites };
    const state = history({}, probe);
    expect(row(state)).toMatchObject({
      state: 'enforced',
      turns: 2,
      live: { turns: 1, bites: 0 },
      probe: { turns: 1, bites: 1 },
    });
    expect(cell(state)?.triggers.rest).toMatchObject({ probes: 1, bites: { live: 0, probe: 1 } });
  });
});

describe('the log', () => {
  const log = logOf(configApplied(one), recordedTurn(one, { between: bites }));

  it('is told to lack events where the numbers of an agent have a gap', () => {
    expect(parityView(fold(log)).missing).toEqual([]);
    const cut = log.filter(({ type }) => type !== 'ModelCallStarted');
    const after = log.find(({ type }) => type === 'ModelCallCompleted');
    expect(parityView(fold(cut)).missing).toEqual([
      {
        agent: 'researcher',
        after: 12,
        next: 14,
        position: after?.position,
        time: after?.time,
      },
    ]);
  });

  it('leaves a figure from time to time, at few points', () => {
    const turns = Array.from({ length: 40 }, () => ({ between: bites }));
    const { trend, figure } = parityView(history(...turns));
    expect(trend.length).toBeGreaterThan(1);
    expect(trend.length).toBeLessThan(10);
    expect(trend.at(-1)).toMatchObject(figure);
    expect(parityView(history(...turns), { agent: 'researcher' }).trend).toEqual([]);
  });
});

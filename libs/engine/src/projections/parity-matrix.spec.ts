import { enforcedKeys, pathNames } from '@lockstep/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LockstepEvent } from '../events/event.ts';
import { judgedCall, modelCall, pathOperand, refused, started } from '../monitors/fixture/facts.ts';
import { configApplied, fixtureConfig, logOf, recordedTurn } from './parity/fixture.ts';
import { parityCell, parityMatrix, parityView, type ParityState } from './parity-matrix.ts';
import type { CellState } from './parity-matrix.view.ts';

const matrix = parityMatrix({ supportedTriggers: ['rest', 'run'] });
const one = fixtureConfig(1);

const fold = (events: readonly LockstepEvent[], from = matrix.initial()): ParityState =>
  events.reduce((state, event) => matrix.fold(state, event), from);

const cellAt = (state: ParityState, setting: string, query = {}) => {
  const row = parityView(state, query).rows.find((r) => r.setting === setting);
  return row?.cells.gateway;
};

/** Gateway cells of enforced settings by state. */
const statesOf = (state: ParityState, query = {}): Record<string, CellState> =>
  Object.fromEntries(
    parityView(state, query).rows.map(({ setting, cells }) => [setting, cells.gateway.state]),
  );

const gaps = (state: ParityState): string[] =>
  Object.entries(statesOf(state))
    .filter(([, cell]) => cell === 'gap')
    .map(([setting]) => setting);

const edit = judgedCall('c1', 'builtin:file_edit', { path: 'a.md' }, [
  pathOperand('a.md', 'write'),
]);

describe('given a config and no turn', () => {
  const state = fold([configApplied(one)]);

  it('calls a path that is open to an agent unobserved', () => {
    expect(cellAt(state, 'tools.denied')).toEqual({
      state: 'unobserved',
      since: 1,
      triggers: {
        rest: {
          state: 'unobserved',
          since: 1,
          turns: 0,
          lastSeen: null,
          bites: { live: 0, probe: 0 },
          probes: 0,
        },
        websocket: expect.objectContaining({
          state: 'n/a',
          reason: '`websocket` is not part of this build',
        }),
        openai: expect.objectContaining({
          state: 'n/a',
          reason: '`openai` is not part of this build',
        }),
      },
    });
  });

  it('calls paths that the build has not n/a with the reason', () => {
    const { rows } = parityView(state);
    for (const { setting, cells } of rows)
      for (const path of pathNames) {
        if (['gateway', 'loop'].includes(path)) continue;
        expect([setting, path, cells[path].state]).toEqual([setting, path, 'n/a']);
        expect(cells[path].reason).toMatch(/not part of this build/);
      }
  });

  it('calls a setting n/a where a stronger rule always decides first', () => {
    expect(cellAt(state, 'mcp.run')).toMatchObject({
      state: 'n/a',
      reason: '`mcp.bundles` is empty: no server is there',
    });
  });

  it('counts every cell that is not n/a', () => {
    const { figure, rows } = parityView(state);
    const counted = rows
      .flatMap((r) => pathNames.map((p) => r.cells[p].state))
      .filter((s) => s !== 'n/a');
    expect(figure).toEqual({ enforced: 0, of: counted.length });
    expect(figure.of).toBeGreaterThan(2 * 30);
  });
});

describe('given a turn as config says', () => {
  it('is held where nothing bit, and enforced where a setting changed the outcome', () => {
    const state = fold(
      logOf(configApplied(one), recordedTurn(one, { between: [refused(edit, 'tools.denied')] })),
    );
    const states = statesOf(state, { agent: 'researcher' });
    expect(states['tools.denied']).toBe('enforced');
    expect(states['tools.allowed']).toBe('held');
    expect(gaps(state)).toEqual([]);
  });

  it('takes the worst of the agents', () => {
    const state = fold(
      logOf(configApplied(one), recordedTurn(one, { between: [refused(edit, 'tools.denied')] })),
    );
    expect(cellAt(state, 'tools.denied')?.state).toBe('unobserved');
    expect(cellAt(state, 'tools.denied', { agent: 'researcher' })?.state).toBe('enforced');
  });

  it('keeps the evidence over a config version that leaves the value alone, and tells since when', () => {
    const two = fixtureConfig(2, { budgets: { max_tool_calls: 7 } });
    const bitten = recordedTurn(one, { between: [refused(edit, 'tools.denied')] });
    const state = fold(logOf(configApplied(one), bitten, configApplied(two, 90)));
    const agent = { agent: 'researcher' };
    expect(cellAt(state, 'tools.denied', agent)).toMatchObject({ state: 'enforced', since: 1 });
    expect(cellAt(state, 'budgets.max_tool_calls', agent)).toMatchObject({
      state: 'unobserved',
      since: 2,
    });
    expect(cellAt(state, 'budgets.max_tool_calls', { ...agent, configVersion: 1 })?.state).toBe(
      'held',
    );
  });

  it('expects of a token of a narrower scope the narrower value', () => {
    const state = fold(logOf(configApplied(one), recordedTurn(one, { tools: ['file_read'] })));
    expect(gaps(state)).toEqual([]);
    expect(cellAt(state, 'tools.allowed', { agent: 'researcher' })?.state).toBe('held');
  });
});

describe('given a turn that departs from config', () => {
  it.each([
    ['wider', { allowed: [['*']], denied: ['builtin:file_edit'] }],
    ['narrower', { allowed: [[]], denied: ['builtin:file_edit'] }],
  ] as const)('is a gap when the value is %s', (kind, tools) => {
    const policy = (
      s: Parameters<NonNullable<Parameters<typeof recordedTurn>[1]>['policy'] & object>[0],
    ) => ({
      ...s,
      tools: { allowed: tools.allowed.map((c) => [...c]), denied: [...tools.denied] },
    });
    const state = fold(logOf(configApplied(one), recordedTurn(one, { policy })));
    expect(gaps(state)).toEqual(['tools.allowed']);
    expect(cellAt(state, 'tools.allowed')).toMatchObject({ state: 'gap', kind });
  });

  it('is a gap when a monitor objects, at once, before the turn has ended', () => {
    const events = recordedTurn(one, { between: [started(edit)] });
    const state = fold(logOf(configApplied(one), events.slice(0, -1)));
    expect(gaps(state)).toEqual(['tools.denied', 'approval.autonomy']);
    expect(gaps(fold(events.slice(-1), state))).toEqual(['tools.denied', 'approval.autonomy']);
  });

  it('misses every setting of a turn that worked without a policy', () => {
    const bypass = recordedTurn(one).filter(({ type }) => type !== 'PolicyResolved');
    const state = fold(logOf(configApplied(one), bypass));
    expect(gaps(state)).toEqual([...enforcedKeys]);
    expect(cellAt(state, 'tools.allowed')).toMatchObject({
      kind: 'missing',
      reason: 'no policy was recorded for this turn',
    });
  });

  it('misses a policy that cites a config that was never applied', () => {
    const state = fold(logOf(configApplied(one), recordedTurn(fixtureConfig(7))));
    expect(cellAt(state, 'tools.allowed')).toMatchObject({
      state: 'gap',
      reason: 'config version 7 was never applied',
    });
  });

  it('finds a turn refused that config permits', () => {
    const request = recordedTurn(one)[0];
    if (request === undefined) throw new TypeError('no request');
    const refusal: LockstepEvent = {
      ...request,
      id: '00000000-0000-7000-8000-000000000999',
      type: 'TurnRefused',
      data: { code: 'agent_unavailable', problems: [], shown: 'not available' },
    };
    const state = fold(logOf(configApplied(one), request, refusal));
    expect(cellAt(state, 'tools.allowed')).toMatchObject({ state: 'gap', kind: 'narrower' });
  });
});

describe('an opened cell', () => {
  it('shows the expected and the seen value, counts, turns and events', () => {
    const events = recordedTurn(one, { between: [refused(edit, 'tools.denied')] });
    const state = fold(logOf(configApplied(one), events));
    const detail = parityCell(state, 'tools.denied', 'gateway', { agent: 'researcher' });
    const refusal = events.find(({ type }) => type === 'ToolCallRefused');
    expect(detail.evidence.find(({ trigger }) => trigger === 'rest')).toEqual({
      agent: 'researcher',
      trigger: 'rest',
      state: 'enforced',
      expected: '["builtin:file_edit"]',
      seen: '["builtin:file_edit"]',
      turns: 1,
      bites: 1,
      live: { turns: 1, bites: 1 },
      probe: { turns: 0, bites: 0 },
      ended: null,
      firstSeen: events.at(-1)?.time,
      lastSeen: events.at(-1)?.time,
      turnIds: ['t-1'],
      events: [
        {
          id: refusal?.id,
          turn: 't-1',
          position: refusal?.position,
          what: 'witness',
          note: 'refused builtin:file_edit',
        },
      ],
    });
  });

  it('keeps the newest 20 events and turns', () => {
    const turns = Array.from({ length: 30 }, (_, i) =>
      recordedTurn(one, {
        turn: `t-${i}`,
        from: i * 20,
        between: [refused(edit, 'tools.denied')],
      }),
    );
    const detail = parityCell(fold(logOf(configApplied(one), ...turns)), 'tools.denied', 'gateway');
    const row = detail.evidence.find(({ turns: n }) => n > 0);
    expect(row).toMatchObject({ turns: 30, bites: 30 });
    expect(row?.turnIds).toEqual(Array.from({ length: 20 }, (_, i) => `t-${29 - i}`));
    expect(row?.events).toHaveLength(20);
  });
});

describe('a checkpoint', () => {
  it('leads to the same matrix at whatever event it is taken', () => {
    const two = fixtureConfig(2, { budgets: { max_tool_calls: 7 } });
    const log = logOf(
      configApplied(one),
      recordedTurn(one, { between: [refused(edit, 'tools.denied')] }),
      configApplied(two, 40),
      recordedTurn(two, { turn: 't-2', from: 50, between: [...modelCall(2, [], 'More.')] }),
    );
    const whole = parityView(fold(log));
    for (let cut = 0; cut <= log.length; cut += 1) {
      const frozen = JSON.stringify(matrix.freeze(fold(log.slice(0, cut))));
      const state = fold(log.slice(cut), matrix.thaw(JSON.parse(frozen)));
      expect(parityView(state)).toEqual(whole);
    }
  });
});

describe('given a broken log', () => {
  it('never throws', () => {
    const all = logOf(
      configApplied(one),
      recordedTurn(one, { between: [started(edit), refused(edit, 'tools.denied')] }),
      recordedTurn(one, { turn: 't-2', from: 50 }),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray([...all]), (events) => {
        expect(parityView(fold(events)).rows).toHaveLength(enforcedKeys.length);
      }),
      { numRuns: 200 },
    );
  });
});

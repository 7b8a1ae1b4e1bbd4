import { describe, expect, it } from 'vitest';
import type { CellState, ParityCell, ParityRow, ParityView, TriggerCell } from '@lockstep/engine';
import {
  cellAt,
  cellSentence,
  changedCells,
  closedBecause,
  columnKey,
  columnsOf,
  countStates,
  groupRows,
  hintOf,
  missingText,
  settingName,
  surfaceCell,
} from './parity.logic.ts';

const cell = (state: CellState, reason?: string): ParityCell => ({
  state,
  since: state === 'n/a' ? null : 1,
  triggers: {},
  ...(reason === undefined ? {} : { reason }),
});

const trigger = (state: CellState): TriggerCell => ({
  state,
  since: 1,
  turns: 1,
  lastSeen: 5,
  bites: { live: 0, probe: 0 },
  probes: 0,
});

const row = (
  setting: ParityRow['setting'],
  surface: ParityRow['surface'],
  cells: Partial<ParityRow['cells']>,
): ParityRow => ({
  setting,
  surface,
  cells: {
    channel: cell('n/a', 'no channel leads to an agent'),
    rpc: cell('n/a', 'no acp'),
    gateway: cell('unobserved'),
    loop: cell('unobserved'),
    delegate: cell('n/a', 'no delegate'),
    sop: cell('n/a', 'no sop'),
    ...cells,
  },
});

const view = (rows: readonly ParityRow[], more: Partial<ParityView> = {}): ParityView => ({
  position: '00000000000000000001',
  figure: { enforced: 0, of: 0 },
  rows,
  trend: [],
  missing: [],
  agents: ['reader', 'writer'],
  configVersions: [1],
  ...more,
});

const loop: ParityCell = {
  ...cell('gap'),
  kind: 'wider',
  triggers: { cron: trigger('enforced'), run: { ...trigger('gap'), kind: 'wider' } },
};
const allowed = row('tools.allowed', 'tools', { loop: cell('enforced') });
const denied = row('tools.denied', 'tools', { loop });
const quorum = row('approval.four_eyes', 'approval', {});
const all = view([allowed, denied, quorum]);

describe('given rows of two surfaces', () => {
  it('groups them by surface in the order they came', () => {
    expect(groupRows(all, null)).toEqual([
      { surface: 'tools', rows: [allowed, denied] },
      { surface: 'approval', rows: [quorum] },
    ]);
  });

  it('keeps with a state only rows that hold it', () => {
    expect(groupRows(all, 'gap')).toEqual([{ surface: 'tools', rows: [denied] }]);
  });

  it('counts the states of every cell', () => {
    expect(countStates(all)).toEqual({ gap: 1, enforced: 1, held: 0, unobserved: 4, 'n/a': 12 });
  });

  it('sums a surface up by its worst setting and how many of those that matter are enforced', () => {
    const rows = [allowed, denied];
    expect(surfaceCell(rows, { path: 'loop', trigger: null })).toEqual({
      state: 'gap',
      enforced: 1,
      of: 2,
    });
    expect(surfaceCell(rows, { path: 'sop', trigger: null })).toEqual({
      state: 'n/a',
      enforced: 0,
      of: 0,
    });
  });

  it('says why a path is closed only where no setting can matter on it', () => {
    expect(closedBecause(all, 'channel')).toBe('no channel leads to an agent');
    expect(closedBecause(all, 'loop')).toBeNull();
  });
});

describe('given a path that is opened', () => {
  const columns = columnsOf(all, new Set(['loop', 'nothing']));

  it('puts its triggers behind it', () => {
    expect(columns.map(columnKey)).toEqual([
      ...['channel', 'rpc', 'gateway', 'loop', 'loop.cron', 'loop.run', 'delegate', 'sop'],
    ]);
  });

  it('finds the cell of a trigger, and n/a where a row does not name it', () => {
    const run = { path: 'loop', trigger: 'run' } as const;
    expect(cellAt(denied, run)).toMatchObject({ state: 'gap', kind: 'wider', turns: 1 });
    expect(cellAt(allowed, run).state).toBe('n/a');
    expect(cellAt(denied, { path: 'loop', trigger: null })).toBe(loop);
  });

  it('says of a cell where it is, how it stands and why', () => {
    expect(cellSentence(denied, { path: 'loop', trigger: 'run' })).toBe(
      'tools.denied on loop by run: gap, wider (since config version 1). a turn ran under another value, or a monitor objects',
    );
    expect(cellSentence(denied, { path: 'channel', trigger: null })).toBe(
      'tools.denied on channel: n/a. no channel leads to an agent',
    );
  });
});

it('names the cells that changed between two readings', () => {
  const moved = { ...loop, triggers: { ...loop.triggers, cron: trigger('held') } };
  const after = [
    row('tools.allowed', 'tools', { loop: cell('gap'), gateway: cell('held') }),
    row('tools.denied', 'tools', { loop: moved }),
  ];
  expect(changedCells(view([allowed, denied]), view(after))).toEqual(
    new Set(['tools.allowed:gateway', 'tools.allowed:loop', 'tools.denied:loop.cron']),
  );
});

it('leaves the surface out of a name that its group says', () => {
  expect([settingName(allowed), settingName(quorum)]).toEqual(['allowed', 'four_eyes']);
});

describe('the hint', () => {
  const few = { figure: { enforced: 1, of: 5 } };

  it('says how to begin where no cell has proof', () => {
    expect(hintOf(view([allowed, quorum]), null)).toBe('no proof yet');
  });

  it('says that a cell is the worst of all agents where few are enforced for that reason', () => {
    expect(hintOf(view([allowed, denied], few), null)).toBe('worst of all agents');
  });

  it('says of one agent that a cell is the worst of all triggers', () => {
    const rows = [allowed, denied];
    expect([
      hintOf(view(rows, few), 'writer'),
      hintOf(view(rows, { ...few, agents: ['writer'] }), null),
    ]).toEqual(['worst of all triggers', 'worst of all triggers']);
  });

  it('is not there where much is enforced', () => {
    const figure = { enforced: 3, of: 5 };
    expect(hintOf(view([allowed, denied], { figure }), null)).toBeNull();
  });
});

it('says what of the log is missing', () => {
  const place = { agent: 'writer', after: 7, position: '00000000000000000009', time: 1 };
  expect([missingText({ ...place, next: 9 }), missingText({ ...place, next: 11 })]).toEqual([
    '1 event of writer is not in the log: number 7 is followed by 9',
    '3 events of writer are not in the log: number 7 is followed by 11',
  ]);
});

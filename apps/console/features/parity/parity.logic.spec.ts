import { describe, expect, it } from 'vitest';
import type { CellState, ParityCell, ParityRow, ParityView } from '@lockstep/engine';
import {
  changedCells,
  countStates,
  groupRows,
  moved,
  pathColumns,
  settingName,
} from './parity.logic.ts';

const cell = (state: CellState, reason?: string): ParityCell => ({
  state,
  since: 1,
  triggers: {},
  ...(reason === undefined ? {} : { reason }),
});

const row = (
  setting: ParityRow['setting'],
  surface: ParityRow['surface'],
  cells: Partial<ParityRow['cells']>,
): ParityRow => ({
  setting,
  surface,
  cells: {
    channel: cell('n/a', 'no telegram'),
    rpc: cell('n/a', 'no acp'),
    gateway: cell('unobserved'),
    loop: cell('unobserved'),
    delegate: cell('n/a', 'no delegate'),
    sop: cell('n/a', 'no sop'),
    ...cells,
  },
});

const laterCells = Object.fromEntries(
  pathColumns.map((path) => [path, cell('n/a', 'this setting comes later')]),
);
const view = (rows: readonly ParityRow[]): ParityView => ({
  position: '00000000000000000001',
  figure: { enforced: 0, of: 0 },
  rows,
});
const allowed = row('tools.allowed', 'tools', { loop: cell('enforced') });
const denied = row('tools.denied', 'tools', { loop: cell('gap') });
const quorum = row('approval.four_eyes', 'approval', laterCells);

describe('given rows of two surfaces, one of them later', () => {
  const all = view([allowed, denied, quorum]);

  it('groups them by surface, with later ones apart and their reason', () => {
    expect(groupRows(all, null)).toEqual([
      { surface: 'tools', rows: [allowed, denied], later: [], laterReason: null },
      { surface: 'approval', rows: [], later: [quorum], laterReason: 'this setting comes later' },
    ]);
  });

  it('keeps with a state only rows that hold it', () => {
    expect(groupRows(all, 'gap')).toEqual([
      { surface: 'tools', rows: [denied], later: [], laterReason: null },
    ]);
  });

  it('counts the states of all but later settings', () => {
    expect(countStates(all)).toEqual({ gap: 1, enforced: 1, held: 0, unobserved: 2, 'n/a': 8 });
  });
});

it('names the cells that changed between two readings', () => {
  const after = row('tools.allowed', 'tools', { loop: cell('gap'), gateway: cell('held') });
  expect(changedCells(view([allowed, denied]), view([after, denied]))).toEqual(
    new Set(['tools.allowed:gateway', 'tools.allowed:loop']),
  );
});

it('leaves the surface out of a name that its group says', () => {
  expect([settingName(allowed), settingName(quorum)]).toEqual(['allowed', 'four_eyes']);
});

describe('an arrow key', () => {
  it('leads to the next cell and stops at the edges', () => {
    expect([
      moved({ row: 0, column: 0 }, 'ArrowRight', 3),
      moved({ row: 0, column: 5 }, 'ArrowRight', 3),
      moved({ row: 0, column: 2 }, 'ArrowUp', 3),
      moved({ row: 1, column: 2 }, 'ArrowDown', 3),
      moved({ row: 1, column: 2 }, 'End', 3),
      moved({ row: 1, column: 2 }, 'x', 3),
    ]).toEqual([
      { row: 0, column: 1 },
      { row: 0, column: 5 },
      { row: 0, column: 2 },
      { row: 2, column: 2 },
      { row: 1, column: 5 },
      null,
    ]);
  });
});

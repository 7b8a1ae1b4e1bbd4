import type { CellState, ParityCell, ParityRow, ParityView, TriggerCell } from '@lockstep/engine';
import { plural } from '../../lib/format.ts';

export type PathName = keyof ParityRow['cells'];

/** The six ways that a turn can start, in the order of the columns. */
export const pathColumns: readonly PathName[] = [
  'channel',
  'rpc',
  'gateway',
  'loop',
  'delegate',
  'sop',
];

export interface StateLook {
  readonly glyph: string;
  readonly word: string;
  readonly means: string;
}

/** Every state as glyph and word; colour says the same a third time. */
export const stateLooks: Readonly<Record<CellState, StateLook>> = {
  gap: { glyph: '✕', word: 'gap', means: 'a turn ran under another value, or a monitor objects' },
  enforced: {
    glyph: '●',
    word: 'enforced',
    means: 'every turn agreed, and the setting was seen to decide something',
  },
  held: {
    glyph: '◐',
    word: 'held',
    means: 'every turn agreed, but the setting never had to decide anything',
  },
  unobserved: {
    glyph: '○',
    word: 'unobserved',
    means: 'the path is open, but not every agent has had a turn on it',
  },
  'n/a': { glyph: '–', word: 'n/a', means: 'by config or build nothing can start here' },
};

/** Worst first, as a reader looks for them. */
export const stateOrder: readonly CellState[] = ['gap', 'enforced', 'held', 'unobserved', 'n/a'];

/** A column: a path as a whole, or one of its triggers. */
export interface Column {
  readonly path: PathName;
  readonly trigger: string | null;
}

export const columnKey = ({ path, trigger }: Column): string =>
  trigger === null ? path : `${path}.${trigger}`;

/** The paths as columns; one that is opened is followed by its triggers. */
export const columnsOf = (view: ParityView, open: ReadonlySet<string>): readonly Column[] =>
  pathColumns.flatMap((path): readonly Column[] => {
    const whole: Column = { path, trigger: null };
    if (!open.has(path)) return [whole];
    const names = new Set(view.rows.flatMap(({ cells }) => Object.keys(cells[path].triggers)));
    return [whole, ...[...names].map((trigger): Column => ({ path, trigger }))];
  });

/** What stands in a column of a row. A trigger that the row does not name is not open. */
export const cellAt = (row: ParityRow, { path, trigger }: Column): ParityCell | TriggerCell => {
  const cell = row.cells[path];
  if (trigger === null) return cell;
  const triggers: Readonly<Record<string, TriggerCell>> = cell.triggers;
  return triggers[trigger] ?? { state: 'n/a', since: null, triggers: {} };
};

export interface SurfaceGroup {
  readonly surface: string;
  readonly rows: readonly ParityRow[];
}

/** Rows by surface, in the order they came. With a state, only rows that hold it in some cell. */
export const groupRows = (view: ParityView, state: CellState | null): readonly SurfaceGroup[] => {
  const surfaces = [...new Set(view.rows.map(({ surface }) => surface))];
  return surfaces
    .map((surface): SurfaceGroup => {
      const rows = view.rows.filter((row) => row.surface === surface);
      return {
        surface,
        rows: rows.filter(
          (row) => state === null || pathColumns.some((path) => row.cells[path].state === state),
        ),
      };
    })
    .filter(({ rows }) => rows.length > 0);
};

/** The state of a whole surface in one column: its worst one, and how many of the settings that can matter are enforced. */
export const surfaceCell = (
  rows: readonly ParityRow[],
  column: Column,
): { readonly state: CellState; readonly enforced: number; readonly of: number } => {
  const states = rows.map((row) => cellAt(row, column).state);
  const worst = (['gap', 'unobserved', 'held', 'enforced'] as const).find((one) =>
    states.includes(one),
  );
  return {
    state: worst ?? 'n/a',
    enforced: states.filter((one) => one === 'enforced').length,
    of: states.filter((one) => one !== 'n/a').length,
  };
};

/** Why nothing can start on a path at all, when every setting says the same of it; null where something can. */
export const closedBecause = (view: ParityView, path: PathName): string | null => {
  const cells = view.rows.map((row) => row.cells[path]);
  if (cells.length === 0 || cells.some(({ state }) => state !== 'n/a')) return null;
  return cells[0]?.reason ?? stateLooks['n/a'].means;
};

/** How many cells stand in each state. */
export const countStates = (view: ParityView): Readonly<Record<CellState, number>> => {
  const counts = { gap: 0, enforced: 0, held: 0, unobserved: 0, 'n/a': 0 };
  for (const { cells } of view.rows) for (const path of pathColumns) counts[cells[path].state] += 1;
  return counts;
};

export const cellKey = (setting: string, column: string): string => `${setting}:${column}`;

/** Cells whose state or kind differs between two readings of the same matrix. */
export const changedCells = (before: ParityView, after: ParityView): ReadonlySet<string> => {
  const known = new Map(before.rows.map((row) => [row.setting, row]));
  const changed = new Set<string>();
  for (const row of after.rows) {
    const old = known.get(row.setting);
    if (old === undefined) continue;
    for (const column of columnsOf(after, new Set(pathColumns))) {
      const [a, b] = [cellAt(old, column), cellAt(row, column)];
      if (a.state !== b.state || a.kind !== b.kind)
        changed.add(cellKey(row.setting, columnKey(column)));
    }
  }
  return changed;
};

/** The name of a setting without its surface, which the group says. */
export const settingName = ({ setting, surface }: ParityRow): string =>
  setting.startsWith(`${surface}.`) ? setting.slice(surface.length + 1) : setting;

/** One cell in a sentence: where it is, how it stands, and why. */
export const cellSentence = (row: ParityRow, column: Column): string => {
  const cell = cellAt(row, column);
  const { word, means } = stateLooks[cell.state];
  const where = column.trigger === null ? column.path : `${column.path} by ${column.trigger}`;
  const kind = cell.kind === undefined ? '' : `, ${cell.kind}`;
  const since = cell.since === null ? '' : ` (since config version ${cell.since})`;
  return `${row.setting} on ${where}: ${word}${kind}${since}. ${cell.reason ?? means}`;
};

/** What one can do when the matrix has little to show; null when it speaks for itself. A cell is the worst of all agents and of all
 * triggers of its path: one that nobody tried holds it back. */
export const hintOf = (
  view: ParityView,
  agent: string | null,
): 'no proof yet' | 'worst of all agents' | 'worst of all triggers' | null => {
  const seen = view.rows.some(({ cells }) =>
    pathColumns.some((path) => Object.values(cells[path].triggers).some(({ turns }) => turns > 0)),
  );
  if (!seen) return 'no proof yet';
  const few = view.figure.enforced * 4 < view.figure.of;
  if (!few || countStates(view).unobserved === 0) return null;
  return agent === null && view.agents.length > 1 ? 'worst of all agents' : 'worst of all triggers';
};

/** What is wrong with the log itself, as far as the matrix sees it. */
export const missingText = ({ agent, after, next }: ParityView['missing'][number]): string => {
  const count = next - after - 1;
  return `${plural(count, 'event')} of ${agent} ${count === 1 ? 'is' : 'are'} not in the log: number ${after} is followed by ${next}`;
};

import type { CellState, ParityCell, ParityRow, ParityView } from '@lockstep/engine';

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

export interface SurfaceGroup {
  readonly surface: string;
  readonly rows: readonly ParityRow[];
  /** Settings that this build has not yet: no cell of theirs can be anything but n/a. */
  readonly later: readonly ParityRow[];
  /** Why the later ones are so, in the daemon's words. */
  readonly laterReason: string | null;
}

/** Rows by surface, in the order they came. With a state, only rows that hold it in some cell; later ones only without. */
export const groupRows = (view: ParityView, state: CellState | null): readonly SurfaceGroup[] => {
  const surfaces = [...new Set(view.rows.map(({ surface }) => surface))];
  return surfaces
    .map((surface): SurfaceGroup => {
      const all = view.rows.filter((row) => row.surface === surface);
      const later = all.filter(isLater);
      const rows = all.filter(
        (row) =>
          !isLater(row) && (state === null || cellsOf(row).some((cell) => cell.state === state)),
      );
      return {
        surface,
        rows,
        later: state === null ? later : [],
        laterReason: later[0]?.cells.loop.reason ?? null,
      };
    })
    .filter(({ rows, later }) => rows.length + later.length > 0);
};

const cellsOf = (row: ParityRow): readonly ParityCell[] =>
  pathColumns.map((path) => row.cells[path]);

/** Where nothing is open on any path, and each for the very same reason, the setting itself is the reason. */
const isLater = (row: ParityRow): boolean => {
  const [first, ...rest] = cellsOf(row);
  return (
    first?.state === 'n/a' &&
    first.reason !== undefined &&
    rest.every(({ state, reason }) => state === 'n/a' && reason === first.reason)
  );
};

/** How many cells stand in each state. */
export const countStates = (view: ParityView): Readonly<Record<CellState, number>> => {
  const counts = { gap: 0, enforced: 0, held: 0, unobserved: 0, 'n/a': 0 };
  for (const row of view.rows)
    if (!isLater(row)) for (const { state } of cellsOf(row)) counts[state] += 1;
  return counts;
};

export const cellKey = (setting: string, path: string): string => `${setting}:${path}`;

/** Cells whose state or kind differs between two readings of the same matrix. */
export const changedCells = (before: ParityView, after: ParityView): ReadonlySet<string> => {
  const known = new Map(before.rows.map((row) => [row.setting, row]));
  const changed = new Set<string>();
  for (const row of after.rows) {
    const old = known.get(row.setting);
    if (old === undefined) continue;
    for (const path of pathColumns) {
      const [a, b] = [old.cells[path], row.cells[path]];
      if (a.state !== b.state || a.kind !== b.kind) changed.add(cellKey(row.setting, path));
    }
  }
  return changed;
};

/** The name of a setting without its surface, which the group says. */
export const settingName = ({ setting, surface }: ParityRow): string =>
  setting.startsWith(`${surface}.`) ? setting.slice(surface.length + 1) : setting;

/** A place in the matrix by row and column. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Where an arrow key leads in a matrix of so many rows; null for other keys. */
export const moved = (from: Place, key: string, rows: number): Place | null => {
  const within = (value: number, size: number): number => Math.min(Math.max(value, 0), size - 1);
  const { row, column } = from;
  switch (key) {
    case 'ArrowUp':
      return { row: within(row - 1, rows), column };
    case 'ArrowDown':
      return { row: within(row + 1, rows), column };
    case 'ArrowLeft':
      return { row, column: within(column - 1, pathColumns.length) };
    case 'ArrowRight':
      return { row, column: within(column + 1, pathColumns.length) };
    case 'Home':
      return { row, column: 0 };
    case 'End':
      return { row, column: pathColumns.length - 1 };
    default:
      return null;
  }
};

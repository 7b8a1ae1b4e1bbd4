/** A place in the matrix by row and column. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Where an arrow key leads in a matrix of so many rows and columns; null for other keys. */
export const moved = (from: Place, key: string, rows: number, columns: number): Place | null => {
  const within = (value: number, size: number): number => Math.min(Math.max(value, 0), size - 1);
  const { row, column } = from;
  switch (key) {
    case 'ArrowUp':
      return { row: within(row - 1, rows), column };
    case 'ArrowDown':
      return { row: within(row + 1, rows), column };
    case 'ArrowLeft':
      return { row, column: within(column - 1, columns) };
    case 'ArrowRight':
      return { row, column: within(column + 1, columns) };
    case 'PageUp':
      return { row: within(row - 10, rows), column };
    case 'PageDown':
      return { row: within(row + 10, rows), column };
    case 'Home':
      return { row, column: 0 };
    case 'End':
      return { row, column: columns - 1 };
    default:
      return null;
  }
};

/** A place as a cell carries it, `row:column`; null for anything else. */
export const placeOf = (text: string | undefined): Place | null => {
  const [, row, column] = /^(\d+):(\d+)$/.exec(text ?? '') ?? [];
  return row === undefined || column === undefined
    ? null
    : { row: Number(row), column: Number(column) };
};

/** Names in an address: a list with commas. Unknown ones do no harm. */
export const namesOf = (text: string | null): ReadonlySet<string> =>
  new Set((text ?? '').split(',').filter((name) => name !== ''));

/** The list with a name put in or taken out; null when nothing is left. */
export const toggled = (names: ReadonlySet<string>, name: string): string | null => {
  const next = names.has(name) ? [...names].filter((one) => one !== name) : [...names, name];
  return next.length === 0 ? null : next.join(',');
};

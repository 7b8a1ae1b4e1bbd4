/** Whether a JSON value nests more than `most` levels of arrays and objects. Looks level by level: its own work costs no stack. */
export const isDeeper = (value: unknown, most: number): boolean => {
  let level: readonly object[] = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= most) return true;
    level = level.flatMap((one): unknown[] => Object.values(one)).filter(isContainer);
  }
  return false;
};

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

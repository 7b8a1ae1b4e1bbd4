import { canonicalJson } from '@lockstep/policy';

export interface ConfigChange {
  readonly path: string;
  /** Canonical JSON of the value, null = was not there. */
  readonly before: string | null;
  readonly after: string | null;
}

const mostChanges = 500;
const longestValue = 400;

/** Which keys differ between two configs, sorted by path. Lists are compared whole. Past 500 changes the tables that hold them
 * are named instead, so that the event stays small. */
export const diffConfigs = (before: unknown, after: unknown): ConfigChange[] => {
  for (let depth = 12; depth > 1; depth -= 1) {
    const changes = changesOf(before, after, '', depth);
    if (changes.length <= mostChanges) return changes;
  }
  return changesOf(before, after, '', 1);
};

const changesOf = (
  before: unknown,
  after: unknown,
  path: string,
  depth: number,
): ConfigChange[] => {
  if (depth > 0 && isTable(before) && isTable(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) =>
      changesOf(before[key], after[key], path === '' ? key : `${path}.${key}`, depth - 1),
    );
  }
  const [was, is] = [textOf(before), textOf(after)];
  return was === is ? [] : [{ path, before: cut(was), after: cut(is) }];
};

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | null =>
  value === undefined ? null : canonicalJson(value);

const cut = (text: string | null): string | null => {
  if (text === null || text.length <= longestValue) return text;
  return `${Array.from(text).slice(0, longestValue).join('')}…`;
};

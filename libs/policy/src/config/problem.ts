/** What kind of problem it is; stable, for programs. */
export type ConfigProblemCode =
  | 'too_large'
  | 'syntax'
  | 'duplicate_key'
  | 'reserved_key'
  | 'unknown_key'
  | 'missing_key'
  | 'invalid_name'
  | 'invalid_value'
  | 'unknown_name'
  | 'matches_nothing'
  | 'cannot_act'
  | 'protected_path'
  | 'locked'
  | 'conflict'
  | 'unsafe_bind'
  | 'unsafe_process'
  | 'incomplete_agent';

/** One thing wrong with a config, or worth a warning. `line` and `column` count from 1; null when the text has no such place. */
export interface ConfigProblem {
  /** The key in config, `agents.researcher.tools.allowed[0]`; empty for the file as a whole. */
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  readonly code: ConfigProblemCode;
}

/** A place in config: keys and, for items of lists, indexes. */
export type ConfigPath = readonly (string | number)[];

/** A place in the text; both count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Spells a path as people write it: dots, `[0]` for items, quotes around keys that need them. */
export const formatPath = (path: ConfigPath): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const key = /^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part);
    return text === '' ? key : `${text}.${key}`;
  }, '');

/** One line a person can act on: `lockstep.toml:12:3: agents.a.provider: …`. */
export const formatProblem = (file: string, problem: ConfigProblem): string => {
  const place = problem.line === null ? '' : `:${problem.line}:${problem.column ?? 1}`;
  const path = problem.path === '' ? '' : `${problem.path}: `;
  return `${file}${place}: ${path}${problem.message}`;
};

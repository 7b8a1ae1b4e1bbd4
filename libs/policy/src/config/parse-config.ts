import type { Config } from './config.schema.ts';
import type { ConfigProblem } from './problem.ts';
import { readDocument, type ConfigText } from './read-document.ts';
import { refuseLater } from './refuse-later.ts';
import { checkSchema } from './schema-problems.ts';

export type ParsedConfig =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly ConfigProblem[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Reads a config text and checks all of it: shape, names, patterns, paths, settings that cannot act. All problems at once, in the
 * order of the text. Never throws. */
export const parseConfig = (source: ConfigText): ParsedConfig => {
  const read = readDocument(source);
  if (!read.ok) return read;
  const later = refuseLater(read.document);
  const checked = checkSchema(read.document, later.value);
  const problems = [
    ...later.problems,
    ...(checked.ok ? [] : checked.misses.map((miss) => miss.problem)),
  ];
  if (!checked.ok || problems.length > 0) return { ok: false, problems: inOrder(problems) };
  return { ok: true, config: checked.config, warnings: [] };
};

const inOrder = (problems: readonly ConfigProblem[]): ConfigProblem[] =>
  [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));

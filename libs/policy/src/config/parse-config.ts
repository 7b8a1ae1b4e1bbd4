import { checkEntries, checkLayers, findInert, findWarnings, unknownHost } from './check-config.ts';
import type { Config } from './config.schema.ts';
import type { ConfigProblem } from './problem.ts';
import { readablePart } from './readable-part.ts';
import { readDocument, type ConfigText } from './read-document.ts';
import { checkSchema } from './schema-problems.ts';

export type ParsedConfig =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly ConfigProblem[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Reads a config text and checks all of it: shape, names, patterns, paths, settings that cannot act. All problems at once, in the
 * order of the text. Never throws. */
export const parseConfig = (source: ConfigText): ParsedConfig => {
  const read = readDocument(source);
  if (!read.ok) return read;
  const { document } = read;
  const { host = unknownHost, judgeSchedule } = source;
  const around = { document, host, ...(judgeSchedule === undefined ? {} : { judgeSchedule }) };
  const checked = checkSchema(document, document.value);
  if (!checked.ok) {
    const part = readablePart(document, document.value, checked.misses);
    return refused([
      ...checked.misses.map((miss) => miss.problem),
      ...(part === null ? [] : checkEntries({ ...around, config: part })),
    ]);
  }
  const context = { ...around, config: checked.config };
  const found = [...checkEntries(context), ...checkLayers(context)];
  const problems = found.length > 0 ? found : findInert(context);
  if (problems.length > 0) return refused(problems);
  return { ok: true, config: checked.config, warnings: inOrder(findWarnings(context)) };
};

const refused = (problems: readonly ConfigProblem[]): ParsedConfig => ({
  ok: false,
  problems: inOrder(problems),
});

const inOrder = (problems: readonly ConfigProblem[]): ConfigProblem[] =>
  [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));

import type { ParsedConfig } from './parse-config.ts';
import { readDocument, type ConfigText } from './read-document.ts';
import { checkSchema } from './schema-problems.ts';

/** Reads a config by its schema alone, settings of later builds included. For specs of this package: never exported from it. */
export const parseConfigShape = (source: ConfigText): ParsedConfig => {
  const read = readDocument(source);
  if (!read.ok) return read;
  const checked = checkSchema(read.document, read.document.value);
  return checked.ok
    ? { ok: true, config: checked.config, warnings: [] }
    : { ok: false, problems: checked.misses.map((miss) => miss.problem) };
};

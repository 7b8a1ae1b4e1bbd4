import { composeYaml } from '@lockstep/policy';
import { RE2JS } from 're2js';
import { isNode, LineCounter, type Document } from 'yaml';
import { scriptSchema, type Script } from './script.schema.ts';

export interface ScriptProblem {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** Dotted path in the file; empty for the file itself. */
  readonly path: string;
  readonly message: string;
}

export type ParsedScript =
  | { readonly ok: true; readonly script: Script }
  | { readonly ok: false; readonly problems: readonly ScriptProblem[] };

const largest = 4 * 1024 * 1024;
const deepest = 100;

/** Reads a script strictly; every problem comes with its line. */
export const parseScript = (text: string, file: string): ParsedScript => {
  const problem = (line: number, path: string, message: string): ScriptProblem => ({
    file,
    line,
    path,
    message,
  });
  if (text.length > largest)
    return { ok: false, problems: [problem(1, '', `a script may have ${largest} characters`)] };
  const lines = new LineCounter();
  const doc = composeYaml(text, { lines, most: deepest, prettyErrors: false, uniqueKeys: true });
  if (doc === null)
    return { ok: false, problems: [problem(1, '', `a script nests at most ${deepest} levels`)] };
  const broken = [...doc.errors, ...doc.warnings];
  if (broken.length > 0)
    return {
      ok: false,
      problems: broken.map((e) => problem(lines.linePos(e.pos[0]).line, '', e.message)),
    };
  const lineAt = (path: readonly PropertyKey[]): number => lineOf(doc, lines, path);
  const parsed = scriptSchema.safeParse(doc.toJS({ maxAliasCount: 100 }) ?? {});
  if (!parsed.success)
    return {
      ok: false,
      problems: parsed.error.issues.flatMap((issue) =>
        issue.code === 'unrecognized_keys'
          ? issue.keys.map((key) => {
              const path = [...issue.path, key];
              return problem(lineAt(path), dotted(path), `unknown key \`${key}\``);
            })
          : [problem(lineAt(issue.path), dotted(issue.path), lowerFirst(issue.message))],
      ),
    };
  const patterns = parsed.data.scenarios.flatMap((s, i) => {
    const message = patternProblem(s.when);
    const path = ['scenarios', i, 'when'];
    return message === null ? [] : [problem(lineAt(path), dotted(path), message)];
  });
  return patterns.length > 0
    ? { ok: false, problems: patterns }
    : { ok: true, script: parsed.data };
};

/** The pattern between the slashes, or null when `when` is plain text. */
export const regexOf = (when: string): string | null =>
  when.length > 2 && when.startsWith('/') && when.endsWith('/') ? when.slice(1, -1) : null;

const patternProblem = (when: string): string | null => {
  const pattern = regexOf(when);
  if (pattern === null) return null;
  try {
    RE2JS.compile(pattern);
    return null;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `\`${when}\` is no regular expression of the linear kind (${why})`;
  }
};

const dotted = (path: readonly PropertyKey[]): string => path.map(String).join('.');

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Line of the nearest node on the path; for a key that is too much, of the key itself. */
const lineOf = (doc: Document, lines: LineCounter, path: readonly PropertyKey[]): number => {
  for (let n = path.length; n > 0; n -= 1) {
    const parts = path.slice(0, n);
    const parent = n === 1 ? doc.contents : doc.getIn(parts.slice(0, -1), true);
    const key = parts[n - 1];
    const pair = isPairs(parent)
      ? parent.items.find((p) => keyText(p.key) === String(key))
      : undefined;
    const node = pair?.key ?? doc.getIn(parts, true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
};

const isPairs = (node: unknown): node is { items: readonly { key: unknown }[] } =>
  typeof node === 'object' &&
  node !== null &&
  'items' in node &&
  Array.isArray(node.items) &&
  node.items.every((i: unknown) => typeof i === 'object' && i !== null && 'key' in i);

const keyText = (key: unknown): string | null =>
  typeof key === 'object' && key !== null && 'value' in key ? String(key.value) : null;

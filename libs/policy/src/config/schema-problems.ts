import type { z } from 'zod';
import { configSchema, type Config } from './config.schema.ts';
import { problemAt, type ConfigDocument } from './document.ts';
import { configJsonSchema } from './json-schema.ts';
import { didYouMean } from './nearest.ts';
import type { ConfigPath, ConfigProblem } from './problem.ts';
import { expectation, keysOf, nodesAt, shownInstead, type SchemaNode } from './schema-nodes.ts';

export interface SchemaMiss {
  /** The key or item at fault. */
  readonly path: ConfigPath;
  readonly problem: ConfigProblem;
}

export type SchemaCheck =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly misses: readonly SchemaMiss[] };

/** Checks the shape of every section and puts what is wrong in words, with its place in `document`. */
export const checkSchema = (document: ConfigDocument, value: unknown): SchemaCheck => {
  // INVARIANT: an empty message is one that no schema gave, so `describe` words it from the schema at that path.
  const parsed = configSchema.safeParse(value, { error: () => '' });
  if (parsed.success) return { ok: true, config: parsed.data };
  const context: Context = { document, value, schema: configJsonSchema() };
  return { ok: false, misses: parsed.error.issues.flatMap((i) => missesOf(context, i, [])) };
};

interface Context {
  readonly document: ConfigDocument;
  readonly value: unknown;
  readonly schema: SchemaNode;
}

type Issue = z.core.$ZodIssue;

const missesOf = (context: Context, issue: Issue, base: ConfigPath): SchemaMiss[] => {
  const path = [...base, ...issue.path.map((part) => (typeof part === 'symbol' ? '' : part))];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(context, path, key));
  if (issue.code === 'invalid_union') {
    const branch = meantBranch(issue.errors);
    if (branch !== null) return branch.flatMap((inner) => missesOf(context, inner, path));
  }
  return [describe(context, issue, path)];
};

/** The one alternative of a union that the value was plainly meant for: of the right kind, and with the fewest misses. */
const meantBranch = (branches: readonly Issue[][]): Issue[] | null => {
  const meant = branches.filter((issues) => !issues.some(isOtherKind));
  const fewest = Math.min(...meant.map((issues) => issues.length));
  const best = meant.filter((issues) => issues.length === fewest);
  return best.length === 1 ? (best[0] ?? null) : null;
};

const isOtherKind = (issue: Issue): boolean =>
  issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');

const unknownKey = (context: Context, path: ConfigPath, key: string): SchemaMiss => {
  const at = [...path, key];
  const valid = keysOf(nodesAt(context.schema, path, context.value));
  const message = `unknown key \`${key}\`${elsewhere(context, path, key) ?? didYouMean(key, valid)}`;
  return { path: at, problem: problemAt('unknown_key', at, context.document.keyAt(at), message) };
};

/** A table of the one kind of profile that was written in the other. */
const elsewhere = (context: Context, path: ConfigPath, key: string): string | null => {
  const other = otherProfiles.get(path.length === 2 ? path[0] : undefined);
  if (other === undefined) return null;
  const there = keysOf(nodesAt(context.schema, [other.section, 'x'], context.value));
  return there.includes(key) ? `, it belongs in a ${other.noun} or an agent` : null;
};

const otherProfiles = new Map<string | number | undefined, { section: string; noun: string }>([
  ['risk_profiles', { section: 'runtime_profiles', noun: 'runtime profile' }],
  ['runtime_profiles', { section: 'risk_profiles', noun: 'risk profile' }],
]);

const describe = (context: Context, issue: Issue, path: ConfigPath): SchemaMiss => {
  const nodes = nodesAt(context.schema, path, context.value);
  const value = valueAt(context.value, path);
  if (issue.code === 'invalid_key') {
    const rule = issue.issues[0]?.message ?? '';
    const message = `\`${String(path.at(-1))}\` is no valid name${rule === '' ? '' : `, it ${rule}`}`;
    const at = context.document.keyAt(path);
    return { path, problem: problemAt('invalid_name', path, at, message) };
  }
  if (value === undefined) {
    const message = `\`${String(path.at(-1))}\` is missing, write ${expectation(nodes)}`;
    const parent = path.slice(0, -1);
    const at = context.document.keyAt(parent);
    return { path: parent, problem: problemAt('missing_key', path, at, message) };
  }
  const message =
    issue.message !== ''
      ? issue.message
      : `must be ${expectation(nodes)}${shownInstead(nodes, value)}`;
  const at = context.document.valueAt(path);
  return { path, problem: problemAt('invalid_value', path, at, message) };
};

const valueAt = (value: unknown, path: ConfigPath): unknown =>
  path.reduce<unknown>((current, part) => {
    if (typeof current !== 'object' || current === null) return undefined;
    const owner = current as Record<string | number, unknown>;
    return Object.hasOwn(owner, part) ? owner[part] : undefined;
  }, value);

import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ToolSpec } from '../events/parts.ts';
import { boundedPattern } from './bounded-pattern.ts';

export type ArgumentsCheck =
  | { readonly ok: true }
  /** `unusable`: the schema itself cannot be compiled, so that no arguments fit. */
  | {
      readonly ok: false;
      readonly kind: 'mismatch' | 'unusable';
      readonly message: string;
    };

type Check = (args: unknown) => ArgumentsCheck;

/** Checks arguments against the JSON Schema of a tool: draft 2020-12, or draft-07 where `$schema` says so. Never throws and never
 * changes the arguments. Compiled schemas are kept by the digest of the spec. */
export const checkArguments = (spec: ToolSpec, args: unknown): ArgumentsCheck => {
  const known = compiled.get(spec.digest);
  if (known !== undefined) return known(args);
  const check = compile(spec);
  if (compiled.size >= keptSchemas) compiled.clear();
  compiled.set(spec.digest, check);
  return check(args);
};

const keptSchemas = 2_000;
const compiled = new Map<string, Check>();

const options: Options = {
  // Foreign schemas hold keywords and formats of their own; both are notes, not rules.
  strict: false,
  validateFormats: false,
  logger: false,
  code: { regExp: Object.assign(boundedPattern, { code: 'boundedPattern' }) },
};

const compile = ({ id, inputSchema: schema }: ToolSpec): Check => {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return unusable('the schema is no object');
  try {
    // The program's own schemas need no judge, which takes a tenth of a second to prepare.
    const problem = id.startsWith('builtin:') ? null : malformed(schema);
    if (problem !== null) return unusable(problem);
    // INVARIANT: one compiler a schema, so that what one server calls itself never reaches the schema of another.
    const alone = { ...options, meta: false, validateSchema: false } as const;
    const compiler = isDraft7(schema) ? new Ajv(alone) : new Ajv2020(alone);
    const validate: ValidateFunction = compiler.compile(schema);
    // An asynchronous check would answer with a promise, which counts as true.
    if ('$async' in validate) return unusable('the schema asks for an asynchronous check');
    return (args) => run(validate, args);
  } catch (error) {
    return unusable(error instanceof Error ? error.message : 'the schema cannot be compiled');
  }
};

let seven: Ajv | null = null;
let latest: Ajv2020 | null = null;

const malformed = (schema: object): string | null => {
  const judge = isDraft7(schema) ? (seven ??= new Ajv(options)) : (latest ??= new Ajv2020(options));
  return judge.validateSchema(schema) === true
    ? null
    : judge.errorsText(judge.errors, { dataVar: 'the schema' });
};

const isDraft7 = (schema: object): boolean =>
  '$schema' in schema &&
  typeof schema.$schema === 'string' &&
  /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(schema.$schema);

const unusable =
  (message: string): Check =>
  () => ({ ok: false, kind: 'unusable', message });

const run = (validate: ValidateFunction, args: unknown): ArgumentsCheck => {
  try {
    if (validate(args)) return { ok: true };
    return { ok: false, kind: 'mismatch', message: firstError(validate.errors?.[0]) };
  } catch {
    // Arguments nested deeper than the checker can follow.
    return { ok: false, kind: 'mismatch', message: 'the arguments cannot be checked' };
  }
};

const firstError = (error: ErrorObject | undefined): string => {
  if (error === undefined) return 'the arguments do not fit';
  const place = error.instancePath === '' ? 'the arguments' : `\`${error.instancePath}\``;
  const extra: unknown = error.params['additionalProperty'];
  const named = typeof extra === 'string' ? `: \`${extra}\`` : '';
  return `${place} ${error.message ?? 'do not fit'}${named}`;
};

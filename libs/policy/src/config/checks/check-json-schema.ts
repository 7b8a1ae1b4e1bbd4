import { isTable } from '../document.ts';
import { didYouMean } from '../nearest.ts';
import type { ConfigPath, ConfigProblem } from '../problem.ts';
import { atValue, type CheckContext } from './check-context.ts';

const types = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'];

/** The parts of a JSON Schema that a slip of the pen would turn into one that nothing, or everything, fits. */
export const checkJsonSchema = (
  context: CheckContext,
  path: ConfigPath,
  schema: unknown,
): ConfigProblem[] => {
  if (typeof schema === 'boolean') return [];
  if (!isTable(schema))
    return [atValue(context, 'invalid_value', path, 'must be a JSON Schema: a table')];
  return [
    ...checkType(context, [...path, 'type'], schema['type']),
    ...checkRequired(context, [...path, 'required'], schema['required']),
    ...inner(schema['properties']).flatMap(([key, part]) =>
      checkJsonSchema(context, [...path, 'properties', key], part),
    ),
    ...(['items', 'additionalProperties', 'not'] as const).flatMap((key) =>
      schema[key] === undefined ? [] : checkJsonSchema(context, [...path, key], schema[key]),
    ),
    ...(['anyOf', 'oneOf', 'allOf'] as const).flatMap((key) =>
      schema[key] === undefined ? [] : checkList(context, [...path, key], schema[key]),
    ),
  ];
};

const inner = (value: unknown): [string, unknown][] =>
  isTable(value) ? Object.entries(value) : [];

const checkType = (context: CheckContext, path: ConfigPath, type: unknown): ConfigProblem[] => {
  if (type === undefined) return [];
  const named: readonly unknown[] = Array.isArray(type) ? type : [type];
  return named.flatMap((name) => {
    if (typeof name === 'string' && types.includes(name)) return [];
    const meant = typeof name === 'string' ? `, not \`${name}\`${didYouMean(name, types)}` : '';
    const message = `must be a type of JSON Schema${meant}`;
    return [atValue(context, 'invalid_value', path, message)];
  });
};

const checkRequired = (
  context: CheckContext,
  path: ConfigPath,
  required: unknown,
): ConfigProblem[] =>
  required === undefined ||
  (Array.isArray(required) && required.every((name) => typeof name === 'string'))
    ? []
    : [atValue(context, 'invalid_value', path, 'must be a list of names')];

const checkList = (context: CheckContext, path: ConfigPath, list: unknown): ConfigProblem[] =>
  Array.isArray(list) && list.length > 0
    ? list.flatMap((part: unknown, index) => checkJsonSchema(context, [...path, index], part))
    : [atValue(context, 'invalid_value', path, 'must be a list of JSON Schemas')];

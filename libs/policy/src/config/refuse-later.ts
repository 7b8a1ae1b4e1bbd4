import { isTable, problemAt, type ConfigDocument } from './document.ts';
import { laterPlaces, laterTables } from './later-places.ts';
import { formatPath, type ConfigPath, type ConfigProblem } from './problem.ts';

export interface WithoutLater {
  readonly problems: readonly ConfigProblem[];
  /** The values without what was refused, to be checked on. */
  readonly value: Record<string, unknown>;
}

/** Refuses by name what this build does not act on yet: a setting that nothing enforces would be inert. */
export const refuseLater = (document: ConfigDocument): WithoutLater => {
  const value = copyOf(document.value);
  const found = laterPlaces.flatMap((place) => takeOut(value, place, []));
  const tables = ['agents', 'risk_profiles', 'runtime_profiles'].flatMap((section) =>
    laterTables.flatMap((table) => takeOutEmpty(value, [section, '*', ...table], [])),
  );
  const hidden = tables.filter((table) => !found.some((path) => startsWith(path, table)));
  const problems = [...found, ...hidden].map((path) =>
    notSupported(document, path, formatPath(named(path))),
  );
  return { problems: [...problems, ...laterStore(document, value)], value };
};

/** `x is not supported yet`, at the key itself. */
export const notSupported = (
  document: ConfigDocument,
  path: ConfigPath,
  name: string,
): ConfigProblem => {
  const message = `\`${name}\` is not supported yet, leave it out`;
  return problemAt('not_supported_yet', path, document.keyAt(path), message);
};

/** The name of the feature: without the section and the alias that it stands in. */
const named = (path: ConfigPath): ConfigPath =>
  path.length > 2 && path[0] !== 'store' ? path.slice(2) : path;

const laterStore = (document: ConfigDocument, value: Record<string, unknown>): ConfigProblem[] => {
  const store = value['store'];
  if (!isTable(store) || store['type'] !== 'eventstoredb') return [];
  delete store['type'];
  const path = ['store', 'type'];
  const message = '`eventstoredb` is not supported yet, write `"sqlite"`';
  return [problemAt('not_supported_yet', path, document.valueAt(path), message)];
};

/** Deletes every value at a place and answers their paths. */
const takeOut = (node: unknown, place: readonly string[], path: ConfigPath): ConfigPath[] => {
  const [key, ...rest] = place;
  if (!isTable(node) || key === undefined) return [];
  const keys = key === '*' ? Object.keys(node) : Object.hasOwn(node, key) ? [key] : [];
  return keys.flatMap((name) => {
    if (rest.length > 0) return takeOut(node[name], rest, [...path, name]);
    Reflect.deleteProperty(node, name);
    return [[...path, name]];
  });
};

/** Deletes the tables at a place that hold nothing (any more) and answers their paths. */
const takeOutEmpty = (node: unknown, place: readonly string[], path: ConfigPath): ConfigPath[] => {
  const [key, ...rest] = place;
  if (!isTable(node) || key === undefined) return [];
  const keys = key === '*' ? Object.keys(node) : Object.hasOwn(node, key) ? [key] : [];
  return keys.flatMap((name) => {
    const child = node[name];
    if (rest.length > 0) return takeOutEmpty(child, rest, [...path, name]);
    if (!isTable(child) || Object.keys(child).length > 0) return [];
    Reflect.deleteProperty(node, name);
    return [[...path, name]];
  });
};

const startsWith = (path: ConfigPath, prefix: ConfigPath): boolean =>
  prefix.every((part, index) => path[index] === part);

/** A copy whose tables and lists can be changed. */
export const copyOf = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(inner)]));

const copied = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copied);
  return isTable(value) ? copyOf(value) : value;
};

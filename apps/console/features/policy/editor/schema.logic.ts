import type { Place } from './toml-place.logic.ts';

/** A part of a JSON Schema, as far as an editor reads it. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
}

/** One thing that may stand at a place. */
export interface Choice {
  readonly label: string;
  /** What is written for it. */
  readonly text: string;
  readonly detail: string;
  readonly info: string;
}

/** The nodes that a path may mean; more than one where the schema leaves it open. Items of a list stand for the list. */
export const nodesAt = (root: SchemaNode, path: readonly string[]): readonly SchemaNode[] =>
  path.reduce<readonly SchemaNode[]>(
    (nodes, name) =>
      nodes.flatMap((node) => variants(root, node).flatMap((one) => child(one, name))),
    [root],
  );

/** What the schema says of a key, in one sentence; null where it says nothing. */
export const explained = (root: SchemaNode, path: readonly string[]): string | null =>
  nodesAt(root, path)
    .flatMap((node) => [node, ...variants(root, node)])
    .find(({ description }) => description !== undefined)?.description ?? null;

/** What may stand at a place, as the schema says it. `known` are the paths that the text has: keys that are set are not offered again,
 * and where a value names an entry of a table, its entries are. */
export const choicesAt = (
  root: SchemaNode,
  place: Place,
  known: readonly (readonly string[])[],
): readonly Choice[] => {
  const nodes = nodesAt(root, place.path).flatMap((node) => variants(root, node));
  if (place.kind === 'value') return distinct([...values(nodes), ...entries(root, place, known)]);
  const isTable = place.kind === 'header';
  const set = new Set(isTable ? [] : childrenOf(known, place.path));
  return distinct(
    nodes.flatMap((node) =>
      Object.entries(node.properties ?? {})
        .filter(([name, one]) => !set.has(name) && (!isTable || holdsKeys(root, one)))
        .map(([name, one]) => keyChoice(root, name, one, isTable)),
    ),
  );
};

const distinct = (choices: readonly Choice[]): readonly Choice[] => [
  ...new Map(choices.map((choice) => [choice.label, choice])).values(),
];

/** A node with its references followed and its alternatives apart; the items of a list are what its keys belong to. */
const variants = (root: SchemaNode, node: SchemaNode): readonly SchemaNode[] => {
  if (node.$ref !== undefined) {
    const target = root.$defs?.[node.$ref.replace('#/$defs/', '')];
    return target === undefined ? [] : variants(root, target);
  }
  const open = [...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  if (open.length > 0) return open.flatMap((one) => variants(root, one));
  return node.items === undefined ? [node] : variants(root, node.items);
};

const child = (node: SchemaNode, name: string): readonly SchemaNode[] => {
  const own = node.properties?.[name];
  if (own !== undefined) return [own];
  return typeof node.additionalProperties === 'object' ? [node.additionalProperties] : [];
};

const holdsKeys = (root: SchemaNode, node: SchemaNode): boolean =>
  variants(root, node).some(
    ({ properties, additionalProperties }) =>
      properties !== undefined || typeof additionalProperties === 'object',
  );

const keyChoice = (root: SchemaNode, name: string, node: SchemaNode, isTable: boolean): Choice => ({
  label: name,
  text: isTable ? name : `${name} = `,
  detail: kindOf(root, node),
  info: node.description ?? '',
});

const kindOf = (root: SchemaNode, node: SchemaNode): string => {
  if (node.items !== undefined || node.type === 'array') return 'list';
  const kinds = variants(root, node).map((one) =>
    one.enum !== undefined ? 'choice' : (one.type ?? (one.const === undefined ? '' : 'choice')),
  );
  return [...new Set(kinds.filter((kind) => kind !== ''))]
    .join(' or ')
    .replaceAll('object', 'table');
};

const values = (nodes: readonly SchemaNode[]): readonly Choice[] =>
  nodes.flatMap((node) => {
    const listed = node.const === undefined ? (node.enum ?? []) : [node.const];
    const all = node.type === 'boolean' ? [true, false] : listed;
    return all.map((value) => ({
      label: String(value),
      text: JSON.stringify(value),
      detail: node.default === value ? 'default' : '',
      info: node.description ?? '',
    }));
  });

/** Descriptions name the table whose entries a value may be, as in `[providers]`. */
const entries = (
  root: SchemaNode,
  { path }: Place,
  known: readonly (readonly string[])[],
): readonly Choice[] => {
  const said = explained(root, path) ?? '';
  const tables = [...said.matchAll(/\[([a-z_]+)\]/g)].flatMap(([, table]) =>
    table !== undefined && root.properties?.[table] !== undefined ? [table] : [],
  );
  return tables.flatMap((table) =>
    childrenOf(known, [table]).map((name) => ({
      label: name,
      text: JSON.stringify(name),
      detail: table,
      info: said,
    })),
  );
};

/** The names right below a path, once each. */
const childrenOf = (
  known: readonly (readonly string[])[],
  path: readonly string[],
): readonly string[] => [
  ...new Set(
    known.flatMap((one) => {
      const name = one[path.length];
      return name !== undefined && path.every((part, index) => one[index] === part) ? [name] : [];
    }),
  ),
];

import { canonicalJson } from '../canonical.ts';
import type { Effect } from '../names.ts';
import { effectNames } from '../names.ts';
import type { PolicySnapshot } from '../snapshot.ts';
import type { AccessMode, OperandDeclaration } from '../config/values.schema.ts';
import { byText, sortedSet, type Order } from './order.ts';

/** How the values under one key meet; null = nothing is left, so the key goes. */
export interface Entry<V> {
  readonly name: string;
  normal(value: V): V;
  meet(a: V, b: V): V | null;
  within(asked: V, held: V): boolean;
}

/** By key; a key that one side lacks is absent. */
export const map = <V>(entry: Entry<V>): Order<Record<string, V>> => ({
  name: `map by key, missing is absent (${entry.name})`,
  bottom: {},
  normal: (value) => mapped(value, (v) => entry.normal(v)),
  meet: (a, b) =>
    mapped(a, (v, key) => {
      const other = entryOf(b, key);
      return other === null ? null : entry.meet(v, other);
    }),
  within: (asked, held) =>
    Object.entries(asked).every(([key, value]) => {
      const other = entryOf(held, key);
      return other !== null && entry.within(value, other);
    }),
});

/** The own entry of a record, or null; names such as `constructor` are no entries by themselves. */
export const entryOf = <V>(record: Readonly<Record<string, V>>, key: string): V | null =>
  Object.hasOwn(record, key) ? (record[key] ?? null) : null;

/** Read and write as two bits. */
export const accessEntry: Entry<AccessMode> = {
  name: 'read and write meet as two bits',
  normal: (value) => value,
  meet: (a, b) => (a === 'read_write' ? b : b === 'read_write' || a === b ? a : null),
  within: (asked, held) => held === 'read_write' || asked === held,
};

/** The effects of a named tool: more of them is narrower, as each must be permitted. */
export const effectsEntry: Entry<Record<string, Effect[]>> = {
  name: 'effect sets by tool: union',
  normal: (value) => mapped(value, normalEffects),
  meet: (a, b) =>
    mapped(a, (effects, tool) => {
      const other = entryOf(b, tool);
      return other === null ? null : normalEffects([...effects, ...other]);
    }),
  within: (asked, held) =>
    Object.entries(asked).every(
      ([tool, effects]) =>
        entryOf(held, tool)?.every((effect) => effects.includes(effect)) ?? false,
    ),
};

type Operands = PolicySnapshot['mcp']['operands'][string];
type Declared = Operands[string];

/** The operands of a named tool: more of them is narrower, as each is judged. */
export const operandsEntry: Entry<Operands> = {
  name: 'operand declarations by tool: union',
  normal: (value) => mapped(value, normalOperands),
  meet: (a, b) =>
    mapped(a, (declared, tool) => {
      const other = entryOf(b, tool);
      return other === null ? null : normalOperands([...listOf(declared), ...listOf(other)]);
    }),
  within: (asked, held) =>
    Object.entries(asked).every(([tool, declared]) => {
      const other = entryOf(held, tool);
      if (other === null) return false;
      const known = listOf(declared).map(canonicalJson);
      return listOf(other).every((operand) => known.includes(canonicalJson(operand)));
    }),
};

/** An order used below a key. */
export const entryIn = <V>(order: Order<V>): Entry<V> => order;

const listOf = (declared: Declared): readonly OperandDeclaration[] =>
  declared === 'none' ? [] : declared;

const normalOperands = (declared: Declared): Declared => {
  const byBytes = new Map(listOf(declared).map((operand) => [canonicalJson(operand), operand]));
  if (byBytes.size === 0) return 'none';
  return [...byBytes].sort(([a], [b]) => byText(a, b)).map(([, operand]) => operand);
};

const normalEffects = (effects: readonly Effect[]): Effect[] =>
  effectNames.filter((effect) => effects.includes(effect));

const mapped = <V, W>(
  record: Readonly<Record<string, V>>,
  read: (value: V, key: string) => W | null,
): Record<string, W> => {
  const kept: [string, W][] = [];
  for (const key of sortedSet(Object.keys(record))) {
    const value = entryOf(record, key);
    const next = value === null ? null : read(value, key);
    if (next !== null) kept.push([key, next]);
  }
  return Object.fromEntries(kept);
};

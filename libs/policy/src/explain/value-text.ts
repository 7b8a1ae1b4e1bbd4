import { canonicalJson } from '../canonical.ts';
import type { SettingKey } from '../setting-key.ts';
import { clausesSchema } from '../snapshot.ts';
import { registry } from '../surfaces/registry.ts';

/** A value as a person reads it: patterns in words, money in dollars, times in seconds. */
export const valueText = (key: SettingKey, value: unknown): string => {
  if (key.includes('_usd_') && typeof value === 'number') return dollars(value);
  if (key.endsWith('_secs') && typeof value === 'number') return `${value} s`;
  if (registry[key].order.name.startsWith('allow patterns')) {
    const clauses = clausesSchema.safeParse(value);
    if (clauses.success) return clauses.data.map(clauseText).join(' and ');
  }
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'string' ? value : canonicalJson(value);
};

const clauseText = (clause: readonly string[], _: number, all: readonly unknown[]): string => {
  if (clause.length === 0) return 'nothing';
  if (clause.includes('*')) return 'everything';
  const text = clause.join(' or ');
  return all.length > 1 && clause.length > 1 ? `(${text})` : text;
};

const dollars = (micro: number): string => {
  const cents = (micro / 1_000_000).toFixed(6).replace(/(\.\d\d\d*?)0+$/, '$1');
  return `$${cents}`;
};

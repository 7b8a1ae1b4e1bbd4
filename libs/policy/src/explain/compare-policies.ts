import { parseHostPattern, matchesHost } from '../host-patterns.ts';
import { builtinTools } from '../builtin-tools.ts';
import { sameValue, isAtMost } from '../orders/order.ts';
import { isWithin } from '../paths.ts';
import { matchesBelow, matchesPattern } from '../patterns.ts';
import { valueAt } from '../resolving/snapshot-parts.ts';
import { settingKeys, type SettingKey } from '../setting-key.ts';
import type { PolicySnapshot } from '../snapshot.ts';
import { settings } from '../surfaces/registry.ts';

/** How the second policy differs from the first in one setting. */
export interface Difference {
  readonly key: SettingKey;
  readonly before: unknown;
  readonly after: unknown;
  /** `other`: neither grants all that the other does, or none could be told apart. */
  readonly label: 'wider' | 'narrower' | 'other';
}

/** The settings in which two policies differ. Equality is by bytes; the label is found by the order of the setting and, where
 * that cannot tell, by trying known tools, hosts and paths. */
export const comparePolicies = (before: PolicySnapshot, after: PolicySnapshot): Difference[] =>
  settingKeys.flatMap((key): Difference[] => {
    const a = valueAt(before, key);
    const b = valueAt(after, key);
    return sameValue(a, b) ? [] : [{ key, before: a, after: b, label: labelOf(key, a, b) }];
  });

const labelOf = (key: SettingKey, a: unknown, b: unknown): Difference['label'] => {
  const order = orders.get(key);
  if (order === undefined) return 'other';
  // A deny list may always be asked for, so only the meet can tell which one takes more away.
  const structural = !order.name.startsWith('deny patterns');
  const narrower = isAtMost(order, b, a) || (structural && order.within(b, a));
  const wider = isAtMost(order, a, b) || (structural && order.within(a, b));
  if (narrower !== wider) return narrower ? 'narrower' : 'wider';
  return narrower ? 'other' : probed(key, a, b);
};

const orders = new Map(settings.map(({ key, order }) => [key, order]));

const probed = (key: SettingKey, a: unknown, b: unknown): Difference['label'] => {
  const probe = probes[key];
  if (probe === undefined) return 'other';
  const names = probe.names([...patternsOf(a), ...patternsOf(b)]);
  const lost = names.some((name) => probe.grants(a, name) && !probe.grants(b, name));
  const won = names.some((name) => probe.grants(b, name) && !probe.grants(a, name));
  if (lost === won) return 'other';
  return won ? 'wider' : 'narrower';
};

interface Probe {
  /** Names to try, made of the patterns of both values. */
  names(patterns: readonly string[]): readonly string[];
  grants(value: unknown, name: string): boolean;
}

const patternsOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Array.isArray(value) ? value.flatMap(patternsOf) : [];

const clausesOf = (value: unknown): string[][] => value as string[][];

const spelledOut = (pattern: string): string[] => [
  pattern.replaceAll('*', ''),
  pattern.replaceAll('*', 'x'),
];

const toolNames = (patterns: readonly string[]): string[] => [
  ...builtinTools.map(({ id }) => id),
  ...patterns.flatMap(spelledOut),
];

const tools: Probe = {
  names: toolNames,
  grants: (value, name) =>
    clausesOf(value).every((clause) => clause.some((pattern) => matchesPattern(pattern, name))),
};

const deniedTools: Probe = {
  names: toolNames,
  grants: (value, name) => !patternsOf(value).some((pattern) => matchesPattern(pattern, name)),
};

const hosts: Probe = {
  names: (patterns) => patterns.flatMap(spelledOut),
  grants: (value, name) => {
    const target = parseHostPattern(name);
    return (
      target !== null &&
      clausesOf(value).every((clause) => clause.some((pattern) => matchesHost(pattern, target)))
    );
  },
};

const forbidden: Probe = {
  names: (patterns) => patterns.map((pattern) => pattern.replace(/^\*\*/, '/probe')),
  grants: (value, name) =>
    !patternsOf(value).some((pattern) =>
      pattern.startsWith('**/')
        ? matchesBelow(pattern, name.replace(/^\//, ''))
        : isWithin(pattern, name),
    ),
};

const probes: Partial<Record<SettingKey, Probe>> = {
  'tools.allowed': tools,
  'approval.auto_approve': tools,
  'secrets.unseal': tools,
  'tools.denied': deniedTools,
  'approval.always_ask': deniedTools,
  'network.allowed_hosts': hosts,
  'workspace.forbidden_paths': forbidden,
};

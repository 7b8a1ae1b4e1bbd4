import {
  canonicalJson,
  digestOf,
  registryVersion,
  settingKeys,
  valueAt,
  type PolicySnapshot,
  type ResolvedPolicy,
  type SettingKey,
  type SurfaceName,
} from '@lockstep/policy';
import type { DataOf } from '../../events/event.ts';
import type { PolicyDifference } from './report.ts';

type Resolved = DataOf<'PolicyResolved'>;

/** A policy as a turn would run from it. */
export interface PolicyNow {
  readonly snapshot: PolicySnapshot;
  readonly digest: string;
  /** The same with what an older registry held for settings that did not act: what would be recorded. */
  readonly shown: PolicySnapshot;
  /** Nothing of what a model input is made of differs from the recorded policy. */
  readonly sentTheSame: boolean;
}

/** The policy that a request gets now, as it would have acted then. What an older registry did not enforce yet is taken as recorded,
 * unless it is the other config or path that makes it another.
 * @param recorded the policy that was recorded: as it stands there, and as it acted
 * @param baseline what this build makes of the recorded request; null = it cannot say */
export const policyNow = (
  data: Resolved,
  {
    acted: recorded,
    written,
  }: { readonly acted: PolicySnapshot; readonly written: PolicySnapshot },
  policies: { readonly now: ResolvedPolicy; readonly baseline: () => PolicySnapshot | null },
): PolicyNow => {
  const { snapshot, digest, surfaces } = policies.now.parts;
  if (data.registry === registryVersion) {
    const sentTheSame = sameFor(snapshot, data.digest, () =>
      isSentTheSame(data, recorded, { snapshot, surfaces }),
    );
    return { snapshot, digest, shown: snapshot, sentTheSame };
  }
  const acted = new Set(data.provenance.filter((e) => e.source !== 'later').map(({ key }) => key));
  const baseline = policies.baseline();
  const merged = asThen({ recorded, baseline, now: snapshot }, acted);
  const same = canonicalJson(merged) === canonicalJson(recorded);
  return {
    snapshot: same ? recorded : merged,
    digest: same ? data.digest : digestOf(merged),
    shown: same ? written : asThen({ recorded: written, baseline, now: snapshot }, acted),
    sentTheSame: same,
  };
};

/** Remembers an answer about a policy and a recorded one of a digest: many turns have the same two. */
const perPair = <T>(): ((now: PolicySnapshot, digest: string, make: () => T) => T) => {
  const known = new WeakMap<PolicySnapshot, Map<string, T>>();
  return (now, digest, make) => {
    const ofNow = known.get(now) ?? new Map<string, T>();
    known.set(now, ofNow);
    const found = ofNow.get(digest);
    if (found !== undefined) return found;
    const made = make();
    if (ofNow.size >= mostPairs) ofNow.clear();
    ofNow.set(digest, made);
    return made;
  };
};

const mostPairs = 200;
const differencesOf = perPair<readonly PolicyDifference[]>();
const sameFor = perPair<boolean>();

/** Settings whose values differ, in the order of the registry.
 * @param digest of the recorded policy */
export const policyDifferences = (
  recorded: PolicySnapshot,
  now: PolicySnapshot,
  digest: string,
): readonly PolicyDifference[] => differencesOf(now, digest, () => differences(recorded, now));

const differences = (recorded: PolicySnapshot, now: PolicySnapshot): readonly PolicyDifference[] =>
  settingKeys.flatMap((key): readonly PolicyDifference[] => {
    const was = canonicalJson(valueAt(recorded, key));
    const is = canonicalJson(valueAt(now, key));
    return was === is ? [] : [{ key, recorded: was, now: is }];
  });

/** Surfaces that decide what a model is sent: what it is offered, and what stands in its context. */
const sent: readonly SurfaceName[] = [
  'tools',
  'context',
  'memory',
  'skills',
  'workspace',
  'shell',
  'network',
  'mcp',
  'delegation',
  'channels',
];

const isSentTheSame = (
  data: Resolved,
  recorded: PolicySnapshot,
  now: { readonly snapshot: PolicySnapshot; readonly surfaces: Resolved['surfaces'] },
): boolean =>
  sent.every((name) => data.surfaces[name] === now.surfaces[name]) &&
  recorded.agent === now.snapshot.agent &&
  recorded.approval.autonomy === now.snapshot.approval.autonomy &&
  canonicalJson(recorded.provider) === canonicalJson(now.snapshot.provider);

interface Three {
  readonly recorded: PolicySnapshot;
  readonly baseline: PolicySnapshot | null;
  readonly now: PolicySnapshot;
}

const asThen = (three: Three, acted: ReadonlySet<SettingKey>): PolicySnapshot => {
  const { recorded, baseline, now } = three;
  const base = baseline === null ? recorded : merge(recorded, baseline, { now, path: '' });
  const merged = settingKeys
    .filter((key) => acted.has(key))
    .reduce((into, key) => withValue(into, key.split('.'), valueAt(now, key)), base);
  const binds = bound.some((key) => text(valueAt(merged, key)) !== text(valueAt(recorded, key)));
  return binds ? { ...merged, registry: now.registry } : merged;
};

/** Settings that bind no policy of the first registry. One that the other config sets is to bind all the same. */
const bound: readonly SettingKey[] = [
  'approval.approvers_required',
  'approval.four_eyes',
  'budgets.max_actions_per_hour',
  'budgets.max_cost_usd_per_day',
  'budgets.warn_at_percent',
];

const keys: ReadonlySet<string> = new Set(settingKeys);

/** What differs between the baseline and now; everything else as recorded. A setting is one value. */
const merge = <T extends object>(
  recorded: T,
  baseline: object,
  { now, path }: { readonly now: object; readonly path: string },
): T => {
  const made: Record<string, unknown> = {};
  for (const key of Object.keys({ ...recorded, ...now })) {
    const at = path === '' ? key : `${path}.${key}`;
    const [was, base, is]: unknown[] = [recorded, baseline, now].map((one): unknown =>
      Reflect.get(one, key),
    );
    if (isTable(was) && isTable(base) && isTable(is) && !keys.has(at))
      made[key] = merge(was, base, { now: is, path: at });
    else {
      const kept = text(base) === text(is) ? was : is;
      if (kept !== undefined) made[key] = kept;
    }
  }
  return made as T;
};

const text = (value: unknown): string => (value === undefined ? '' : canonicalJson(value));

const isTable = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withValue = <T extends object>(into: T, path: readonly string[], value: unknown): T => {
  const [key = '', ...rest] = path;
  if (rest.length === 0) return { ...into, [key]: value };
  const inner: unknown = Reflect.get(into, key);
  return { ...into, [key]: withValue(isTable(inner) ? inner : {}, rest, value) };
};

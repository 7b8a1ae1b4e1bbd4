import {
  narrowPolicy,
  parseStoredConfig,
  policySnapshotSchema,
  resolve,
  resolveAgain,
  type AppliedConfig,
  type PolicySnapshot,
  type ResolvedPolicy,
} from '@lockstep/policy';
import { setBounded } from './bounded.ts';
import type { RecordedConfig, Variant } from './parity-state.ts';
import { valueTexts, type ValueTexts } from './setting-values.ts';

/** A policy with the values of its settings, ready to be compared. */
export interface Valued {
  readonly snapshot: PolicySnapshot;
  readonly values: ValueTexts;
}

export type Expected =
  | ({ readonly ok: true } & Valued)
  /** No policy: the request should have been refused, or the config cannot be read. */
  | { readonly ok: false; readonly why: string };

/** What resolve() says of recorded requests, remembered: the same question is asked for every turn. */
export interface Expectations {
  config(recorded: RecordedConfig, text: string | null): AppliedConfig | null;
  first(applied: AppliedConfig, variant: Variant): Expected;
  /** After a config change while the turn ran: the request under the newer config, met with what was in force. */
  narrowed(applied: AppliedConfig, variant: Variant, inForce: PolicySnapshot): Expected;
  /** A snapshot read from an artifact's text; null when it is none. */
  snapshot(text: string): PolicySnapshot | null;
  /** A snapshot as recorded: one object for equal ones. */
  recorded(snapshot: PolicySnapshot): Valued;
}

const most = 500;

/** A fresh memory. It only saves work: with and without it the answers are the same. */
export const expectations = (): Expectations => {
  const configs = new Map<string, AppliedConfig | null>();
  const firsts = new Map<string, Expected>();
  const narrowings = new Map<string, Expected>();
  const byText = new Map<string, Valued>();
  const snapshots = new Map<string, PolicySnapshot | null>();
  const bySnapshot = new WeakMap<PolicySnapshot, Valued>();

  const recorded = (snapshot: PolicySnapshot): Valued => {
    const seen = bySnapshot.get(snapshot);
    if (seen !== undefined) return seen;
    const found = remember(byText, JSON.stringify(snapshot), () => ({
      snapshot,
      values: valueTexts(snapshot),
    }));
    bySnapshot.set(snapshot, found);
    return found;
  };
  const valued = (policy: ResolvedPolicy): Expected => ({
    ok: true,
    ...recorded(policy.parts.snapshot),
  });
  return {
    recorded,
    snapshot: (text) =>
      remember(snapshots, text, () => {
        const read = policySnapshotSchema.safeParse(parsed(text));
        return read.success ? recorded(read.data).snapshot : null;
      }),
    config: (stored, text) => {
      if (text === null) return null;
      return remember(configs, `${stored.version} ${stored.digest}`, () => {
        const read = parseStoredConfig(text);
        const { version, digest, host } = stored;
        return read.ok ? { version, digest, config: read.config, host } : null;
      });
    },
    first: (applied, variant) =>
      remember(firsts, `${configKey(applied)} ${variantKey(variant)}`, () => {
        const found = resolve(applied, variant.request, variant.records);
        return found.ok ? valued(found.policy) : refusal(found.problems);
      }),
    narrowed: (applied, variant, inForce) => {
      const key = `${configKey(applied)} ${variantKey(variant)} ${JSON.stringify(inForce)}`;
      return remember(narrowings, key, () => {
        const found = resolveAgain(applied, variant.request, variant.records);
        if (!found.ok) return refusal(found.problems);
        return valued(narrowPolicy(inForce, found.policy).policy);
      });
    },
  };
};

/** Requests that differ in nothing but their session, or the ids of the connection, run or turn that they came from, are one: these
 * decide no setting. */
export const variantKey = ({ request, records }: Variant): string => {
  const { agent, principal, origin, client } = request;
  const { parent, connection, sopRun, ...others } = records;
  return JSON.stringify([
    agent,
    principal,
    { ...origin, ...anonymous(origin) },
    client,
    others,
    connection?.narrowing,
    sopRun && { ...sopRun, id: '-' },
    parent && { ...parent, turn: '-' },
  ]);
};

const anonymous = (origin: Variant['request']['origin']): object => ({
  ...('connection' in origin ? { connection: '-' } : {}),
  ...('run' in origin ? { run: '-' } : {}),
  ...('parent' in origin && origin.parent !== 'none' ? { parent: '-' } : {}),
});

const configKey = (applied: AppliedConfig): string => `${applied.version} ${applied.digest}`;

const refusal = (problems: readonly { readonly message: string }[]): Expected => ({
  ok: false,
  why: problems.map(({ message }) => message).join('; '),
});

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const remember = <V>(map: Map<string, V>, key: string, make: () => V): V => {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  setBounded(map, key, made, most);
  return made;
};

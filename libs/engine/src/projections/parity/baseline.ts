import type { AppliedConfig, PolicySnapshot, Trigger } from '@lockstep/policy';
import { setBounded } from './bounded.ts';
import type { Expected } from './expectations.ts';
import type { ParityState, Variant } from './parity-state.ts';
import { localRequest, plainRequests } from './plain-request.ts';
import { appliedConfig, latestVersion } from './surroundings.ts';

/** What the plain requests of a trigger get under a config version: one answer for each way in which config opens it, or why it
 * opens none. */
export type Baseline =
  | { readonly open: true; readonly expected: readonly Expected[] }
  | { readonly open: false; readonly why: string };

/** What the plain requests of a trigger get under a config version, the latest by default. */
export const baselineOf = (
  state: ParityState,
  agent: string,
  trigger: Trigger,
  version = latestVersion(state),
): Baseline => {
  const applied = version === null ? null : appliedConfig(state, version);
  if (applied === null) return { open: false, why: 'no config was applied yet' };
  let known = baselines.get(applied);
  if (known === undefined) baselines.set(applied, (known = new Map<string, Baseline>()));
  const key = `${agent} ${trigger}`;
  const found = known.get(key) ?? findBaseline(state, applied, agent, trigger);
  setBounded(known, key, found, 2_000);
  return found;
};

/** Only saves work: the same question is asked for every setting. */
const baselines = new WeakMap<AppliedConfig, Map<string, Baseline>>();

const findBaseline = (
  state: ParityState,
  applied: AppliedConfig,
  agent: string,
  trigger: Trigger,
): Baseline => {
  const policyOf = (alias: string) => plainPolicy(state, applied, alias);
  const plain = plainRequests({ applied, agent, policyOf }, trigger);
  if ('closed' in plain) {
    const own = state.expectations.first(applied, localRequest({ applied, agent }));
    return { open: false, why: own.ok ? plain.closed : own.why };
  }
  const expected = plain.open.map((variant) => state.expectations.first(applied, variant));
  const open = expected.filter(({ ok }) => ok);
  if (open.length > 0) return { open: true, expected: open };
  const [refusal] = expected;
  return { open: false, why: refusal?.ok === false ? refusal.why : 'nothing can start this path' };
};

/** What an agent may do when nothing at all is taken away. */
export const plainPolicy = (
  state: ParityState,
  applied: AppliedConfig,
  agent: string,
): PolicySnapshot | null => {
  const found = state.expectations.first(applied, localRequest({ applied, agent }));
  return found.ok ? found.snapshot : null;
};

/** A request as it would come under another config: the turn above it has the policy that its agent has there. */
export const underConfig = (
  state: ParityState,
  applied: AppliedConfig,
  variant: Variant,
): Variant => {
  const { parent } = variant.records;
  if (parent === undefined || variant.version === applied.version) return variant;
  const snapshot = plainPolicy(state, applied, parent.snapshot.agent);
  if (snapshot === null) return variant;
  return { ...variant, records: { ...variant.records, parent: { ...parent, snapshot } } };
};

import type { PolicySnapshot } from '@lockstep/policy';

/** Whether every setting of a policy binds. The first registry named some that nothing enforced yet: in its snapshots they stand at
 * their narrowest value, and what ran under it ran without them. */
export const bindsAll = ({ registry }: PolicySnapshot): boolean => registry >= 2;

/** The share of a cap, in percent, at which a policy warns; null = it does not. */
export const warnPercent = (policy: PolicySnapshot): number | null =>
  bindsAll(policy) ? policy.budgets.warn_at_percent : null;

import type { EnforcedKey, PolicySnapshot } from '@lockstep/policy';

/** One setting's value in a snapshot. */
export const valueOf = (snapshot: PolicySnapshot, key: EnforcedKey): unknown =>
  key
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], snapshot);

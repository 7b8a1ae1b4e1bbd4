import type { SettingKey } from './setting-key.ts';
import type { PolicySnapshot } from './snapshot.ts';

type ValueAt<T, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends keyof T
    ? ValueAt<T[Head], Rest>
    : never
  : Path extends keyof T
    ? T[Path]
    : never;

/** The value of every setting in snapshot form, by key. */
export type SettingValues = { [K in SettingKey]: ValueAt<PolicySnapshot, K> };

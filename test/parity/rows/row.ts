import type { EnforcedKey } from '@lockstep/policy';
import type { Fragment } from '../config.ts';

/** One statement of the policy page: what an agent writes, and what every path must record for it. */
export interface Row {
  readonly title: string;
  readonly agent: Fragment;
  /** Other sections of the config. */
  readonly rest?: Fragment;
  readonly expected: unknown;
  /** Set where no daemon takes such a config, with what it says of it: the seam holds all the same. */
  readonly refused?: RegExp;
}

/** Rows of one surface: a setting without one does not compile. */
export type RowsOf<Surface extends string> = Readonly<
  Record<Extract<EnforcedKey, `${Surface}.${string}`>, readonly [Row, ...Row[]]>
>;

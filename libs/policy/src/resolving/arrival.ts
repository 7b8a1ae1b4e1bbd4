import type { PathName, Trigger } from '../names.ts';
import type { Origin, ResolveRecords, ResolveRequest } from '../request.ts';
import type { AppliedConfig, ResolutionProblem } from '../resolution.ts';
import type { SettingKey } from '../setting-key.ts';
import type { Taking } from './taking.ts';

/** What an origin settles: the path, the trigger and all that it takes away. */
export interface Arrival {
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly takings: readonly Taking[];
}

/** All that an arrival is found from. */
export interface Arriving {
  readonly applied: AppliedConfig;
  readonly request: ResolveRequest;
  readonly records: ResolveRecords;
}

/** The origin of one kind. */
export type OriginOf<K extends Origin['kind']> = Extract<Origin, { kind: K }>;

/** The request may not come from there. */
export const refused = (message: string, path: SettingKey | null = null): ResolutionProblem => ({
  code: 'not_permitted',
  message,
  path,
});

/** The request names what the log does not hold. */
export const lacking = (what: string, id: string): ResolutionProblem => ({
  code: 'missing_record',
  message: `the log holds no ${what} \`${id}\``,
  path: null,
});

import type { Narrowing, ResolveRecords, ResolveRequest } from '../request.ts';
import type { AppliedConfig, ResolutionProblem } from '../resolution.ts';
import { inheritedNarrowings } from './children.ts';
import { arrivalOf } from './origin.ts';

/** What an origin takes away, by whose name, or why nothing may come from there. */
export type OriginNarrowings =
  | {
      readonly ok: true;
      readonly narrowings: readonly { readonly whose: string; readonly values: Narrowing }[];
    }
  | { readonly ok: false; readonly problem: ResolutionProblem };

/** What holds for whatever is started from an origin: for a procedure, whose steps come from nowhere else. */
export const originNarrowings = (
  applied: AppliedConfig,
  request: ResolveRequest,
  records: ResolveRecords,
): OriginNarrowings => {
  const arrival = arrivalOf({ applied, request, records });
  return 'code' in arrival
    ? { ok: false, problem: arrival }
    : { ok: true, narrowings: inheritedNarrowings(arrival.takings) };
};

import type { AppliedConfig, Resolution, ResolveRecords, ResolveRequest } from '@lockstep/policy';
import type { Engine } from '../engine.ts';

/** Policies of requests under configs. The same question is answered once. */
export type PoliciesUnder = (
  applied: AppliedConfig,
  request: ResolveRequest,
  records: ResolveRecords,
) => Resolution;

/** A fresh memory over an engine's `resolve`. No setting reads which session a request belongs to, so that turns of different sessions
 * share their policy; whoever needs the session takes it from the request. */
export const policiesUnder = ({ resolve }: Engine): PoliciesUnder => {
  const byConfig = new WeakMap<AppliedConfig, Map<string, Resolution>>();
  return (applied, request, records) => {
    const known = byConfig.get(applied) ?? new Map<string, Resolution>();
    byConfig.set(applied, known);
    const anySession = { ...request, session: 'any' };
    const key = JSON.stringify([anySession, records]);
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = resolve(applied, anySession, records);
    if (known.size >= most) known.clear();
    known.set(key, made);
    return made;
  };
};

const most = 1_000;

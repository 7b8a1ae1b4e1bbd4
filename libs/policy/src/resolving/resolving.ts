import type { PathName, Trigger } from '../names.ts';
import type { AppliedConfig, AppliedNarrowing, ResolutionProblem } from '../resolution.ts';
import type { ResolveRecords, ResolveRequest } from '../request.ts';
import type { Place } from '../surfaces/setting.ts';
import { agentPolicyOf, type Finished } from './agent-policy.ts';
import { arrivalOf } from './origin.ts';
import { principalProblem } from './principal.ts';
import { takeAway } from './take.ts';
import { orNone, type Taking } from './taking.ts';

/** A request with what the log says about it; `again` = it was accepted before, under an older config. */
export interface Question {
  readonly request: ResolveRequest;
  readonly records: ResolveRecords;
  readonly mode: 'first' | 'again';
}

export type Answer =
  | {
      readonly ok: true;
      readonly place: Place;
      readonly path: PathName;
      readonly trigger: Trigger;
      readonly finished: Finished;
      readonly narrowings: readonly AppliedNarrowing[];
    }
  | { readonly ok: false; readonly problems: readonly ResolutionProblem[] };

/** Everything that resolve() does but sealing. */
export const resolving = (applied: AppliedConfig, question: Question): Answer => {
  const { request, records, mode } = question;
  const policy = agentPolicyOf(applied, request.agent);
  const arrival = arrivalOf({ applied, request, records });
  const stranger = principalProblem(applied, request, records, mode);
  const problems: ResolutionProblem[] = [];
  if ('code' in policy) problems.push(policy);
  if ('code' in arrival) problems.push(arrival);
  if (stranger !== null && !problems.some(({ code }) => code === 'missing_record'))
    problems.push({ code: 'not_permitted', message: stranger, path: null });
  if ('code' in policy || 'code' in arrival || problems.length > 0) return { ok: false, problems };

  const takings = [...arrival.takings, clientTaking(request)].map((taking) =>
    mode === 'again' && taking.kind === 'ask' ? { ...taking, kind: 'limit' as const } : taking,
  );
  const taken = takeAway(policy, takings);
  if (!taken.ok) return taken;
  return {
    ok: true,
    place: policy.place,
    path: arrival.path,
    trigger: arrival.trigger,
    finished: taken.finished,
    narrowings: takings.map(({ whose, why, values }) => ({ whose, why, values })),
  };
};

const clientTaking = ({ client }: ResolveRequest): Taking => ({
  whose: 'client',
  why: 'what the client asked to leave out',
  values: client === 'none' ? client : orNone(client),
  kind: 'ask',
});

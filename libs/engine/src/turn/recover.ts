import { childTools } from '../tools/builtin-specs.ts';
import { callsOf, type CallState, type OpenTurn, type TurnState } from './state.ts';

/** What a restart does about one open item of a turn, before `nextEffect` goes on. */
export type RecoveryStep =
  /** The model call was cut off: settled at its reservation, made again with the next attempt. */
  | { readonly kind: 'interrupt-model' }
  /** Started and repeatable: judged again, run again with the same idempotency key and the next attempt. */
  | { readonly kind: 'run-again'; readonly calls: readonly string[] }
  /** Started turns below this one: found again by their ids and awaited, or begun if they had not. */
  | { readonly kind: 'take-up'; readonly calls: readonly string[] }
  /** Started and not repeatable: of its end nothing is known, since the daemon stopped or the log took no more. */
  | { readonly kind: 'lose-call'; readonly call: string; readonly why: string };

/** The shortest time that people have after a start when the daemon was down at a deadline, in ms. */
export const graceAfterStartMs = 60_000;

/** What a restart does about the open items of a turn, in order. Everything else follows from `nextEffect`: calls that were
 * authorized or approved and not started are judged again, pending ones wait. */
export const recoverySteps = (state: TurnState): readonly RecoveryStep[] => {
  if (state.status !== 'open') return [];
  const steps: RecoveryStep[] = [];
  if (state.model.kind === 'calling') steps.push({ kind: 'interrupt-model' });
  const again: string[] = [];
  const below: string[] = [];
  for (const call of callsOf(state)) {
    // A question is no effect: it goes on waiting for its answer.
    if (call.status !== 'running' || call.question !== null) continue;
    if (childTools.has(call.tool)) below.push(call.call);
    else if (call.repeatable) again.push(call.call);
    else
      steps.push({
        kind: 'lose-call',
        call: call.call,
        why: 'the end of the call was not recorded',
      });
  }
  if (below.length > 0) steps.push({ kind: 'take-up', calls: below });
  if (again.length > 0) steps.push({ kind: 'run-again', calls: again });
  return steps;
};

/** When a wait may be expired: its deadline, but not before people had a minute after the start. */
export const expiryAt = (deadline: number, startedAt: number): number =>
  deadline >= startedAt ? deadline : startedAt + graceAfterStartMs;

/** Calls whose approval promised a standing grant and that have not gone on: the grant may not have been issued yet. */
export const promisedGrants = (state: OpenTurn): readonly GrantedCall[] =>
  callsOf(state).filter(
    (call): call is GrantedCall => call.status === 'granted' && call.grant !== null,
  );

type GrantedCall = Extract<CallState, { status: 'granted' }>;

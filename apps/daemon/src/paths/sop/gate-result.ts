import type { DecidedBy, LockstepEvent } from '@lockstep/engine';
import type { DecisionResult } from '../../turns/turns.port.ts';
import type { SopPosted } from './sop-log.ts';

interface Decided {
  readonly gate: string;
  readonly by: DecidedBy;
  readonly choice: 'once' | 'deny';
  readonly events: () => Promise<readonly LockstepEvent[]>;
}

/** What a person hears of a decision on a gate. Who comes too late hears who decided, and when. */
export const gateResult = async (
  posted: SopPosted | null,
  decided: Decided,
): Promise<DecisionResult> => {
  if (posted === null) return decidedBefore(decided);
  switch (posted.kind) {
    case 'recorded': {
      const votes = votesOf(await decided.events(), decided.gate);
      const { position } = posted;
      return votes === null ? { kind: 'decided', position } : { kind: 'decided', position, votes };
    }
    case 'nothing':
      return { kind: 'repeat' };
    case 'unavailable':
      return { kind: 'invalid', message: 'the run takes no decisions now: try again later' };
    case 'refused':
      switch (posted.code) {
        case 'ended':
        case 'not_pending':
          return decidedBefore(decided);
        case 'not_permitted':
          return { kind: 'forbidden', message: posted.message };
        case 'not_started':
        case 'wrong_view':
          return { kind: 'invalid', message: posted.message };
      }
  }
};

/** The votes of a gate that wants more; null = it is decided, or one answer is enough. */
const votesOf = (
  events: readonly LockstepEvent[],
  gate: string,
): { readonly given: number; readonly required: number } | null => {
  let required = 1;
  let given = 0;
  for (const event of events) {
    if (event.type === 'SopGateOpened' && event.data.gate === gate) required = event.data.required;
    if (event.type === 'SopGateVoted' && event.data.gate === gate) given += 1;
    if (event.type === 'SopGateDecided' && event.data.gate === gate) return null;
  }
  return required > 1 ? { given, required } : null;
};

const decidedBefore = async ({ gate, by, choice, events }: Decided): Promise<DecisionResult> => {
  for (const event of await events()) {
    if (event.type !== 'SopGateDecided' || event.data.gate !== gate) continue;
    const { outcome, by: who, why } = event.data;
    if (who !== null && isSame(who, by) && (outcome === 'denied') === (choice === 'deny'))
      return { kind: 'repeat' };
    const how = outcome === 'granted' || outcome === 'denied' ? outcome : `${outcome}: ${why}`;
    return { kind: 'already_decided', by: who, at: event.time, how };
  }
  return { kind: 'invalid', message: 'the run takes no decisions now: try again later' };
};

/** People are one person on every surface. */
const isSame = (a: DecidedBy, b: DecidedBy): boolean =>
  a.person === null || b.person === null ? a.principal === b.principal : a.person === b.person;

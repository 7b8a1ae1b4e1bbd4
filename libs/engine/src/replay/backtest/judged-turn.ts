import type { LockstepEvent } from '../../events/event.ts';
import type { CounterfactualReport } from '../counterfactual/report.ts';

/** What a recorded turn was, whatever a draft makes of it. */
export interface TurnOrigin {
  readonly turn: string;
  readonly agent: string;
  readonly path: string;
  /** Who started it: an alias of `[people]`, else `kind:id`. */
  readonly person: string;
  /** Milliseconds since the epoch, of its first event. */
  readonly time: number;
  /** Where it begins in the log. */
  readonly position: string;
  /** One for each question that people were asked: ms from question to answer, null = nobody has answered. */
  readonly waits: readonly (number | null)[];
}

/** A recorded turn with what a draft makes of it. */
export interface JudgedTurn extends TurnOrigin {
  readonly report: CounterfactualReport;
}

/** Reads off the events of a turn's stream where the turn comes from.
 * @returns null when they do not begin as a turn does */
export const originOf = (events: readonly LockstepEvent[]): TurnOrigin | null => {
  const [first] = events;
  if (first?.type !== 'TurnRequested') return null;
  const { principal, agent } = first.data.request;
  const asked = new Map<string, number>();
  const waits = new Map<string, number | null>();
  for (const event of events) {
    if (event.type === 'ApprovalRequested') {
      asked.set(event.data.approval, event.time);
      waits.set(event.data.approval, null);
    }
    if (event.type !== 'ApprovalGranted' && event.type !== 'ApprovalDenied') continue;
    const since = asked.get(event.data.approval);
    if (since !== undefined) waits.set(event.data.approval, Math.max(0, event.time - since));
  }
  return {
    turn: first.stream.slice('turn-'.length),
    agent,
    path: first.data.path,
    person: principal.person ?? `${principal.kind}:${principal.id}`,
    time: first.time,
    position: first.position,
    waits: [...waits.values()],
  };
};

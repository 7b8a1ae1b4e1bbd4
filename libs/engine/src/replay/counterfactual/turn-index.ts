import type { DataOf, EventOf, LockstepEvent } from '../../events/event.ts';

export type VerdictEvent = EventOf<'ToolCallAuthorized' | 'ToolCallRefused' | 'ApprovalRequested'>;

type Started = DataOf<'ToolCallStarted'>;

/** What the log says of one call of a turn, wherever in the turn it stands. */
export interface CallRecord {
  /** Verdicts with their place among the turn's events, oldest first. What a person's refusal or a deadline brought is none. */
  readonly verdicts: readonly { readonly at: number; readonly event: VerdictEvent }[];
  readonly started: Started | null;
  readonly question: string | null;
  readonly asked: EventOf<'ApprovalRequested'> | null;
  readonly decided: EventOf<'ApprovalGranted' | 'ApprovalDenied'> | null;
}

/** Whether an event is a judgement of the gate, or what a person or a deadline made of one. */
export const isVerdict = (event: LockstepEvent): event is VerdictEvent =>
  event.type === 'ToolCallAuthorized' ||
  event.type === 'ToolCallRefused' ||
  event.type === 'ApprovalRequested';

interface Draft {
  verdicts: { readonly at: number; readonly event: VerdictEvent }[];
  started: Started | null;
  question: string | null;
  asked: EventOf<'ApprovalRequested'> | null;
  decided: EventOf<'ApprovalGranted' | 'ApprovalDenied'> | null;
}

/** The calls of a turn in the order of their first verdicts. */
export const callsIn = (events: readonly LockstepEvent[]): ReadonlyMap<string, CallRecord> => {
  const calls = new Map<string, Draft>();
  const of = (call: string): Draft => {
    const known = calls.get(call);
    if (known !== undefined) return known;
    const made = { verdicts: [], started: null, question: null, asked: null, decided: null };
    calls.set(call, made);
    return made;
  };
  for (const [at, event] of events.entries()) {
    if (isVerdict(event)) {
      if (!isOfPeople(events, at, event)) of(event.data.call).verdicts.push({ at, event });
      if (event.type === 'ApprovalRequested') of(event.data.call).asked = event;
    } else if (event.type === 'ToolCallStarted') of(event.data.call).started ??= event.data;
    else if (event.type === 'QuestionAsked') of(event.data.call).question = event.data.question;
    else if (event.type === 'ApprovalGranted' || event.type === 'ApprovalDenied')
      of(event.data.call).decided = event;
  }
  return calls;
};

/** A refusal that stands behind a person's no or a passed deadline repeats an older judgement. */
const isOfPeople = (events: readonly LockstepEvent[], at: number, event: VerdictEvent): boolean => {
  if (event.type !== 'ToolCallRefused' || event.data.approval === null) return false;
  const before = events[at - 1];
  return (
    (before?.type === 'ApprovalDenied' || before?.type === 'ApprovalExpired') &&
    before.data.call === event.data.call
  );
};

import type {
  DataOf,
  DecidedBy,
  EventStore,
  Ids,
  Ledger,
  LockstepEvent,
  Masker,
  PendingRecord,
  Clock,
  TurnCommand,
} from '@lockstep/engine';
import type { RunningTurns } from './running-turns.ts';
import type { ApprovalDecision, DecisionResult } from './turns.port.ts';

interface ApprovalsParts {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly masker: Masker;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Takes people's decisions and answers. The turn's own runner decides on them one after the other, so that of many at once exactly
 * one counts; the others hear who it was and when. */
export class Approvals {
  readonly #parts: ApprovalsParts;
  readonly #running: RunningTurns;

  constructor(parts: ApprovalsParts, running: RunningTurns) {
    this.#parts = parts;
    this.#running = running;
  }

  async decide(
    approval: string,
    decision: ApprovalDecision,
    by: DecidedBy,
  ): Promise<DecisionResult> {
    const record = this.#parts.ledger.approval(approval);
    if (record?.kind !== 'approval') return { kind: 'not_found' };
    const { choice, guidance, scope, shown } = decision;
    if (choice !== 'deny' && guidance !== null)
      return { kind: 'invalid', message: 'guidance goes with `deny` only' };
    const again = { by, choice } as const;
    if (record.state === 'decided') return this.#decidedBefore(record, again);
    if (decision.revision !== record.revision)
      return { kind: 'stale_revision', revision: record.revision };
    return this.#post(record, again, {
      type: 'DecideApproval',
      now: this.#parts.clock.now(),
      decision: {
        approval,
        by,
        choice,
        guidance: guidance === null ? null : this.#mask(guidance, record),
        shown,
        grant:
          choice === 'always'
            ? {
                id: this.#parts.ids.next(),
                scope: scope?.kind ?? 'session',
                arguments: scope?.arguments ?? 'exact',
                anyone: scope?.anyone ?? false,
              }
            : null,
      },
    });
  }

  async answer(
    question: string,
    answer: { readonly text: string; readonly revision: number },
    by: DecidedBy,
  ): Promise<DecisionResult> {
    const record = this.#parts.ledger.approval(question);
    if (record?.kind !== 'question') return { kind: 'not_found' };
    const text = this.#mask(answer.text, record);
    if (record.state === 'decided') return this.#decidedBefore(record, { by, choice: text });
    if (answer.revision !== record.revision)
      return { kind: 'stale_revision', revision: record.revision };
    return this.#post(
      record,
      { by, choice: text },
      { type: 'AnswerQuestion', now: this.#parts.clock.now(), question, text, by },
    );
  }

  #mask(text: string, record: PendingRecord): string {
    return this.#parts.masker.mask(text.toWellFormed(), { formats: true, agent: record.agent })
      .text;
  }

  async #post(record: PendingRecord, given: Given, command: TurnCommand): Promise<DecisionResult> {
    const runner = this.#running.find(record.turn);
    if (runner === null) return this.#decidedBefore(record, given);
    const posted = await runner.post(command);
    switch (posted.kind) {
      case 'recorded':
        return { kind: 'decided', position: posted.position };
      case 'refused':
        return posted.code === 'not_pending' || posted.code === 'ended'
          ? this.#decidedBefore(record, given)
          : { kind: 'invalid', message: posted.message };
      case 'nothing':
      case 'halted':
        return { kind: 'invalid', message: 'the turn takes no decisions now: try again later' };
    }
  }

  async #decidedBefore(record: PendingRecord, given: Given): Promise<DecisionResult> {
    for (const event of await this.#parts.store.readStream(`turn-${record.turn}`)) {
      const found = outcomeIn(event, record.id);
      if (found === null) continue;
      if (found.by !== null && isSame(found.by, given.by) && found.choice === given.choice)
        return { kind: 'repeat' };
      return { kind: 'already_decided', by: found.by, at: event.time, how: found.how };
    }
    return { kind: 'invalid', message: 'the turn takes no decisions now: try again later' };
  }
}

interface Given {
  readonly by: DecidedBy;
  readonly choice: string;
}

interface Outcome {
  readonly by: DecidedBy | null;
  readonly choice: string | null;
  readonly how: string;
}

/** People are one person on every surface. */
const isSame = (a: DecidedBy, b: DecidedBy): boolean =>
  a.person === null || b.person === null ? a.principal === b.principal : a.person === b.person;

type Readers = {
  readonly [T in LockstepEvent['type']]?: (data: DataOf<T>, id: string) => Outcome | null;
};

/** What ends an approval or a question, by event. */
const readers: Readers = {
  ApprovalGranted: ({ approval, by, choice }, id) =>
    approval === id ? { by, choice, how: `granted: ${choice}` } : null,
  ApprovalDenied: ({ approval, by }, id) =>
    approval === id ? { by, choice: 'deny', how: 'denied' } : null,
  ApprovalExpired: ({ approval }, id) => (approval === id ? nobody('expired') : null),
  ApprovalClosed: ({ approval, why }, id) => (approval === id ? nobody(`closed: ${why}`) : null),
  QuestionAnswered: ({ question, by, text }, id) =>
    question === id ? { by, choice: 'inline' in text ? text.inline : null, how: 'answered' } : null,
  QuestionExpired: ({ question }, id) => (question === id ? nobody('expired') : null),
  TurnCancelled: ({ why }) => nobody(`closed: ${why}`),
  TurnFailed: () => nobody('closed: the turn failed'),
};

const outcomeIn = (event: LockstepEvent, id: string): Outcome | null => {
  const read: ((data: never, id: string) => Outcome | null) | undefined = readers[event.type];
  return read?.(event.data as never, id) ?? null;
};

const nobody = (how: string): Outcome => ({ by: null, choice: null, how });

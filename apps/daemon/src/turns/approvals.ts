import {
  deciderName,
  whyNotApprover,
  whyNoVote,
  type ApproverRights,
  type DataOf,
  type DecidableRequest,
  type DecidedBy,
  type LockstepEvent,
  type PendingRecord,
  type PersonDecision,
  type TurnCommand,
} from '@lockstep/engine';
import type { Role } from '@lockstep/policy';
import { rightsOf } from './decider-rights.ts';
import { recordDenied } from './record-denied.ts';
import type { RunningTurns } from './running-turns.ts';
import type { TurnParts } from './turn-parts.ts';
import type { ApprovalDecision, DecisionResult, GateDecider } from './turns.port.ts';

type ApprovalsParts = Pick<
  TurnParts,
  'store' | 'ledger' | 'masker' | 'clock' | 'ids' | 'config' | 'identity'
>;

/** Takes people's decisions and answers, alike from every surface. The turn's own runner decides on them one after the other, so that of
 * many at once exactly one counts; the others hear who it was and when. */
export class Approvals {
  readonly #parts: ApprovalsParts;
  readonly #running: RunningTurns;
  /** Who takes decisions on gates; null = this daemon has no procedures. */
  gates: GateDecider | null = null;

  constructor(parts: ApprovalsParts, running: RunningTurns) {
    this.#parts = parts;
    this.#running = running;
  }

  async decide(
    approval: string,
    decision: ApprovalDecision,
    by: DecidedBy,
    rights?: ApproverRights,
  ): Promise<DecisionResult> {
    const record = this.#parts.ledger.approval(approval);
    if (record === null || record.kind === 'question') return { kind: 'not_found' };
    const wrong = whyInvalid(decision);
    if (wrong !== null) return { kind: 'invalid', message: wrong };
    const forbidden = await this.#forbidden(record, by, rights, decision.choice !== 'deny');
    if (forbidden !== null) return forbidden;
    if (record.kind === 'gate')
      return (await this.gates?.(record, decision, by)) ?? { kind: 'not_found' };
    const { choice } = decision;
    const again = { by, choice } as const;
    if (record.state === 'decided') return this.#decidedBefore(record, again);
    if (decision.revision !== record.revision)
      return { kind: 'stale_revision', revision: record.revision };
    const edited = await this.#edited(record, decision);
    if (edited === 'broken')
      return { kind: 'invalid', message: 'the arguments are no JSON object' };
    if (edited === 'gone') return this.#decidedBefore(record, again);
    return this.#post(record, again, {
      type: 'DecideApproval',
      now: this.#parts.clock.now(),
      decision: {
        ...this.#decisionOf(record, decision, by),
        ...(edited === null ? {} : { edited }),
      },
    });
  }

  async answer(
    question: string,
    answer: { readonly text: string; readonly revision: number },
    by: DecidedBy,
    rights?: ApproverRights,
  ): Promise<DecisionResult> {
    const record = this.#parts.ledger.approval(question);
    if (record?.kind !== 'question') return { kind: 'not_found' };
    const forbidden = await this.#forbidden(record, by, rights);
    if (forbidden !== null) return forbidden;
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

  /** Whoever may not decide hears why, and it is recorded. */
  async #forbidden(
    record: PendingRecord,
    by: DecidedBy,
    given: ApproverRights | undefined,
    isYes = false,
  ): Promise<DecisionResult | null> {
    const rights = given ?? rightsOf(by, this.#parts.config.current().config.people);
    const { agent, route, notBy } = record;
    const request = { agent, route, notBy, tool: record.tool ?? wordTools[record.kind] };
    const why =
      record.kind === 'question'
        ? whyNotAnswerer(request, by, given ?? null)
        : (whyNotApprover(request, by, rights) ??
          (isYes ? whyNoVote({ notBy, required: record.votes?.required ?? 1 }, by) : null));
    if (why === null) return null;
    const action = `decide ${record.id} from ${by.surface}`;
    await recordDenied(this.#parts, { principal: by.principal, action, why });
    return { kind: 'forbidden', message: why };
  }

  #decisionOf(record: PendingRecord, decision: ApprovalDecision, by: DecidedBy): PersonDecision {
    const { choice, guidance, scope, shown, cut } = decision;
    return {
      approval: record.id,
      by,
      choice,
      guidance: guidance === null ? null : this.#mask(guidance, record),
      shown,
      ...(cut === undefined ? {} : { cut }),
      grant:
        choice === 'always'
          ? {
              id: this.#parts.ids.next(),
              scope: scope?.kind ?? 'session',
              arguments: scope?.arguments ?? 'exact',
              ...(scope?.fields === undefined ? {} : { fields: scope.fields }),
              anyone: scope?.anyone ?? false,
            }
          : null,
    };
  }

  /** The call with a person's arguments, looked at like any other; null = there are none. */
  async #edited(
    record: PendingRecord,
    decision: ApprovalDecision,
  ): Promise<NonNullable<PersonDecision['edited']> | null | 'broken' | 'gone'> {
    if (decision.arguments === undefined) return null;
    const args = this.#mask(decision.arguments, record);
    if (!isJsonObject(args)) return 'broken';
    const prepared = await this.#running.find(record.turn)?.lookAt(record.call, args);
    // Never the model's arguments in place of the person's.
    return prepared == null ? 'gone' : { args, prepared };
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
        return this.#decided(record, posted.position);
      case 'refused':
        return this.#refused(record, given, posted);
      case 'nothing':
        return { kind: 'repeat' };
      case 'halted':
        return { kind: 'invalid', message: 'the turn takes no decisions now: try again later' };
    }
  }

  #decided(record: PendingRecord, position: string): DecisionResult {
    const { ledger } = this.#parts;
    const votes = ledger.approval(record.id)?.votes;
    return votes === undefined || ledger.approval(record.id)?.state === 'decided'
      ? { kind: 'decided', position }
      : { kind: 'decided', position, votes };
  }

  async #refused(
    record: PendingRecord,
    given: Given,
    { code, message }: { readonly code: string; readonly message: string },
  ): Promise<DecisionResult> {
    if (code === 'not_pending' || code === 'ended') return this.#decidedBefore(record, given);
    return code === 'not_permitted' ? { kind: 'forbidden', message } : { kind: 'invalid', message };
  }

  async #decidedBefore(record: PendingRecord, given: Given): Promise<DecisionResult> {
    for (const event of await this.#parts.store.readStream(`turn-${record.turn}`)) {
      if (isVote(event, record.id, given)) return { kind: 'repeat' };
      const found = outcomeIn(event, record.id);
      if (found === null) continue;
      if (isSame(found, given)) return { kind: 'repeat' };
      return { kind: 'already_decided', by: found.by, at: event.time, how: found.how };
    }
    return { kind: 'invalid', message: 'the turn takes no decisions now: try again later' };
  }
}

/** The tool that stands behind a request that names none. */
const wordTools = {
  approval: 'builtin:shell',
  question: 'builtin:ask_user',
  gate: 'builtin:sop_start',
} as const;

/** A question asks for words, not for leave: who works with the agent, or talks with it on a surface that lets nobody else into the
 * conversation, may answer it. */
const whyNotAnswerer = (
  request: DecidableRequest,
  by: DecidedBy,
  rights: ApproverRights | null,
): string | null => {
  const works = rights === null || rights.roles.has('operator');
  const roles = new Set<Role>(works ? ['approver'] : rights.roles);
  const scopes = rights?.scopes ?? { agents: ['*'], tools: ['*'] };
  return whyNotApprover(request, by, { roles, scopes });
};

/** What stands inside one event beside the facts of its verdict. */
const longestArguments = 60_000;

const whyInvalid = ({ choice, guidance, arguments: edited }: ApprovalDecision): string | null => {
  if (edited !== undefined && edited.length > longestArguments)
    return `the arguments are longer than ${longestArguments} characters: shorten them`;
  if (choice !== 'deny' && guidance !== null) return 'guidance goes with `deny` only';
  return choice === 'deny' && edited !== undefined ? 'arguments go with a yes only' : null;
};

const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

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
const isSame = (found: Outcome, given: Given): boolean =>
  found.by !== null &&
  deciderName(found.by) === deciderName(given.by) &&
  found.choice === given.choice;

const isVote = (event: LockstepEvent, id: string, { by, choice }: Given): boolean =>
  event.type === 'ApprovalVoted' &&
  event.data.approval === id &&
  event.data.choice === choice &&
  deciderName(event.data.by) === deciderName(by);

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

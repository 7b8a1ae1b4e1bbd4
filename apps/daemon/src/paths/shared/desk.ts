import type { DecidedBy, InboxRow, TurnAnswer } from '@lockstep/engine';
import { holdsAny, seesContent, type Caller } from '../../access/caller.ts';
import type { HttpParts } from '../../http/http-parts.ts';
import { notFound, ProblemError } from '../../http/problem.ts';
import {
  decisionAnswer,
  decisionOf,
  launchProblem,
  requireOwnTools,
  rightsOfCaller,
  seenAgents,
  seenTurn,
} from '../../http/routes/answers.ts';
import { mayDecide } from '../../http/routes/may-decide.ts';
import type {
  ApprovalQuery,
  DecisionBody,
  QuestionBody,
} from '../../http/schemas/approval.schema.ts';
import { showAnswer, showInboxRow } from '../../http/show.ts';
import type { LaunchResult, TurnRequest } from '../../turns/turns.port.ts';
import type { Role } from '@lockstep/policy';
import { contentText } from './content-text.ts';

/** What an open connection asks of the daemon. */
export type DeskParts = Pick<
  HttpParts,
  'turns' | 'store' | 'ledger' | 'artifacts' | 'config' | 'readSide' | 'accessLog'
>;

type Accepted = Extract<LaunchResult, { readonly kind: 'accepted' }>;
type Surface = DecidedBy['surface'];

/** One caller on one connection. Roles and scopes are looked at with each request, as they are then.
 * Every refusal is a ProblemError, the same as over HTTP. */
export class Desk {
  readonly #parts: DeskParts;
  readonly #caller: () => Caller;
  readonly #surface: Surface;

  /** @param caller throws ProblemError once the caller's token or session has ended */
  constructor(parts: DeskParts, caller: () => Caller, surface: Surface) {
    this.#parts = parts;
    this.#caller = caller;
    this.#surface = surface;
  }

  async start(request: TurnRequest): Promise<Accepted> {
    await this.#needs(['operator'], 'start a turn');
    const launched = await this.#parts.turns.launch(request);
    if (launched.kind !== 'accepted') throw launchProblem(launched);
    return launched;
  }

  async turn(id: string): Promise<TurnAnswer> {
    const caller = await this.#needs(['viewer'], 'look at a turn');
    const answer = await this.#seen(id, caller);
    return showAnswer(answer, await this.readsContent(id));
  }

  async cancel(id: string, why: string): Promise<{ id: string; status: string }> {
    const caller = await this.#needs(['operator'], 'cancel a turn');
    await this.#seen(id, caller);
    return accepted(id, await this.#parts.turns.cancel(id, caller.principal.id, why));
  }

  async steer(id: string, text: string): Promise<{ id: string; status: string }> {
    const caller = await this.#needs(['operator'], 'steer a turn');
    await requireOwnTools(this.#parts, await this.#seen(id, caller), caller);
    return accepted(id, await this.#parts.turns.steer(id, text, caller.principal.id));
  }

  async approvals(query: ApprovalQuery): Promise<unknown> {
    const caller = await this.#needs(['viewer'], 'list approvals');
    const { config, readSide, artifacts } = this.#parts;
    const page = await readSide.approvals(query, seenAgents(config, caller));
    const shown = async (row: InboxRow): Promise<unknown> =>
      showInboxRow(row, await contentText(row.view, artifacts), caller);
    return { items: await Promise.all(page.items.map(shown)), next: page.next };
  }

  async decide(id: string, body: DecisionBody): Promise<unknown> {
    const caller = await this.#needs(['viewer'], 'decide an approval');
    await mayDecide(this.#parts, id, caller);
    const decided = await this.#parts.turns.decide(
      id,
      decisionOf(body),
      this.#by(caller),
      rightsOfCaller(caller),
    );
    return decisionAnswer(id, decided);
  }

  async answer(id: string, body: QuestionBody): Promise<unknown> {
    const caller = await this.#needs(['approver', 'operator'], 'answer a question');
    await mayDecide(this.#parts, id, caller);
    const decided = await this.#parts.turns.answerQuestion(
      id,
      body,
      this.#by(caller),
      rightsOfCaller(caller),
    );
    return decisionAnswer(id, decided);
  }

  /** Whether the caller may read inputs, replies and arguments of a turn. */
  async readsContent(id: string): Promise<boolean> {
    const caller = this.#caller();
    if (seesContent(caller)) return true;
    const [first] = await this.#parts.store.readStream(`turn-${id}`, { limit: 1 });
    const principal = first?.meta.principal;
    return principal?.kind === caller.principal.kind && principal.id === caller.principal.id;
  }

  async #seen(id: string, caller: Caller): Promise<TurnAnswer> {
    return seenTurn(await this.#parts.turns.answer(id), id, caller);
  }

  async #needs(roles: readonly [Role, ...Role[]], action: string): Promise<Caller> {
    const caller = this.#caller();
    if (holdsAny(caller, roles)) return caller;
    const why = `this needs the role ${roles.join(' or ')}`;
    await this.#parts.accessLog.denied(caller.principal, `${this.#surface}: ${action}`, why);
    throw new ProblemError('forbidden', why);
  }

  #by({ principal }: Caller): DecidedBy {
    return { principal: principal.id, person: principal.person, surface: this.#surface };
  }
}

const accepted = (
  id: string,
  result: 'requested' | 'recorded' | 'ended' | 'not_found',
): { id: string; status: string } => {
  if (result === 'not_found') throw notFound('turn', id);
  if (result === 'ended')
    throw new ProblemError('already_ended', `the turn \`${id}\` has ended before`);
  return { id, status: result };
};

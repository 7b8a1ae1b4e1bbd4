import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { DecidedBy, Ledger, TurnAnswer } from '@lockstep/engine';
import { isLocal, seesAgent, type Caller } from '../../access/caller.ts';
import type { CurrentConfig } from '../../config/current-config.port.ts';
import type {
  ApprovalDecision,
  DeciderRights,
  DecisionResult,
  LaunchResult,
} from '../../turns/turns.port.ts';
import type { HttpParts } from '../http-parts.ts';
import { notFound, ProblemError } from '../problem.ts';
import type { SeenAgents } from '../read-side.ts';
import type { decidedSchema, DecisionBody } from '../schemas/approval.schema.ts';

/** Who decides, and where: the console's cookie, the command line on the local token, or any other program. */
export const deciderOf = (caller: Caller, request: FastifyRequest): DecidedBy => {
  const cli = isLocal(caller) && request.headers['lockstep-surface'] === 'cli';
  return {
    principal: caller.principal.id,
    person: caller.principal.person,
    surface: caller.via === 'cookie' ? 'console' : cli ? 'cli' : 'rest',
  };
};

/** The problem behind a launch that started nothing. */
export const launchProblem = (
  result: Exclude<LaunchResult, { readonly kind: 'accepted' }>,
): ProblemError => {
  if (result.kind === 'key_reused')
    return new ProblemError(
      'idempotency_key_reused',
      'this Idempotency-Key came with another body before: use a new key',
    );
  if (result.kind === 'session_refused') return new ProblemError('forbidden', result.message);
  const fields = result.turn === null ? {} : { turn: result.turn };
  switch (result.code) {
    case 'agent_unavailable':
      // The same words whether it is unknown, disabled or incomplete.
      return new ProblemError('agent_unavailable', result.message, { fields });
    case 'not_permitted':
      return new ProblemError('forbidden', result.message, { fields });
    case 'stopped':
      return new ProblemError('stopped', result.message, { fields });
    case 'disk_full':
      return new ProblemError('disk_full', result.message, { fields });
    case 'read_only':
      return new ProblemError('read_only', result.message, { fields });
    case 'invalid_request':
      return new ProblemError('invalid_body', result.message, {
        fields,
        errors: result.problems.map(({ path, message }) => ({ path: path ?? '', message })),
      });
  }
};

/** The decision behind its wire form, the same on every connection. */
export const decisionOf = (body: DecisionBody): ApprovalDecision => ({
  choice: body.choice,
  scope: scopeOf(body.scope),
  ...(body.arguments === undefined ? {} : { arguments: JSON.stringify(body.arguments) }),
  guidance: body.guidance ?? null,
  revision: body.revision,
  shown: body.shown,
});

const scopeOf = (scope: DecisionBody['scope']): ApprovalDecision['scope'] => {
  if (scope === undefined) return null;
  const { fields, ...rest } = scope;
  return fields === undefined ? rest : { ...rest, fields };
};

/** What a caller may, as every decision is judged by it. */
export const rightsOfCaller = ({ roles, scopes }: Caller): DeciderRights => ({ roles, scopes });

export const decisionAnswer = (
  id: string,
  result: DecisionResult,
): z.infer<typeof decidedSchema> => {
  switch (result.kind) {
    case 'decided': {
      const { position, votes } = result;
      return votes === undefined || votes.given >= votes.required
        ? { id, status: 'decided', position }
        : { id, status: 'voted', position, votes };
    }
    case 'forbidden':
      throw new ProblemError('forbidden', result.message);
    case 'repeat':
      return { id, status: 'repeat', position: null };
    case 'forbidden':
      throw new ProblemError('forbidden', result.message);
    case 'already_decided':
      throw new ProblemError('already_decided', `it was decided before: ${result.how}`, {
        fields: { by: result.by, at: result.at, how: result.how },
      });
    case 'stale_revision':
      throw new ProblemError('stale_revision', 'look at the request again, it has changed', {
        fields: { revision: result.revision },
      });
    case 'invalid':
      throw new ProblemError('invalid_body', result.message);
    case 'not_found':
      throw notFound('request', id);
  }
};

/** @throws ProblemError when the turn is not there, or belongs to an agent that the caller's scope leaves out */
export const seenTurn = (answer: TurnAnswer | null, id: string, caller: Caller): TurnAnswer => {
  if (answer === null || !seesAgent(caller, answer.agent)) throw notFound('turn', id);
  return answer;
};

/** The config speaks of every agent: who sees some of them alone gets its versions and digests, not what it says.
 * @throws ProblemError when the caller's scope leaves agents out */
export const requireAllAgents = (caller: Caller): void => {
  if (caller.scopes.agents.includes('*')) return;
  throw new ProblemError(
    'forbidden',
    "the config speaks of every agent, and the token's scope leaves some out: use a token for all agents",
  );
};

/** The agents of the config in a caller's scope. */
export const seenAgents = (config: CurrentConfig, caller: Caller): SeenAgents =>
  caller.scopes.agents.includes('*')
    ? 'all'
    : Object.keys(config.current().config.agents).filter((alias) => seesAgent(caller, alias));

/** @throws ProblemError when config has no such agent (enabled or not), or the caller's scope leaves it out */
export const knownAgent = (config: CurrentConfig, alias: string, caller: Caller): string => {
  if (!seesAgent(caller, alias))
    throw new ProblemError('forbidden', `the token's scope leaves out the agent \`${alias}\``);
  if (!Object.hasOwn(config.current().config.agents, alias))
    throw new ProblemError('agent_unavailable', `the agent \`${alias}\` is not available`);
  return alias;
};

/** @throws ProblemError when nothing of that id waits or waited for a person, or not for an agent in the caller's scope */
export const seenRequest = (ledger: Ledger, id: string, caller: Caller): void => {
  const pending = ledger.approval(id);
  if (pending === null || !seesAgent(caller, pending.agent)) throw notFound('request', id);
};

/** A turn works with its own tools: whoever has fewer gives words only to the turns of its own sessions.
 * @throws ProblemError, recorded, for everybody else */
export const requireOwnTools = async (
  { ledger, accessLog }: Pick<HttpParts, 'ledger' | 'accessLog'>,
  { id, session }: Pick<TurnAnswer, 'id' | 'session'>,
  { principal, scopes }: Caller,
): Promise<void> => {
  if (scopes.tools.includes('*')) return;
  const owner = ledger.session(session)?.owner;
  if (owner?.kind === principal.kind && owner.id === principal.id) return;
  const why = "a turn works with its own tools, and the token's scope leaves some out";
  await accessLog.denied(principal, `steer turn ${id}`, why);
  throw new ProblemError('forbidden', why);
};

import { matchesPattern, normalizeToolPattern } from '@lockstep/policy';
import type { Caller } from '../../access/caller.ts';
import type { HttpParts } from '../http-parts.ts';
import { ProblemError } from '../problem.ts';
import { seenRequest } from './answers.ts';

/** A token decides only about agents and tools in its own scope, on every connection alike.
 * @throws ProblemError when this is not one of them */
export const mayDecide = async (
  parts: Pick<HttpParts, 'ledger' | 'readSide' | 'accessLog'>,
  id: string,
  caller: Caller,
): Promise<void> => {
  seenRequest(parts.ledger, id, caller);
  if (caller.scopes.tools.includes('*')) return;
  const row = await parts.readSide.approval(id);
  const tool = row?.kind === 'question' ? 'builtin:ask_user' : (row?.tool ?? null);
  if (
    tool !== null &&
    caller.scopes.tools.some((pattern) => matchesPattern(normalizeToolPattern(pattern), tool))
  )
    return;
  const why = `the token's scope leaves out the tool \`${tool ?? 'unknown'}\``;
  await parts.accessLog.denied(caller.principal, `decide ${id}`, why);
  throw new ProblemError('forbidden', why);
};

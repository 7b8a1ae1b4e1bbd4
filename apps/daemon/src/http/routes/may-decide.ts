import type { Caller } from '../../access/caller.ts';
import type { HttpParts } from '../http-parts.ts';
import { seenRequest } from './answers.ts';

/** A request that a caller cannot see is not there for it, on every connection alike. Whether it may decide is judged with the decision.
 * @throws ProblemError when it cannot see it */
export const mayDecide = (
  parts: Pick<HttpParts, 'ledger'>,
  id: string,
  caller: Caller,
): Promise<void> => {
  seenRequest(parts.ledger, id, caller);
  return Promise.resolve();
};

import { RequestError, type StopReason } from '@agentclientprotocol/sdk';
import type { LockstepEvent, TurnAnswer } from '@lockstep/engine';
import type { ProblemError } from '../../http/problem.ts';
import { rpcCodes } from './json-rpc-message.ts';

/** Why a prompt ended, in the words of ACP.
 * @param last the event that ended the turn, if one was seen
 * @throws RequestError when the turn failed or was refused for a reason that ACP has no word for */
export const stopReasonOf = (answer: TurnAnswer, last: LockstepEvent | null): StopReason => {
  if (answer.status === 'cancelled') return 'cancelled';
  if (answer.status === 'completed') {
    const endedBy = last?.type === 'TurnCompleted' ? last.data.endedBy : null;
    return endedBy === null ? 'end_turn' : limitOf(endedBy);
  }
  if (last?.type === 'TurnFailed' && last.data.code === 'budget_exhausted')
    return limitOf(last.data.key ?? '');
  throw failed(answer, last?.type === 'TurnRefused' ? last.data.code : `turn_${answer.status}`);
};

const limitOf = (key: string): StopReason =>
  /token|cost/.test(key) ? 'max_tokens' : 'max_turn_requests';

const failed = ({ id, reason, status }: TurnAnswer, code: string): RequestError =>
  new RequestError(rpcCodes.refused, reason ?? `the turn is ${status}`, { code, turn: id });

/** A refusal of ours as ACP carries it: invalid parameters by their own code, all else with our stable code in its data. */
export const requestErrorOf = (problem: ProblemError): RequestError => {
  const { code, status, detail, errors, ...fields } = problem.document();
  const data = { ...fields, code, status, ...(errors === undefined ? {} : { errors }) };
  if (code === 'invalid_body') return new RequestError(rpcCodes.invalidParams, detail, data);
  if (code === 'internal') return new RequestError(rpcCodes.internal, detail, data);
  return new RequestError(rpcCodes.refused, detail, data);
};

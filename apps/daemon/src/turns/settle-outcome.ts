import type { DecidedBy, NewEvent } from '@lockstep/engine';
import type { RunningTurns } from './running-turns.ts';
import { TurnHaltedError } from './turn-log.ts';
import { metaAgain } from './turn-meta.ts';
import type { TurnParts } from './turn-parts.ts';

interface Settlement {
  readonly turn: string;
  readonly call: string;
  readonly as: 'retry' | 'done' | 'failed';
  readonly by: DecidedBy;
}

/** Records an operator's word on a call whose outcome nobody knows: through the turn's own runner while there is one, else at the end
 * of its stream. Of several at once one counts.
 * @throws TurnHaltedError when the log takes no writes */
export const settleOutcome = async (
  parts: Pick<TurnParts, 'store' | 'ledger' | 'ids' | 'identity'>,
  running: RunningTurns,
  { turn, call, as, by }: Settlement,
): Promise<'settled' | 'not_found'> => {
  const runner = running.find(turn);
  if (runner !== null) {
    const posted = await runner.post({ type: 'SettleOutcome', call, as, by });
    if (posted.kind === 'recorded') return 'settled';
    if (posted.kind !== 'refused' || posted.code !== 'ended') return 'not_found';
  }
  for (;;) {
    const isOpen = parts.ledger
      .unknownOutcomes()
      .some((one) => one.turn === turn && one.call === call);
    const events = await parts.store.readStream(`turn-${turn}`);
    const [first] = events;
    const last = events.at(-1);
    if (!isOpen || first === undefined || last === undefined) return 'not_found';
    const event: NewEvent = {
      type: 'UnknownOutcomeSettled',
      id: parts.ids.next(),
      schema: 1,
      meta: metaAgain(parts.identity, first),
      data: { call, as, by },
    };
    const result = await parts.store.append(`turn-${turn}`, [event], last.revision);
    if (result.ok) return 'settled';
    if (result.reason !== 'conflict')
      throw new TurnHaltedError('the settlement could not be recorded');
  }
};

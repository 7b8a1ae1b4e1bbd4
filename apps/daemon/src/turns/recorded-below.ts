import type { Artifacts, EventStore, Ledger, OpenTurn } from '@lockstep/engine';
import type { Below } from './answer.ts';
import { askedBy, gatesFrom, gatesIn, isWaitingIn, type RecordedMember } from './families.ts';
import { readTurn } from './past-turns.ts';

/** What the log says of the turns below an open turn that nobody runs, as over a log that is read alone. */
export const recordedBelow = async (
  parts: { readonly store: EventStore; readonly artifacts: Artifacts; readonly ledger: Ledger },
  state: OpenTurn,
): Promise<Below> => {
  const members: RecordedMember[] = [];
  const gates = gatesFrom(parts.ledger);
  for (const { turn, parent, open } of parts.ledger.below(state.turn))
    if (open) members.push({ parent, state: await readTurn(parts, turn, new Map()) });
  return {
    // Every turn below one of them is below this one.
    isWaiting: isWaitingIn(state, () => members, gates),
    approvals: [
      ...gatesIn(state, gates),
      ...members.flatMap((one) =>
        one.state.status === 'open' ? [...askedBy(one.state), ...gatesIn(one.state, gates)] : [],
      ),
    ],
  };
};

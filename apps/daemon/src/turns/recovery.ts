import type { Artifacts, Content, EventOf, EventStore, Ledger } from '@lockstep/engine';
import type { Origin, Principal } from '@lockstep/policy';
import { localTokenName } from '../access/authenticator.ts';
import type { LaunchTurn, QueuedTurn } from './launch-turn.ts';
import type { RunningTurns } from './running-turns.ts';
import { metaAgain } from './turn-meta.ts';
import type { TurnParts } from './turn-parts.ts';

/** Takes up what an earlier run of the daemon left: open turns first, each with all its open items, then accepted messages whose turn
 * has not begun, in the order of acceptance. */
export const recover = async (
  parts: TurnParts,
  { running, launcher }: { readonly running: RunningTurns; readonly launcher: LaunchTurn },
): Promise<{ readonly turns: number; readonly messages: number }> => {
  const open = parts.ledger.openTurns();
  const goOn: (() => void)[] = [];
  for (const { turn } of open) {
    const events = await parts.store.readStream(`turn-${turn}`);
    const [first] = events;
    if (first === undefined) continue;
    if (first.meta.session !== null) launcher.queues.hold(first.meta.session, turn);
    goOn.push(await running.load(turn, events, metaAgain(parts.identity, first)));
  }
  // Turns that wait for others find them, whatever the order.
  for (const go of goOn) go();
  const waiting = parts.ledger.waitingMessages();
  for (const { session, message } of waiting) {
    const queued = await readMessage(parts, session, message);
    if (queued !== null) launcher.queues.add(queued);
  }
  return { turns: open.length, messages: waiting.length };
};

/** A queued turn as its message says. */
const readMessage = async (
  parts: { readonly store: EventStore; readonly artifacts: Artifacts; readonly ledger: Ledger },
  session: string,
  message: string,
): Promise<QueuedTurn | null> => {
  const events = await parts.store.readStream(session);
  const event = events.find(
    (one): one is EventOf<'MessageAccepted'> =>
      one.type === 'MessageAccepted' && one.data.message === message,
  );
  const record = parts.ledger.session(session);
  if (event?.data.request === undefined || record === null) return null;
  const principal = event.meta.principal ?? record.owner;
  const { origin, client } = event.data.request;
  return {
    session,
    message,
    turn: event.data.turn,
    request: {
      agent: record.agent,
      principal,
      session,
      origin: originNow(origin, principal, parts.ledger),
      client,
    },
    input: await textOf(event.data.text, parts.artifacts),
    listening: false,
    replyTo: event.data.replyTo,
    earlier: event.data.earlier,
  };
};

/** The local token is another one after each start; who sat at the machine still does. Any other token that ended stays so. */
const originNow = (origin: Origin, principal: Principal, ledger: Ledger): Origin => {
  if (principal.kind !== 'local' || !('token' in origin)) return origin;
  if (ledger.tokenById(origin.token) !== null) return origin;
  const local = ledger.tokens().find((token) => token.name === localTokenName);
  return local === undefined ? origin : { ...origin, token: local.id };
};

const textOf = async (content: Content, artifacts: Artifacts): Promise<string> => {
  if ('inline' in content) return content.inline;
  return 'artifact' in content ? ((await artifacts.get(content.artifact)) ?? '') : '';
};

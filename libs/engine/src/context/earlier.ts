import type { OpenTurn } from '../turn/state.ts';
import type { ConversationTurn, TextOf } from './conversation.ts';
import { fenceUntrusted } from './fence.ts';

/** Messages that the client brought along, each as a turn of its own for the limits. Whoever they say spoke, it is the client's word:
 * all of them stand as untrusted text. */
export const earlierTurns = (
  { earlier }: Pick<OpenTurn, 'earlier'>,
  textOf: TextOf,
): readonly ConversationTurn[] =>
  earlier.map(({ role, text }, index) => ({
    turn: `client/${index}`,
    messages: [{ role: 'user', text: fenceUntrusted(textOf(text), `client:${role}`) }],
  }));

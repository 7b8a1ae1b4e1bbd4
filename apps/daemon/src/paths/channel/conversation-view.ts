import { channelOwner } from '@lockstep/policy';
import type { Asked } from './asked.ts';
import type { ChannelParts } from './channel-parts.ts';
import { showQuestion } from './show-question.ts';
import { sessionOf, type Place } from './turn-request.ts';

/** How many turns are told of. */
const mostTurns = 20;
const mostText = 64 * 1024;

/** A conversation for who asks for it instead of being told. */
export interface ConversationView {
  readonly conversation: string;
  readonly thread: string | null;
  readonly turns: readonly {
    readonly id: string;
    readonly status: string;
    readonly reply: string | null;
    readonly reason: string | null;
  }[];
  readonly questions: readonly {
    readonly code: string;
    readonly kind: 'approval' | 'question';
    readonly text: string;
    readonly commands: readonly string[];
  }[];
}

export const conversationView = async (
  place: Place,
  { config, ledger, turns }: ChannelParts,
  asked: Asked,
): Promise<ConversationView> => {
  const agent = channelOwner(config.current(), place.binding);
  const session = agent === null ? null : `session-${agent}-${sessionOf(place)}`;
  const begun = (session === null ? null : ledger.session(session))?.turns ?? [];
  const waiting = ledger.waitingMessages().filter((one) => one.session === session);
  const ids = [...begun, ...waiting.map(({ turn }) => turn)].slice(-mostTurns);
  const answers = await Promise.all(ids.map((id) => turns.answer(id)));
  return {
    conversation: place.conversation,
    thread: place.thread,
    turns: answers.flatMap((answer) => {
      if (answer === null) return [];
      const { id, status, reply, reason } = answer;
      return [{ id, status, reply, reason }];
    }),
    questions: asked.in(place).map((question) => {
      const { text, buttons } = showQuestion(question, mostText);
      const { code, kind } = question;
      return { code, kind, text, commands: buttons.map(({ command }) => command) };
    }),
  };
};

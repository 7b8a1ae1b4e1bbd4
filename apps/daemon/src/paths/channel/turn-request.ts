import { digestOf, type AppliedConfig, type Principal } from '@lockstep/policy';
import type { TurnRequest } from '../../turns/turns.port.ts';
import type { ChannelMessage } from './channel-message.ts';

/** Where a conversation is: its messages share a session. */
export type Place = Pick<ChannelMessage, 'binding' | 'conversation' | 'thread'>;

/** The request behind a message of a channel, for the agent that the channel leads to. Ids only. */
export const channelRequest = (
  message: ChannelMessage,
  agent: string,
  { config }: Pick<AppliedConfig, 'config'>,
): TurnRequest => {
  const { binding, conversation, thread, sender, text } = message;
  return {
    agent,
    principal: peerOf(message, config),
    session: sessionOf(message),
    owner: conversationOf(message),
    origin: { kind: 'channel', binding },
    client: 'none',
    input: text,
    idempotency: {
      key: digestOf(['channel', binding, conversation, message.id]),
      body: digestOf([thread, sender, text]),
    },
    listening: false,
    replyTo: { binding, conversation, thread, message: message.address },
  };
};

/** A session's name without its agent: one for each conversation and thread. */
export const sessionOf = ({ binding, conversation, thread }: Place): string =>
  `${binding.split('.', 1)[0] ?? 'channel'}-${digestOf([binding, conversation, thread]).slice(0, 32)}`;

/** Whose a channel's session is: nobody's alone who writes there. */
export const conversationOf = ({ binding, conversation, thread }: Place): Principal => ({
  kind: 'peer',
  id: [binding, conversation, ...(thread === null ? [] : [thread])].join('/'),
  person: null,
});

/** Who wrote, as the channel and as config know them. */
export const peerOf = (
  { binding, sender }: Pick<ChannelMessage, 'binding' | 'sender'>,
  config: Pick<AppliedConfig['config'], 'people'>,
): Principal => {
  const identity = `${binding}/${sender}`;
  const person = Object.entries(config.people).find(([, { identities }]) =>
    identities.includes(identity),
  );
  return { kind: 'peer', id: identity, person: person?.[0] ?? null };
};

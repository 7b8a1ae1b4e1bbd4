import { channelOwner, resolve, type AppliedConfig, type Config } from '@lockstep/policy';
import { startFromChannel, type ChannelEvent } from '../sop/channel-start.ts';
import type { LaunchResult } from '../../turns/turns.port.ts';
import type { ChannelMessage } from './channel-message.ts';
import type { ChannelParts } from './channel-parts.ts';
import type { Received } from './channel.port.ts';
import { parseCommand } from './commands.ts';
import type { Conversations } from './conversations.ts';
import type { InboundLog } from './inbound-log.ts';

import { channelRequest } from './turn-request.ts';

/** Where messages of every channel come in. Those of one conversation go in one after the other; commands pass them by. */
export class ChannelInbox {
  readonly #parts: ChannelParts;
  readonly #inbound: InboundLog;
  readonly #conversations: Conversations;
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(parts: ChannelParts, inbound: InboundLog, conversations: Conversations) {
    this.#parts = parts;
    this.#inbound = inbound;
    this.#conversations = conversations;
  }

  async receive(message: ChannelMessage): Promise<Received> {
    const applied = this.#parts.config.current();
    const agent = channelOwner(applied, message.binding);
    if (agent === null) return this.#stranger(message, 'the channel leads to no agent');
    const asked = channelRequest(message, agent, applied);
    const { principal, origin } = asked;
    const session = `session-${agent}-${asked.session ?? ''}`;
    const request = { agent, principal, session, origin, client: 'none' } as const;
    const seam = resolve(applied, request, {});
    const command = parseCommand(message.text);
    if (!seam.ok && seam.problems.some(({ code }) => code === 'not_permitted')) {
      // A person whom config knows may answer what was asked of them, though no agent listens to them.
      const answers = command !== null && command.kind !== 'stop' && command.kind !== 'status';
      if (!answers || principal.person === null)
        return this.#stranger(message, seam.problems[0]?.message ?? 'the sender is not let in');
    }
    if (command !== null) return this.#conversations.command(message, command, session);
    return this.#inOrder(message, async () => {
      const result =
        (await this.#procedure(message, { agent, principal, config: applied.config })) ??
        received(await this.#parts.turns.launch(asked));
      // Whom config does not know hears nothing of an agent that is away.
      return result.kind === 'refused' && !isNamed(message, applied)
        ? { kind: 'refused', shown: null }
        : result;
    });
  }

  /** Where config says that messages of this channel start a procedure, they start that and no turn; null = they start turns. */
  async #procedure(
    { binding, conversation, id, text }: ChannelMessage,
    { agent, principal, config }: Pick<ChannelEvent, 'agent' | 'principal'> & { config: Config },
  ): Promise<Received | null> {
    // An id is one of its kind in its conversation alone.
    const event = { binding, agent, principal, message: `${conversation}\n${id}`, text };
    const started = await startFromChannel(this.#parts.sops, config, event);
    if (started === null) return null;
    if (started.kind === 'started')
      return { kind: 'command', text: `the procedure has started: run ${started.run}` };
    switch (started.code) {
      case 'other_run':
        return { kind: 'reused' };
      case 'disk_full':
        return { kind: 'unavailable', message: started.message };
      case 'not_found':
      case 'not_permitted':
      case 'stopped':
        return { kind: 'refused', shown: started.message };
    }
  }

  async #stranger({ binding }: ChannelMessage, why: string): Promise<Received> {
    await this.#inbound.refused(binding, why);
    return { kind: 'refused', shown: null };
  }

  #inOrder(message: ChannelMessage, work: () => Promise<Received>): Promise<Received> {
    const key = `${message.binding}\n${message.conversation}`;
    const mine = (this.#tails.get(key) ?? Promise.resolve()).then(work, work);
    this.#tails.set(key, mine);
    const forget = (): void => {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
    };
    mine.then(forget, forget);
    return mine;
  }
}

/** Whether config names the sender of a message anywhere. */
const isNamed = ({ binding, sender }: ChannelMessage, { config }: AppliedConfig): boolean =>
  Object.values(config.people).some(({ identities }) =>
    identities.includes(`${binding}/${sender}`),
  ) ||
  Object.values(config.peer_groups).some(
    ({ channel, external_peers: peers, ignore }) =>
      channel === binding && peers.includes(sender) && !ignore.includes(sender),
  );

const received = (launched: LaunchResult): Received => {
  switch (launched.kind) {
    case 'accepted': {
      const { turn, session, repeat } = launched;
      return { kind: 'turn', turn, session, repeat };
    }
    case 'key_reused':
      return { kind: 'reused' };
    case 'session_refused':
      return { kind: 'refused', shown: 'this conversation is closed' };
    case 'refused':
      // Without a turn nothing was recorded: the log takes no writes, or the daemon is stopping.
      return launched.turn === null
        ? { kind: 'unavailable', message: launched.message }
        : { kind: 'refused', shown: launched.message };
  }
};

import {
  admitsSender,
  bindingsOf,
  channelOwner,
  resolve,
  type PolicySnapshot,
} from '@lockstep/policy';
import type { ChannelMessage, ParsedFrame } from '../../paths/channel/channel-message.ts';
import { encodeDiscord, parseDiscord } from '../../paths/channel/discord/discord.wire.ts';
import { encodeMqtt, parseMqtt, type MqttForm } from '../../paths/channel/mqtt/mqtt.wire.ts';
import { encodeSlack, parseSlack } from '../../paths/channel/slack/slack.wire.ts';
import { encodeTelegram, parseTelegram } from '../../paths/channel/telegram/telegram.wire.ts';
import { channelRequest } from '../../paths/channel/turn-request.ts';
import { encodeWebhook, parseWebhook } from '../../paths/channel/webhook/webhook.wire.ts';
import {
  localOf,
  resolvable,
  type Asking,
  type Candidate,
  type FindCandidates,
} from './candidate.ts';

type Kind = 'telegram' | 'slack' | 'discord' | 'mqtt' | 'webhook';

/** A message of somebody whom the agent listens to, on every channel of the kind that leads to it. */
export const channelCandidates =
  (kind: Kind): FindCandidates =>
  (asking) => {
    const { applied, requested } = asking;
    const { agent } = requested.request;
    const bindings = bindingsOf(applied.config).filter(
      (binding) => binding.startsWith(`${kind}.`) && channelOwner(applied, binding) === agent,
    );
    if (bindings.length === 0) return `no ${kind} channel leads to agent \`${agent}\``;
    const found = bindings.flatMap((binding) => onBinding(asking, kind, binding));
    return found.length === 0
      ? `agent \`${agent}\` listens to nobody on \`${bindings.join('`, `')}\`, or the message has no form there`
      : found;
  };

const onBinding = (asking: Asking, kind: Kind, binding: string): readonly Candidate[] => {
  const { applied, requested, input } = asking;
  const { agent, origin } = requested.request;
  // It came from there: who wrote is known.
  if (origin.kind === 'channel' && origin.binding === binding) return [recordedAgain(asking)];
  const sender = senderOn(asking, kind, binding);
  if (sender === null) return [];
  const read = said(asking, kind, messageFrom(kind, { binding, sender, text: input }));
  if (read?.kind !== 'message') return [];
  const request = channelRequest(read.message, agent, applied);
  return [{ request, records: {}, notes: [`\`${sender}\` was taken to write on \`${binding}\``] }];
};

const recordedAgain = ({ requested, input }: Asking): Candidate => {
  const { agent, principal, session, origin, client } = requested.request;
  const rest = { idempotency: null, listening: false };
  return {
    request: { agent, principal, session, origin, client, input, ...rest },
    records: {},
    notes: [],
  };
};

/** The recorded person where the channel knows them, else the first whom the agent listens to. */
const senderOn = (asking: Asking, kind: Kind, binding: string): string | null => {
  const policy = ownPolicy(asking);
  if (policy === null) return null;
  const { person } = asking.requested.request.principal;
  const { people, peer_groups: groups } = asking.applied.config;
  const prefix = `${binding}/`;
  const theirs = (person === null ? [] : (people[person]?.identities ?? []))
    .filter((identity) => identity.startsWith(prefix))
    .map((identity) => identity.slice(prefix.length));
  const peers = Object.values(groups)
    .filter(({ channel, agents }) => channel === binding && agents.includes(policy.agent))
    .flatMap(({ external_peers: names }) =>
      names.map((name) => (name === '*' ? anybody[kind] : name)),
    );
  return [...theirs, ...peers].find((name) => admitsSender(policy, binding, name)) ?? null;
};

/** Somebody whom config does not name, in the form that the platform gives people. */
const anybody: Readonly<Record<Kind, string>> = {
  telegram: '7001',
  discord: '7001',
  slack: 'U7001',
  mqtt: 'user-1',
  webhook: 'user-1',
};

const ownPolicy = (asking: Asking): PolicySnapshot | null => {
  const { agent } = asking.requested.request;
  const request = {
    agent,
    principal: localOf(asking),
    session: null,
    origin: { kind: 'run' } as const,
    client: 'none' as const,
    input: '',
    idempotency: null,
    listening: false,
  };
  const found = resolve(asking.applied, resolvable(request, asking.turn), {});
  return found.ok ? found.policy.parts.snapshot : null;
};

const messageFrom = (
  kind: Kind,
  { binding, sender, text }: Pick<ChannelMessage, 'binding' | 'sender' | 'text'>,
): ChannelMessage => {
  const id = '1';
  const address = kind === 'mqtt' ? JSON.stringify({ id, topic: null, correlation: null }) : id;
  const conversation = kind === 'slack' ? 'C1' : sender;
  return { binding, conversation, thread: null, sender, id, text, address };
};

/** The message in the wire form of its platform, and read again. Null = the wire has no form for it. */
const said = (asking: Asking, kind: Kind, message: ChannelMessage): ParsedFrame | null => {
  const { binding } = message;
  switch (kind) {
    case 'telegram': {
      const update = encodeTelegram(message, 1);
      return update === null ? null : parseTelegram(update, binding);
    }
    case 'slack': {
      const frame = encodeSlack(message);
      return frame === null ? null : parseSlack(frame, binding);
    }
    case 'discord': {
      const frame = encodeDiscord(message);
      return frame === null ? null : parseDiscord(frame, binding);
    }
    case 'webhook':
      return parseWebhook(binding, encodeWebhook(message));
    case 'mqtt': {
      const form = formOf(asking, binding);
      const frame = form === null ? null : encodeMqtt(message, form);
      return form === null || frame === null ? null : parseMqtt(frame, form);
    }
  }
};

const formOf = ({ applied }: Asking, binding: string): MqttForm | null => {
  const { mqtt } = applied.config.channels;
  const alias = binding.slice('mqtt.'.length);
  const own = Object.hasOwn(mqtt, alias) ? mqtt[alias] : undefined;
  if (own === undefined) return null;
  return { binding, filter: own.topic, senderLevel: own.sender_level ?? null };
};

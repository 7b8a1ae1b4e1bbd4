import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChannelMessage, ParsedFrame } from './channel-message.ts';
import { encodeDiscord, parseDiscord } from './discord/discord.wire.ts';
import { encodeMqtt, parseMqtt } from './mqtt/mqtt.wire.ts';
import { encodeSlack, parseSlack } from './slack/slack.wire.ts';
import { encodeTelegram, parseTelegram } from './telegram/telegram.wire.ts';
import { encodeWebhook, parseWebhook } from './webhook/webhook.wire.ts';

const name = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' });
const text = fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' });
const digits = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).map(String);
const binding = 'kind.main';

/** Says a message of the platform's own ids in its wire form and reads that again. */
const holds = (
  message: fc.Arbitrary<ChannelMessage>,
  roundTrip: (said: ChannelMessage) => ParsedFrame | null,
): void => {
  fc.assert(
    fc.property(message, (said) => {
      expect(roundTrip(said)).toEqual({ kind: 'message', message: said });
    }),
  );
};

/** Reads whatever comes. */
const survives = (parse: (frame: unknown) => ParsedFrame): void => {
  fc.assert(
    fc.property(fc.anything(), (frame) => {
      expect(['message', 'nothing', 'garbage']).toContain(parse(frame).kind);
    }),
  );
};

/** JSON where the value has a JSON form. */
const textOf = (frame: unknown): string => {
  const text: unknown = JSON.stringify(frame);
  return typeof text === 'string' ? text : '';
};

const through = <T>(frame: T | null, parse: (frame: T) => ParsedFrame): ParsedFrame | null =>
  frame === null ? null : parse(frame);

const message = (parts: {
  readonly conversation: fc.Arbitrary<string>;
  readonly thread: fc.Arbitrary<string | null>;
  readonly sender: fc.Arbitrary<string>;
  readonly id: fc.Arbitrary<string>;
  readonly text?: fc.Arbitrary<string>;
}): fc.Arbitrary<ChannelMessage> =>
  fc.record({ text, ...parts }).map((said) => ({ binding, ...said, address: said.id }));

const nullable = (some: fc.Arbitrary<string>) => fc.option(some, { nil: null });

describe('given a message of a webhook', () => {
  it('is the same after its wire form', () => {
    holds(message({ conversation: name, thread: nullable(name), sender: name, id: name }), (said) =>
      parseWebhook(binding, encodeWebhook(said)),
    );
  });
  it('reads whatever comes in its place', () => {
    survives((frame) => parseWebhook(binding, textOf(frame)));
  });
});

describe('given a message of a broker', () => {
  const level = fc.stringMatching(/^[a-z0-9:_-]{1,20}$/);
  const forms = [
    { binding, filter: 'in/#', senderLevel: null },
    { binding, filter: 'in/+/chat', senderLevel: 2 },
    { binding, filter: 'in/#', senderLevel: 3 },
  ];
  const addressed = message({
    conversation: name,
    thread: nullable(name),
    sender: level,
    id: name,
  });
  const back = fc.record({
    topic: nullable(level.map((part) => `out/${part}`)),
    correlation: nullable(fc.base64String({ minLength: 4, maxLength: 16 })),
  });
  it.each(forms)('is the same after its wire form: $filter, sender at $senderLevel', (form) => {
    const said = fc.tuple(addressed, back).map(([one, { topic, correlation }]) => ({
      ...one,
      address: JSON.stringify({ id: one.id, topic, correlation }),
    }));
    holds(said, (one) => through(encodeMqtt(one, form), (frame) => parseMqtt(frame, form)));
  });
  it('reads whatever comes in its place', () => {
    const [form] = forms;
    if (form === undefined) throw new Error('there is a form');
    survives((frame) =>
      parseMqtt(
        {
          topic: 'in/x',
          payload: textOf(frame),
          responseTopic: null,
          correlation: null,
        },
        form,
      ),
    );
  });
});

describe('given a message of Telegram', () => {
  const chat = fc.integer({ min: -(2 ** 45), max: 2 ** 45 }).map(String);
  const wrote = message({
    conversation: chat,
    thread: nullable(digits),
    sender: digits,
    id: digits,
  });
  it('is the same after its wire form, written or pressed', () => {
    const pressed = wrote.map((said) => ({ ...said, id: `press-${said.id}` }));
    holds(fc.oneof(wrote, pressed), (said) =>
      through(encodeTelegram(said, 1), (update) => parseTelegram(update, binding)),
    );
  });
  it('reads whatever comes in its place', () => {
    survives((frame) => parseTelegram(frame, binding));
  });
});

describe('given a message of Slack', () => {
  const ts = fc.tuple(digits, digits).map((parts) => parts.join('.'));
  const wrote = message({ conversation: name, thread: nullable(ts), sender: name, id: ts });
  it('is the same after its wire form, written or pressed', () => {
    const pressed = wrote.map((said) => ({ ...said, id: `press-${said.id}` }));
    holds(fc.oneof(wrote, pressed), (said) =>
      through(encodeSlack(said), (frame) => parseSlack(frame, binding)),
    );
  });
  it('reads whatever comes in its place', () => {
    for (const type of ['events_api', 'slash_commands', 'interactive'])
      survives((frame) => parseSlack({ type, body: { event: frame, actions: frame } }, binding));
  });
});

describe('given a message of Discord', () => {
  const wrote = message({
    conversation: digits,
    thread: fc.constant(null),
    sender: digits,
    id: digits,
    text: text.filter((said) => !/^\s*<@!?\d+>/.test(said)),
  });
  it('is the same after its wire form, written or pressed', () => {
    const pressed = wrote.map((said) => ({ ...said, id: `press-${said.id}` }));
    holds(fc.oneof(wrote, pressed), (said) =>
      through(encodeDiscord(said), (frame) => parseDiscord(frame, binding)),
    );
  });
  it('reads whatever comes in its place', () => {
    for (const t of ['MESSAGE_CREATE', 'INTERACTION_CREATE', 'READY'])
      survives((d) => parseDiscord({ t, d }, binding));
  });
});

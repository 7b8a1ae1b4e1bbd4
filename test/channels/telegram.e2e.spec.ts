import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startTelegramServer, type TelegramServer } from '../support/telegram-server.ts';
import { oneChannel, runChannels, type ChannelRun } from './channel-run.ts';

const token = '111:telegram-token-of-the-spec';
process.env['TELEGRAM_SPEC_TOKEN'] = token;

let run: ChannelRun;
let telegram: TelegramServer;
let update: number;

beforeEach(async () => {
  update = 100;
  telegram = await startTelegramServer();
  run = await runChannels(
    oneChannel(
      'telegram',
      `token = { env = "TELEGRAM_SPEC_TOKEN" }
api_url = "${telegram.url}"`,
      { ana: '7', bob: '8', ignored: '9' },
    ),
  );
  await run.running('telegram.main');
});
afterEach(async () => {
  await run.remove();
  await telegram.close();
});

const say = (text: string, from = 7, more: object = {}): number => {
  update += 1;
  telegram.push({
    update_id: update,
    message: {
      message_id: update,
      date: 0,
      chat: { id: -55, type: 'supergroup' },
      from: { id: from, is_bot: false, first_name: 'X' },
      text,
      ...more,
    },
  } as { update_id: number });
  return update;
};
const press = (command: string, from = 7): void => {
  update += 1;
  telegram.push({
    update_id: update,
    callback_query: {
      id: `q${update}`,
      chat_instance: '1',
      from: { id: from, is_bot: false, first_name: 'X' },
      message: { message_id: 1, date: 0, chat: { id: -55, type: 'supergroup' } },
      data: `chat:${JSON.stringify({ a: 'do', v: command })}`,
    },
  } as { update_id: number });
};
const sent = (part: string): Promise<string> =>
  eventually(`a message with \`${part}\``, () => {
    const texts = telegram.calls
      .filter(({ method }) => method === 'sendMessage')
      .map(({ body }) => String(body['text']));
    return texts.find((text) => text.includes(part)) ?? null;
  });
const count = (method: string): number =>
  telegram.calls.filter((call) => call.method === method).length;

describe('given a bot on Telegram', () => {
  it('answers in the chat and the topic, and confirms the update only then', async () => {
    say('hello', 7, { message_thread_id: 4 });
    await sent('Plain answer.');
    const call = telegram.calls.find(({ method }) => method === 'sendMessage');
    expect(call?.body).toMatchObject({ chat_id: '-55', message_thread_id: 4 });
    expect(call?.body['parse_mode']).toBeUndefined();
    await eventually('the update to be confirmed', () =>
      telegram.unconfirmed() === 0 ? true : null,
    );
    const [accepted] = await run.events('MessageAccepted');
    expect(accepted?.data).toMatchObject({
      replyTo: { binding: 'telegram.main', conversation: '-55', thread: '4', message: '101' },
    });
  });

  it('goes on polling after a rival, a failed gateway and a limit', async () => {
    telegram.fail(
      'getUpdates',
      { status: 409, description: 'Conflict: terminated by other getUpdates request' },
      { status: 502, text: '<html>bad gateway</html>' },
    );
    say('hello');
    await sent('Plain answer.');
    expect(count('getUpdates')).toBeGreaterThanOrEqual(3);
  });

  it('tells in its health what is wrong, without its token', async () => {
    telegram.fail(
      'getUpdates',
      ...Array.from({ length: 3 }, () => ({ status: 409, description: `Conflict for ${token}` })),
    );
    const row = await eventually('the failure to show', async () => {
      const { body } = await run.admin().get('/v1/channels');
      const [item] = (
        body as { readonly items: readonly { state: string; error: string | null }[] }
      ).items;
      return item?.state === 'reconnecting' ? item : null;
    });
    expect(row.error).toContain('Conflict');
    expect(JSON.stringify(row)).not.toContain(token);
  });

  it('waits as long as Telegram says before it sends again', async () => {
    telegram.fail('sendMessage', { status: 429, retryAfter: 2 });
    say('hello');
    await sent('Plain answer.');
    await eventually('the delivery', async () =>
      (await run.events('ReplyDelivered')).length === 1 ? true : null,
    );
    const [failed] = await run.events('ReplyDeliveryFailed');
    const [first, second] = await run.events('ReplyDeliveryStarted');
    expect(failed?.data).toMatchObject({ retryAt: expect.any(Number) });
    expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThanOrEqual(2_000);
  });

  it('takes an update once, though it comes again', async () => {
    const id = say('hello');
    await sent('Plain answer.');
    telegram.push({
      update_id: update + 1,
      message: { message_id: id, date: 0, chat: { id: -55 }, from: { id: 7 }, text: 'hello' },
    } as { update_id: number });
    update += 1;
    await eventually('both to be confirmed', () => (telegram.unconfirmed() === 0 ? true : null));
    expect(await run.events('MessageAccepted')).toHaveLength(1);
  });

  it('sends a long reply in pieces that are whole characters', async () => {
    say('long answer');
    await eventually('the delivery', async () =>
      (await run.events('ReplyDelivered')).length === 1 ? true : null,
    );
    const pieces = telegram.calls
      .filter(({ method }) => method === 'sendMessage')
      .map(({ body }) => String(body['text']));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.every((piece) => piece.isWellFormed() && piece.length <= 4096)).toBe(true);
    expect(pieces.join('').trim()).toBe('plum 🍑 '.repeat(900).trim());
  });

  it('shows an approval with buttons; the press of another person changes nothing', async () => {
    say('write the plum');
    const shown = await sent('asks to use');
    expect(shown).toContain('plum-content');
    const keyboard = await eventually('the buttons', () => {
      const call = telegram.calls.find(
        ({ method, body }) => method === 'sendMessage' && body['reply_markup'] !== undefined,
      );
      return call === undefined ? null : JSON.stringify(call.body['reply_markup']);
    });
    const [approve = ''] = [...keyboard.matchAll(/\/approve \w{8}/g)].map(([text]) => text);
    press(approve, 8);
    await sent('approver');
    expect(await run.events('ApprovalGranted')).toEqual([]);
    press(approve, 666);
    press(approve, 7);
    await sent('Wrote it');
    const [granted] = await run.events('ApprovalGranted');
    expect(granted?.data).toMatchObject({ by: { principal: 'telegram.main/7', person: 'ana' } });
    expect(count('answerCallbackQuery')).toBe(3);
  });

  it('lets nobody approve what it could not show whole', async () => {
    say('write a lot');
    const shown = await sent('asks to use');
    expect(shown).toContain('[cut: ');
    const [, code = ''] = /\/deny (\w{8})/.exec(shown) ?? [];
    say(`/approve ${code}`);
    await sent('cut');
    expect(await run.events('ApprovalGranted')).toEqual([]);
  });

  it('hears nothing from strangers, bots and frames of another form, and says nothing to them', async () => {
    say('hello', 666);
    say('hello', 9);
    telegram.push({ update_id: (update += 1), message: { text: 5 } } as { update_id: number });
    telegram.push({ update_id: (update += 1), edited_message: {} } as { update_id: number });
    await eventually('all to be confirmed', () => (telegram.unconfirmed() === 0 ? true : null));
    expect(count('sendMessage')).toBe(0);
    expect(await run.events('SessionOpened', 'TurnRequested', 'TurnRefused')).toEqual([]);
    expect((await run.events('InboundRefused')).map(({ data }) => data)).toMatchObject([
      { source: 'telegram.main' },
    ]);
  });
});

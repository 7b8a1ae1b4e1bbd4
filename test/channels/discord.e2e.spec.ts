import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDiscordServer, type DiscordServer } from '../support/discord-server.ts';
import { eventually } from '../support/eventually.ts';
import { oneChannel, runChannels, type ChannelRun } from './channel-run.ts';

process.env['DISCORD_SPEC_TOKEN'] = 'MTIz.discord.token-of-the-spec';

let run: ChannelRun;
let discord: DiscordServer;

beforeEach(async () => {
  discord = await startDiscordServer();
  run = await runChannels(
    oneChannel(
      'discord',
      `token = { env = "DISCORD_SPEC_TOKEN" }
api_url = "${discord.url}"`,
      { ana: '701', bob: '702', ignored: '703' },
    ),
  );
  await run.running('discord.main');
});
afterEach(async () => {
  await run.remove();
  await discord.close();
});

const say = (content: string, id: string, from = '701', more: object = {}): void => {
  discord.push('MESSAGE_CREATE', {
    id,
    channel_id: '50',
    content,
    type: 0,
    author: { id: from, username: 'x', discriminator: '0' },
    ...more,
  });
};
const press = (custom_id: string, id: string, from: string): void => {
  discord.push('INTERACTION_CREATE', {
    id,
    token: 'answer',
    type: 3,
    version: 1,
    application_id: '1',
    channel_id: '50',
    user: { id: from, username: 'x', discriminator: '0' },
    message: { id: '7001', channel_id: '50', content: '', author: { id: '1' }, embeds: [] },
    data: { custom_id, component_type: 2 },
    entitlements: [],
    authorizing_integration_owners: {},
  });
};
const posts = () =>
  discord.calls.filter(({ path }) => path.endsWith('/messages')).map(({ body }) => body);
const posted = (part: string) =>
  eventually(
    `a post with \`${part}\``,
    () => posts().find((body) => String(body['content']).includes(part)) ?? null,
  );
const delivered = (count: number) =>
  eventually('the delivery', async () => {
    const events = await run.events('ReplyDelivered');
    return events.length === count ? events : null;
  });

describe('given a bot on Discord', () => {
  it('answers in the channel, calls nobody, and says which try it is', async () => {
    say('<@1> hello', '9001');
    expect(await posted('Plain answer.')).toMatchObject({
      allowed_mentions: { parse: [] },
      enforce_nonce: true,
      nonce: expect.any(String),
    });
    await delivered(1);
    const [accepted] = await run.events('MessageAccepted');
    expect(accepted?.data).toMatchObject({ text: { inline: 'hello' } });
  });

  it('shows an approval with buttons that the right person presses', async () => {
    say('write the plum', '9001');
    const shown = await posted('asks to use');
    expect(shown['content']).toContain('plum-content');
    const [approve = ''] = /\/approve \w{8}/.exec(JSON.stringify(shown['components'])) ?? [];
    press(approve, '1', '702');
    await posted('approver');
    press(approve, '2', '701');
    await posted('Wrote it');
    const [granted] = await run.events('ApprovalGranted');
    expect(granted?.data).toMatchObject({ by: { principal: 'discord.main/701', person: 'ana' } });
    expect(discord.calls.filter(({ path }) => path.includes('/callback'))).toHaveLength(2);
  });

  it('tries again with the same nonce after a failure and a limit', async () => {
    discord.fail({ status: 502 }, { status: 429, retryAfter: 0.5 });
    say('hello', '9001');
    await delivered(1);
    expect(new Set(posts().map((body) => body['nonce'])).size).toBe(1);
    expect(posts()).toHaveLength(3);
    expect(await run.events('ReplyDeliveryFailed')).toHaveLength(2);
  });

  it('gives up where Discord refuses', async () => {
    discord.fail({ status: 403 });
    say('hello', '9001');
    const [failed] = await eventually('the failure', async () => {
      const events = await run.events('ReplyDeliveryFailed');
      return events.length === 1 ? events : null;
    });
    expect(failed?.data).toMatchObject({ retryAt: null });
  });

  it('resumes after the gateway dropped it, and takes a repeat once', async () => {
    say('hello', '9001');
    await delivered(1);
    discord.drop();
    await eventually('a second connection', () => (discord.connections() === 2 ? true : null));
    await run.running('discord.main');
    say('hello', '9001');
    say('hello again', '9002');
    await delivered(2);
    expect(await run.events('MessageAccepted')).toHaveLength(2);
  });

  it('hears nothing from strangers, programs and frames of another form', async () => {
    say('hello', '9001', '999');
    say('hello', '9002', '703');
    say('hello', '9003', '701', { author: { id: '701', bot: true } });
    discord.push('MESSAGE_CREATE', { id: 5 });
    say('hello', '9004');
    await delivered(1);
    expect(await run.events('MessageAccepted')).toHaveLength(1);
    expect(posts()).toHaveLength(1);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startSlackServer, type SlackServer } from '../support/slack-server.ts';
import { oneChannel, runChannels, type ChannelRun } from './channel-run.ts';

process.env['SLACK_SPEC_BOT'] = 'xoxb-slack-bot-token-of-the-spec';
process.env['SLACK_SPEC_APP'] = 'xapp-slack-app-token-of-the-spec';

let run: ChannelRun;
let slack: SlackServer;

beforeEach(async () => {
  slack = await startSlackServer();
  run = await runChannels(
    oneChannel(
      'slack',
      `bot_token = { env = "SLACK_SPEC_BOT" }
app_token = { env = "SLACK_SPEC_APP" }
api_url = "${slack.url}"`,
      { ana: 'UANA', bob: 'UBOB', ignored: 'UEVE' },
    ),
  );
  await run.running('slack.main');
});
afterEach(async () => {
  await run.remove();
  await slack.close();
});

const say = (text: string, ts: string, more: object = {}, envelope?: string): void => {
  slack.push(
    'events_api',
    {
      type: 'event_callback',
      event_id: `Ev${ts}`,
      event: { type: 'message', channel: 'C1', user: 'UANA', text, ts, ...more },
    },
    envelope,
  );
};
const posts = () =>
  slack.calls.filter(({ method }) => method === 'chat.postMessage').map(({ body }) => body);
const posted = (part: string) =>
  eventually(
    `a post with \`${part}\``,
    () => posts().find((body) => (body['text'] ?? '').includes(part)) ?? null,
  );

describe('given an app in Slack', () => {
  it('answers in the thread, and acknowledges the frame when it is durable', async () => {
    say('hello', '100.1', { thread_ts: '99.1' }, 'first');
    const post = await posted('Plain answer.');
    expect(post).toMatchObject({ channel: 'C1', thread_ts: '99.1', mrkdwn: 'false' });
    expect(slack.acknowledged).toEqual(['first']);
    const [accepted] = await run.events('MessageAccepted');
    expect(accepted?.meta.principal?.id).toBe('slack.main/UANA');
  });

  it('takes what comes twice, as message and as mention, for one message', async () => {
    say('<@UBOT> hello', '100.1');
    say('<@UBOT> hello', '100.1', { type: 'app_mention' });
    say('<@UBOT> hello', '100.1', {}, 'again');
    await posted('Plain answer.');
    await eventually('the last frame', () => (slack.acknowledged.includes('again') ? true : null));
    const accepted = await run.events('MessageAccepted');
    expect(accepted.map(({ data }) => data)).toMatchObject([{ text: { inline: 'hello' } }]);
  });

  it('shows an approval with buttons that the right person presses', async () => {
    say('write the plum', '100.1');
    const { blocks = '' } = await posted('asks to use');
    expect(blocks).toContain('plum-content');
    const [approve = ''] =
      /\/approve \w{8}/.exec(String(JSON.parse(blocks)[1].elements[0].value)) ?? [];
    const press = (user: string, at: string): void => {
      slack.push('interactive', {
        type: 'block_actions',
        user: { id: user },
        channel: { id: 'C1' },
        message: { ts: '900.1' },
        actions: [{ action_id: 'do-0', value: approve, action_ts: at }],
      });
    };
    press('UBOB', '1');
    await posted('approver');
    press('UANA', '2');
    await posted('Wrote it');
    const [granted] = await run.events('ApprovalGranted');
    expect(granted?.data).toMatchObject({ by: { principal: 'slack.main/UANA', person: 'ana' } });
  });

  it('obeys slash commands', async () => {
    say('ask me', '100.1');
    await posted('Which fruit?');
    slack.push('slash_commands', {
      command: '/stop',
      text: '',
      channel_id: 'C1',
      user_id: 'UANA',
      trigger_id: '5.6',
    });
    await posted('stopping');
    await eventually('the end', async () =>
      (await run.events('TurnCancelled')).length === 1 ? true : null,
    );
  });

  it('tries again after a limit, and gives up where Slack refuses', async () => {
    slack.fail('chat.postMessage', { status: 429, retryAfter: 1 });
    say('hello', '100.1');
    await posted('Plain answer.');
    await eventually('the delivery', async () =>
      (await run.events('ReplyDelivered')).length === 1 ? true : null,
    );
    slack.fail('chat.postMessage', { status: 200, error: 'channel_not_found' });
    say('hello', '100.2');
    await eventually('the end of the second', async () =>
      (await run.events('ReplyDeliveryFailed')).length === 2 ? true : null,
    );
    const failed = await run.events('ReplyDeliveryFailed');
    expect(failed.map(({ data }) => data)).toMatchObject([
      { retryAt: expect.any(Number) },
      { why: expect.stringContaining('channel_not_found'), retryAt: null },
    ]);
  });

  it('connects again after the socket was dropped', async () => {
    slack.drop();
    await eventually('a second connection', () => (slack.connections() === 2 ? true : null));
    await run.running('slack.main');
    say('hello', '100.1');
    await posted('Plain answer.');
  });

  it('hears nothing from strangers, programs and frames of another form', async () => {
    slack.pushText('no json {');
    say('hello', '100.1', { user: 'UZED' });
    say('hello', '100.2', { user: 'UEVE' });
    say('hello', '100.3', { bot_id: 'B1' });
    slack.push('events_api', { type: 'event_callback', event: 'nonsense' }, 'last');
    await eventually('the last frame', () => (slack.acknowledged.includes('last') ? true : null));
    expect(posts()).toEqual([]);
    expect(await run.events('SessionOpened', 'TurnRequested', 'TurnRefused')).toEqual([]);
  });
});

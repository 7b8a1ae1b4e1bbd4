import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { postWebhook } from '../support/signed-webhook.ts';
import { runChannels, type ChannelRun } from './channel-run.ts';

const secret = 'webhook-key-2';
process.env['STARTING_SPEC_KEY'] = secret;
process.env['STARTING_SPEC_TOKEN'] = '222:token-of-a-bot-that-is-not-there';

/** Nobody declares a channel; one has no secret, one leads to a place where nobody listens. */
const config = `
[agents.beta]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[agents.alpha]
enabled = false
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[agents.gamma]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_write", "ask_user", "time_now"]
[runtime_profiles.short.budgets]
max_tool_iterations = 6
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[channels.webhook.main]
secret = { env = "STARTING_SPEC_KEY" }
[channels.webhook.bare]
secret = { env = "STARTING_SPEC_MISSING" }
[channels.telegram.away]
token = { env = "STARTING_SPEC_TOKEN" }
api_url = "http://127.0.0.1:9"
[channels.slack.away]
bot_token = { env = "STARTING_SPEC_TOKEN" }
app_token = { env = "STARTING_SPEC_TOKEN" }
api_url = "http://127.0.0.1:9"
[channels.discord.away]
token = { env = "STARTING_SPEC_TOKEN" }
api_url = "http://127.0.0.1:9"
[channels.mqtt.away]
url = "mqtt://127.0.0.1:9"
topic = "in/#"
[peer_groups.main]
channel = "webhook.main"
agents = ["beta", "gamma"]
external_peers = ["ana"]
`;

let run: ChannelRun | null = null;
afterEach(async () => {
  await run?.remove();
  run = null;
});

interface Row {
  readonly binding: string;
  readonly owner: string | null;
  readonly state: string;
  readonly error: string | null;
}

describe('given channels that nobody declares, and some that cannot start', () => {
  it('leads all of them to the first enabled agent, says so once, and runs those that can', async () => {
    run = await runChannels(config);
    const started = run;
    const rows = await eventually('the failures to show', async () => {
      const { body } = await started.admin().get('/v1/channels');
      const { items } = body as { readonly items: readonly Row[] };
      return items.every(({ state }) => state === 'running' || state === 'failed') ? items : null;
    });
    expect(rows).toMatchObject([
      { binding: 'discord.away', owner: 'beta', state: 'failed', error: expect.any(String) },
      { binding: 'mqtt.away', owner: 'beta', state: 'failed', error: expect.any(String) },
      { binding: 'slack.away', owner: 'beta', state: 'failed', error: expect.any(String) },
      { binding: 'telegram.away', owner: 'beta', state: 'failed', error: expect.any(String) },
      {
        binding: 'webhook.bare',
        owner: 'beta',
        state: 'failed',
        error: 'the secret in environment variable `STARTING_SPEC_MISSING` is missing or empty',
      },
      { binding: 'webhook.main', owner: 'beta', state: 'running', error: null },
    ]);
    expect(JSON.stringify(rows)).not.toContain('token-of-a-bot');
    const at = { url: run.url(), alias: 'main', secret };
    const message = { id: 'm1', conversation: 'c', sender: 'ana', text: 'hello' };
    const { body } = await postWebhook(at, message);
    expect((body as { readonly session: string }).session).toMatch(/^session-beta-webhook-/);
    await run.stop();
    await run.start();
    const used = await run.events('ChannelFallbackUsed');
    expect(used.map(({ data }) => data)).toEqual([
      { agent: 'beta', channels: rows.map(({ binding }) => binding) },
    ]);
  });
});

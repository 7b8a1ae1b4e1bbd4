import { readFile } from 'node:fs/promises';
import { rpcClient } from './rpc-client.ts';
import { eventually } from './eventually.ts';
import type { Caller, RunningDaemon } from './running-daemon.ts';
import { postWebhook } from './signed-webhook.ts';
import { countingServer } from './counting-server.ts';

const secret = 'rich-team-key';
process.env['RICH_TEAM_KEY'] = secret;

/** Every way to start a turn of this team. */
export const starts = ['rest', 'run', 'webhook', 'json-rpc', 'cron', 'sop'] as const;
export type StartName = (typeof starts)[number];

/** A lead whose turn makes a call that must not run twice, keeps a row, asks a person and lets a helper work, who does much the same;
 * `lines` is the file in which the tool server counts, `replyUrl` where the webhook's replies go. */
export const richConfig = (lines: string, replyUrl: string): string => `
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[risk_profiles.open]
autonomy = "supervised"
[risk_profiles.open.tools]
allowed = ["mcp:count/*", "memory_*", "delegate"]
[risk_profiles.open.approval]
auto_approve = ["mcp:count/append", "memory_*", "delegate"]
[risk_profiles.open.delegation]
mode = "allow"
[runtime_profiles.short.budgets]
max_actions_per_hour = "unlimited"
[agents.lead]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
mcp_bundles = ["count"]
delegates = [{ agent = "helper", mode = "bounded" }]
channels = ["webhook.desk"]
[agents.helper]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
mcp_bundles = ["count"]
[channels.webhook.desk]
secret = { env = "RICH_TEAM_KEY" }
reply_url = "${replyUrl}"
[peer_groups.desk]
channel = "webhook.desk"
agents = ["lead"]
external_peers = ["user"]
[cron.nightly]
agent = "lead"
schedule = "0 0 1 1 *"
prompt = "rich cron"
[sops.release]
triggers = ["manual"]
[[sops.release.steps]]
agent = "lead"
prompt = "rich {{input}}"
gate = "approval"
${countingServer(lines, ['append', 'asked'])}
`;

/** How a turn goes that is asked for as `rich NAME`: every call leaves a line of its own. */
const scenario = (name: string): string => `
  - when: "rich ${name}"
    steps:
      - calls:
          - { tool: "mcp:count/append", args: { line: "${name} lead" } }
          - { tool: memory_store, args: { text: "${name} was here" } }
      - calls: [{ tool: "mcp:count/asked", args: { line: "${name} asked" } }]
      - calls: [{ tool: delegate, args: { agent: helper, input: "help ${name}" } }]
      - say: "rich ${name} done"
  - when: "help ${name}"
    steps:
      - calls: [{ tool: "mcp:count/append", args: { line: "${name} helper" } }]
      - say: "helped ${name}"
`;
/** @param names of the turns that may be asked for */
export const richScript = (names: readonly string[] = starts): string =>
  `scenarios:${names.map(scenario).join('')}default: [{ say: plain }]\n`;

/** What the tool server did, line by line. */
export const doneLines = async (lines: string): Promise<readonly string[]> => {
  const text = await readFile(lines, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
};

/** What of a daemon is spoken to. */
export type RichDaemon = Pick<RunningDaemon, 'admin' | 'url' | 'data'>;

/** Starts one turn in one way. A daemon whose log has stopped refuses it; whatever it says, the log has the word.
 * @param what name of the turn; a job's is always `cron` */
export const startRich = async (
  running: RichDaemon,
  name: StartName,
  what: string = name,
): Promise<void> => {
  const admin = running.admin();
  const input = `rich ${what}`;
  switch (name) {
    case 'rest':
      await admin.post('/v1/agents/lead/turns', { input });
      return;
    case 'run':
      await admin.post('/v1/agents/lead/runs', { input });
      return;
    case 'webhook': {
      const message = { id: what, conversation: what, sender: 'user', text: input };
      await postWebhook({ url: running.url(), alias: 'desk', secret }, message);
      return;
    }
    case 'json-rpc': {
      const client = await rpcClient(running.data);
      await client.call('initialize', {});
      await client.call('turns.start', { agent: 'lead', input });
      client.close();
      return;
    }
    case 'cron':
      await admin.post('/v1/jobs/nightly/run');
      return;
    case 'sop':
      await admin.post('/v1/sops/release/runs', { input: what });
  }
};

interface Waiting {
  readonly id: string;
  readonly revision: number;
  readonly shown: string;
}

/** Says yes to whatever waits, once. */
export const approveAll = async (admin: Caller): Promise<number> => {
  const { body } = await admin.get('/v1/approvals');
  const { items } = body as { readonly items?: readonly Waiting[] };
  for (const { id, revision, shown } of items ?? [])
    await admin.post(`/v1/approvals/${id}/decision`, { choice: 'once', revision, shown });
  return items?.length ?? 0;
};

/** Lets everything that is open come to its end. */
export const finishRich = async (running: RichDaemon, withinMs = 60_000): Promise<true> => {
  const admin = running.admin();
  try {
    return await eventually(
      'the end of all that is open',
      async () => {
        await approveAll(admin);
        const { body } = await admin.get('/v1/adopt');
        const { open } = body as { readonly open: Readonly<Record<string, number>> };
        return Object.values(open).every((count) => count === 0) ? true : null;
      },
      withinMs,
    );
  } catch (error) {
    throw new Error(`${String(error)}; open is ${await whatIsOpen(admin)}`, { cause: error });
  }
};

/** What is open, and with what each open turn has come to a stand. */
const whatIsOpen = async (admin: Caller): Promise<string> => {
  const { body } = await admin.get('/v1/adopt');
  const turns = (await admin.get('/v1/turns?limit=100')).body as {
    readonly items: readonly { readonly id: string; readonly status: string }[];
  };
  const open = turns.items.filter(({ status }) =>
    ['running', 'waiting', 'queued'].includes(status),
  );
  const ends = open.map(async ({ id }) => {
    const events = (await admin.get(`/v1/turns/${id}/events?limit=1000`)).body as {
      readonly items: readonly { readonly type: string; readonly time: number }[];
    };
    return `${id}: ${events.items
      .slice(-4)
      .map(({ type, time }) => `${type} ${time}`)
      .join(', ')}`;
  });
  return [JSON.stringify(body), ...(await Promise.all(ends))].join('\n');
};

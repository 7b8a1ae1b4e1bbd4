import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findingsIn, isBad } from '../cli/parity/findings.ts';
import { runProbes } from './run-probes.ts';

const config = `
[agents.alpha]
provider = "remote"
risk_profile = "careful"
runtime_profile = "short"
[risk_profiles.careful]
autonomy = "full"
[risk_profiles.careful.tools]
allowed = ["file_read", "file_write", "http_fetch"]
denied = ["file_edit"]
[risk_profiles.careful.network]
allowed_hosts = ["api.example.com"]
[runtime_profiles.short.budgets]
max_tool_calls = 6
max_actions_per_hour = 12
[providers.remote]
type = "openai"
model = "some-model"
api_key = { env = "NO_SUCH_KEY" }
prices = "free"
[channels.webhook.desk]
secret = { env = "NO_SUCH_KEY" }
[peer_groups.desk]
channel = "webhook.desk"
agents = ["alpha"]
external_peers = ["user-1"]
[cron.nightly]
agent = "alpha"
schedule = "0 3 1 1 *"
prompt = "night work"
tools = ["file_read"]
`;

let folder = '';
afterEach(() => rm(folder, { recursive: true, force: true }));

const laid = async (text: string): Promise<string> => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-probed-'));
  const file = join(folder, 'lockstep.toml');
  await writeFile(file, text);
  return file;
};

const cellsOf = async (path: 'channel' | 'loop') => {
  const report = await runProbes({ config: await laid(config), path });
  const cells = findingsIn(report.agents, path);
  return {
    report,
    state: (setting: string, trigger: string) =>
      cells.find((cell) => cell.setting === setting && cell.trigger === trigger),
  };
};

describe('given a config whose provider, platform and hosts are out of reach', () => {
  it('sees its settings act on what comes over a channel, and leaves no gap', async () => {
    const { report, state } = await cellsOf('channel');
    expect(report.problems).toEqual([]);
    expect(findingsIn(report.agents, 'channel').filter(({ state: s }) => isBad(s, false))).toEqual(
      [],
    );
    for (const setting of [
      'tools.allowed',
      'tools.denied',
      'approval.autonomy',
      'budgets.max_tool_calls',
      'budgets.max_actions_per_hour',
      'budgets.tool_timeout_secs',
      'budgets.turn_timeout_secs',
      'workspace.root',
      'network.allowed_hosts',
      'network.block_private_addresses',
      'output.redact',
      'channels.peers',
    ])
      expect([setting, state(setting, 'webhook')?.state]).toEqual([setting, 'enforced']);
    expect(state('tools.allowed', 'telegram')).toMatchObject({
      state: 'n/a',
      reason: expect.stringMatching(/owns no telegram channel/) as string,
    });
  });

  it('sees on a job what the job takes away, and nothing else', async () => {
    const { report, state } = await cellsOf('loop');
    expect(report.problems).toEqual([]);
    expect(state('tools.allowed', 'cron')?.state).toBe('enforced');
    expect(findingsIn(report.agents, 'loop').filter(({ state: s }) => s === 'gap')).toEqual([]);
    const [evidence] = report
      .cell('tools.allowed', 'loop', 'alpha')
      .evidence.filter(({ trigger }) => trigger === 'cron');
    expect(evidence?.expected).toContain('["builtin:file_read"]');
  });
});

it('refuses a config that is wrong before it tries anything', async () => {
  const file = await laid('[agents.alpha]\nprovider = "nobody"\n');
  await expect(runProbes({ config: file })).rejects.toMatchObject({ exitCode: 2 });
});

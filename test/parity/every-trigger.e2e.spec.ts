import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PolicySnapshot, Trigger } from '@lockstep/policy';
import { channelDrivers, type ChannelDriver } from '../support/channel-drivers.ts';
import { eventually } from '../support/eventually.ts';
import { runDaemon } from '../support/running-daemon.ts';
import { policyOver, startDrivers, type DriveParts } from './drivers.ts';

const kinds = ['webhook', 'mqtt', 'telegram', 'slack', 'discord'] as const;

const agent = (name: string, rest = ''): string => `
[agents.${name}]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
${rest}`;

const configOf = (drivers: readonly ChannelDriver[]): string => `
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[risk_profiles.open]
autonomy = "full"
[risk_profiles.open.tools]
allowed = ["file_read", "time_now", "spawn", "delegate", "message_peer", "sop_start"]
[risk_profiles.open.delegation]
mode = "allow"
spawn = true
max_depth = 3
sops = ["release"]
[runtime_profiles.short]
${agent('ada', `channels = [${drivers.map(({ binding }) => `"${binding}"`).join(', ')}]`)}
${agent('ben', 'delegates = [{ agent = "ada", mode = "bounded" }]')}
${agent('cal', 'delegates = [{ agent = "ada", mode = "independent" }]')}
[cron.nightly-ada]
agent = "ada"
schedule = "0 3 1 1 *"
prompt = "night work"
uses_memory = true
[cron.narrow-ben]
agent = "ben"
schedule = "0 3 1 1 *"
prompt = "night work"
tools = ["time_now"]
[heartbeat.ada]
every = "12h"
prompt = "look around"
[sops.release]
triggers = ["manual", "tool"]
[[sops.release.steps]]
agent = "ada"
prompt = "do {{input}}"
[sops.narrow]
triggers = ["manual"]
[[sops.narrow.steps]]
agent = "ben"
prompt = "do {{input}}"
tools = ["time_now"]
${drivers.map(({ config }) => config).join('')}
${drivers
  .map(
    ({ binding, peer }, n) =>
      `[peer_groups.g${n}]\nchannel = "${binding}"\nagents = ["ada", "ben"]\nexternal_peers = ["${peer(1)}"]\n`,
  )
  .join('')}`;

const script = (channel: string): string => `
scenarios:
  - when: "split yourself"
    steps:
      - calls: [{ tool: spawn, args: { input: "a part" } }]
      - say: split
  - when: "split narrowly"
    steps:
      - calls: [{ tool: spawn, args: { input: "a part", tools: [time_now] } }]
      - say: split
  - when: "hand it to ada"
    steps:
      - calls: [{ tool: delegate, args: { agent: ada, input: "a part" } }]
      - say: handed
  - when: "write to ada"
    steps:
      - calls: [{ tool: message_peer, args: { agent: ada, channel: ${channel}, text: "a part" } }]
      - say: written
  - when: "follow the procedure"
    steps:
      - calls: [{ tool: sop_start, args: { name: release, input: "a part" } }]
      - say: followed
default: [{ say: "Done." }]
`;

let drivers: readonly ChannelDriver[] = [];
let parts: DriveParts;
beforeAll(async () => {
  drivers = await Promise.all(kinds.map((kind) => channelDrivers[kind]('main')));
  const daemon = await runDaemon(configOf(drivers), script('webhook.main'));
  const { token } = await daemon.issue({ name: 'ci', roles: ['operator', 'viewer'] });
  const channels = Object.fromEntries(kinds.map((kind, n) => [kind, drivers[n]]));
  parts = { daemon, token, channels: channels as Record<string, ChannelDriver> };
  await eventually('every channel to run', async () => {
    const { body } = await daemon.admin().get('/v1/channels');
    const { items } = body as { readonly items: readonly { readonly state: string }[] };
    return items.every(({ state }) => state === 'running') ? true : null;
  });
});
afterAll(async () => {
  await parts.daemon.remove();
  await Promise.all(drivers.map((driver) => driver.close()));
});

const snapshotOf = async (alias: string, trigger: Trigger): Promise<PolicySnapshot> => {
  const { snapshot } = (await policyOver(parts, alias, trigger)).data;
  if (!('inline' in snapshot)) throw new Error('the policy is no inline text');
  return snapshot.inline;
};

/** Triggers whose turns stand one level below another turn. */
const below: ReadonlySet<Trigger> = new Set<Trigger>([
  'peer',
  'subagent',
  'bounded',
  'independent',
  'live',
]);

const triggers = Object.keys(startDrivers) as Trigger[];

describe('given one agent that every trigger leads to', () => {
  it('runs under one policy, one level deeper where a turn stands above it', async () => {
    await Promise.all(triggers.map((trigger) => startDrivers[trigger](parts, 'ada')));
    const plain = await snapshotOf('ada', 'run');
    const deeper = { ...plain, delegation: { ...plain.delegation, max_depth: 2 } };
    for (const trigger of triggers) {
      const found = await snapshotOf('ada', trigger);
      expect([trigger, found]).toEqual([trigger, below.has(trigger) ? deeper : plain]);
    }
  });
});

describe('given something that takes tools away', () => {
  const clock = [['builtin:time_now']];
  const narrowed: Readonly<Partial<Record<Trigger, () => Promise<unknown>>>> = {
    rest: async () => {
      const caller = await parts.daemon.issue({
        name: 'narrow',
        roles: ['operator', 'viewer'],
        scopes: { agents: ['*'], tools: ['time_now'] },
      });
      return startDrivers.rest({ ...parts, token: caller.token }, 'ben');
    },
    websocket: async () => {
      const caller = await parts.daemon.issue({
        name: 'narrow-ws',
        roles: ['operator', 'viewer'],
        scopes: { agents: ['*'], tools: ['time_now'] },
      });
      return startDrivers.websocket({ ...parts, token: caller.token }, 'ben');
    },
    openai: async () => {
      const caller = await parts.daemon.issue({
        name: 'narrow-oa',
        roles: ['operator', 'viewer'],
        scopes: { agents: ['*'], tools: ['time_now'] },
      });
      return startDrivers.openai({ ...parts, token: caller.token }, 'ben');
    },
    cron: () => parts.daemon.admin().post('/v1/jobs/narrow-ben/run'),
    subagent: () =>
      parts.daemon.admin().post('/v1/agents/ben/runs', { input: 'split narrowly', wait: true }),
    headless: () => parts.daemon.admin().post('/v1/sops/narrow/runs', { input: 'hello' }),
  };

  it('takes exactly these tools, and nothing of any other setting', async () => {
    await startDrivers.run(parts, 'ben');
    const whole = await snapshotOf('ben', 'run');
    for (const [trigger, start] of Object.entries(narrowed)) {
      await start();
      const { tools, ...rest } = await snapshotOf('ben', trigger as Trigger);
      expect([trigger, tools.allowed]).toEqual([
        trigger,
        expect.arrayContaining([...whole.tools.allowed, ...clock]),
      ]);
      const { tools: _, delegation, memory, ...others } = whole;
      const depth = trigger === 'subagent' ? 2 : delegation.max_depth;
      const kept = trigger === 'cron' ? rest.memory : memory;
      expect([trigger, rest]).toEqual([
        trigger,
        { ...others, memory: kept, delegation: { ...delegation, max_depth: depth } },
      ]);
    }
  });
});

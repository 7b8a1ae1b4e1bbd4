import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PolicySnapshot, Trigger } from '@lockstep/policy';
import { channelDrivers, type ChannelDriver } from '../support/channel-drivers.ts';
import { eventually } from '../support/eventually.ts';
import { runDaemon } from '../support/running-daemon.ts';
import { startByAcp, startByJsonRpc } from '../support/start-by.ts';
import { newestPolicy, policyOver, startDrivers, type DriveParts } from './drivers.ts';

const kinds = ['webhook', 'mqtt', 'telegram', 'slack', 'discord'] as const;

const agent = (name: string, rest = ''): string => `
[agents.${name}]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
${rest}`;

const configOf = (drivers: readonly ChannelDriver[], narrow: readonly ChannelDriver[]): string => `
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
${agent(
  'ben',
  `delegates = [{ agent = "ada", mode = "bounded" }]
channels = [${narrow.map(({ binding }) => `"${binding}"`).join(', ')}]`,
)}
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
  .join('')}
${narrow
  .map(
    ({ binding, config, peer }, n) =>
      `${config}tools = ["time_now"]\n[peer_groups.n${n}]\nchannel = "${binding}"\nagents = ["ben"]\nexternal_peers = ["${peer(1)}"]\n`,
  )
  .join('')}`;

/** A second channel of each kind that takes tools away. The broker is the same one: it hands each message to both. */
const narrowOf = async (
  kind: (typeof kinds)[number],
  whole: ChannelDriver,
): Promise<ChannelDriver> =>
  kind === 'mqtt'
    ? {
        ...whole,
        binding: 'mqtt.narrow',
        config: whole.config.replace('mqtt.main', 'mqtt.narrow'),
        close: () => Promise.resolve(),
      }
    : channelDrivers[kind]('narrow');

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
let narrow: readonly ChannelDriver[] = [];
let narrowChannels: DriveParts['channels'] = {};
let parts: DriveParts;
beforeAll(async () => {
  drivers = await Promise.all(kinds.map((kind) => channelDrivers[kind]('main')));
  narrow = await Promise.all(drivers.map((driver, n) => narrowOf(kinds[n] ?? 'webhook', driver)));
  const daemon = await runDaemon(configOf(drivers, narrow), script('webhook.main'));
  const { token } = await daemon.issue({ name: 'ci', roles: ['operator', 'viewer'] });
  const byKind = (all: readonly ChannelDriver[]) =>
    Object.fromEntries(all.map((driver) => [driver.binding.split('.', 1)[0] ?? '', driver]));
  narrowChannels = byKind(narrow);
  parts = { daemon, token, channels: byKind(drivers) };
  await eventually('every channel to run', async () => {
    const { body } = await daemon.admin().get('/v1/channels');
    const { items } = body as { readonly items: readonly { readonly state: string }[] };
    return items.every(({ state }) => state === 'running') ? true : null;
  });
});
afterAll(async () => {
  await parts.daemon.remove();
  await Promise.all([...drivers, ...narrow].map((driver) => driver.close()));
});

const inlineOf = ({
  data: { snapshot },
}: Awaited<ReturnType<typeof policyOver>>): PolicySnapshot => {
  if (!('inline' in snapshot)) throw new Error('the policy is no inline text');
  return snapshot.inline;
};
const snapshotOf = async (alias: string, trigger: Trigger): Promise<PolicySnapshot> =>
  inlineOf(await policyOver(parts, alias, trigger));

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

/** Nothing takes anything away from these: config and the command line have no word for it. */
type Whole = 'heartbeat' | 'run';

/** A start from which something takes tools away: of which agent its turn is, and what is left. */
interface Narrowed {
  readonly agent: 'ada' | 'ben';
  readonly left: string;
  readonly start: () => Promise<unknown>;
}

const byToken =
  (trigger: 'rest' | 'websocket' | 'openai'): (() => Promise<unknown>) =>
  async () => {
    const scopes = { agents: ['*'], tools: ['time_now'] };
    const roles = ['operator', 'viewer'];
    const { token } = await parts.daemon.issue({ name: `narrow-${trigger}`, roles, scopes });
    return startDrivers[trigger]({ ...parts, token }, 'ben');
  };

/** A child of a turn whose token leaves it the one tool that starts it: what is left goes down the chain. */
const belowNarrow = (starter: string, tool: string, input: string): Narrowed => ({
  agent: 'ada',
  left: `builtin:${tool}`,
  start: async () => {
    const scopes = { agents: ['*'], tools: [tool] };
    const caller = await parts.daemon.issue({
      name: `narrow-${starter}-${tool}`,
      roles: ['operator', 'viewer'],
      scopes,
    });
    return caller.post(`/v1/agents/${starter}/turns`, { input, wait: true });
  },
});

const clock = (start: () => Promise<unknown>): Narrowed => ({
  agent: 'ben',
  left: 'builtin:time_now',
  start,
});
const byNarrowChannel = (kind: (typeof kinds)[number]): Narrowed =>
  clock(() => startDrivers[kind]({ ...parts, channels: narrowChannels }, 'ben'));

/** A trigger without a narrowed start does not compile. */
const narrowed: Readonly<Record<Exclude<Trigger, Whole | 'acp'>, Narrowed>> = {
  webhook: byNarrowChannel('webhook'),
  mqtt: byNarrowChannel('mqtt'),
  telegram: byNarrowChannel('telegram'),
  slack: byNarrowChannel('slack'),
  discord: byNarrowChannel('discord'),
  'json-rpc': clock(() =>
    startByJsonRpc(parts.daemon.data, { agent: 'ben', input: 'hello' }, { tools: ['time_now'] }),
  ),
  rest: clock(byToken('rest')),
  websocket: clock(byToken('websocket')),
  openai: clock(byToken('openai')),
  cron: clock(() => parts.daemon.admin().post('/v1/jobs/narrow-ben/run')),
  subagent: clock(() =>
    parts.daemon.admin().post('/v1/agents/ben/runs', { input: 'split narrowly', wait: true }),
  ),
  headless: clock(() => parts.daemon.admin().post('/v1/sops/narrow/runs', { input: 'hello' })),
  peer: belowNarrow('ben', 'message_peer', 'write to ada'),
  bounded: belowNarrow('ben', 'delegate', 'hand it to ada'),
  independent: belowNarrow('cal', 'delegate', 'hand it to ada'),
  live: belowNarrow('ben', 'sop_start', 'follow the procedure'),
};

const sorted = (clauses: readonly (readonly string[])[]): readonly string[] =>
  clauses.map((clause) => JSON.stringify(clause)).sort();

describe('given something that takes tools away', () => {
  it.each(Object.entries(narrowed))(
    'takes exactly these tools over %s, and nothing of any other setting',
    async (name, { agent: alias, left, start }) => {
      const trigger = name as Trigger;
      const before = await newestPolicy(parts, alias, 'run');
      await startDrivers.run(parts, alias);
      const whole = inlineOf(await policyOver(parts, alias, 'run', before));
      const known = await newestPolicy(parts, alias, trigger);
      await start();
      const found = inlineOf(await policyOver(parts, alias, trigger, known));
      expect(found).toEqual({
        ...whole,
        tools: { ...whole.tools, allowed: expect.anything() },
        delegation: {
          ...whole.delegation,
          max_depth: below.has(trigger) ? 2 : whole.delegation.max_depth,
        },
        memory:
          trigger === 'cron'
            ? { ...whole.memory, backend: 'none', auto_recall: false, writable: false }
            : whole.memory,
      });
      expect(sorted(found.tools.allowed)).toEqual(sorted([...whole.tools.allowed, [left]]));
    },
  );

  it('takes exactly the folder over acp', async () => {
    const root = join(parts.daemon.data, 'workspaces', 'ada');
    const folder = join(root, 'part');
    await mkdir(folder, { recursive: true });
    const whole = await snapshotOf('ada', 'run');
    const known = await newestPolicy(parts, 'ada', 'acp');
    await startByAcp(parts.daemon.data, { agent: 'ada', input: 'hello' }, folder);
    expect(inlineOf(await policyOver(parts, 'ada', 'acp', known))).toEqual({
      ...whole,
      workspace: { ...whole.workspace, root: folder },
    });
  });
});

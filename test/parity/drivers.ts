import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LockstepEvent } from '@lockstep/engine';
import type { Trigger } from '@lockstep/policy';
import type { channelDrivers, ChannelDriver } from '../support/channel-drivers.ts';
import { eventually } from '../support/eventually.ts';
import type { RunningDaemon } from '../support/running-daemon.ts';
import {
  startByAcp,
  startByJsonRpc,
  startByOpenAi,
  startByWebSocket,
} from '../support/start-by.ts';

/** What drivers work with: a running daemon, and a token of its gateway. */
export interface DriveParts {
  readonly daemon: RunningDaemon;
  readonly token: string;
  readonly channels: Readonly<Record<string, ChannelDriver>>;
}

/** Starts a turn of an agent over one trigger, over the real transport. Resolves when it was handed over. */
export type StartDriver = (parts: DriveParts, agent: string) => Promise<unknown>;

const input = 'hello';

const byRest =
  (route: 'turns' | 'runs'): StartDriver =>
  ({ daemon, token }, agent) =>
    daemon
      .as(route === 'runs' ? daemon.local() : token)
      .post(`/v1/agents/${agent}/${route}`, { input, wait: true });

const byChannel =
  (kind: keyof typeof channelDrivers): StartDriver =>
  async ({ daemon, channels }) => {
    const driver = channels[kind];
    if (driver === undefined) throw new Error(`no ${kind} server runs`);
    await driver.send(daemon.url(), { peer: 1, text: input });
  };

const byJob =
  (name: (agent: string) => string): StartDriver =>
  ({ daemon }, agent) =>
    daemon.admin().post(`/v1/jobs/${name(agent)}/run`);

/** A turn of `starter` does what starts the other one. */
const byTurnOf =
  (starter: (agent: string) => string, words: string): StartDriver =>
  ({ daemon }, agent) =>
    daemon.admin().post(`/v1/agents/${starter(agent)}/runs`, { input: words, wait: true });

/** A trigger without a driver does not compile. */
export const startDrivers = {
  telegram: byChannel('telegram'),
  slack: byChannel('slack'),
  discord: byChannel('discord'),
  mqtt: byChannel('mqtt'),
  webhook: byChannel('webhook'),
  peer: byTurnOf(() => 'ben', 'write to ada'),
  'json-rpc': ({ daemon }, agent) => startByJsonRpc(daemon.data, { agent, input }),
  acp: async ({ daemon }, agent) => {
    const root = join(daemon.data, 'workspaces', agent);
    await mkdir(root, { recursive: true });
    return startByAcp(daemon.data, { agent, input }, root);
  },
  rest: byRest('turns'),
  websocket: ({ daemon, token }, agent) => startByWebSocket(daemon.url(), token, { agent, input }),
  openai: ({ daemon, token }, agent) => startByOpenAi(daemon.url(), token, { agent, input }),
  cron: byJob((agent) => `nightly-${agent}`),
  heartbeat: byJob((agent) => `heartbeat-${agent}`),
  subagent: byTurnOf((agent) => agent, 'split yourself'),
  run: byRest('runs'),
  bounded: byTurnOf(() => 'ben', 'hand it to ada'),
  independent: byTurnOf(() => 'cal', 'hand it to ada'),
  live: byTurnOf(() => 'ben', 'follow the procedure'),
  headless: ({ daemon }) => daemon.admin().post('/v1/sops/release/runs', { input }),
} satisfies Record<Trigger, StartDriver>;

type Resolved = Extract<LockstepEvent, { type: 'PolicyResolved' }>;

/** The newest policy of an agent over a trigger by now, or null. */
export const newestPolicy = async (
  { daemon }: DriveParts,
  agent: string,
  trigger: Trigger,
): Promise<Resolved | null> => {
  const read = await daemon.admin().get('/v1/events?types=PolicyResolved&limit=500');
  const { items } = read.body as { readonly items: readonly LockstepEvent[] };
  const found = items.findLast(({ meta }) => meta.agent === agent && meta.trigger === trigger);
  return found?.type === 'PolicyResolved' ? found : null;
};

/** The policy that the newest turn of an agent over a trigger was recorded under.
 * @param before the newest one before, which does not count */
export const policyOver = (
  parts: DriveParts,
  agent: string,
  trigger: Trigger,
  before: Resolved | null = null,
): Promise<Resolved> =>
  eventually(`a turn of ${agent} over ${trigger}`, async () => {
    const found = await newestPolicy(parts, agent, trigger);
    return found?.id === before?.id ? null : found;
  });

import { afterEach, describe, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { channelDrivers, type ChannelDriver } from '../support/channel-drivers.ts';
import { eventually } from '../support/eventually.ts';
import { runChannels, type ChannelRun } from './channel-run.ts';

const kinds = ['webhook', 'mqtt', 'telegram', 'slack', 'discord'] as const;

let drivers: ChannelDriver[] = [];
let run: ChannelRun | null = null;
afterEach(async () => {
  await run?.remove();
  await Promise.all(drivers.map((driver) => driver.close()));
  run = null;
  drivers = [];
});

const configOf = (all: readonly ChannelDriver[]): string => `
[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
channels = [${all.map(({ binding }) => `"${binding}"`).join(', ')}]
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
${all.map(({ config }) => config).join('')}
${all
  .map(
    ({ binding, peer }, index) =>
      `[peer_groups.g${index}]\nchannel = "${binding}"\nagents = ["alpha"]\nexternal_peers = ["${peer(1)}"]\n`,
  )
  .join('')}`;

describe('given one agent on a channel of each kind', () => {
  it('runs under one policy whatever channel the message came by, and replays the same', async () => {
    drivers = await Promise.all(kinds.map((kind) => channelDrivers[kind]('main')));
    run = await runChannels(configOf(drivers));
    const started = run;
    for (const driver of drivers) {
      await started.running(driver.binding);
      await driver.send(started.url(), { peer: 1, text: 'hello' });
      await driver.send(started.url(), { peer: 2, text: 'let me in' });
    }
    const ended = await eventually('every delivery', async () => {
      const events = await started.events('ReplyDelivered');
      return events.length === kinds.length ? events : null;
    });
    const resolved = await started.events('PolicyResolved');
    const digestOf = (event: LockstepEvent): unknown =>
      event.type === 'PolicyResolved' ? event.data.digest : null;
    expect(new Set(resolved.map(digestOf)).size).toBe(1);
    expect(resolved.map(({ meta }) => meta.trigger).sort()).toEqual([...kinds].sort());
    for (const { meta } of ended) {
      const { body } = await started.admin().post('/v1/replays', { turn: meta.turn });
      expect(body).toMatchObject({ outcome: 'same' });
    }
    expect(await started.events('SessionOpened')).toHaveLength(kinds.length);
  });
});

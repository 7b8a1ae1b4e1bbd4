import type { Trigger } from '@lockstep/policy';
import { setTimeout as wait } from 'node:timers/promises';
import { longestText } from '../paths/channel/channel-message.ts';
import { errandsTo } from './errands.ts';
import { conversationOn, strangerOn } from './probe-channel.ts';
import type { Jobs } from '../work/jobs.port.ts';
import type { FindWays, Way } from './way.ts';
import { runWays } from './ways-http.ts';

const close = (): Promise<void> => Promise.resolve();

/** Messages of a peer that config lets in, on every channel of the kind that leads to the agent. */
export const channelWays =
  (kind: 'telegram' | 'slack' | 'discord' | 'mqtt' | 'webhook'): FindWays =>
  ({ applied, channels }, agent) => {
    const { config } = applied;
    const declared = Object.values(config.agents).some((one) => (one.channels ?? []).length > 0);
    const mine = config.agents[agent]?.channels ?? [];
    return Object.keys(config.channels[kind])
      .map((alias) => `${kind}.${alias}`)
      .filter((binding) => !declared || mine.includes(binding))
      .flatMap((binding): Way[] => {
        const groups = Object.values(config.peer_groups).filter(
          (group) => group.channel === binding && group.agents.includes(agent),
        );
        const peers = groups.flatMap(({ external_peers, ignore }) =>
          external_peers.filter((peer) => !ignore.includes(peer)),
        );
        const [peer] = peers;
        if (peer === undefined) return [];
        const sender = peer === '*' ? strangerOn(binding) : peer;
        let conversation = 0;
        return [
          {
            trigger: kind,
            keepsSession: true,
            start: async (text, session) => {
              if (session === null) conversation += 1;
              const where = conversationOn(binding, conversation);
              const said = text.slice(0, longestText - 1);
              await channels.say(binding, sender, { text: said, conversation: where });
            },
            close,
          },
        ];
      });
  };

export const cronWays: FindWays = ({ applied, inside }, agent) =>
  Object.entries(applied.config.cron)
    .filter(([, job]) => job.agent === agent && job.enabled)
    .map(([name]) => jobWay('cron', name, inside.jobs));

export const heartbeatWays: FindWays = ({ applied, inside }, agent) =>
  Object.hasOwn(applied.config.heartbeat, agent)
    ? [jobWay('heartbeat', `heartbeat-${agent}`, inside.jobs)]
    : [];

const jobWay = (trigger: Trigger, name: string, jobs: Pick<Jobs, 'runNow'>): Way => ({
  trigger,
  keepsSession: false,
  start: async () => {
    // The run before is noted as ended a moment after its turn has.
    for (let tries = 0; tries < 100; tries += 1) {
      const { kind } = await jobs.runNow(name);
      if (kind !== 'busy') return;
      await wait(20);
    }
  },
  close,
});

/** Procedures with a step of the agent, started by a person. */
export const headlessWays: FindWays = ({ applied, inside }, agent) =>
  Object.entries(applied.config.sops)
    .filter(
      ([, { steps, triggers }]) =>
        triggers.some((one) => one !== 'tool') && steps.some((step) => step.agent === agent),
    )
    .map(([sop]) => ({
      trigger: 'headless',
      keepsSession: false,
      start: async (input) => {
        await inside.sops.start({
          sop,
          input,
          run: null,
          by: { kind: 'local', id: 'local', person: null },
          from: { kind: 'manual', origin: { kind: 'run' } },
        });
      },
      close,
    }));

/** Turns below a turn: another one starts them with a call. */
export const childWays =
  (trigger: 'subagent' | 'bounded' | 'independent' | 'peer' | 'live'): FindWays =>
  (parts, agent) =>
    errandsTo(parts.applied, agent, trigger).flatMap((errand) =>
      runWays(parts, errand.from).map((run) => ({
        trigger,
        keepsSession: false,
        start: async (input: string) => {
          parts.errands.send(errand);
          await run.start(input, null);
        },
        close,
      })),
    );

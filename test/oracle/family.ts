import type { LockstepEvent } from '@lockstep/engine';
import type { ModelAsked, ModelStep } from '@lockstep/engine/testing';
import { configSchema, digestOf, type AppliedConfig } from '@lockstep/policy';
import { configWith, type World } from './harness.ts';

/** A call of a built-in tool, as a model makes it. */
export const call = (tool: string, args: unknown) => ({ tool: `builtin:${tool}`, args });

/** A team of four: a lead with a bounded and an independent edge, and a peer. `change` lays tables over the parts of config. */
export const team = (
  change: {
    readonly version?: number;
    readonly lead?: Record<string, unknown>;
    readonly helper?: Record<string, unknown>;
    readonly free?: Record<string, unknown>;
    readonly peer?: Record<string, unknown>;
    readonly rest?: Record<string, unknown>;
  } = {},
): AppliedConfig => {
  const parts = { provider: 'local', runtime_profile: 'short' };
  const config = configSchema.parse({
    providers: { local: { type: 'scripted', script: 'scripts/a.yaml', prices: 'free' } },
    risk_profiles: {
      open: {
        tools: { allowed: '*' },
        autonomy: 'full',
        delegation: { mode: 'allow', spawn: true, max_depth: 2 },
      },
    },
    runtime_profiles: { short: { memory: { auto_recall: false } } },
    channels: { webhook: { support: { secret: { env: 'SUPPORT_SECRET' } } } },
    peer_groups: { desk: { channel: 'webhook.support', agents: ['lead', 'peer'] } },
    agents: {
      lead: {
        ...parts,
        risk_profile: 'open',
        workspace: { root: '/ws/lead' },
        delegates: [
          { agent: 'helper', mode: 'bounded' },
          { agent: 'free', mode: 'independent' },
        ],
        ...change.lead,
      },
      helper: {
        ...parts,
        risk_profile: 'open',
        workspace: { root: '/ws/helper' },
        delegates: [{ agent: 'free', mode: 'independent' }],
        ...change.helper,
      },
      free: { ...parts, risk_profile: 'open', workspace: { root: '/ws/free' }, ...change.free },
      peer: { ...parts, risk_profile: 'open', workspace: { root: '/ws/peer' }, ...change.peer },
    },
    ...change.rest,
  });
  const { host } = configWith();
  return { version: change.version ?? 1, digest: digestOf(config), config, host };
};

/** Models that play by what they were asked to do: the first message names the part. */
export const playing =
  (parts: Readonly<Record<string, (asked: ModelAsked) => ModelStep | Promise<ModelStep>>>) =>
  (asked: ModelAsked): ModelStep | Promise<ModelStep> => {
    const first = asked.input.messages.find((message) => message.role === 'user');
    const said = first?.role === 'user' ? first.text : '';
    const part = Object.entries(parts).find(([name]) => said.includes(name))?.[1];
    return part?.(asked) ?? { say: `nobody plays \`${said}\`` };
  };

/** Events of every turn of an agent, oldest first. */
export const eventsOf = (w: World, agent: string): readonly LockstepEvent[] =>
  w.turnEvents().filter((event) => event.meta.agent === agent);

/** Ids of the turns of an agent, in the order in which they began. */
export const turnsOf = (w: World, agent: string): readonly string[] =>
  eventsOf(w, agent).flatMap((event) =>
    event.type === 'TurnRequested' && event.meta.turn !== null ? [event.meta.turn] : [],
  );

/** How each turn of an agent ended; `open` = it has not. */
export const endsOf = (w: World, agent: string): readonly string[] =>
  turnsOf(w, agent).map(
    (turn) =>
      eventsOf(w, agent).findLast(
        (event) =>
          event.meta.turn === turn &&
          ['TurnCompleted', 'TurnFailed', 'TurnCancelled', 'TurnRefused'].includes(event.type),
      )?.type ?? 'open',
  );

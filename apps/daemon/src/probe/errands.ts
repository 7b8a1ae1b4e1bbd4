import type { AppliedConfig } from '@lockstep/policy';
import type { Reply } from './attacks/attack.ts';

/** What a turn is asked to do so that another turn starts below it. */
export interface Errand {
  readonly from: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Turns that only start other turns: the first turn of the starting agent that comes does it, with one call. */
export class Errands {
  #errand: Errand | null = null;
  #starter: string | null = null;

  send(errand: Errand | null): void {
    this.#errand = errand;
    this.#starter = null;
  }

  isStarter(turn: string): boolean {
    return this.#starter === turn;
  }

  /** Called for each turn over `run`, before it plays anything. */
  claim(turn: string, agent: string, trigger: string | null): void {
    if (this.#errand?.from !== agent || trigger !== 'run') return;
    this.#starter ??= turn;
  }

  reply(turn: string, agent: string, step: number): Reply | null {
    if (this.#errand?.from !== agent || this.#starter !== turn || step > 1) return null;
    const { tool, args } = this.#errand;
    return { kind: 'calls', calls: [{ tool: `builtin:${tool}`, args }] };
  }
}

/** Errands by which a turn of an agent can come to be over a trigger, as config has it; the gate of the starting agent decides. */
export const errandsTo = (
  { config }: AppliedConfig,
  agent: string,
  trigger: 'subagent' | 'bounded' | 'independent' | 'peer' | 'live',
): readonly Errand[] => {
  const others = Object.keys(config.agents).filter((alias) => alias !== agent);
  const input = 'a probe';
  switch (trigger) {
    case 'subagent':
      return [{ from: agent, tool: 'spawn', args: { input } }];
    case 'bounded':
    case 'independent':
      return others
        .filter((from) =>
          (config.agents[from]?.delegates ?? []).some(
            (edge) => edge.agent === agent && edge.mode === trigger,
          ),
        )
        .map((from) => ({ from, tool: 'delegate', args: { agent, input } }));
    case 'peer':
      return Object.values(config.peer_groups)
        .filter(({ agents }) => agents.includes(agent))
        .flatMap(({ channel, agents }) =>
          agents
            .filter((from) => from !== agent)
            .map((from) => ({ from, tool: 'message_peer', args: { agent, channel, text: input } })),
        );
    case 'live':
      return Object.entries(config.sops)
        .filter(([, { steps, triggers }]) => {
          return triggers.includes('tool') && steps.some((step) => step.agent === agent);
        })
        .flatMap(([name]) =>
          Object.keys(config.agents).map((from) => ({
            from,
            tool: 'sop_start',
            args: { name, input },
          })),
        );
  }
};

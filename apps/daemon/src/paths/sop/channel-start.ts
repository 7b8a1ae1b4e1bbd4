import { digestOf, type Config, type Principal } from '@lockstep/policy';
import type { SopRuns, SopStarted } from './sop-runs.port.ts';

/** A message of a channel that may start a procedure. */
export interface ChannelEvent {
  /** `<kind>.<alias>`. */
  readonly binding: string;
  /** The binding's owner. */
  readonly agent: string;
  readonly principal: Principal;
  /** Unique on that binding: a message that comes twice is the same run. */
  readonly message: string;
  readonly text: string;
}

/** The procedure that a channel's messages start: the first by name; null = they start turns. */
export const sopOfChannel = (config: Config, binding: string): string | null =>
  startedBy(config, `channel:${binding}`);

/** The procedure that a trigger starts: the first by name. */
export const startedBy = (config: Config, trigger: string): string | null =>
  Object.keys(config.sops)
    .sort()
    .find((name) => config.sops[name]?.triggers.includes(trigger)) ?? null;

/** Starts the procedure of a channel with one of its messages; null = it has none. */
export const startFromChannel = async (
  sops: Pick<SopRuns, 'start'>,
  config: Config,
  { binding, agent, principal, message, text }: ChannelEvent,
): Promise<SopStarted | null> => {
  const sop = sopOfChannel(config, binding);
  if (sop === null) return null;
  return sops.start({
    sop,
    input: text,
    run: digestOf(['sop-run', 'channel', binding, message]).slice(0, 32),
    by: principal,
    from: { kind: 'channel', binding, agent },
  });
};

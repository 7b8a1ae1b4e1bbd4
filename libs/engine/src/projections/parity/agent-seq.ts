import type { LockstepEvent } from '../../events/event.ts';
import type { MissingEvents } from '../parity-matrix.view.ts';

/** The number that each agent's last event has, and where events are missing before one. */
export interface AgentSeqs {
  readonly last: Map<string, number>;
  /** Newest last. */
  readonly missing: MissingEvents[];
}

const most = 50;

/** Before any event. */
export const emptySeqs = (): AgentSeqs => ({ last: new Map(), missing: [] });

/** Looks whether an event of an agent follows its last one: they are numbered without a gap. */
export const addSeq = (
  { last, missing }: AgentSeqs,
  { meta, position, time }: LockstepEvent,
): void => {
  const { agent, agentSeq: seq } = meta;
  if (agent === null || seq === null) return;
  const before = last.get(agent);
  last.set(agent, Math.max(seq, before ?? 0));
  if (before === undefined || seq === before + 1) return;
  missing.push({ agent, after: before, next: seq, position, time });
  if (missing.length > most) missing.shift();
};

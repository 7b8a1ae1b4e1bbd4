import type { Position } from '../events/envelope.ts';
import type { LockstepEvent, NewEvent } from '../events/event.ts';

/** What the writer must know to stamp the next event. The writer owns and changes it. */
export interface StampState {
  /** Number of the last position given. */
  position: number;
  /** Time of the last event, ms. */
  time: number;
  readonly agents: Map<string, AgentStamp>;
}

/** Last gapless number and current epoch of one agent. */
export interface AgentStamp {
  readonly seq: number;
  readonly epoch: number;
}

/** What the writer adds to one event. */
export interface Stamp {
  readonly position: number;
  readonly revision: number;
  readonly time: number;
  readonly agentSeq: number | null;
  readonly epoch: number;
}

/** The part of a new event that its stamp depends on. */
export interface Stampable {
  readonly agent: string | null;
  /** The epoch that the event itself raises its agent to, if it is an OwnershipTaken. */
  readonly raisesTo: number | null;
}

/** What a batch adds to the state, once it is committed. */
export interface StampedBatch extends StampState {
  readonly stamps: readonly Stamp[];
}

/** The state of an empty log. */
export const noStamps = (): StampState => ({ position: 0, time: 0, agents: new Map() });

/** Position as 20 zero-padded digits, so that order as a string is order in the log. */
export const positionOf = (n: number): Position => String(n).padStart(20, '0');

/** The number in a position; `start` is 0. */
export const numberOf = (position: Position | 'start'): number =>
  position === 'start' ? 0 : Number(position);

/** What of a new event decides its stamp. */
export const stampable = (event: NewEvent): Stampable => ({
  agent: event.meta.agent,
  raisesTo: event.type === 'OwnershipTaken' ? event.data.epoch : null,
});

/** Stamps a batch that goes to `firstRevision` at `now` ms, without touching the state: a failed append uses up no position
 * and no agentSeq. */
export const stampBatch = (
  state: StampState,
  batch: readonly Stampable[],
  at: { readonly firstRevision: number; readonly now: number },
): StampedBatch => {
  const time = Math.max(state.time, at.now);
  const agents = new Map<string, AgentStamp>();
  const stamps = batch.map(({ agent, raisesTo }, i): Stamp => {
    const position = state.position + i + 1;
    const revision = at.firstRevision + i;
    if (agent === null) return { position, revision, time, agentSeq: null, epoch: 0 };
    const last = agents.get(agent) ?? state.agents.get(agent) ?? { seq: 0, epoch: 0 };
    const next = { seq: last.seq + 1, epoch: Math.max(last.epoch, raisesTo ?? 0) };
    agents.set(agent, next);
    return { position, revision, time, agentSeq: next.seq, epoch: next.epoch };
  });
  return { stamps, position: state.position + batch.length, time, agents };
};

/** Takes a written batch into the state and answers how to take it back, should the commit fail. */
export const applyStamps = (state: StampState, batch: StampedBatch): (() => void) => {
  const { position, time } = state;
  const before = [...batch.agents.keys()].map((agent) => [agent, state.agents.get(agent)] as const);
  state.position = batch.position;
  state.time = batch.time;
  for (const [agent, stamp] of batch.agents) state.agents.set(agent, stamp);
  return () => {
    state.position = position;
    state.time = time;
    for (const [agent, stamp] of before)
      if (stamp === undefined) state.agents.delete(agent);
      else state.agents.set(agent, stamp);
  };
};

/** The event as readers see it. */
export const stampedEvent = (event: NewEvent, stream: string, stamp: Stamp): LockstepEvent => ({
  ...event,
  stream,
  revision: stamp.revision,
  position: positionOf(stamp.position),
  time: stamp.time,
  meta: { ...event.meta, epoch: stamp.epoch, agentSeq: stamp.agentSeq },
});

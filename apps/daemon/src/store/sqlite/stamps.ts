/** Last gapless number and current epoch of one agent. */
export interface AgentStamp {
  readonly seq: number;
  readonly epoch: number;
}

/** What the writer must know to stamp the next event. */
export interface StampState {
  position: number;
  time: number;
  readonly agents: Map<string, AgentStamp>;
}

/** What the writer adds to one event. */
export interface Stamp {
  readonly position: number;
  readonly revision: number;
  readonly time: number;
  readonly agentSeq: number | null;
  readonly epoch: number;
}

/** What of an event decides its stamp. */
export interface Stampable {
  readonly agent: string | null;
  /** The epoch that the event raises its agent to; 0 for all but OwnershipTaken. */
  readonly raisesTo: number;
}

export interface StampedBatch extends StampState {
  readonly stamps: readonly Stamp[];
}

/** Stamps a batch without touching the state: a failed append uses up no position and no agentSeq. */
export const stampBatch = (
  state: StampState,
  batch: readonly Stampable[],
  at: { readonly firstRevision: number; readonly now: number },
): StampedBatch => {
  const time = Math.max(state.time, at.now);
  const agents = new Map<string, AgentStamp>();
  const stamps = batch.map(({ agent, raisesTo }, i): Stamp => {
    const place = { position: state.position + i + 1, revision: at.firstRevision + i, time };
    if (agent === null) return { ...place, agentSeq: null, epoch: 0 };
    const last = agents.get(agent) ?? state.agents.get(agent) ?? { seq: 0, epoch: 0 };
    const next = { seq: last.seq + 1, epoch: Math.max(last.epoch, raisesTo) };
    agents.set(agent, next);
    return { ...place, agentSeq: next.seq, epoch: next.epoch };
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

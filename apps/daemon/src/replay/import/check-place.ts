import { familyOf, numberOf, payloadsByFamily, type LockstepEvent } from '@lockstep/engine';

/** Holds each event to those before it: what is out of its place is a problem, what is left out is counted. */
export interface PlaceCheck {
  /** Places where something is left out. */
  readonly gaps: number;
  /** What is wrong with the place of this event; null = nothing. */
  take(event: LockstepEvent): string | null;
}

/** A check at the first event of a history. */
export const placeCheck = (): PlaceCheck => {
  const streams = new Map<string, number>();
  const agents = new Map<string, number>();
  let [position, time, gaps] = ['0'.repeat(20), 0, 0];
  const take = (event: LockstepEvent): string | null => {
    const { stream, revision, meta } = event;
    if (!belongs(event)) return `${event.type} does not belong to the stream \`${stream}\``;
    if (numberOf(event.position) > Number.MAX_SAFE_INTEGER)
      return `position ${event.position} is beyond what a log counts`;
    if (event.position <= position)
      return `position ${event.position} stands after ${position}: the order was changed, or it stands twice`;
    if (event.time < time) return 'this event is older than the one before it';
    const before = streams.get(stream) ?? -1;
    if (revision <= before)
      return `revision ${revision} stands after ${before}: the order was changed, or it stands twice`;
    const numbered = agentProblem(meta, agents);
    if (numbered !== null) return numbered;
    gaps += revision === before + 1 ? 0 : 1;
    streams.set(stream, revision);
    if (meta.agent !== null && meta.agentSeq !== null) {
      gaps += meta.agentSeq === (agents.get(meta.agent) ?? 0) + 1 ? 0 : 1;
      agents.set(meta.agent, meta.agentSeq);
    }
    ({ position, time } = event);
    return null;
  };
  return {
    get gaps() {
      return gaps;
    },
    take,
  };
};

const agentProblem = (
  { agent, agentSeq }: LockstepEvent['meta'],
  agents: ReadonlyMap<string, number>,
): string | null => {
  if (agent === null)
    return agentSeq === null ? null : `agentSeq ${agentSeq} stands on an event of no agent`;
  if (agentSeq === null) return `this event of \`${agent}\` has no agentSeq`;
  const before = agents.get(agent) ?? 0;
  return agentSeq > before
    ? null
    : `agentSeq ${agentSeq} of \`${agent}\` stands after ${before}: the order was changed, or it stands twice`;
};

const belongs = ({ stream, type }: LockstepEvent): boolean => {
  const family = familyOf(stream);
  return family !== null && Object.hasOwn(payloadsByFamily[family], type);
};

import type { LockstepEvent } from '@lockstep/engine';

export interface Flag {
  /** Null = every agent. */
  readonly agent: string | null;
  readonly by: string;
  readonly why: string;
  readonly since: number;
}

export interface StopState {
  readonly stops: readonly Flag[];
  readonly pauses: readonly Flag[];
}

/** Stops and pauses after one more event. An event folded twice changes nothing. */
export const foldStops = (state: StopState, event: LockstepEvent): StopState => {
  if (event.type === 'EmergencyStopSet') {
    const { agent, by, why } = event.data;
    return { ...state, stops: withFlag(state.stops, { agent, by, why, since: event.time }) };
  }
  if (event.type === 'EmergencyStopCleared')
    return { ...state, stops: without(state.stops, event.data.agent) };
  if (event.type === 'AgentPaused') {
    const flag = { ...event.data, agent: event.meta.agent, since: event.time };
    return { ...state, pauses: withFlag(state.pauses, flag) };
  }
  return event.type === 'AgentResumed'
    ? { ...state, pauses: without(state.pauses, event.meta.agent) }
    : state;
};

/** The first flag of an agent stands: it says since when. */
const withFlag = (flags: readonly Flag[], flag: Flag): readonly Flag[] =>
  flags.some(({ agent }) => agent === flag.agent) ? flags : [...flags, flag];

const without = (flags: readonly Flag[], agent: string | null): readonly Flag[] =>
  flags.filter((flag) => flag.agent !== agent);

/** The stop that holds an agent: its own, or that of every agent. */
export const stopOf = (state: StopState, agent: string): Flag | null =>
  state.stops.find((flag) => flag.agent === agent) ??
  state.stops.find((flag) => flag.agent === null) ??
  null;

/** What a stop is of, in words. */
export const stopWhat = ({ agent }: Pick<Flag, 'agent'>): string =>
  agent === null ? 'Every agent is stopped' : `${agent} is stopped`;

import { canonicalJson } from '@lockstep/policy';
import type { TurnRequest } from '../../turns/turns.port.ts';
import { jobPrincipal } from './cron.path.ts';

/** A due time of a heartbeat, as the scheduler hands it over. */
export interface HeartbeatWire {
  readonly agent: string;
  readonly prompt: string;
  /** Fixed when the time was taken, so that a repeat is the same turn. */
  readonly turn: string;
}

/** The name under which an agent's heartbeat stands among the jobs. */
export const heartbeatName = (agent: string): string => `heartbeat-${agent}`;

/** The request behind a due time: always in a session of its own. */
export const parseHeartbeat = ({ agent, prompt, turn }: HeartbeatWire): TurnRequest => ({
  agent,
  principal: jobPrincipal(heartbeatName(agent)),
  session: null,
  origin: { kind: 'heartbeat' },
  client: 'none',
  input: prompt,
  idempotency: null,
  listening: false,
  turn,
});

/** The wire form of a request that a heartbeat can make; parsing it again gives the same request. */
export const encodeHeartbeat = (request: TurnRequest): HeartbeatWire | null => {
  const { agent, input: prompt, turn } = request;
  if (request.origin.kind !== 'heartbeat' || turn === undefined) return null;
  const wire = { agent, prompt, turn };
  return canonicalJson(parseHeartbeat(wire)) === canonicalJson(request) ? wire : null;
};

import { canonicalJson, type Principal } from '@lockstep/policy';
import type { TurnRequest } from '../../turns/turns.port.ts';

/** A due time of a job, as the scheduler hands it over. */
export interface CronWire {
  readonly job: string;
  readonly agent: string;
  readonly prompt: string;
  /** Fixed when the time was taken, so that a repeat is the same turn. */
  readonly turn: string;
}

/** Who acts when nobody does: the job. */
export const jobPrincipal = (job: string): Principal => ({ kind: 'job', id: job, person: null });

/** The request behind a due time: always in a session of its own. */
export const parseCron = ({ job, agent, prompt, turn }: CronWire): TurnRequest => ({
  agent,
  principal: jobPrincipal(job),
  session: null,
  origin: { kind: 'cron', job },
  client: 'none',
  input: prompt,
  idempotency: null,
  listening: false,
  turn,
});

/** The wire form of a request that a job can make; parsing it again gives the same request. */
export const encodeCron = (request: TurnRequest): CronWire | null => {
  const { origin, turn } = request;
  if (origin.kind !== 'cron' || turn === undefined) return null;
  const wire = { job: origin.job, agent: request.agent, prompt: request.input, turn };
  return canonicalJson(parseCron(wire)) === canonicalJson(request) ? wire : null;
};

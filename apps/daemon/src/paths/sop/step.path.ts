import { canonicalJson, type Principal } from '@lockstep/policy';
import type { TurnRequest } from '../../turns/turns.port.ts';

/** A step of a run, as the runner hands it over. */
export interface StepWire {
  readonly run: string;
  readonly step: string;
  readonly agent: string;
  readonly prompt: string;
  /** Fixed by run, step and try, so that a repeat is the same turn. */
  readonly turn: string;
  readonly by: Principal;
  /** The turn and call that the run is a part of; null = it stands alone. */
  readonly parent: { readonly turn: string; readonly call: string } | null;
}

/** The request behind a step: always in a session of its own. */
export const parseStep = (wire: StepWire): TurnRequest => {
  const { run, step, agent, prompt, turn, by, parent } = wire;
  return {
    agent,
    principal: by,
    session: null,
    origin: { kind: 'sop', run, step, parent: parent?.turn ?? 'none' },
    client: 'none',
    input: prompt,
    idempotency: null,
    listening: false,
    turn,
    ...(parent === null ? {} : { parent }),
  };
};

/** The wire form of a request that a step can make; parsing it again gives the same request. */
export const encodeStep = (request: TurnRequest): StepWire | null => {
  const { origin, turn, agent, principal: by } = request;
  if (origin.kind !== 'sop' || turn === undefined) return null;
  const { run, step } = origin;
  const parent = request.parent ?? null;
  const wire = { run, step, agent, prompt: request.input, turn, by, parent };
  return canonicalJson(parseStep(wire)) === canonicalJson(request) ? wire : null;
};

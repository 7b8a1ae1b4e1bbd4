import type { TurnRequest } from '../../turns/turns.port.ts';
import { childRequest, sameAgain, starterOf, type ChildWire } from './child-wire.ts';

/** A call of `delegate` as it is carried out. Whether its caller waits is no matter of the request. */
export type DelegateWire = ChildWire<{ readonly agent: string; readonly input: string }>;

/** The request behind a call. Whether the edge exists and what it leaves is found by `resolve()`. */
export const parseDelegate = (wire: DelegateWire): TurnRequest => {
  const { agent, input } = wire.args;
  const origin = { kind: 'delegate', parent: wire.from.turn, edge: agent } as const;
  return childRequest(wire, { agent, origin, input, spawn: {} });
};

/** The wire form of a request over an edge; parsing it again gives the same request. */
export const encodeDelegate = (request: TurnRequest): DelegateWire | null => {
  const started = starterOf(request, 'delegate');
  if (started === null) return null;
  const { agent, input } = request;
  return sameAgain({ ...started, args: { agent, input } }, parseDelegate, request);
};

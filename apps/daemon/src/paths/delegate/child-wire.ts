import { canonicalJson, digestOf, type Origin } from '@lockstep/policy';
import type { TurnRequest } from '../../turns/turns.port.ts';

/** The turn and call that start another turn. */
export interface Starter {
  readonly agent: string;
  readonly turn: string;
  readonly call: string;
  /** The person behind the turn at the root. */
  readonly person: string | null;
  /** Whom the starting agent acts for where `person` is null; null = for nobody. */
  readonly behind?: string | null | undefined;
}

/** What every child is started with. */
export interface ChildWire<Args> {
  readonly from: Starter;
  /** Id of the turn that starts. */
  readonly child: string;
  /** As the model gave them, and the gate held them to their schema. */
  readonly args: Args;
}

/** The id of the turn that a call starts: the same again after a restart. */
export const childTurn = (turn: string, call: string): string =>
  digestOf(['child', turn, call]).slice(0, 32);

const behindOf = ({ behind }: Pick<Starter, 'behind'>): { readonly behind?: string | null } =>
  behind === undefined ? {} : { behind };

/** The parts of a request that all children have in common: the starting agent acts, for the person that it works for itself. */
export const childRequest = (
  { from, child }: ChildWire<unknown>,
  rest: Pick<TurnRequest, 'agent' | 'origin' | 'input' | 'spawn'>,
): TurnRequest => ({
  ...rest,
  principal: { kind: 'agent', id: from.agent, person: from.person, ...behindOf(from) },
  session: null,
  client: 'none',
  idempotency: null,
  listening: false,
  turn: child,
  parent: { turn: from.turn, call: from.call },
});

/** Who started a request, if one of these tools can have; null otherwise. */
export const starterOf = (
  request: TurnRequest,
  kind: Origin['kind'],
): { readonly from: Starter; readonly child: string } | null => {
  const { origin, principal, parent, turn } = request;
  if (origin.kind !== kind || principal.kind !== 'agent') return null;
  if (parent === undefined || turn === undefined) return null;
  const from = {
    agent: principal.id,
    person: principal.person,
    ...behindOf(principal),
    ...parent,
  };
  return { from, child: turn };
};

/** A wire form is one of a request only if parsing it gives that very request. */
export const sameAgain = <Wire>(
  wire: Wire,
  parse: (wire: Wire) => TurnRequest,
  request: TurnRequest,
): Wire | null => (canonicalJson(parse(wire)) === canonicalJson(request) ? wire : null);

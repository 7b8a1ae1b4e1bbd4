import { inheritedNarrowings, resolve, sopStepName, type ResolveRecords } from '@lockstep/policy';
import { parsePeer, encodePeer } from '../../paths/channel/peer.path.ts';
import { encodeDelegate, parseDelegate } from '../../paths/delegate/delegate.path.ts';
import type { Starter } from '../../paths/delegate/child-wire.ts';
import { encodeSubagent, parseSubagent } from '../../paths/loop/subagent.path.ts';
import { encodeStep, parseStep } from '../../paths/sop/step.path.ts';
import type { TurnRequest } from '../../turns/turns.port.ts';
import {
  localOf,
  resolvable,
  type Asking,
  type Candidate,
  type Candidates,
  type FindCandidates,
} from './candidate.ts';
import { scopeOf } from './written-work.ts';

type Parent = NonNullable<ResolveRecords['parent']>;

/** A turn above that could start this one. */
interface Above {
  readonly from: Starter;
  readonly parent: Parent;
  readonly notes: readonly string[];
}

/** A turn of an agent that somebody at the machine started: nothing else narrows it. */
const turnOf = (asking: Asking, agent: string): Above | null => {
  const principal = localOf(asking);
  const request = {
    agent,
    principal,
    session: null,
    origin: { kind: 'run' } as const,
    client: 'none' as const,
    input: '',
    idempotency: null,
    listening: false,
  };
  const turn = 'replayed';
  const found = resolve(asking.applied, resolvable(request, turn), {});
  if (!found.ok) return null;
  const { snapshot, narrowings } = found.policy.parts;
  const { person } = asking.requested.request.principal;
  const knows = person !== null && Object.hasOwn(asking.applied.config.people, person);
  return {
    from: { agent, turn, call: 'call', person: knows ? person : null },
    parent: {
      turn,
      snapshot,
      narrowings: inheritedNarrowings(narrowings),
      depth: snapshot.delegation.max_depth,
      spawn: {},
    },
    notes: [`the turn above was taken to be one of \`${agent}\`, started by \`lockstep run\``],
  };
};

const below = (
  { from, parent, notes }: Above,
  request: TurnRequest | null,
  records: ResolveRecords = {},
): readonly Candidate[] =>
  request === null || request.parent?.turn !== from.turn
    ? []
    : [
        {
          request,
          notes,
          records: { ...records, parent: { ...parent, spawn: request.spawn ?? {} } },
        },
      ];

const orWhy = (found: readonly Candidate[], why: string): Candidates =>
  found.length === 0 ? why : found;

/** An adapter's request, said in its wire form and read again. */
const again = <Wire>(
  wire: Wire,
  parse: (wire: Wire) => TurnRequest,
  encode: (request: TurnRequest) => Wire | null,
): TurnRequest | null => {
  const read = encode(parse(wire));
  return read === null ? null : parse(read);
};

export const subagentCandidates: FindCandidates = (asking) => {
  const { agent } = asking.requested.request;
  const above = turnOf(asking, agent);
  if (above === null) return `agent \`${agent}\` has no policy, so no turn of it can start another`;
  const wire = { from: above.from, child: asking.turn, args: { input: asking.input } };
  return below(above, again(wire, parseSubagent, encodeSubagent));
};

export const delegateCandidates: FindCandidates = (asking) => {
  const { agent } = asking.requested.request;
  const callers = Object.entries(asking.applied.config.agents)
    .filter(([, { delegates }]) => (delegates ?? []).some((edge) => edge.agent === agent))
    .map(([alias]) => alias);
  const found = callers.flatMap((caller) => {
    const above = turnOf(asking, caller);
    if (above === null) return [];
    const wire = { from: above.from, child: asking.turn, args: { agent, input: asking.input } };
    return below(above, again(wire, parseDelegate, encodeDelegate));
  });
  return orWhy(found, `no agent has an edge to agent \`${agent}\``);
};

export const peerCandidates: FindCandidates = (asking) => {
  const { agent } = asking.requested.request;
  const groups = Object.entries(asking.applied.config.peer_groups).filter(([, { agents }]) =>
    agents.includes(agent),
  );
  const found = groups.flatMap(([group, { channel, agents }]) =>
    agents
      .filter((other) => other !== agent)
      .flatMap((other) => {
        const above = turnOf(asking, other);
        if (above === null) return [];
        const args = { agent, channel, text: asking.input };
        const wire = { from: above.from, child: asking.turn, group, args };
        return below(above, again(wire, parsePeer, encodePeer));
      }),
  );
  return orWhy(found, `agent \`${agent}\` has no peer in a group`);
};

/** Steps of procedures that are the agent's, in runs that a turn of another agent, or of the same one, started. */
export const liveCandidates: FindCandidates = (asking) => {
  const { config } = asking.applied;
  const { agent } = asking.requested.request;
  const found = Object.entries(config.sops).flatMap(([sop, { steps, triggers }]) =>
    steps.flatMap((step, index) => {
      if (step.agent !== agent || !triggers.includes('tool')) return [];
      const name = sopStepName(step, index);
      const run = { id: 'replayed', sop, step: name, scope: scopeOf(step) };
      return Object.keys(config.agents).flatMap((starter) => {
        const above = turnOf(asking, starter);
        if (above?.parent.snapshot.delegation.sops.includes(sop) !== true) return [];
        const { turn, call, person } = above.from;
        const by = { kind: 'agent', id: starter, person } as const;
        const wire = {
          run: run.id,
          step: name,
          agent,
          prompt: asking.input,
          turn: asking.turn,
          by,
          parent: { turn, call },
        };
        return below(above, again(wire, parseStep, encodeStep), { sopRun: run });
      });
    }),
  );
  return orWhy(found, `no procedure with a step of agent \`${agent}\` is started by a turn`);
};

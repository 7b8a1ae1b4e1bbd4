import { entryOf } from '../orders/map.ts';
import type { ResolveRecords } from '../request.ts';
import type { ResolutionProblem } from '../resolution.ts';
import { findSopStep } from '../surfaces/sop-step.ts';
import { toolPatternsOf } from '../surfaces/written.ts';
import { agentPolicyOf } from './agent-policy.ts';
import { lacking, refused, type Arrival, type Arriving, type OriginOf } from './arrival.ts';
import {
  arrivingDepth,
  ceilingTaking,
  depthOfWork,
  depthTaking,
  inheritedTakings,
} from './children.ts';
import { orNone, scopeTaken, type Taking } from './taking.ts';

type Parent = NonNullable<ResolveRecords['parent']>;

/** A sub-agent: the same agent with at most its parent's effective policy. */
export const fromSpawn = (
  { request, records }: Arriving,
  origin: OriginOf<'subagent'>,
): Arrival | ResolutionProblem => {
  const { parent } = records;
  if (parent?.turn !== origin.parent) return lacking('parent turn', origin.parent);
  const { agent, delegation } = parent.snapshot;
  if (agent !== request.agent)
    return refused(`a sub-agent of \`${agent}\` cannot be \`${request.agent}\``);
  const closed = closedTo(parent);
  if (closed !== null) return closed;
  if (!delegation.spawn)
    return refused(`agent \`${agent}\` may start no sub-agent`, 'delegation.spawn');
  const depth = depthTaking(parent);
  if ('code' in depth) return depth;
  return {
    path: 'loop',
    trigger: 'subagent',
    takings: [
      ...inheritedTakings(parent),
      ceilingTaking(parent, 'all'),
      depth,
      spawnTaking(parent, 'what the spawn leaves of the policy'),
    ],
  };
};

/** A delegate: another agent over an edge of config, bounded by its caller's policy or independent of it. */
export const fromEdge = (
  { applied, request, records }: Arriving,
  origin: OriginOf<'delegate'>,
): Arrival | ResolutionProblem => {
  const { parent } = records;
  if (parent?.turn !== origin.parent) return lacking('parent turn', origin.parent);
  const from = parent.snapshot.agent;
  const edges = (entryOf(applied.config.agents, from)?.delegates ?? []).filter(
    (edge) => edge.agent === origin.edge,
  );
  const closed = closedTo(parent);
  if (closed !== null) return closed;
  // The caller's effective policy, not the config alone, says whether it may and how: below a bounded edge no other is independent.
  const held = entryOf(parent.snapshot.delegation.delegates, origin.edge);
  if (origin.edge !== request.agent || edges.length === 0 || held === null)
    return refused(
      `agent \`${from}\` has no edge to agent \`${request.agent}\``,
      'delegation.delegates',
    );
  const depth = depthTaking(parent);
  if ('code' in depth) return depth;
  const independent = held === 'independent' && edges.every((edge) => edge.mode === 'independent');
  const target = agentPolicyOf(applied, request.agent);
  // Without a policy of its own the request is refused anyway, whatever its ceiling.
  const own = 'code' in target ? parent.snapshot : target.parts.snapshot;
  const grants = {
    edge: `${from}>${origin.edge}`,
    path: `agents.${from}.delegates`,
    tools: edges.flatMap((edge) => toolPatternsOf(edge.grants?.tools ?? [])),
  };
  return {
    path: 'delegate',
    trigger: independent ? 'independent' : 'bounded',
    takings: [
      ...inheritedTakings(parent),
      ceilingTaking(parent, independent ? 'none' : { own, grants }),
      depth,
      spawnTaking(parent, 'what the call leaves of the policy'),
    ],
  };
};

/** A step of a procedure: its agent's policy less the scope of the step and all that held for who started the run. */
export const fromProcedure = (
  arriving: Arriving,
  origin: OriginOf<'sop'>,
): Arrival | ResolutionProblem => {
  const { applied, request, records } = arriving;
  const run = records.sopRun;
  if (run?.id !== origin.run || run.step !== origin.step)
    return lacking('procedure run', `${origin.run}/${origin.step}`);
  const sop = entryOf(applied.config.sops, run.sop);
  if (sop === null) return refused(`no procedure is called \`${run.sop}\``, 'delegation.sops');
  const step = findSopStep(sop.steps, run.step);
  if (step === null) return refused(`procedure \`${run.sop}\` has no step \`${run.step}\``);
  if (step.agent !== request.agent)
    return refused(
      `step \`${run.step}\` of procedure \`${run.sop}\` is not of agent \`${request.agent}\``,
    );
  const whose = `sop:${run.sop}/${run.step}`;
  const scope = scopeTaken({ whose, why: "the step's scope of tools" }, run.scope, step.tools);
  const held = run.narrowings ?? [];
  if (origin.parent === 'none') {
    const above = run.depth ?? 0;
    const depth = depthOfWork(arrivingDepth(applied, request), `sop:${run.sop}`, above);
    if ('code' in depth) return depth;
    const takings = [...inheritedTakings({ narrowings: held }), depth, ...scope];
    return { path: 'sop', trigger: 'headless', takings };
  }
  return liveStep(arriving, origin.parent, [...inheritedTakings({ narrowings: held }), ...scope]);
};

const liveStep = (
  { records }: Arriving,
  turn: string,
  ofRun: readonly Taking[],
): Arrival | ResolutionProblem => {
  const { parent, sopRun } = records;
  if (parent?.turn !== turn) return lacking('parent turn', turn);
  const closed = closedTo(parent);
  if (closed !== null) return closed;
  const { agent, delegation } = parent.snapshot;
  const sop = sopRun?.sop ?? '';
  if (!delegation.sops.includes(sop))
    return refused(`agent \`${agent}\` may not start procedure \`${sop}\``, 'delegation.sops');
  const depth = depthTaking(parent);
  if ('code' in depth) return depth;
  const inherited = inheritedTakings(parent);
  // A run that a turn started carries the same narrowings as the turn itself: each is taken once.
  const known = new Set(inherited.map((taking) => JSON.stringify(taking)));
  return {
    path: 'sop',
    trigger: 'live',
    takings: [
      ...inherited,
      ...ofRun.filter((taking) => !known.has(JSON.stringify(taking))),
      depth,
      spawnTaking(parent, 'what the call leaves of the policy'),
    ],
  };
};

/** A message of a peer: the receiver's own policy, in a chain with the sender's turn. */
export const fromPeer = (
  { applied, request, records }: Arriving,
  origin: OriginOf<'peer'>,
): Arrival | ResolutionProblem => {
  const { parent } = records;
  if (parent?.turn !== origin.parent) return lacking('parent turn', origin.parent);
  const group = entryOf(applied.config.peer_groups, origin.group);
  const from = parent.snapshot.agent;
  const both = [from, request.agent];
  if (
    from === request.agent ||
    group?.channel !== origin.channel ||
    !both.every((agent) => group.agents.includes(agent))
  )
    return refused(
      `agents \`${both.join('` and `')}\` are not in group \`${origin.group}\` of channel \`${origin.channel}\``,
      'channels.peers',
    );
  const reached = entryOf(parent.snapshot.channels.peers, origin.channel)?.agents ?? [];
  if (!reached.includes(request.agent))
    return refused(
      `agent \`${from}\` may not message agent \`${request.agent}\` on channel \`${origin.channel}\``,
      'channels.peers',
    );
  const depth = depthTaking(parent);
  if ('code' in depth) return depth;
  return {
    path: 'channel',
    trigger: 'peer',
    takings: [
      ...inheritedTakings(parent),
      depth,
      spawnTaking(parent, 'what the message leaves of the policy'),
    ],
  };
};

/** Why a turn may start nothing below it; null when its policy lets it delegate. */
const closedTo = ({ snapshot }: Parent): ResolutionProblem | null =>
  snapshot.delegation.mode === 'allow'
    ? null
    : refused(`agent \`${snapshot.agent}\` may not delegate`, 'delegation.mode');

const spawnTaking = (parent: Parent, why: string): Taking => ({
  whose: `spawn:${parent.turn}`,
  why,
  values: orNone(parent.spawn),
  kind: 'limit',
});

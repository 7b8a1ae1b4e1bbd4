import { entryOf } from '../orders/map.ts';
import type { ResolutionProblem } from '../resolution.ts';
import { toolPatternsOf } from '../surfaces/written.ts';
import { lacking, refused, type Arrival, type Arriving, type OriginOf } from './arrival.ts';
import { ceilingTaking, depthTaking, inheritedTakings } from './children.ts';
import { orNone, toolsTaken, type Taking } from './taking.ts';

/** A sub-agent: the same agent with at most its parent's effective policy. */
export const fromSpawn = (
  { request, records }: Arriving,
  origin: OriginOf<'subagent'>,
): Arrival | ResolutionProblem => {
  const { parent } = records;
  if (parent?.turn !== origin.parent) return lacking('parent turn', origin.parent);
  if (parent.snapshot.agent !== request.agent)
    return refused(`a sub-agent of \`${parent.snapshot.agent}\` cannot be \`${request.agent}\``);
  const depth = depthTaking(parent);
  if ('code' in depth) return depth;
  return {
    path: 'loop',
    trigger: 'subagent',
    takings: [
      ...inheritedTakings(parent),
      ceilingTaking(parent, 'all'),
      depth,
      {
        whose: `spawn:${parent.turn}`,
        why: 'what the spawn leaves of the policy',
        values: orNone(parent.spawn),
        kind: 'limit',
      },
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
  if (origin.edge !== request.agent || edges.length === 0)
    return refused(`agent \`${from}\` has no edge to agent \`${request.agent}\``);
  const depth = depthTaking(parent);
  if ('code' in depth) return depth;
  // Independent only if the caller's own policy still says so: below a bounded edge it does not.
  const independent =
    edges.every((edge) => edge.mode === 'independent') &&
    entryOf(parent.snapshot.delegation.delegates, origin.edge) === 'independent';
  const whose = `spawn:${parent.turn}`;
  const why = 'what the call leaves of the policy';
  return {
    path: 'delegate',
    trigger: independent ? 'independent' : 'bounded',
    takings: [
      ...inheritedTakings(parent),
      independent
        ? ceilingTaking(parent, 'none')
        : ceilingTaking(parent, 'authority', {
            edge: `${from}>${origin.edge}`,
            path: `agents.${from}.delegates`,
            tools: edges.flatMap((edge) => toolPatternsOf(edge.grants?.tools ?? [])),
          }),
      depth,
      { whose, why, values: orNone(parent.spawn), kind: 'limit' },
    ],
  };
};

/** A step of a procedure: its agent's policy less the scope of the step. */
export const fromProcedure = (
  { applied, request, records }: Arriving,
  origin: OriginOf<'sop'>,
): Arrival | ResolutionProblem => {
  const run = records.sopRun;
  if (run?.id !== origin.run || run.step !== origin.step)
    return lacking('procedure run', `${origin.run}/${origin.step}`);
  const steps = entryOf(applied.config.sops, run.sop)?.steps ?? [];
  if (!steps.some((step) => step.agent === request.agent))
    return refused(`procedure \`${run.sop}\` has no step of agent \`${request.agent}\``);
  const why = "the step's scope of tools";
  const scope: Taking = {
    whose: `sop:${run.sop}/${run.step}`,
    why,
    values: toolsTaken(run.scope),
    kind: 'limit',
  };
  if (origin.parent === 'none')
    return {
      path: 'sop',
      trigger: 'headless',
      takings: [...inheritedTakings({ narrowings: run.narrowings ?? [] }), scope],
    };
  const { parent } = records;
  if (parent?.turn !== origin.parent) return lacking('parent turn', origin.parent);
  const depth = depthTaking(parent);
  if ('code' in depth) return depth;
  return {
    path: 'sop',
    trigger: 'live',
    takings: [...inheritedTakings(parent), depth, scope],
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
  const both = [parent.snapshot.agent, request.agent];
  if (group?.channel !== origin.channel || !both.every((agent) => group.agents.includes(agent)))
    return refused(
      `agents \`${both.join('` and `')}\` are not in group \`${origin.group}\` of channel \`${origin.channel}\``,
    );
  const depth = depthTaking(parent);
  if ('code' in depth) return depth;
  return { path: 'channel', trigger: 'peer', takings: [...inheritedTakings(parent), depth] };
};

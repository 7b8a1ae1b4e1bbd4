import type { EnforcedKey, PolicySnapshot } from '@lockstep/policy';
import type { Objection } from '../projections/parity-matrix.view.ts';
import { touchesOf, usesOf } from './calls.ts';
import {
  agentsIn,
  childOf,
  edgeGrants,
  falseParent,
  reachedAgents,
  sopsIn,
  startsTurn,
} from './child-facts.ts';
import { size } from './memory-facts.ts';
import { governed, objector, type Governed, type Monitor } from './monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import { own } from './tool-facts.ts';
import { beyond } from './within.ts';

const mode = objector('delegation.mode');
/** Neither another agent nor a sub-agent is given work while that is forbidden. */
const modeMonitor: Monitor = (turn) => [
  ...reachedAgents(turn).flatMap(({ at, policy, agent, how }) =>
    how !== 'message' && policy.delegation.mode === 'forbidden'
      ? [mode.violated(at, `work was handed to \`${agent}\``)]
      : [],
  ),
  ...refusedWrongly(turn, 'delegation.mode', (policy) => policy.delegation.mode === 'allow'),
];

const delegates = objector('delegation.delegates');
/** Work is handed on over edges of the policy alone, and no turn below a bounded edge may do more than the edge leaves. */
const delegatesMonitor: Monitor = (turn) => [
  ...reachedAgents(turn).flatMap(({ at, policy, agent, how }) =>
    how === 'delegate' &&
    policy.delegation.mode === 'allow' &&
    own(policy.delegation.delegates, agent) === undefined
      ? [delegates.violated(at, `no edge leads to \`${agent}\``)]
      : [],
  ),
  ...edgeFaults(turn),
  ...refusedWrongly(turn, 'delegation.delegates', (policy, at) => {
    const named = agentsIn(at.event.data.facts.operands);
    return (
      named.length > 0 &&
      named.every(({ given }) => own(policy.delegation.delegates, given) !== undefined)
    );
  }),
];

const depth = objector('delegation.max_depth');
/** Nothing starts a turn below where no level is left, and a child has one level less than what is above it. */
const depthMonitor: Monitor = (turn) => [
  ...usesOf(turn).flatMap(({ at, policy, tool }) =>
    needsLevel(tool) && size(policy.delegation.max_depth) < 1
      ? [depth.violated(at, `\`${tool}\` was not refused, and no level is left`)]
      : [],
  ),
  ...depthFaults(turn),
  ...refusedWrongly(
    turn,
    'delegation.max_depth',
    ({ delegation }) => size(delegation.max_depth) > 0,
  ),
];

const spawn = objector('delegation.spawn');
/** Sub-agents are started where the policy lets them be, and may do no more than what started them. */
const spawnMonitor: Monitor = (turn) => [
  ...usesOf(turn).flatMap(({ at, policy, tool, operands }) => {
    const spawns = tool === 'builtin:spawn' || agentsIn(operands).some((o) => o.how === 'spawn');
    return spawns && policy.delegation.mode === 'allow' && !policy.delegation.spawn
      ? [spawn.violated(at, 'a sub-agent was not refused')]
      : [];
  }),
  ...spawnFaults(turn),
  ...refusedWrongly(turn, 'delegation.spawn', (policy) => policy.delegation.spawn),
];

const sops = objector('delegation.sops');
/** Only procedures that the policy names are started. */
const sopsMonitor: Monitor = (turn) => [
  ...usesOf(turn).flatMap(({ at, policy, operands }) =>
    sopsIn(operands)
      .filter(({ given }) => !policy.delegation.sops.includes(given))
      .map(({ given }) => sops.violated(at, `procedure \`${given}\` was not refused`)),
  ),
  ...touchesOf(turn).flatMap(({ at, start, touched }) =>
    touched.flatMap((touch) =>
      touch.kind === 'sop' &&
      !start.policy.delegation.sops.includes(touch.sop) &&
      start.event.data.tool === 'builtin:sop_start'
        ? [sops.violated(at, `procedure \`${touch.sop}\` was started`)]
        : [],
    ),
  ),
  ...stepFaults(turn),
  ...refusedWrongly(turn, 'delegation.sops', (policy, at) => {
    const named = sopsIn(at.event.data.facts.operands);
    return (
      named.length > 0 &&
      named.every(({ given, exists }) => exists && policy.delegation.sops.includes(given))
    );
  }),
];

export const delegationMonitors = {
  'delegation.mode': modeMonitor,
  'delegation.delegates': delegatesMonitor,
  'delegation.max_depth': depthMonitor,
  'delegation.spawn': spawnMonitor,
  'delegation.sops': sopsMonitor,
} satisfies Record<Extract<EnforcedKey, `delegation.${string}`>, Monitor>;

/** A job that a turn makes runs a level below it. */
function needsLevel(tool: string): boolean {
  return startsTurn[tool] !== undefined || tool === 'builtin:cron_add';
}

function edgeFaults(turn: RecordedTurn): readonly Objection[] {
  const child = childOf(turn);
  if (child === null || (child.trigger !== 'bounded' && child.trigger !== 'independent')) return [];
  const untrue = falseParent(turn);
  if (untrue !== null) return [delegates.violated(child.at, untrue)];
  const above = child.parent.snapshot;
  const edge = own(above.delegation.delegates, turn.agent);
  if (edge === undefined)
    return [delegates.violated(child.at, `\`${above.agent}\` has no edge to this agent`)];
  if (child.trigger === 'independent')
    return edge === 'independent'
      ? []
      : [delegates.violated(child.at, 'the edge is bounded, and the turn was not')];
  const more = beyond('authority', child.policy, above, edgeGrants(turn, above.agent));
  return more.length === 0
    ? []
    : [delegates.violated(child.at, `beyond the edge: ${more.join(', ')}`)];
}

function spawnFaults(turn: RecordedTurn): readonly Objection[] {
  const child = childOf(turn);
  if (child?.trigger !== 'subagent') return [];
  const untrue = falseParent(turn);
  if (untrue !== null) return [spawn.violated(child.at, untrue)];
  const above = child.parent.snapshot;
  if (above.agent !== turn.agent)
    return [spawn.violated(child.at, `a sub-agent of \`${above.agent}\` is of another agent`)];
  const more = beyond('all', child.policy, above);
  return more.length === 0
    ? []
    : [spawn.violated(child.at, `beyond what started it: ${more.join(', ')}`)];
}

function stepFaults(turn: RecordedTurn): readonly Objection[] {
  const child = childOf(turn);
  const untrue = child?.trigger === 'live' ? falseParent(turn) : null;
  return child === null || untrue === null ? [] : [sops.violated(child.at, untrue)];
}

function depthFaults(turn: RecordedTurn): readonly Objection[] {
  const child = childOf(turn);
  if (child === null) return [];
  const above = size(child.parent.snapshot.delegation.max_depth);
  const left = size(child.policy.delegation.max_depth);
  if (above < 1) return [depth.violated(child.at, 'no level was left above')];
  return left <= above - 1
    ? []
    : [depth.violated(child.at, `${left} levels are left, and ${above} were above`)];
}

function refusedWrongly(
  turn: RecordedTurn,
  key: EnforcedKey,
  open: (policy: PolicySnapshot, at: Governed<'ToolCallRefused'>) => boolean,
): readonly Objection[] {
  return governed(turn, 'ToolCallRefused').flatMap((at) =>
    at.event.data.rule === key && open(at.policy, at)
      ? [objector(key).narrower(at, `\`${at.event.data.tool ?? ''}\` is open to the agent here`)]
      : [],
  );
}

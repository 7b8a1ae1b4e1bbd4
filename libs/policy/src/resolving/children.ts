import { limit } from '../orders/limit.ts';
import type { Narrowing, ResolveRecords, ResolveRequest } from '../request.ts';
import type { AppliedConfig, AppliedNarrowing, ResolutionProblem } from '../resolution.ts';
import { settingKeys, type SettingKey } from '../setting-key.ts';
import type { Limit, PolicySnapshot } from '../snapshot.ts';
import { registry } from '../surfaces/registry.ts';
import { agentPolicyOf } from './agent-policy.ts';
import { valueAt } from './snapshot-parts.ts';
import { ceilingPrefix, type EdgeGrants, type Taking } from './taking.ts';

type Parent = NonNullable<ResolveRecords['parent']>;

/** Narrowings that came down the chain: they reach every descendant, through independent edges too. */
export const inheritedTakings = (parent: Pick<Parent, 'narrowings'>): Taking[] =>
  parent.narrowings.map(({ whose, values }) => ({
    whose,
    why: 'held for an earlier turn of the chain',
    values,
    kind: 'limit',
  }));

/** What a child inherits of the narrowings that its parent's policy was resolved with: all that took something away, but not the
 * ceiling, which is the parent's own effective policy each time. */
export const inheritedNarrowings = (
  applied: readonly AppliedNarrowing[],
): { readonly whose: string; readonly values: Narrowing }[] =>
  applied.flatMap(({ whose, values }) =>
    values === 'none' || whose.startsWith(ceilingPrefix) ? [] : [{ whose, values }],
  );

/** The levels left below a child, or none: the parent's, less one. What the log says and what its policy says both hold. */
export const depthTaking = ({ turn, depth, snapshot }: Parent): Taking | ResolutionProblem => {
  const left = depthBelow(limit.meet(depth, snapshot.delegation.max_depth));
  if (left === null)
    return {
      code: 'depth_exceeded',
      message: `turn \`${turn}\` may start no further turn below it`,
      path: 'delegation.max_depth',
    };
  return {
    whose: `parent:${turn}`,
    why: 'levels of turns left below this one',
    values: left === 'unlimited' ? 'none' : { 'delegation.max_depth': left },
    kind: 'limit',
  };
};

/** The levels that an agent's own policy leaves below a turn. */
export const arrivingDepth = (applied: AppliedConfig, { agent }: ResolveRequest): Limit => {
  const policy = agentPolicyOf(applied, agent);
  return 'code' in policy ? 'unlimited' : policy.parts.snapshot.delegation.max_depth;
};

/** The levels left below work that a turn deep in a chain made; work that no turn made has all of its agent's.
 * @param above levels of turns above it */
export const depthOfWork = (
  own: Limit,
  whose: string,
  above: number,
): Taking | ResolutionProblem => {
  const why = 'levels of turns left below this one';
  if (above === 0 || own === 'unlimited') return { whose, why, values: 'none', kind: 'limit' };
  if (above > own)
    return {
      code: 'depth_exceeded',
      message: `\`${whose}\` was made too deep in a chain of turns`,
      path: 'delegation.max_depth',
    };
  return { whose, why, values: { 'delegation.max_depth': own - above }, kind: 'limit' };
};

/** One level less; null when there is none left. */
export const depthBelow = (depth: Limit): Limit | null => {
  if (depth === 'unlimited') return depth;
  return depth === 0 ? null : depth - 1;
};

/** What of the caller's effective policy a child is met with: `all` for the same agent, `authority` over a bounded edge. */
export const ceilingTaking = (
  parent: Parent,
  part: 'all' | 'none' | { readonly own: PolicySnapshot; readonly grants: EdgeGrants },
): Taking => {
  const whose = `${ceilingPrefix}${parent.snapshot.agent}`;
  if (part === 'none')
    return { whose, why: 'the edge is independent', values: 'none', kind: 'ceiling' };
  const keys = part === 'all' ? settingKeys : settingKeys.filter(isAuthority);
  const values: Narrowing = {};
  for (const key of keys) values[key] = valueAt(parent.snapshot, key);
  const ceiling: Taking = { whose, why: "the caller's effective policy", values, kind: 'ceiling' };
  if (part === 'all') return ceiling;
  values['delegation.delegates'] = cappedEdges(parent.snapshot, part.own);
  return { ...ceiling, grants: part.grants };
};

/** Edges of a bounded child: each counts as bounded, unless the ceiling itself holds an independent edge to that agent. */
const cappedEdges = (
  { delegation }: PolicySnapshot,
  own: PolicySnapshot,
): PolicySnapshot['delegation']['delegates'] => ({
  ...Object.fromEntries(Object.keys(own.delegation.delegates).map((to) => [to, 'bounded'])),
  ...delegation.delegates,
});

const authoritySurfaces = ['tools', 'approval', 'shell', 'network', 'mcp', 'delegation', 'output'];
const authorityKeys: ReadonlySet<SettingKey> = new Set<SettingKey>([
  'workspace.workspace_only',
  'workspace.access',
  'workspace.allowed_roots',
  'workspace.forbidden_paths',
  'workspace.unrestricted_filesystem',
  'memory.read_memory_from',
  'secrets.unseal',
]);

/** Whether a bounded child is met with its caller's value of this setting. */
export const isAuthority = (key: SettingKey): boolean => {
  if (registry[key].order.own === true || key === 'approval.route.on_no_approver') return false;
  return authorityKeys.has(key) || authoritySurfaces.includes(registry[key].surface);
};

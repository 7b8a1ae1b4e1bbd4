import type { Narrowing, ResolveRecords } from '../request.ts';
import type { AppliedNarrowing, ResolutionProblem } from '../resolution.ts';
import { settingKeys, type SettingKey } from '../setting-key.ts';
import type { Limit } from '../snapshot.ts';
import { registry } from '../surfaces/registry.ts';
import { valueAt } from './snapshot-parts.ts';
import { ceilingPrefix, type EdgeGrants, type Taking } from './taking.ts';

type Parent = NonNullable<ResolveRecords['parent']>;
type Job = NonNullable<ResolveRecords['job']>;

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

/** The levels left below a child, or none: the parent's, less one. */
export const depthTaking = ({ turn, depth }: Parent): Taking | ResolutionProblem => {
  const left = depthBelow(depth);
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

/** The levels left below a job that a turn deep in a chain made; a job of config has all of its agent's. */
export const jobDepthTaking = (job: Job, own: Limit): Taking | ResolutionProblem => {
  const whose = `job:${job.name}`;
  const why = 'levels of turns left below this one';
  if (job.depth === 0 || own === 'unlimited') return { whose, why, values: 'none', kind: 'limit' };
  if (job.depth > own)
    return {
      code: 'depth_exceeded',
      message: `job \`${job.name}\` was made too deep in a chain of turns`,
      path: 'delegation.max_depth',
    };
  return { whose, why, values: { 'delegation.max_depth': own - job.depth }, kind: 'limit' };
};

/** One level less; null when there is none left. */
export const depthBelow = (depth: Limit): Limit | null => {
  if (depth === 'unlimited') return depth;
  return depth === 0 ? null : depth - 1;
};

/** What of the caller's effective policy a child is met with: `all` for the same agent, `authority` over a bounded edge. */
export const ceilingTaking = (
  parent: Parent,
  part: 'all' | 'authority' | 'none',
  grants?: EdgeGrants,
): Taking => {
  const whose = `${ceilingPrefix}${parent.snapshot.agent}`;
  if (part === 'none')
    return { whose, why: 'the edge is independent', values: 'none', kind: 'ceiling' };
  const keys = part === 'all' ? settingKeys : settingKeys.filter(isAuthority);
  const values: Narrowing = {};
  for (const key of keys) values[key] = valueAt(parent.snapshot, key);
  const ceiling: Taking = { whose, why: "the caller's effective policy", values, kind: 'ceiling' };
  return grants === undefined ? ceiling : { ...ceiling, grants };
};

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

/** Whether a bounded child is met with the caller's value of this setting. */
const isAuthority = (key: SettingKey): boolean => {
  if (registry[key].order.own === true || key === 'approval.route.on_no_approver') return false;
  return authorityKeys.has(key) || authoritySurfaces.includes(registry[key].surface);
};

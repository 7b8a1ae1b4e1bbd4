import type { Clauses, Limit, PolicySnapshot } from '@lockstep/policy';
import { commandFits, glob, hostCovers } from './matcher.ts';
import { size } from './memory-facts.ts';
import { inside, tidy } from './places.ts';
import { own } from './tool-facts.ts';

/** One thing in which a child's policy may not go beyond its caller's, and whether it does. */
type Check = (child: PolicySnapshot, parent: PolicySnapshot) => boolean;

type Covers = (wide: string, narrow: string) => boolean;

/** What of a caller's policy binds a turn that it started: `all` for the same agent, `authority` for another one. */
export type Bound = 'all' | 'authority';

/** The first settings in which a child's policy grants what its caller's does not. `grants`: tools that the edge adds. */
export const beyond = (
  bound: Bound,
  child: PolicySnapshot,
  parent: PolicySnapshot,
  grants: readonly string[] = [],
): readonly string[] => {
  const checks = { ...authority(grants), ...(bound === 'all' ? sameAgent : {}) };
  return Object.entries(checks).flatMap(([key, holds]) => (holds(child, parent) ? [] : [key]));
};

/** A pattern of tools covers another: a star of the narrow one is a character that only a star takes. */
const coversTools: Covers = (wide, narrow) => glob(wide, narrow);
const coversCommands: Covers = (wide, narrow) =>
  wide === '*' || (narrow !== '*' && commandFits(wide, narrow.split(/\s+/)));

/** Whatever the child's clauses let through, the parent's do: each of the parent's clauses holds, as it is or narrower. */
const clausesHold = (
  child: Clauses,
  parent: Clauses,
  covers: Covers,
  grants: readonly string[] = [],
): boolean =>
  parent.every((wide) =>
    child.some((narrow) => narrow.every((n) => [...wide, ...grants].some((w) => covers(w, n)))),
  );

const atMost = (child: Limit, parent: Limit): boolean => size(child) <= size(parent);
const subset = (child: readonly string[], parent: readonly string[]): boolean =>
  child.every((item) => parent.includes(item));
const notWeaker = (order: readonly string[], child: string, parent: string): boolean =>
  order.indexOf(child) <= order.indexOf(parent);

type Record1<T> = Readonly<Record<string, T>>;
const entries = <T>(
  child: Record1<T>,
  parent: Record1<T>,
  holds: (child: T, parent: T) => boolean,
): boolean =>
  Object.entries(child).every(([key, value]) => {
    const above = own(parent, key);
    return above !== undefined && holds(value, above);
  });

const foldersHold = (child: readonly string[], parent: readonly string[]): boolean =>
  child.every((path) => parent.some((folder) => inside(tidy(folder), tidy(path))));

const authority = (grants: readonly string[]): Record1<Check> => ({
  'tools.allowed': (c, p) =>
    clausesHold(c.tools.allowed, p.tools.allowed, coversTools, grants.map(asId)),
  'tools.denied': (c, p) => subset(p.tools.denied, c.tools.denied),
  'approval.autonomy': (c, p) =>
    notWeaker(['read_only', 'supervised', 'full'], c.approval.autonomy, p.approval.autonomy),
  'approval.auto_approve': (c, p) =>
    clausesHold(c.approval.auto_approve, p.approval.auto_approve, coversTools),
  'approval.always_ask': (c, p) => subset(p.approval.always_ask, c.approval.always_ask),
  'approval.approvers_required': (c, p) =>
    c.approval.approvers_required >= p.approval.approvers_required,
  'approval.four_eyes': (c, p) => c.approval.four_eyes || !p.approval.four_eyes,
  'approval.timeout_secs': (c, p) => atMost(c.approval.timeout_secs, p.approval.timeout_secs),
  'approval.grant_ttl_secs': (c, p) => atMost(c.approval.grant_ttl_secs, p.approval.grant_ttl_secs),
  'shell.allowed_commands': (c, p) =>
    clausesHold(c.shell.allowed_commands, p.shell.allowed_commands, coversCommands),
  'shell.env_passthrough': (c, p) => subset(c.shell.env_passthrough, p.shell.env_passthrough),
  'shell.block_high_risk': (c, p) => c.shell.block_high_risk || !p.shell.block_high_risk,
  'shell.sandbox': (c, p) =>
    notWeaker(['required', 'preferred', 'off'], c.shell.sandbox, p.shell.sandbox),
  'network.allowed_hosts': (c, p) =>
    clausesHold(c.network.allowed_hosts, p.network.allowed_hosts, hostCovers),
  'network.block_private_addresses': (c, p) =>
    c.network.block_private_addresses || !p.network.block_private_addresses,
  'mcp.bundles': (c, p) => subset(c.mcp.bundles, p.mcp.bundles),
  'mcp.expose': (c, p) =>
    entries(c.mcp.expose, p.mcp.expose, (mine, above) => clausesHold(mine, above, coversTools)),
  'mcp.run': (c, p) =>
    entries(c.mcp.run, p.mcp.run, (mine, above) => mine === 'sandboxed' || above === 'trusted'),
  'mcp.share': (c, p) =>
    entries(c.mcp.share, p.mcp.share, (mine, above) => mine === 'session' || above === 'agent'),
  'delegation.mode': (c, p) =>
    notWeaker(['forbidden', 'allow'], c.delegation.mode, p.delegation.mode),
  'delegation.delegates': (c, p) =>
    entries(c.delegation.delegates, p.delegation.delegates, (mine, above) =>
      notWeaker(['bounded', 'independent'], mine, above),
    ),
  'delegation.spawn': (c, p) => !c.delegation.spawn || p.delegation.spawn,
  'delegation.sops': (c, p) => subset(c.delegation.sops, p.delegation.sops),
  'output.redact': (c, p) => c.output.redact || !p.output.redact,
  'output.max_reply_chars': (c, p) => atMost(c.output.max_reply_chars, p.output.max_reply_chars),
  'output.stream': (c, p) => !c.output.stream || p.output.stream,
  'workspace.workspace_only': (c, p) => c.workspace.workspace_only || !p.workspace.workspace_only,
  'workspace.unrestricted_filesystem': (c, p) =>
    !c.workspace.unrestricted_filesystem || p.workspace.unrestricted_filesystem,
  'workspace.allowed_roots': (c, p) =>
    foldersHold(c.workspace.allowed_roots, p.workspace.allowed_roots),
  'workspace.access': (c, p) =>
    entries(
      c.workspace.access,
      p.workspace.access,
      (mine, above) => above === 'read_write' || mine === above,
    ),
  'workspace.forbidden_paths': (c, p) =>
    subset(p.workspace.forbidden_paths, c.workspace.forbidden_paths),
  'memory.read_memory_from': (c, p) => subset(c.memory.read_memory_from, p.memory.read_memory_from),
  'secrets.unseal': (c, p) => clausesHold(c.secrets.unseal, p.secrets.unseal, coversTools),
});

const budgetKeys = [
  'max_tool_iterations',
  'max_parallel_tools',
  'max_tool_result_chars',
  'max_output_tokens',
  'max_tool_calls',
  'max_tokens_per_turn',
  'max_cost_usd_per_turn',
  'turn_timeout_secs',
  'tool_timeout_secs',
  'max_actions_per_hour',
  'max_cost_usd_per_day',
] as const;

/** What binds a turn of the same agent beside the authority. */
const sameAgent: Record1<Check> = {
  ...Object.fromEntries(
    budgetKeys.map((key): readonly [string, Check] => [
      `budgets.${key}`,
      (c, p) => atMost(c.budgets[key], p.budgets[key]),
    ]),
  ),
  'workspace.root': (c, p) => foldersHold([c.workspace.root], [p.workspace.root]),
  'memory.backend': (c, p) => ['none', p.memory.backend].includes(c.memory.backend),
  'memory.auto_recall': (c, p) => !c.memory.auto_recall || p.memory.auto_recall,
  'memory.recall_limit': (c, p) => atMost(c.memory.recall_limit, p.memory.recall_limit),
  'memory.writable': (c, p) => !c.memory.writable || p.memory.writable,
  'skills.bundles': (c, p) => subset(c.skills.bundles, p.skills.bundles),
  'skills.allow_scripts': (c, p) => !c.skills.allow_scripts || p.skills.allow_scripts,
  'context.max_history_messages': (c, p) =>
    atMost(c.context.max_history_messages, p.context.max_history_messages),
  'context.identity.writable': (c, p) =>
    !c.context.identity.writable || p.context.identity.writable,
  'channels.bindings': (c, p) => subset(c.channels.bindings, p.channels.bindings),
};

const asId = (pattern: string): string =>
  pattern === '*' || pattern.includes(':') ? pattern : `builtin:${pattern}`;

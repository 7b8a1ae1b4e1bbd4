import {
  triggersByPath,
  type EnforcedKey,
  type PolicySnapshot,
  type Trigger,
} from '@lockstep/policy';
import { emptyHere, outOfReach } from './out-of-reach.ts';
import { mayUse } from './plain-request.ts';

/** The stronger rule that always decides before a setting could, or null. */
export const decidedBefore = (
  key: EnforcedKey,
  policy: PolicySnapshot,
  trigger: Trigger,
): string | null => {
  let known = decided.get(policy);
  if (known === undefined) decided.set(policy, (known = new Map<string, string | null>()));
  const question = `${key} ${trigger}`;
  const found = known.get(question);
  if (found !== undefined) return found;
  const why = decide(key, policy, trigger);
  known.set(question, why);
  return why;
};

/** Only saves work: the same is asked whenever the matrix is looked at. */
const decided = new WeakMap<PolicySnapshot, Map<string, string | null>>();

const decide = (key: EnforcedKey, policy: PolicySnapshot, trigger: Trigger): string | null => {
  if (key !== 'tools.allowed' && isNone(policy.tools.allowed) && followsTools(key))
    return '`tools.allowed` is empty: no call comes this far';
  const unlimited = withoutLimit(key, policy);
  if (unlimited !== null) return unlimited;
  const far = emptyHere(key, policy) ?? outOfReach(key, policy, trigger);
  if (far !== null) return far;
  const [surface] = key.split('.', 1);
  return bySurface[surface ?? '']?.(key, policy, trigger) ?? null;
};

type Decider = (key: EnforcedKey, policy: PolicySnapshot, trigger: Trigger) => string | null;

const approval: Decider = (key, { approval: a }) => {
  if (!asked.has(key)) return null;
  if (a.route.on_no_approver === 'deny' && key !== 'approval.timeout_secs')
    return '`approval.route.on_no_approver` is `deny`: nothing waits for a person';
  if (a.autonomy !== 'supervised' && a.always_ask.length === 0 && key !== 'approval.timeout_secs')
    return `\`approval.autonomy\` is \`${a.autonomy}\` and nothing is always asked for`;
  return null;
};

/** Settings that speak only of what a person is asked. */
const asked: ReadonlySet<EnforcedKey> = new Set<EnforcedKey>([
  'approval.approvers_required',
  'approval.four_eyes',
  'approval.route.approver',
  'approval.timeout_secs',
  'approval.grant_ttl_secs',
]);

const context: Decider = (key, { context: c }) =>
  key === 'context.identity.writable' && c.identity.files.length === 0
    ? '`context.identity.files` is empty: there is no such file'
    : null;

const memory: Decider = (key, policy) => {
  const { backend, auto_recall } = policy.memory;
  if (key === 'memory.backend') return null;
  if (backend === 'none') return '`memory.backend` is `none`: there are no rows';
  if (key === 'memory.auto_recall') return null;
  const recalls = auto_recall || mayUse(policy, 'builtin:memory_recall');
  if (key === 'memory.writable' || key === 'memory.retention_days')
    return kept(key, policy, recalls);
  if (!recalls)
    return 'nothing is recalled: `memory_recall` is not allowed, and `memory.auto_recall` is false';
  return key !== 'memory.recall_limit' && policy.memory.recall_limit === 0
    ? '`memory.recall_limit` is 0: no row is recalled'
    : null;
};

const kept = (key: EnforcedKey, policy: PolicySnapshot, recalls: boolean): string | null => {
  const stores = mayUse(policy, 'builtin:memory_store');
  if (key === 'memory.writable')
    return stores || mayUse(policy, 'builtin:memory_forget')
      ? null
      : 'no tool that writes to memory is allowed';
  return recalls || (stores && policy.memory.writable)
    ? null
    : 'no row is stored or recalled: its time cannot matter';
};

const skills: Decider = (key, { skills: s }) =>
  key !== 'skills.bundles' && s.bundles.length === 0
    ? '`skills.bundles` is empty: there is no skill'
    : null;

const shell: Decider = (key, policy) => {
  const scripts = policy.skills.allow_scripts && policy.skills.bundles.length > 0;
  const commands = mayUse(policy, 'builtin:shell');
  const executes = policy.approval.autonomy !== 'read_only';
  if (!executes) return '`approval.autonomy` is `read_only`: nothing is executed';
  const shared = key === 'shell.sandbox' || key === 'shell.env_passthrough';
  if (shared && scripts) return null;
  if (!commands) return '`tools.allowed` does not let `shell` through';
  return key !== 'shell.allowed_commands' && isNone(policy.shell.allowed_commands)
    ? '`shell.allowed_commands` is empty and decides first'
    : null;
};

const network: Decider = (key, policy) =>
  key === 'network.block_private_addresses' && isNone(policy.network.allowed_hosts)
    ? '`network.allowed_hosts` is empty and decides first'
    : null;

const mcp: Decider = (key, policy) =>
  key !== 'mcp.bundles' && policy.mcp.bundles.length === 0
    ? '`mcp.bundles` is empty: no server is there'
    : null;

const startedBy: Readonly<Partial<Record<EnforcedKey, readonly string[]>>> = {
  'delegation.mode': ['delegate', 'spawn'],
  'delegation.delegates': ['delegate'],
  'delegation.spawn': ['spawn'],
  'delegation.sops': ['sop_start'],
  'delegation.max_depth': ['delegate', 'spawn', 'sop_start', 'message_peer', 'cron_add'],
};

const delegation: Decider = (key, policy, trigger) => {
  // A turn below another one is itself what these settings let through.
  if (isChild.has(trigger) && (key === 'delegation.max_depth' || key === 'delegation.delegates'))
    return null;
  const tools = startedBy[key] ?? [];
  if (!tools.some((tool) => mayUse(policy, `builtin:${tool}`)))
    return `\`tools.allowed\` does not let \`${tools.join('`, `')}\` through`;
  const follows = key === 'delegation.delegates' || key === 'delegation.spawn';
  return follows && policy.delegation.mode === 'forbidden'
    ? '`delegation.mode` is `forbidden` and decides first'
    : null;
};

const isChild: ReadonlySet<Trigger> = new Set<Trigger>([
  'peer',
  'subagent',
  'bounded',
  'independent',
  'live',
]);

const channels: Decider = (key, policy, trigger) => {
  const inbound = triggersByPath.channel.some((name) => name === trigger);
  if (key === 'channels.bindings')
    return inbound && trigger !== 'peer' ? null : 'only what comes in on a channel is judged by it';
  return inbound || mayUse(policy, 'builtin:message_peer')
    ? null
    : '`tools.allowed` does not let `message_peer` through, and nothing comes in on a channel here';
};

const bySurface: Readonly<Record<string, Decider>> = {
  approval,
  context,
  memory,
  skills,
  shell,
  network,
  mcp,
  delegation,
  channels,
};

/** Where `unlimited` is written there is nothing to reach. */
const withoutLimit = (key: EnforcedKey, policy: PolicySnapshot): string | null => {
  const value = key
    .split('.')
    .reduce<unknown>((table, part) => (table as Record<string, unknown>)[part], policy);
  return value === 'unlimited' ? '`unlimited` is written: there is no limit to reach' : null;
};

const isNone = (clauses: PolicySnapshot['tools']['allowed']): boolean =>
  clauses.some((patterns) => patterns.length === 0);

/** Settings that speak only of calls that `tools.allowed` let through. */
const followsTools = (key: EnforcedKey): boolean =>
  ['approval.', 'workspace.', 'network.', 'secrets.', 'shell.'].some((s) => key.startsWith(s)) ||
  [
    'budgets.max_parallel_tools',
    'budgets.max_tool_result_chars',
    'budgets.loop_detection',
    'budgets.max_tool_calls',
    'budgets.tool_timeout_secs',
    'budgets.max_actions_per_hour',
    'context.identity.writable',
    'memory.writable',
    'skills.allow_scripts',
  ].includes(key);

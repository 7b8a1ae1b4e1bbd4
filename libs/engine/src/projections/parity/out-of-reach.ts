import {
  triggersByPath,
  type EnforcedKey,
  type PolicySnapshot,
  type Trigger,
} from '@lockstep/policy';
import { toolAllowed, toolDenied } from '../../monitors/matcher.ts';
import { mayUse } from './plain-request.ts';

/** Why a list names nothing that a call could meet, or null. */
export const emptyHere = (key: EnforcedKey, policy: PolicySnapshot): string | null =>
  empty[key]?.(policy) ?? null;

type Why = (policy: PolicySnapshot, trigger: Trigger) => string | null;
type WhyEmpty = (policy: PolicySnapshot) => string | null;

const when = (holds: boolean, why: string): string | null => (holds ? why : null);

const length = (text: string): number => text.length;

const isNone = (clauses: PolicySnapshot['tools']['allowed']): boolean =>
  clauses.some((patterns) => patterns.length === 0);

const empty: Readonly<Partial<Record<EnforcedKey, WhyEmpty>>> = {
  'tools.denied': ({ tools, mcp }) => {
    if (tools.denied.length === 0) return '`tools.denied` is empty: nothing is denied';
    const servers = Object.keys(mcp.servers);
    const isGone = (pattern: string): boolean =>
      pattern.startsWith('mcp:') && !servers.some((one) => pattern.startsWith(`mcp:${one}/`));
    return when(
      tools.denied.every((pattern) => isGone(pattern) && !pattern.startsWith('mcp:*')),
      '`tools.denied` names tools of servers alone that are not there',
    );
  },
  'approval.auto_approve': ({ approval }) =>
    when(
      isNone(approval.auto_approve),
      '`approval.auto_approve` is empty: no call is approved by it',
    ),
  'approval.always_ask': ({ approval }) =>
    when(
      approval.always_ask.length === 0,
      '`approval.always_ask` is empty: no call is asked for by it',
    ),
  'workspace.allowed_roots': ({ workspace }) =>
    when(
      workspace.allowed_roots.length === 0,
      '`workspace.allowed_roots` is empty: there is no such root',
    ),
  'context.identity.files': ({ context }) =>
    when(
      context.identity.files.length === 0,
      '`context.identity.files` is empty: there is no such file',
    ),
  'skills.bundles': (policy) =>
    when(
      policy.skills.bundles.length === 0 && !mayUse(policy, 'builtin:skill_read'),
      '`skills.bundles` is empty, and `skill_read` is not allowed',
    ),
  'workspace.access': ({ workspace }) => {
    const { access, siblings, protected: closed, protected_except: open } = workspace;
    const deepest = (path: string, list: readonly string[]): number =>
      Math.max(-1, ...list.filter((at) => path === at || path.startsWith(`${at}/`)).map(length));
    const isClosed = ({ root }: { readonly root: string }): boolean =>
      deepest(root, closed) > deepest(root, open);
    return when(
      Object.keys(access).length === 0 && Object.values(siblings).every(isClosed),
      '`workspace.access` is empty, and the workspaces of others lie on protected paths, which decide first',
    );
  },
};

/** Why what a setting limits or lets through cannot come up under a policy over a trigger, or null. */
export const outOfReach = (
  key: EnforcedKey,
  policy: PolicySnapshot,
  trigger: Trigger,
): string | null => far[key]?.(policy, trigger) ?? null;

const free = (policy: PolicySnapshot, key: string): string | null =>
  when(
    policy.provider.prices.kind === 'free',
    `the prices of the provider are \`free\`: \`${key}\` is never used up`,
  );

/** A turn of these triggers begins a conversation of its own. */
const alone: ReadonlySet<Trigger> = new Set<Trigger>([
  'cron',
  'heartbeat',
  'subagent',
  'bounded',
  'independent',
  'peer',
  'live',
  'headless',
]);

const channels: ReadonlySet<Trigger> = new Set<Trigger>(triggersByPath.channel);

const noHistory: Why = (_, trigger) =>
  when(
    alone.has(trigger),
    `a turn over \`${trigger}\` begins a conversation of its own: nothing came before`,
  );

/** Tools that change something and that neither `always_ask` nor `auto_approve` decides on. */
const leftToAutonomy = (policy: PolicySnapshot): boolean => {
  const { always_ask: always, auto_approve: auto } = policy.approval;
  if (policy.mcp.bundles.length > 0) return true;
  if (policy.skills.bundles.length > 0 && policy.skills.allow_scripts) return true;
  return changing.some(
    (tool) => mayUse(policy, tool) && !toolDenied(always, tool) && !toolAllowed(auto, tool),
  );
};

const changing: readonly string[] = [
  'file_edit',
  'file_write',
  'http_fetch',
  'memory_store',
  'memory_forget',
  'shell',
  'cron_add',
  'cron_remove',
  'sop_start',
  'delegate',
  'spawn',
  'message_peer',
].map((name) => `builtin:${name}`);

const listed =
  '`approval.always_ask` and `approval.auto_approve` decide on every tool that changes something';

const isAsked = ({ approval }: PolicySnapshot): boolean =>
  approval.route.on_no_approver === 'queue' &&
  (approval.autonomy === 'supervised' || approval.always_ask.length > 0);

/** Characters of the system text of an agent without identity files and skills are fewer. */
export const plainSystemChars = 1_000;

const far: Readonly<Partial<Record<EnforcedKey, Why>>> = {
  'approval.autonomy': (policy) =>
    when(policy.approval.autonomy === 'supervised' && !leftToAutonomy(policy), listed),
  'approval.grant_ttl_secs': (policy) => when(!leftToAutonomy(policy), listed),
  'approval.timeout_secs': (policy) =>
    when(
      !isAsked(policy) && !mayUse(policy, 'builtin:ask_user'),
      'nothing waits for a person: no call is asked for, and `ask_user` is not allowed',
    ),
  'approval.route.on_no_approver': ({ approval }) =>
    when(
      approval.autonomy !== 'supervised' && approval.always_ask.length === 0,
      `\`approval.autonomy\` is \`${approval.autonomy}\` and nothing is always asked for`,
    ),
  'budgets.max_cost_usd_per_turn': (policy) => free(policy, 'budgets.max_cost_usd_per_turn'),
  'budgets.max_cost_usd_per_day': (policy) => free(policy, 'budgets.max_cost_usd_per_day'),
  'budgets.max_parallel_tools': ({ budgets }) =>
    when(
      budgets.max_tool_calls !== 'unlimited' &&
        budgets.max_parallel_tools !== 'unlimited' &&
        budgets.max_tool_calls <= budgets.max_parallel_tools,
      '`budgets.max_tool_calls` is reached first',
    ),
  'budgets.max_tokens_per_turn': ({ budgets, context }) => {
    const {
      max_tool_iterations: steps,
      max_output_tokens: out,
      max_tokens_per_turn: cap,
    } = budgets;
    const prompt = context.max_context_tokens;
    if (steps === 'unlimited' || out === 'unlimited' || cap === 'unlimited') return null;
    if (prompt === 'unlimited') return null;
    const most = (steps + 1) * (prompt + out);
    return when(
      most < cap,
      `\`budgets.max_tool_iterations\`, \`context.max_context_tokens\` and \`budgets.max_output_tokens\` end a turn at ${most} tokens`,
    );
  },
  'context.max_history_messages': noHistory,
  'context.keep_tool_results_turns': noHistory,
  'context.max_system_prompt_chars': ({ context, skills }) =>
    when(
      context.identity.files.length === 0 &&
        skills.bundles.length === 0 &&
        Number(context.max_system_prompt_chars) >= plainSystemChars,
      'the system text is short: there are neither identity files nor skills',
    ),
  'network.allowed_hosts': (policy) => {
    const urls = Object.values(policy.mcp.operands)
      .flatMap((tools) => Object.values(tools))
      .some((operands) => operands !== 'none' && operands.some(({ kind }) => kind === 'url'));
    return when(
      !urls && !mayUse(policy, 'builtin:http_fetch'),
      '`tools.allowed` does not let `http_fetch` through, and no tool of a server names addresses',
    );
  },
  'output.stream': (_, trigger) =>
    when(
      alone.has(trigger) || channels.has(trigger),
      `nobody listens for text while it is made over \`${trigger}\``,
    ),
  'workspace.unrestricted_filesystem': ({ workspace }) =>
    when(
      workspace.workspace_only && !workspace.unrestricted_filesystem,
      '`workspace.workspace_only` is true and decides first',
    ),
};

import type { AppliedConfig, EnforcedKey } from '@lockstep/policy';

type Json = unknown;
type Table = Readonly<Record<string, Json>>;

/** What a request takes away before anything else is looked at. */
export interface Taken {
  /** The tools of a scope: of a token, a channel, a job, a step. */
  readonly tools: readonly string[] | 'nothing';
  /** Whether memory is left out. */
  readonly memory?: 'none';
  /** Levels of turns left below, by what is above. */
  readonly depth?: number;
}

/** The value of every setting, read off config by the plain meaning of the policy page. A second interpreter: slow, naive,
 * and written without the first one. Both must say the same. */
export const naiveValues = (
  applied: AppliedConfig,
  alias: string,
  taken: Taken = { tools: 'nothing' },
): Readonly<Record<EnforcedKey, Json>> => {
  const written = layers(applied, alias);
  const said = (path: string, otherwise: Json): Json => find(written, path) ?? otherwise;
  return {
    ...toolValues(said, taken),
    ...approvalValues(said),
    ...budgetValues(said),
    ...contextValues(said, applied),
    ...memoryValues(said, taken),
    ...shellValues(said),
    ...delegationValues(said, applied.config.agents[alias]?.delegates ?? [], taken),
    ...channelValues(applied, alias),
    'skills.bundles': unique(applied.config.agents[alias]?.skill_bundles ?? []),
    'skills.allow_scripts': said('skills.allow_scripts', false),
    'skills.prompt_mode': said('skills.prompt_mode', 'compact'),
    ...workspaceValues(said, applied, alias),
    ...mcpValues(applied, alias),
    'network.allowed_hosts': [anyOf(said('network.allowed_hosts', []), (host) => host)],
    'network.block_private_addresses': said('network.block_private_addresses', true),
    'output.redact': said('output.redact', true),
    'output.max_reply_chars': said('output.max_reply_chars', 20_000),
    'output.stream': said('output.stream', true),
  };
};

type Said = (path: string, otherwise: Json) => Json;

const toolValues = (said: Said, taken: Taken) => {
  const allowed = anyOf(said('tools.allowed', []), tool);
  const scope = taken.tools === 'nothing' ? ['*'] : anyOf(taken.tools, tool);
  return {
    'tools.allowed': allOf(allowed, scope),
    'tools.denied': anyOf(said('tools.denied', []), tool),
    'secrets.unseal': [anyOf(said('secrets.unseal', []), tool)],
  };
};

const approvalValues = (said: Said) => ({
  'approval.autonomy': said('autonomy', 'supervised'),
  'approval.auto_approve': [anyOf(said('approval.auto_approve', []), tool)],
  'approval.always_ask': anyOf(said('approval.always_ask', []), tool),
  'approval.approvers_required': said('approval.approvers_required', 1),
  'approval.four_eyes': said('approval.four_eyes', false),
  'approval.route.approver': said('approval.route.approver', 'inbox'),
  'approval.route.on_no_approver': said('approval.route.on_no_approver', 'queue'),
  'approval.timeout_secs': said('approval.timeout_secs', 900),
  'approval.grant_ttl_secs': said('approval.grant_ttl_secs', 3600),
});

const contextValues = (said: Said, { host }: AppliedConfig) => ({
  'context.identity.files': (said('context.identity.files', []) as readonly string[]).map((file) =>
    absoluteIn(host, file),
  ),
  'context.identity.writable': said('context.identity.writable', false),
});

const memoryValues = (said: Said, { memory }: Taken) => {
  const none = memory === 'none' || said('memory.backend', 'sqlite') === 'none';
  return {
    'memory.backend': none ? 'none' : said('memory.backend', 'sqlite'),
    'memory.auto_recall': none ? false : said('memory.auto_recall', true),
    'memory.recall_limit': said('memory.recall_limit', 5),
    'memory.read_memory_from': none ? [] : each(said('memory.read_memory_from', []), (a) => a),
    'memory.share': said('memory.share', 'person'),
    'memory.writable': none ? false : said('memory.writable', true),
    'memory.retention_days': said('memory.retention_days', 365),
  };
};

const shellValues = (said: Said) => ({
  'shell.allowed_commands': [anyOf(said('shell.allowed_commands', []), (command) => command)],
  'shell.env_passthrough': each(said('shell.env_passthrough', []), (name) => name),
  'shell.block_high_risk': said('shell.block_high_risk', true),
  'shell.sandbox': said('shell.sandbox', 'required'),
});

type Edge = { readonly agent: string; readonly mode: string };

const delegationValues = (said: Said, edges: readonly Edge[], { depth }: Taken) => {
  const open = said('delegation.mode', 'forbidden') === 'allow';
  const own = said('delegation.max_depth', 3);
  const mode = (to: string) =>
    edges.some(({ agent, mode: how }) => agent === to && how === 'bounded')
      ? 'bounded'
      : 'independent';
  return {
    'delegation.mode': said('delegation.mode', 'forbidden'),
    'delegation.delegates': open ? table(edges.map(({ agent }) => [agent, mode(agent)])) : {},
    'delegation.max_depth':
      depth === undefined ? own : typeof own === 'number' ? Math.min(own, depth) : depth,
    'delegation.spawn': open ? said('delegation.spawn', false) : false,
    'delegation.sops': open ? each(said('delegation.sops', []), (name) => name) : [],
  };
};

const channelValues = ({ config }: AppliedConfig, alias: string) => {
  const kinds = Object.entries<Readonly<Record<string, unknown>>>(config.channels);
  const all = kinds.flatMap(([kind, table]) => Object.keys(table).map((name) => `${kind}.${name}`));
  const someone = Object.values(config.agents).some((agent) => (agent.channels ?? []).length > 0);
  const first = Object.keys(config.agents)
    .sort()
    .find((name) => config.agents[name]?.enabled === true);
  const written = config.agents[alias]?.channels;
  const groups = Object.values(config.peer_groups).filter(({ agents }) => some(agents, alias));
  const peersOn = (channel: string) => {
    const here = groups.filter((group) => group.channel === channel);
    const ignore = unique(here.flatMap((group) => group.ignore));
    return {
      inbound: unique(here.flatMap((group) => group.external_peers)).filter(
        (peer) => !some(ignore, peer),
      ),
      ignore: some(ignore, '*') ? ['*'] : ignore,
      agents: unique(here.flatMap((group) => group.agents)).filter((name) => name !== alias),
    };
  };
  return {
    'channels.bindings':
      written === undefined ? (!someone && first === alias ? unique(all) : []) : unique(written),
    'channels.peers': table(groups.map(({ channel }) => [channel, peersOn(channel)])),
  };
};

const absoluteIn = ({ home, base }: AppliedConfig['host'], path: string): string => {
  if (path.startsWith('/')) return path;
  return path.startsWith('~/') ? `${home}/${path.slice(2)}` : `${base}/${path}`;
};

const budgetValues = (said: Said) => ({
  'budgets.max_tool_iterations': said('budgets.max_tool_iterations', 10),
  'budgets.max_parallel_tools': said('budgets.max_parallel_tools', 4),
  'budgets.max_tool_result_chars': said('budgets.max_tool_result_chars', 50_000),
  'budgets.max_output_tokens': said('budgets.max_output_tokens', 4096),
  'budgets.loop_detection': said('budgets.loop_detection', { window: 20, max_repeats: 3 }),
  'budgets.max_tool_calls': said('budgets.max_tool_calls', 30),
  'budgets.max_tokens_per_turn': said('budgets.max_tokens_per_turn', 200_000),
  'budgets.max_cost_usd_per_turn': micro(said('budgets.max_cost_usd_per_turn', 1)),
  'budgets.turn_timeout_secs': said('budgets.turn_timeout_secs', 600),
  'budgets.tool_timeout_secs': said('budgets.tool_timeout_secs', 60),
  'budgets.max_actions_per_hour': said('budgets.max_actions_per_hour', 120),
  'budgets.max_cost_usd_per_day': micro(said('budgets.max_cost_usd_per_day', 10)),
  'budgets.warn_at_percent': said('budgets.warn_at_percent', 80),
  'context.max_history_messages': said('context.max_history_messages', 50),
  'context.max_context_tokens': said('context.max_context_tokens', 32_000),
  'context.keep_tool_results_turns': said('context.keep_tool_results_turns', 2),
  'context.max_system_prompt_chars': said('context.max_system_prompt_chars', 20_000),
});

const workspaceValues = (said: Said, { host }: AppliedConfig, alias: string) => {
  const absolute = (path: string): string => absoluteIn(host, path);
  const forbidden = (path: string) => (path.startsWith('**/') ? path : absolute(path));
  const mayLeave =
    said('autonomy', 'supervised') === 'full' || said('workspace.unrestricted_filesystem', false);
  const root = said('workspace.root', null);
  return {
    'workspace.root':
      typeof root === 'string' ? absolute(root) : `${host.data}/workspaces/${alias}`,
    'workspace.workspace_only': mayLeave === true ? said('workspace.workspace_only', true) : true,
    'workspace.access': said('workspace.access', {}),
    'workspace.allowed_roots': each(said('workspace.allowed_roots', []), absolute),
    'workspace.forbidden_paths': each(said('workspace.forbidden_paths', usual), forbidden),
    'workspace.unrestricted_filesystem': said('workspace.unrestricted_filesystem', false),
  };
};

/** Forbidden paths where config names none. */
const usual = (
  '/etc /proc /sys /dev /boot /run /var/run ~/.ssh ~/.gnupg ~/.aws ~/.azure ~/.config/gcloud ' +
  '~/.kube ~/.docker ~/.netrc ~/.npmrc ~/.config/gh ~/.git-credentials **/.env **/.env.*'
).split(' ');

const effectOrder = ['read', 'write', 'execute', 'network', 'delegate', 'message'];

const mcpValues = ({ config }: AppliedConfig, alias: string) => {
  const bundles = config.agents[alias]?.mcp_bundles ?? [];
  const names = unique(bundles.flatMap((bundle) => config.mcp_bundles[bundle]?.servers ?? []));
  const servers = names.flatMap((name) => {
    const server = config.mcp.servers[name];
    return server === undefined ? [] : [{ name, server }];
  });
  const tools = (read: (tool: (typeof servers)[number]['server']['tools'][string]) => Json) =>
    table(
      servers.map(({ name, server }) => [
        name,
        table(Object.entries(server.tools).map(([id, t]) => [id, read(t)])),
      ]),
    );
  return {
    'mcp.bundles': unique(bundles),
    'mcp.expose': table(
      servers.map(({ name, server }) => [name, [anyOf(server.expose, (id) => id)]]),
    ),
    'mcp.effects': tools(({ effect }) => effect && effectOrder.filter((e) => some(effect, e))),
    'mcp.operands': tools(({ operands }) => operands),
    'mcp.run': table(
      servers.map(({ name, server }) => [
        name,
        server.transport === 'stdio' ? server.run : undefined,
      ]),
    ),
    'mcp.share': table(servers.map(({ name, server }) => [name, server.share])),
  };
};

/** The agent's own tables first, then its risk and its runtime profile. */
const layers = ({ config }: AppliedConfig, alias: string): readonly Table[] => {
  const agent = config.agents[alias];
  if (agent === undefined) return [];
  return [
    agent,
    config.risk_profiles[agent.risk_profile ?? ''] ?? {},
    config.runtime_profiles[agent.runtime_profile ?? ''] ?? {},
  ];
};

/** The first layer that says something at a path. */
const find = (written: readonly Table[], path: string): Json => {
  for (const layer of written) {
    let value: Json = layer;
    for (const part of path.split('.')) value = (value as Table | undefined)?.[part];
    if (value !== undefined) return value;
  }
  return undefined;
};

export const tool = (pattern: string): string =>
  pattern === '*' || pattern.includes(':') ? pattern : `builtin:${pattern}`;

/** One list of alternatives; `"*"` in it makes the others idle. */
const anyOf = (list: Json, spell: (item: string) => string): readonly string[] => {
  const items = each(list, spell);
  return items.includes('*') ? ['*'] : items;
};

/** Two lists that must both match: all is no condition, none leaves nothing. */
const allOf = (a: readonly string[], b: readonly string[]): Json => {
  if (a.length === 0 || b.length === 0) return [[]];
  const limits = [a, b].filter((list) => list[0] !== '*').map((list) => JSON.stringify(list));
  return limits.length === 0 ? [['*']] : unique(limits).map((text) => JSON.parse(text) as Json);
};

const each = (list: Json, spell: (item: string) => string): readonly string[] =>
  unique((list === '*' ? ['*'] : (list as readonly string[])).map(spell));

const micro = (dollars: Json): Json =>
  typeof dollars === 'number' ? Math.round(dollars * 1_000_000) : dollars;

const some = (list: readonly string[], item: string): boolean => list.includes(item);
export const unique = (list: readonly string[]): readonly string[] => [...new Set(list)].sort();
export const table = (entries: readonly (readonly [string, Json])[]): Json =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined));

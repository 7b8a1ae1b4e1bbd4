import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { applied, complete, profiles } from './applied.fixture.ts';
import { canonicalJson } from './canonical.ts';
import { configSchema } from './config/config.schema.ts';
import type { Origin, Principal, ResolveRecords } from './request.ts';
import { resolve } from './resolve.ts';

/** Every place of the config schema where a value is written; `*` is any name. */
const leavesOf = (schema: z.core.$ZodType, at: string): string[] => {
  const inner = (part: z.core.$ZodType, name = '') =>
    leavesOf(part, name === '' ? at : at === '' ? name : `${at}.${name}`);
  if (schema instanceof z.ZodObject)
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, part]) =>
      inner(part, name),
    );
  if (schema instanceof z.ZodRecord) return inner(schema.valueType, '*');
  if (schema instanceof z.ZodArray)
    return schema.element instanceof z.ZodObject || schema.element instanceof z.ZodUnion
      ? inner(schema.element, '[]')
      : [at];
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.flatMap((o) => inner(o)))];
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return inner(schema.unwrap());
  return [at];
};

/** Fields that no agent's policy depends on, each with what it decides instead. */
const decidedElsewhere: Readonly<Record<string, string>> = {
  'risk_profiles.*.locked': 'the check of config refuses an agent that sets the key',
  'runtime_profiles.*.locked': 'the check of config refuses an agent that sets the key',
  'people.*.roles': 'what a token of this person may do over HTTP',
  'gateway.host': 'the address that the daemon listens on',
  'gateway.port': 'the port that the daemon listens on',
  'gateway.hosts': 'which Host headers are answered',
  'gateway.trusted_proxies':
    'whether a public bind is started, and whose forwarded addresses count',
  'gateway.max_body_kb': 'the size from which a body is refused',
  'gateway.rate_per_minute': 'the rate from which requests are refused',
  'cron.*.schedule': 'when the job runs',
  'cron.*.timezone': 'by which clock the job runs',
  'cron.*.prompt': 'what the job is asked',
  'cron.*.missed': 'whether a time that passed is made up for',
  'cron.*.overlap': 'whether a time waits for the run before it',
  'cron.*.enabled': 'whether the job runs at all',
  'heartbeat.*.every': 'when the heartbeat comes',
  'heartbeat.*.prompt': 'what the heartbeat asks',
  'sops.*.triggers': 'what starts the procedure',
  'sops.*.steps.[].prompt': 'what the step is asked',
  'sops.*.steps.[].gate': 'whether a person lets the step begin',
  'sops.*.steps.[].output.*': 'which replies the step accepts',
  'sops.*.steps.[].retries': 'how often a failed step is tried again',
  'channels.webhook.*.secret.env': 'whose messages are taken as signed',
  'channels.webhook.*.reply_url': 'where replies go',
  'channels.webhook.*.window_secs': 'how old a message may be',
  'channels.webhook.*.sender_may_approve': 'who may answer approvals',
  'channels.mqtt.*.url': 'which broker messages come from',
  'channels.mqtt.*.username': 'as whom the broker is reached',
  'channels.mqtt.*.password.env': 'as whom the broker is reached',
  'channels.mqtt.*.client_id': 'which session of the broker is taken up',
  'channels.mqtt.*.topic': 'which messages come in',
  'channels.mqtt.*.sender_level': 'who counts as the sender of a message',
  'channels.mqtt.*.reply_topic': 'where replies go',
  'channels.mqtt.*.sender_may_approve': 'who may answer approvals',
  'channels.telegram.*.token.env': 'which bot reads',
  'channels.telegram.*.api_url': 'where the bot reads',
  'channels.slack.*.bot_token.env': 'which bot writes',
  'channels.slack.*.app_token.env': 'which app reads',
  'channels.slack.*.api_url': 'where the app reads',
  'channels.discord.*.token.env': 'which bot reads',
  'channels.discord.*.api_url': 'where the bot reads',
  'store.type': 'where the log is kept',
  'store.connection.env': 'which log is opened',
  'store.connection.file': 'which log is opened',
};

type Json = Record<string, unknown>;

/** A config in which every field below acts on agent `a`. */
const base = (): Json => ({
  ...structuredClone(profiles),
  providers: {
    local: { type: 'scripted', script: 'a.yaml' },
    cloud: {
      type: 'openai_compatible',
      base_url: 'https://m.test',
      model: 'm',
      api_key: { env: 'K' },
      prices: { input_per_mtok: 1, output_per_mtok: 1, cached_input_per_mtok: 1 },
    },
  },
  risk_profiles: {
    careful: { tools: { allowed: ['file_read', 'time_now'] } },
    other: { autonomy: 'full' },
  },
  runtime_profiles: { short: {}, other: { budgets: { max_tool_calls: 1 } } },
  agents: {
    a: {
      ...complete,
      mcp_bundles: ['all'],
      channels: ['webhook.x', 'mqtt.x', 'telegram.x', 'slack.x', 'discord.x'],
      delegates: [{ agent: 'b', grants: { tools: ['file_write'] } }, { agent: 'c' }],
      delegation: { mode: 'allow' },
    },
    b: { ...complete, workspace: { root: '/ws/b' }, tools: { allowed: '*' } },
    c: complete,
  },
  mcp: {
    servers: {
      s: { transport: 'stdio', command: 'x', expose: '*', tools: { t: { effect: ['read'] } } },
      h: { transport: 'http', url: 'https://h.test', expose: '*' },
    },
  },
  mcp_bundles: { all: { servers: ['s', 'h'] } },
  people: { ana: { identities: ['local:local'], roles: [] } },
  skill_bundles: { more: { directory: '/skills/more' } },
  channels: {
    webhook: { x: { secret: { env: 'S' } } },
    mqtt: { x: { url: 'mqtt://m', topic: 't', username: 'u', password: { env: 'P' } } },
    telegram: { x: { token: { env: 'T' } } },
    slack: { x: { bot_token: { env: 'B' }, app_token: { env: 'A' } } },
    discord: { x: { token: { env: 'D' } } },
  },
  peer_groups: {
    room: { channel: 'webhook.x', agents: ['a', 'b'], external_peers: ['*'] },
    mqtt: { channel: 'mqtt.x', agents: ['a'], external_peers: ['eve'] },
    telegram: { channel: 'telegram.x', agents: ['a'], external_peers: ['eve'] },
    slack: { channel: 'slack.x', agents: ['a'], external_peers: ['eve'] },
    discord: { channel: 'discord.x', agents: ['a'], external_peers: ['eve'] },
  },
  cron: { j: { agent: 'a', schedule: '0 7 * * *', prompt: 'x', uses_memory: true } },
  heartbeat: { a: { every: '1h', prompt: 'x' } },
  sops: { s: { steps: [{ name: 'check', agent: 'a', prompt: 'x' }] } },
});

const put = (config: Json, path: string, value: unknown): Json => {
  const parts = path.split('.');
  const last = parts.pop() ?? '';
  let at = config;
  for (const part of parts) at = (at[part] ??= {}) as Json;
  at[last] = value;
  return config;
};

/** By field of a layer: a value that differs from the default. */
const inLayer: Readonly<Record<string, unknown>> = {
  autonomy: 'full',
  'tools.allowed': ['file_list'],
  'tools.denied': ['time_now'],
  'approval.auto_approve': ['time_now'],
  'approval.always_ask': ['time_now'],
  'approval.route.on_no_approver': 'deny',
  'approval.timeout_secs': 1,
  'approval.grant_ttl_secs': 1,
  'workspace.root': '/ws/other',
  'workspace.workspace_only': false,
  'workspace.access.*': 'read',
  'workspace.allowed_roots': ['/ws/more'],
  'workspace.forbidden_paths': [],
  'workspace.unrestricted_filesystem': true,
  'network.allowed_hosts': ['a.test'],
  'network.block_private_addresses': false,
  'secrets.unseal': ['http_fetch'],
  'output.redact': false,
  'output.max_reply_chars': 1,
  'output.stream': false,
  'budgets.max_tool_iterations': 1,
  'budgets.max_parallel_tools': 1,
  'budgets.max_tool_result_chars': 100,
  'budgets.max_output_tokens': 1,
  'budgets.loop_detection.window': { window: 5, max_repeats: 3 },
  'budgets.loop_detection.max_repeats': { window: 20, max_repeats: 5 },
  'budgets.max_tool_calls': 1,
  'budgets.max_tokens_per_turn': 1,
  'budgets.max_cost_usd_per_turn': 0.5,
  'budgets.turn_timeout_secs': 1,
  'budgets.tool_timeout_secs': 1,
  'context.max_history_messages': 1,
  'context.max_context_tokens': 256,
  'context.keep_tool_results_turns': 1,
  'context.max_system_prompt_chars': 200,
  'approval.approvers_required': 2,
  'approval.four_eyes': true,
  'approval.route.approver': 'people:ana',
  'shell.allowed_commands': ['git status'],
  'shell.env_passthrough': ['LANG'],
  'shell.block_high_risk': false,
  'shell.sandbox': 'off',
  'delegation.mode': 'allow',
  'delegation.max_depth': 1,
  'delegation.spawn': true,
  'delegation.sops': ['s'],
  'budgets.max_actions_per_hour': 1,
  'budgets.max_cost_usd_per_day': 0.5,
  'budgets.warn_at_percent': 50,
  'context.identity.files': ['id.md'],
  'context.identity.writable': true,
  'memory.backend': 'markdown',
  'memory.auto_recall': false,
  'memory.recall_limit': 1,
  'memory.read_memory_from': ['b'],
  'memory.share': 'agent',
  'memory.writable': false,
  'memory.retention_days': 1,
  'skills.allow_scripts': true,
  'skills.prompt_mode': 'full',
};

const cloud = (config: Json): Json => put(config, 'agents.a.provider', 'cloud');

/** By field of no layer: how to change it, and what must already be so for it to act. */
const elsewhere: Readonly<Record<string, { at: string; to: unknown; given?: (c: Json) => Json }>> =
  {
    'agents.*.enabled': { at: 'agents.a.enabled', to: false },
    'agents.*.provider': { at: 'agents.a.provider', to: 'cloud' },
    'agents.*.risk_profile': { at: 'agents.a.risk_profile', to: 'other' },
    'agents.*.runtime_profile': { at: 'agents.a.runtime_profile', to: 'other' },
    'agents.*.mcp_bundles': { at: 'agents.a.mcp_bundles', to: [] },
    'providers.*.type': {
      at: 'providers.cloud',
      to: { type: 'openai', model: 'm', api_key: { env: 'K' } },
      given: (config) =>
        cloud(
          put(config, 'providers.cloud', { type: 'anthropic', model: 'm', api_key: { env: 'K' } }),
        ),
    },
    'providers.*.script': { at: 'providers.local.script', to: 'b.yaml' },
    'providers.*.base_url': { at: 'providers.cloud.base_url', to: 'https://n.test', given: cloud },
    'providers.*.model': { at: 'providers.cloud.model', to: 'n', given: cloud },
    'providers.*.api_key.env': { at: 'providers.cloud.api_key', to: { env: 'L' }, given: cloud },
    'providers.*.api_key.file': { at: 'providers.cloud.api_key', to: { file: 'k' }, given: cloud },
    'providers.*.prices': { at: 'providers.cloud.prices', to: 'free', given: cloud },
    'providers.*.prices.input_per_mtok': {
      at: 'providers.cloud.prices.input_per_mtok',
      to: 2,
      given: cloud,
    },
    'providers.*.prices.output_per_mtok': {
      at: 'providers.cloud.prices.output_per_mtok',
      to: 2,
      given: cloud,
    },
    'providers.*.prices.cached_input_per_mtok': {
      at: 'providers.cloud.prices.cached_input_per_mtok',
      to: 2,
      given: cloud,
    },
    'providers.*.timeout_secs': { at: 'providers.local.timeout_secs', to: 5 },
    'providers.*.max_attempts': { at: 'providers.local.max_attempts', to: 1 },
    'mcp.servers.*.transport': {
      at: 'mcp.servers.h',
      to: { transport: 'stdio', command: 'h', expose: '*' },
    },
    'mcp.servers.*.command': { at: 'mcp.servers.s.command', to: 'y' },
    'mcp.servers.*.args': { at: 'mcp.servers.s.args', to: ['-v'] },
    'mcp.servers.*.env.*': { at: 'mcp.servers.s.env', to: { K: 'v' } },
    'mcp.servers.*.env.*.env': { at: 'mcp.servers.s.env', to: { K: { env: 'K' } } },
    'mcp.servers.*.env.*.file': { at: 'mcp.servers.s.env', to: { K: { file: 'k' } } },
    'mcp.servers.*.run': { at: 'mcp.servers.s.run', to: 'trusted' },
    'mcp.servers.*.network': { at: 'mcp.servers.s.network', to: true },
    'mcp.servers.*.expose': { at: 'mcp.servers.s.expose', to: ['t'] },
    'mcp.servers.*.tools.*.effect': { at: 'mcp.servers.s.tools.t.effect', to: ['write'] },
    'mcp.servers.*.tools.*.operands': { at: 'mcp.servers.s.tools.t.operands', to: 'none' },
    'mcp.servers.*.tools.*.operands.[].kind': {
      at: 'mcp.servers.s.tools.t.operands',
      to: [{ kind: 'url', at: '/p' }],
      given: (config) =>
        put(config, 'mcp.servers.s.tools.t.operands', [{ kind: 'path', at: '/p', access: 'read' }]),
    },
    'mcp.servers.*.tools.*.operands.[].at': {
      at: 'mcp.servers.s.tools.t.operands',
      to: [{ kind: 'url', at: '/q' }],
      given: (config) => put(config, 'mcp.servers.s.tools.t.operands', [{ kind: 'url', at: '/p' }]),
    },
    'mcp.servers.*.tools.*.operands.[].access': {
      at: 'mcp.servers.s.tools.t.operands',
      to: [{ kind: 'path', at: '/p', access: 'write' }],
      given: (config) =>
        put(config, 'mcp.servers.s.tools.t.operands', [{ kind: 'path', at: '/p', access: 'read' }]),
    },
    'mcp.servers.*.tools.*.repeatable': { at: 'mcp.servers.s.tools.t.repeatable', to: true },
    'mcp.servers.*.share': { at: 'mcp.servers.s.share', to: 'agent' },
    'mcp.servers.*.url': { at: 'mcp.servers.h.url', to: 'https://i.test' },
    'mcp.servers.*.headers.*': { at: 'mcp.servers.h.headers', to: { K: 'v' } },
    'mcp.servers.*.headers.*.env': { at: 'mcp.servers.h.headers', to: { K: { env: 'K' } } },
    'mcp.servers.*.headers.*.file': { at: 'mcp.servers.h.headers', to: { K: { file: 'k' } } },
    'mcp_bundles.*.servers': { at: 'mcp_bundles.all.servers', to: ['s'] },
    'agents.*.channels': { at: 'agents.a.channels', to: ['webhook.x'] },
    'agents.*.skill_bundles': { at: 'agents.a.skill_bundles', to: ['more'] },
    'agents.*.delegates.[].agent': { at: 'agents.a.delegates', to: [{ agent: 'c' }] },
    'agents.*.delegates.[].mode': {
      at: 'agents.a.delegates',
      to: [{ agent: 'b', mode: 'independent', grants: { tools: ['file_write'] } }, { agent: 'c' }],
    },
    'agents.*.delegates.[].grants.tools': {
      at: 'agents.a.delegates',
      to: [{ agent: 'b' }, { agent: 'c' }],
    },
    'skill_bundles.*.directory': {
      at: 'skill_bundles.more.directory',
      to: '/skills/other',
      given: (config) => put(config, 'agents.a.skill_bundles', ['more']),
    },
    'peer_groups.*.channel': { at: 'peer_groups.room.channel', to: 'mqtt.x' },
    'peer_groups.*.agents': { at: 'peer_groups.room.agents', to: ['b', 'c'] },
    'peer_groups.*.external_peers': { at: 'peer_groups.room.external_peers', to: ['bob'] },
    'peer_groups.*.ignore': { at: 'peer_groups.room.ignore', to: ['eve'] },
    'cron.*.agent': { at: 'cron.j.agent', to: 'b' },
    'cron.*.tools': { at: 'cron.j.tools', to: ['time_now'] },
    'cron.*.uses_memory': { at: 'cron.j.uses_memory', to: false },
    'sops.*.steps.[].name': {
      at: 'sops.s.steps',
      to: [{ name: 'other', agent: 'a', prompt: 'x' }],
    },
    'sops.*.steps.[].agent': {
      at: 'sops.s.steps',
      to: [{ name: 'check', agent: 'b', prompt: 'x' }],
    },
    'sops.*.steps.[].tools': {
      at: 'sops.s.steps',
      to: [{ name: 'check', agent: 'a', prompt: 'x', tools: ['time_now'] }],
    },
    'channels.webhook.*.tools': { at: 'channels.webhook.x.tools', to: ['time_now'] },
    'channels.mqtt.*.tools': { at: 'channels.mqtt.x.tools', to: ['time_now'] },
    'channels.telegram.*.tools': { at: 'channels.telegram.x.tools', to: ['time_now'] },
    'channels.slack.*.tools': { at: 'channels.slack.x.tools', to: ['time_now'] },
    'channels.discord.*.tools': { at: 'channels.discord.x.tools', to: ['time_now'] },
    'channels.webhook.*.secret.file': { at: 'channels.webhook.x.secret', to: { file: 'k' } },
    'channels.mqtt.*.password.file': { at: 'channels.mqtt.x.password', to: { file: 'k' } },
    'channels.telegram.*.token.file': { at: 'channels.telegram.x.token', to: { file: 'k' } },
    'channels.slack.*.bot_token.file': { at: 'channels.slack.x.bot_token', to: { file: 'k' } },
    'channels.slack.*.app_token.file': { at: 'channels.slack.x.app_token', to: { file: 'k' } },
    'channels.discord.*.token.file': { at: 'channels.discord.x.token', to: { file: 'k' } },
    'people.*.identities': { at: 'people.ana.identities', to: [] },
  };

const peer: Principal = { kind: 'peer', id: '', person: null };
const agentA: Principal = { kind: 'agent', id: 'a', person: null };

/** What resolve() answers on every path that config shapes: values or refusal, not where they came from. */
const decisionOn = (config: Json): string => {
  const on = applied(config);
  const ask = (origin: Origin, principal: Principal, records: ResolveRecords, agent = 'a') =>
    resolve(on, { agent, principal, session: 's', client: 'none', origin }, records);
  const run = ask({ kind: 'run' }, { kind: 'local', id: 'local', person: 'ana' }, {});
  const below: ResolveRecords = run.ok
    ? {
        parent: {
          turn: 'p',
          snapshot: run.policy.parts.snapshot,
          narrowings: [],
          depth: 'unlimited',
          spawn: {},
        },
      }
    : {};
  const job = { name: 'j', agent: 'a', tools: null, usesMemory: true, narrowing: {}, depth: 0 };
  const jobber: Principal = { kind: 'job', id: 'j', person: null };
  const found = [
    run,
    ...['webhook', 'mqtt', 'telegram', 'slack', 'discord'].map((kind) =>
      ask({ kind: 'channel', binding: `${kind}.x` }, { ...peer, id: `${kind}.x/eve` }, {}),
    ),
    ask({ kind: 'cron', job: 'j' }, jobber, { job }),
    ask({ kind: 'sop', run: 'r', step: 'check', parent: 'none' }, jobber, {
      sopRun: { id: 'r', sop: 's', step: 'check', scope: null },
    }),
    ask({ kind: 'delegate', parent: 'p', edge: 'b' }, agentA, below, 'b'),
    ask({ kind: 'peer', parent: 'p', group: 'room', channel: 'webhook.x' }, agentA, below, 'b'),
  ];
  return canonicalJson(found.map((one) => (one.ok ? one.policy.parts.snapshot : one.problems)));
};

const leaves = [...new Set(leavesOf(configSchema, ''))];
const layers = {
  'agents.*': 'agents.a',
  'risk_profiles.*': 'risk_profiles.careful',
  'runtime_profiles.*': 'runtime_profiles.short',
};
const layerOf = (leaf: string) =>
  Object.entries(layers).find(
    ([prefix]) => leaf.startsWith(`${prefix}.`) && leaf.slice(prefix.length + 1) in inLayer,
  );

describe('every field of the config schema', () => {
  it('is known to change a policy, or to decide something else by name', () => {
    const known = leaves.filter(
      (leaf) => layerOf(leaf) !== undefined || leaf in elsewhere || leaf in decidedElsewhere,
    );
    expect(known).toEqual(leaves);
    const named = [...Object.keys(elsewhere), ...Object.keys(decidedElsewhere)];
    expect(named.filter((leaf) => !leaves.includes(leaf))).toEqual([]);
    expect(Object.keys(inLayer).filter((leaf) => !leaves.includes(`agents.*.${leaf}`))).toEqual([]);
  });

  const inLayers = leaves.flatMap((leaf) => {
    const layer = layerOf(leaf);
    if (layer === undefined) return [];
    const [prefix, entry] = layer;
    const field = leaf.slice(prefix.length + 1);
    return [
      {
        leaf,
        at: `${entry}.${field.replace(/(loop_detection)\..*/, '$1').replace('*', 'b')}`,
        to: inLayer[field],
      },
    ];
  });

  it.each(inLayers)('changes the policy: $leaf', ({ at, to }) => {
    // Some act only where another permits it, and those of a profile only where the agent says nothing itself.
    const given = () => {
      const config = at.startsWith('agents.') ? base() : put(base(), 'agents.a.delegation', {});
      if (at.endsWith('workspace_only')) put(config, 'agents.a.autonomy', 'full');
      if (at.startsWith('risk_profiles') && !at.endsWith('mode'))
        put(config, 'risk_profiles.careful.delegation', { mode: 'allow' });
      if (at === 'agents.a.delegation.mode') put(config, 'agents.a.delegation', {});
      return config;
    };
    expect(decisionOn(put(given(), at, to))).not.toBe(decisionOn(given()));
  });

  it.each(Object.entries(elsewhere))('changes what is decided: %s', (_, { at, to, given }) => {
    const start = () => (given === undefined ? base() : given(base()));
    expect(decisionOn(put(start(), at, to))).not.toBe(decisionOn(start()));
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { applied, complete, profiles } from './applied.fixture.ts';
import { canonicalJson } from './canonical.ts';
import { configSchema } from './config/config.schema.ts';
import type { Principal } from './request.ts';
import { resolve } from './resolve.ts';
import { settings } from './surfaces/registry.ts';

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

/** Fields of parts that come later: config that writes them is refused. */
const laterSections = ['skill_bundles', 'peer_groups', 'channels', 'cron', 'sops', 'heartbeat'];
const laterWritten = settings.filter((s) => s.status === 'later').map((s) => s.written);
const isLater = (leaf: string): boolean => {
  const below = leaf.replace(/^(agents|risk_profiles|runtime_profiles)\.\*\./, '');
  return (
    laterSections.includes(leaf.split('.')[0] ?? '') ||
    laterWritten.some((written) => below === written || below.startsWith(`${written}.`))
  );
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
  'store.type': 'where the log is kept',
  'store.connection.env': 'which log is opened',
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
  risk_profiles: { careful: {}, other: { autonomy: 'full' } },
  runtime_profiles: { short: {}, other: { budgets: { max_tool_calls: 1 } } },
  agents: {
    a: { ...complete, mcp_bundles: ['all'] },
    b: { workspace: { root: '/ws/b' } },
  },
  mcp: {
    servers: {
      s: { transport: 'stdio', command: 'x', expose: '*', tools: { t: { effect: ['read'] } } },
      h: { transport: 'http', url: 'https://h.test', expose: '*' },
    },
  },
  mcp_bundles: { all: { servers: ['s', 'h'] } },
  people: { ana: { identities: ['local:local'], roles: [] } },
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
  'tools.allowed': ['time_now'],
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
    'people.*.identities': { at: 'people.ana.identities', to: [] },
  };

/** What resolve() answers for a person at the machine: values or refusal, not where they came from. */
const decisionOn = (config: Json): string => {
  const principal: Principal = { kind: 'local', id: 'local', person: 'ana' };
  const request = { agent: 'a', principal, session: 's', client: 'none' as const };
  const found = resolve(applied(config), { ...request, origin: { kind: 'run' } }, {});
  return canonicalJson(found.ok ? found.policy.parts.snapshot : found.problems);
};

const leaves = [...new Set(leavesOf(configSchema, ''))].filter((leaf) => !isLater(leaf));
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
    // `workspace_only = false` acts only where something permits it.
    const given = () =>
      at.endsWith('workspace_only') ? put(base(), 'agents.a.autonomy', 'full') : base();
    expect(decisionOn(put(given(), at, to))).not.toBe(decisionOn(given()));
  });

  it.each(Object.entries(elsewhere))('changes what is decided: %s', (_, { at, to, given }) => {
    const start = () => (given === undefined ? base() : given(base()));
    expect(decisionOn(put(start(), at, to))).not.toBe(decisionOn(start()));
  });
});

import type { AppliedConfig, EnforcedKey } from '@lockstep/policy';
import { naiveValues, table, tool, unique } from './naive-config.ts';

type Json = unknown;
type Values = Readonly<Record<EnforcedKey, Json>>;
type Table = Readonly<Record<string, Json>>;
type Clauses = readonly (readonly string[])[];

/** A turn as its children see it: its values, and every scope of tools that holds for it by what started it and those above. */
export interface Above {
  readonly agent: string;
  readonly values: Values;
  readonly scopes: readonly (readonly string[])[];
}

/** What a turn starts below itself: which way, of which agent, and what the start leaves of the tools. */
export interface Below {
  readonly kind: 'subagent' | 'delegate' | 'peer' | 'live';
  readonly agent: string;
  readonly tools: readonly (readonly string[])[];
  /** The procedure, of a step of one. */
  readonly sop: string;
}

/** Why a child is none, or what it has, by the plain meaning of the table of children on the policy page. */
export const naiveChild = (
  applied: AppliedConfig,
  above: Above,
  below: Below,
): Above | 'not_permitted' | 'depth_exceeded' => {
  const held = above.values;
  const may: Readonly<Record<Below['kind'], boolean>> = {
    subagent: held['delegation.spawn'] === true,
    delegate: Object.hasOwn(held['delegation.delegates'] as object, below.agent),
    live: (held['delegation.sops'] as readonly string[]).includes(below.sop),
    peer: true,
  };
  if (!may[below.kind]) return 'not_permitted';
  const left = held['delegation.max_depth'];
  if (left === 0) return 'depth_exceeded';

  const scopes = [...above.scopes, ...below.tools.map((patterns) => patterns.map(tool))];
  const own = naiveValues(applied, below.agent);
  const start =
    below.kind === 'subagent'
      ? held
      : isBounded(above, below)
        ? bounded(applied, above, below.agent)
        : own;
  const depth = smaller(own['delegation.max_depth'], typeof left === 'number' ? left - 1 : left);
  const values = {
    ...start,
    'tools.allowed': allClauses(start['tools.allowed'], scopes),
    'delegation.max_depth': depth,
  };
  return { agent: below.agent, values, scopes };
};

const isBounded = ({ values }: Above, { kind, agent }: Below): boolean =>
  kind === 'delegate' && (values['delegation.delegates'] as Table)[agent] === 'bounded';

/** The target's policy, and its caller's in everything that says what may be done. */
const bounded = (applied: AppliedConfig, above: Above, to: string): Values => {
  const own = naiveValues(applied, to);
  const met: Values = {
    ...own,
    ...authority(above.values, own),
    'tools.allowed': allClauses(own['tools.allowed'], granted(applied, above, to)),
    'delegation.delegates': Object.fromEntries(
      Object.entries(own['delegation.delegates'] as Table).map(([to, mode]) => [
        to,
        (above.values['delegation.delegates'] as Table)[to] === 'independent' ? mode : 'bounded',
      ]),
    ),
  };
  const free = met['approval.autonomy'] === 'full' || met['workspace.unrestricted_filesystem'];
  const names = new Set(
    (met['mcp.bundles'] as readonly string[]).flatMap(
      (bundle) => applied.config.mcp_bundles[bundle]?.servers ?? [],
    ),
  );
  const served = (key: EnforcedKey): Json =>
    table(Object.entries(met[key] as Table).filter(([name]) => names.has(name)));
  return {
    ...met,
    ...(free === true ? {} : { 'workspace.workspace_only': true }),
    ...(met['delegation.mode'] === 'allow'
      ? {}
      : { 'delegation.delegates': {}, 'delegation.spawn': false, 'delegation.sops': [] }),
    'mcp.expose': served('mcp.expose'),
    'mcp.effects': served('mcp.effects'),
    'mcp.operands': served('mcp.operands'),
    'mcp.run': served('mcp.run'),
    'mcp.share': served('mcp.share'),
  };
};

/** The caller's tools, and beside them those that its edges to the target grant. */
const granted = ({ config }: AppliedConfig, { agent, values }: Above, to: string): Clauses => {
  const edges = (config.agents[agent]?.delegates ?? []).filter((edge) => edge.agent === to);
  const more = edges
    .flatMap(({ grants }) => (grants?.tools === '*' ? ['*'] : (grants?.tools ?? [])))
    .map(tool);
  return (values['tools.allowed'] as Clauses).map((clause) => [...clause, ...more]);
};

/** Every setting that says what may be done, met by its own order. */
const authority = (a: Values, b: Values): Partial<Record<EnforcedKey, Json>> => {
  const each = (keys: readonly EnforcedKey[], meet: (one: Json, other: Json) => Json) =>
    Object.fromEntries(keys.map((key) => [key, meet(a[key], b[key])]));
  return {
    ...each(tighterIfTrue, (one, other) => one === true || other === true),
    ...each(widerIfTrue, (one, other) => one === true && other === true),
    ...each(caps, smaller),
    ...each(commonNames, (one, other) => inBoth(one as string[], other as string[])),
    ...each(denied, (one, other) => {
      const all = unique([...(one as string[]), ...(other as string[])]);
      return all.includes('*') ? ['*'] : all;
    }),
    ...each(clauses, (one, other) => allClauses(one, other as Clauses)),
    ...each(['approval.approvers_required'], (one, other) => Math.max(Number(one), Number(other))),
    ...each(['approval.autonomy'], earlier(['read_only', 'supervised', 'full'])),
    ...each(['shell.sandbox'], earlier(['required', 'preferred', 'off'])),
    ...each(['delegation.mode'], earlier(['forbidden', 'allow'])),
    ...each(['workspace.allowed_roots'], (one, other) =>
      inBoth(one as string[], other as string[]),
    ),
    ...each(['workspace.access'], (one, other) =>
      table(
        Object.entries(one as Table).map(([agent, mode]) => [
          agent,
          access(mode, (other as Table)[agent]),
        ]),
      ),
    ),
    // Both read these off the one entry of a server: what both have is what either says of it.
    ...each(ofServers, (one, other) =>
      table(Object.entries(one as Table).filter(([name]) => Object.hasOwn(other as Table, name))),
    ),
  };
};

const tighterIfTrue: readonly EnforcedKey[] = [
  'approval.four_eyes',
  'workspace.workspace_only',
  'shell.block_high_risk',
  'network.block_private_addresses',
  'output.redact',
];
const widerIfTrue: readonly EnforcedKey[] = [
  'workspace.unrestricted_filesystem',
  'delegation.spawn',
  'output.stream',
];
const caps: readonly EnforcedKey[] = [
  'approval.timeout_secs',
  'approval.grant_ttl_secs',
  'output.max_reply_chars',
];
const commonNames: readonly EnforcedKey[] = [
  'shell.env_passthrough',
  'mcp.bundles',
  'delegation.sops',
  'memory.read_memory_from',
];
const denied: readonly EnforcedKey[] = [
  'tools.denied',
  'approval.always_ask',
  'workspace.forbidden_paths',
];
const clauses: readonly EnforcedKey[] = [
  'approval.auto_approve',
  'shell.allowed_commands',
  'network.allowed_hosts',
  'secrets.unseal',
];
const ofServers: readonly EnforcedKey[] = [
  'mcp.expose',
  'mcp.effects',
  'mcp.operands',
  'mcp.run',
  'mcp.share',
];

const inBoth = (a: readonly string[], b: readonly string[]): readonly string[] =>
  a.filter((name) => b.includes(name));

const smaller = (a: Json, b: Json): Json =>
  a === 'unlimited' ? b : b === 'unlimited' ? a : Math.min(Number(a), Number(b));

const earlier =
  (order: readonly string[]) =>
  (a: Json, b: Json): Json =>
    order.find((step) => step === a || step === b);

const access = (a: Json, b: Json): Json =>
  a === 'read_write' ? b : b === 'read_write' || a === b ? a : undefined;

/** Lists that must all match: one that matches all is no condition, one without a pattern leaves nothing. */
const allClauses = (held: Json, more: Clauses): Json => {
  const all = [...(held as Clauses), ...more].map((clause) => unique(clause));
  if (all.some((clause) => clause.length === 0)) return [[]];
  const limits = all
    .filter((clause) => !clause.includes('*'))
    .map((clause) => JSON.stringify(clause));
  return limits.length === 0 ? [['*']] : unique(limits).map((text) => JSON.parse(text) as Json);
};

import type {
  AppliedConfig,
  Origin,
  PolicySnapshot,
  Principal,
  ResolveRecords,
  Trigger,
} from '@lockstep/policy';
import { toolAllowed, toolDenied } from '../../monitors/matcher.ts';
import { own } from '../../monitors/tool-facts.ts';
import type { Variant } from './parity-state.ts';

/** The requests by which config lets a trigger start an agent, each from somebody whom nothing more is taken away; or why there
 * are none. */
export type PlainRequests = { readonly open: readonly Variant[] } | { readonly closed: string };

/** What plain requests are found from. */
export interface Opening {
  readonly applied: AppliedConfig;
  readonly agent: string;
  /** The policy that an agent of this config has when nothing is taken away; null = it has none. */
  readonly policyOf: (agent: string) => PolicySnapshot | null;
}

type Parent = NonNullable<ResolveRecords['parent']>;

/** How config lets a trigger start an agent. */
export const plainRequests = (opening: Opening, trigger: Trigger): PlainRequests =>
  byTrigger[trigger](opening);

/** The request of `lockstep run`: nothing stands between it and the agent's own policy. */
export const localRequest = (opening: Pick<Opening, 'applied' | 'agent'>): Variant =>
  variant(opening, { principal: localPrincipal(opening.applied), origin: { kind: 'run' } });

const localPrincipal = ({ config }: AppliedConfig): Principal => ({
  kind: 'local',
  id: 'local',
  person: holderOf(config, 'local:local'),
});

/** The person that config gives an identity to. */
const holderOf = ({ people }: AppliedConfig['config'], identity: string): string | null =>
  Object.entries(people).find(([, { identities }]) => identities.includes(identity))?.[0] ?? null;

type Ask = Pick<Variant['request'], 'principal' | 'origin'>;

const variant = (
  { applied, agent }: Pick<Opening, 'applied' | 'agent'>,
  ask: Ask,
  records: ResolveRecords = {},
): Variant => ({
  request: { agent, ...ask, session: '-', client: 'none' },
  records,
  version: applied.version,
});

const token =
  (kind: 'rest' | 'websocket' | 'openai') =>
  (opening: Opening): PlainRequests => {
    const principal = { kind: 'token', id: '-', person: null } as const;
    const scopes = { agents: ['*'], tools: ['*'] };
    const record = { id: '-', name: '-', roles: ['admin' as const], scopes };
    return {
      open: [variant(opening, { principal, origin: { kind, token: '-' } }, { token: record })],
    };
  };

const connection =
  (kind: 'json_rpc' | 'acp') =>
  (opening: Opening): PlainRequests => {
    const ask = {
      principal: localPrincipal(opening.applied),
      origin: { kind, connection: '-' },
    } as const;
    // A client of ACP gets no tool servers, whoever it is.
    const narrowing = kind === 'acp' ? { 'mcp.bundles': [] } : {};
    return { open: [variant(opening, ask, { connection: { id: '-', narrowing } })] };
  };

const channel =
  (kind: 'telegram' | 'slack' | 'discord' | 'mqtt' | 'webhook') =>
  (opening: Opening): PlainRequests => {
    const { agent, policyOf } = opening;
    const { config } = opening.applied;
    const agents = Object.keys(config.agents).sort();
    const declared = agents.some((alias) => (config.agents[alias]?.channels ?? []).length > 0);
    const first = agents.find((alias) => config.agents[alias]?.enabled === true);
    const all = Object.keys(config.channels[kind]).map((alias) => `${kind}.${alias}`);
    const mine = config.agents[agent]?.channels ?? [];
    const owned = declared ? all.filter((name) => mine.includes(name)) : first === agent ? all : [];
    if (owned.length === 0) return { closed: `\`${agent}\` owns no ${kind} channel` };
    const policy = policyOf(agent);
    const open = owned.flatMap((binding) => {
      const [sender] = own(policy?.channels.peers, binding)?.inbound ?? [];
      if (sender === undefined) return [];
      const identity = `${binding}/${sender === '*' ? '-' : sender}`;
      const principal = { kind: 'peer', id: identity, person: holderOf(config, identity) } as const;
      return [variant(opening, { principal, origin: { kind: 'channel', binding } })];
    });
    return open.length === 0
      ? { closed: `\`${agent}\` listens to nobody on \`${owned[0] ?? ''}\`` }
      : { open };
  };

const cron = (opening: Opening): PlainRequests => {
  const { applied, agent, policyOf } = opening;
  const ask = (job: string): Ask => ({
    principal: { kind: 'job', id: job, person: null },
    origin: { kind: 'cron', job },
  });
  const open = Object.entries(applied.config.cron).flatMap(([name, job]) => {
    if (job.agent !== agent || !job.enabled) return [];
    const tools = listOf(job.tools);
    const record = { name, agent, tools, usesMemory: job.uses_memory, narrowing: {}, depth: 0 };
    return [variant(opening, ask(name), { job: record })];
  });
  if (open.length > 0) return { open };
  const policy = policyOf(agent);
  if (policy !== null && !mayUse(policy, 'builtin:cron_add'))
    return { closed: `\`${agent}\` has no job, and may make none` };
  const job = { name: 'job', agent, tools: null, usesMemory: true, narrowing: {}, depth: 1 };
  return { open: [variant(opening, ask('job'), { job })] };
};

/** Patterns as a record holds them; null takes nothing away. */
const listOf = (tools: '*' | readonly string[] | undefined): string[] | null =>
  tools === undefined || tools === '*' ? null : [...tools];

const heartbeat = (opening: Opening): PlainRequests => {
  const { applied, agent } = opening;
  if (own(applied.config.heartbeat, agent) === undefined)
    return { closed: `\`${agent}\` has no heartbeat` };
  const principal = { kind: 'job', id: `heartbeat-${agent}`, person: null } as const;
  return { open: [variant(opening, { principal, origin: { kind: 'heartbeat' } })] };
};

const subagent = (opening: Opening): PlainRequests => {
  const policy = opening.policyOf(opening.agent);
  if (policy === null) return { open: [localRequest(opening)] };
  if (policy.delegation.mode === 'forbidden') return { closed: '`delegation.mode` is `forbidden`' };
  if (!policy.delegation.spawn) return { closed: '`delegation.spawn` is false' };
  const why = noWay(policy, 'builtin:spawn');
  if (why !== null) return { closed: why };
  return { open: [child(opening, policy, { kind: 'subagent', parent: '-' })] };
};

const delegate =
  (mode: 'bounded' | 'independent') =>
  (opening: Opening): PlainRequests => {
    const { agent } = opening;
    const callers = callersOf(opening, 'builtin:delegate', (policy) => {
      return own(policy.delegation.delegates, agent) === mode;
    });
    return callers.length === 0
      ? { closed: `no ${mode} edge that can be used leads to \`${agent}\`` }
      : {
          open: callers.map((policy) =>
            child(opening, policy, { kind: 'delegate', parent: '-', edge: agent }),
          ),
        };
  };

const peer = (opening: Opening): PlainRequests => {
  const { applied, agent } = opening;
  const groups = Object.entries(applied.config.peer_groups).filter(([, group]) =>
    group.agents.includes(agent),
  );
  const open = groups.flatMap(([group, { channel: name, agents }]) =>
    callersOf(opening, 'builtin:message_peer', (policy) => agents.includes(policy.agent)).map(
      (policy) => child(opening, policy, { kind: 'peer', parent: '-', group, channel: name }),
    ),
  );
  return open.length === 0
    ? { closed: `no agent that may message is in a group with \`${agent}\`` }
    : { open };
};

const procedure =
  (kind: 'live' | 'headless') =>
  (opening: Opening): PlainRequests => {
    const sops = Object.entries(opening.applied.config.sops);
    const open = sops.flatMap(([sop, { steps, triggers }]) => {
      const callers = kind === 'live' && triggers.includes('tool') ? startersOf(opening, sop) : [];
      const alone = kind === 'headless' && triggers.some((trigger) => trigger !== 'tool');
      return steps.flatMap((entry, index): readonly Variant[] => {
        if (entry.agent !== opening.agent) return [];
        const step = entry.name ?? `step${index + 1}`;
        const sopRun = { id: '-', sop, step, scope: listOf(entry.tools) };
        const origin = { kind: 'sop', run: '-', step } as const;
        const below = callers.map((policy) =>
          child(opening, policy, { ...origin, parent: '-' }, { sopRun }),
        );
        const principal = localPrincipal(opening.applied);
        const ask = { principal, origin: { ...origin, parent: 'none' } } as const;
        return alone ? [variant(opening, ask, { sopRun })] : below;
      });
    });
    return open.length === 0
      ? { closed: `no procedure with a step of \`${opening.agent}\` can be started here` }
      : { open };
  };

const startersOf = (opening: Opening, sop: string): readonly PolicySnapshot[] =>
  callersOf(opening, 'builtin:sop_start', ({ delegation }) => delegation.sops.includes(sop));

const byTrigger: Readonly<Record<Trigger, (opening: Opening) => PlainRequests>> = {
  telegram: channel('telegram'),
  slack: channel('slack'),
  discord: channel('discord'),
  mqtt: channel('mqtt'),
  webhook: channel('webhook'),
  peer,
  'json-rpc': connection('json_rpc'),
  acp: connection('acp'),
  rest: token('rest'),
  websocket: token('websocket'),
  openai: token('openai'),
  cron,
  heartbeat,
  subagent,
  run: (opening) => ({ open: [localRequest(opening)] }),
  bounded: delegate('bounded'),
  independent: delegate('independent'),
  live: procedure('live'),
  headless: procedure('headless'),
};

const child = (
  opening: Opening,
  above: PolicySnapshot,
  origin: Origin,
  records: ResolveRecords = {},
): Variant => {
  const parent: Parent = {
    turn: '-',
    snapshot: above,
    narrowings: [],
    depth: above.delegation.max_depth,
    spawn: {},
  };
  const principal = { kind: 'agent', id: above.agent, person: null } as const;
  return variant(opening, { principal, origin }, { ...records, parent });
};

/** Policies of agents that may use a tool and of which more holds; the agent itself may start a procedure, and nothing else. */
const callersOf = (
  { applied, agent, policyOf }: Opening,
  tool: string,
  holds: (policy: PolicySnapshot) => boolean,
): readonly PolicySnapshot[] =>
  Object.keys(applied.config.agents)
    .sort()
    .flatMap((alias) => {
      const policy = alias === agent && tool !== 'builtin:sop_start' ? null : policyOf(alias);
      return policy !== null && holds(policy) && noWay(policy, tool) === null ? [policy] : [];
    });

/** Why an agent can never start a turn by a tool, or null. */
const noWay = (policy: PolicySnapshot, tool: string): string | null => {
  if (!mayUse(policy, tool)) return `\`${tool.replace('builtin:', '')}\` is not allowed`;
  return policy.delegation.max_depth === 0 ? '`delegation.max_depth` is 0' : null;
};

/** Whether a policy lets an agent use a tool, with or without a question. */
export const mayUse = (policy: PolicySnapshot, tool: string): boolean =>
  toolAllowed(policy.tools.allowed, tool) &&
  !toolDenied(policy.tools.denied, tool) &&
  (policy.approval.autonomy !== 'read_only' || readers.has(tool));

const readers: ReadonlySet<string> = new Set(
  ['file_read', 'file_list', 'file_search', 'memory_recall', 'cron_list', 'time_now', 'skill_read']
    .map((name) => `builtin:${name}`)
    .concat('builtin:ask_user'),
);

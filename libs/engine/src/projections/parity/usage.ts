import { canonicalJson, type PolicySnapshot } from '@lockstep/policy';
import type { EventOf, TurnEvent } from '../../events/event.ts';
import type { RecordedParent, Tally, TreeTally } from '../../monitors/recorded-turn.ts';
import { setBounded } from './bounded.ts';

/** What is kept of one turn for the turns below it, and for its own tree. */
export interface TurnTrace {
  readonly agent: string;
  policy: string | null;
  caps: TreeTally['caps'];
  narrowings: readonly string[];
  starts: Record<string, { readonly tool: string; readonly children: readonly string[] }>;
  toolCalls: number;
  tokens: number;
  cost: number | 'unknown';
  /** What the model call that runs has reserved. */
  reserved: { readonly tokens: number; readonly cost: number | 'unknown'; readonly day: number };
}

/** Use of one agent in its windows. */
export interface AgentUse {
  /** Times of started calls within the last hour, oldest first; those before `from` are past. */
  starts: number[];
  from: number;
  /** UTC day, as days since the epoch. */
  day: number;
  cost: number;
}

/** Use of the caps that reach over turns, as far as the log is read. */
export interface Usage {
  readonly turns: Map<string, TurnTrace>;
  readonly agents: Map<string, AgentUse>;
}

const hourMs = 3_600_000;
const dayMs = 86_400_000;
const most = { turns: 5_000, starts: 10_000, children: 1_000 };
const nothing: TurnTrace['reserved'] = { tokens: 0, cost: 0, day: 0 };

/** Before any event. */
export const emptyUsage = (): Usage => ({ turns: new Map(), agents: new Map() });

/** What the log knows of the turn above, at the moment in which this one is asked for. */
export const parentOf = (usage: Usage, { meta }: TurnEvent): RecordedParent | null => {
  if (meta.parent === null) return null;
  const trace = usage.turns.get(meta.parent);
  if (trace === undefined) return null;
  const { agent, policy, narrowings, starts } = trace;
  return { turn: meta.parent, agent, policy, narrowings, starts: { ...starts } };
};

/** Takes one event of a turn in. Returns what was used, for an event that begins something. `snapshot` reads a policy. */
export const addUse = (
  usage: Usage,
  event: TurnEvent,
  snapshot: (ref: EventOf<'PolicyResolved'>['data']['snapshot']) => PolicySnapshot | null,
): Tally | null => {
  const { turn, agent } = event.meta;
  if (turn === null || agent === null) return null;
  const trace = traceOf(usage, turn, agent);
  if (event.type === 'PolicyResolved' || event.type === 'PolicyNarrowed') {
    if (event.type === 'PolicyResolved') trace.narrowings = inherited(event);
    usePolicy(trace, event, snapshot(event.data.snapshot));
    return null;
  }
  if (event.type === 'ModelCallStarted') return beginModelCall(usage, trace, event);
  if (event.type === 'ToolCallStarted') return beginToolCall(usage, trace, event);
  if (event.type === 'ModelCallCompleted' || event.type === 'ModelCallFailed')
    endModelCall(usage, trace, event);
  return null;
};

const traceOf = (usage: Usage, turn: string, agent: string): TurnTrace => {
  const known = usage.turns.get(turn);
  if (known !== undefined) return known;
  const fresh: TurnTrace = {
    agent,
    policy: null,
    caps: null,
    narrowings: [],
    starts: {},
    toolCalls: 0,
    tokens: 0,
    cost: 0,
    reserved: nothing,
  };
  setBounded(usage.turns, turn, fresh, most.turns);
  return fresh;
};

const usePolicy = (
  trace: TurnTrace,
  event: EventOf<'PolicyResolved'> | EventOf<'PolicyNarrowed'>,
  policy: PolicySnapshot | null,
): void => {
  trace.policy = event.data.digest;
  trace.caps =
    policy === null
      ? null
      : {
          toolCalls: policy.budgets.max_tool_calls,
          tokens: policy.budgets.max_tokens_per_turn,
          cost: policy.budgets.max_cost_usd_per_turn,
        };
};

/** The narrowings that go down the chain: all that took something away but the ceiling, which is the policy above itself. */
const inherited = ({ data }: EventOf<'PolicyResolved'>): readonly string[] =>
  data.narrowings.flatMap(({ whose, values }) =>
    values === 'none' || whose.startsWith('ceiling:') ? [] : [canonicalJson({ whose, values })],
  );

const beginToolCall = (
  usage: Usage,
  trace: TurnTrace,
  event: EventOf<'ToolCallStarted'>,
): Tally => {
  const { call, tool, children, attempt, now } = event.data;
  const use = agentUse(usage, event);
  if (attempt === 1) {
    trace.toolCalls += 1;
    for (const turn of event.meta.chain) {
      const above = usage.turns.get(turn);
      if (above !== undefined) above.toolCalls += 1;
    }
    use.starts.push(now);
  }
  if (children !== undefined && Object.keys(trace.starts).length < most.children)
    trace.starts[call] = { tool, children: children.map((child) => child.turn) };
  dropPast(use, now);
  return tallyOf(usage, event, trace, use);
};

const beginModelCall = (
  usage: Usage,
  trace: TurnTrace,
  event: EventOf<'ModelCallStarted'>,
): Tally => {
  const { reserved, now } = event.data;
  const use = agentUse(usage, event);
  const day = Math.floor(now / dayMs);
  if (day > use.day) Object.assign(use, { day, cost: 0 });
  spend(usage, event, trace, { tokens: reserved.tokens, cost: reserved.cost });
  if (day === use.day && reserved.cost !== 'unknown') use.cost += reserved.cost;
  trace.reserved = { ...reserved, day };
  dropPast(use, now);
  return tallyOf(usage, event, trace, use);
};

/** The reservation gives way to what was used. */
const endModelCall = (
  usage: Usage,
  trace: TurnTrace,
  event: EventOf<'ModelCallCompleted'> | EventOf<'ModelCallFailed'>,
): void => {
  const { settled } = event.data;
  const { reserved } = trace;
  trace.reserved = nothing;
  const known = (cost: number | 'unknown'): number => (cost === 'unknown' ? 0 : cost);
  const cost = settled.cost === 'unknown' ? settled.cost : settled.cost - known(reserved.cost);
  spend(usage, event, trace, { tokens: settled.tokens - reserved.tokens, cost });
  const use = agentUse(usage, event);
  if (use.day === reserved.day) use.cost += known(settled.cost) - known(reserved.cost);
};

const spend = (
  usage: Usage,
  event: TurnEvent,
  trace: TurnTrace,
  used: { readonly tokens: number; readonly cost: number | 'unknown' },
): void => {
  spendIn(trace, used);
  for (const turn of event.meta.chain) {
    const above = usage.turns.get(turn);
    if (above !== undefined) spendIn(above, used);
  }
};

const spendIn = (
  tree: TurnTrace,
  { tokens, cost }: { readonly tokens: number; readonly cost: number | 'unknown' },
): void => {
  tree.tokens += tokens;
  tree.cost = tree.cost === 'unknown' || cost === 'unknown' ? 'unknown' : tree.cost + cost;
};

/** Probes use up nothing of an agent's windows but their own. */
const agentUse = (usage: Usage, { meta }: TurnEvent): AgentUse => {
  const name = meta.probe === undefined ? (meta.agent ?? '') : `${meta.agent ?? ''} ${meta.probe}`;
  const known = usage.agents.get(name);
  if (known !== undefined) return known;
  const fresh: AgentUse = { starts: [], from: 0, day: 0, cost: 0 };
  setBounded(usage.agents, name, fresh, most.children);
  return fresh;
};

const tallyOf = (
  usage: Usage,
  { meta, stream }: TurnEvent,
  trace: TurnTrace,
  use: AgentUse,
): Tally => {
  const trees = [treeOf(meta.turn ?? stream, trace)];
  for (let n = meta.chain.length - 1; n >= 0; n -= 1) {
    const turn = meta.chain[n] ?? '';
    const above = usage.turns.get(turn);
    if (above !== undefined) trees.push(treeOf(turn, above));
  }
  return { actionsLastHour: use.starts.length - use.from, costToday: use.cost, trees };
};

const treeOf = (turn: string, { toolCalls, tokens, cost, caps }: TurnTrace): TreeTally => ({
  turn,
  toolCalls,
  tokens,
  cost,
  caps,
});

const dropPast = (use: AgentUse, now: number): void => {
  const { starts } = use;
  while (use.from < starts.length && (starts[use.from] ?? now) <= now - hourMs) use.from += 1;
  if (starts.length - use.from > most.starts) use.from = starts.length - most.starts;
  if (use.from < 2 * most.starts && use.from * 2 < starts.length) return;
  use.starts = starts.slice(use.from);
  use.from = 0;
};

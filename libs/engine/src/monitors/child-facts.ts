import { canonicalJson, digestOf, type PolicySnapshot, type Trigger } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import { usesOf, touchesOf } from './calls.ts';
import { perTurn } from './monitor.ts';
import type { PolicySpan, RecordedTurn } from './recorded-turn.ts';

export type AgentOperand = Extract<Operand, { kind: 'agent' }>;

/** Agents among a call's operands. */
export const agentsIn = (operands: readonly Operand[]): readonly AgentOperand[] =>
  operands.filter((operand) => operand.kind === 'agent');

/** Procedures among a call's operands. */
export const sopsIn = (operands: readonly Operand[]) =>
  operands.filter((operand) => operand.kind === 'sop');

/** Tools whose work is a turn of an agent, and how. */
export const startsTurn: Readonly<Record<string, AgentOperand['how'] | 'sop'>> = {
  'builtin:delegate': 'delegate',
  'builtin:spawn': 'spawn',
  'builtin:message_peer': 'message',
  'builtin:sop_start': 'sop',
};

/** Other agents that calls of this turn were let through to, started or reached. */
export const reachedAgents = perTurn((turn) => [
  ...usesOf(turn).flatMap(({ at, policy, operands }) =>
    agentsIn(operands).map(({ given, how, channel }) => ({
      at,
      policy,
      agent: given,
      how,
      channel,
    })),
  ),
  ...touchesOf(turn).flatMap(({ at, start, touched }) =>
    touched.flatMap((touch) => {
      const how = startsTurn[start.event.data.tool];
      if (touch.kind !== 'child' || how === undefined || how === 'sop') return [];
      const channel = agentsIn(start.event.data.operands)[0]?.channel ?? null;
      return [{ at, policy: start.policy, agent: touch.agent, how, channel }];
    }),
  ),
]);

/** A turn that another one started. */
export interface Child {
  /** Where its policy was recorded. */
  readonly at: Pick<PolicySpan, 'event'>;
  readonly policy: PolicySnapshot;
  readonly trigger: Trigger;
  /** What it says of the turn above. */
  readonly parent: NonNullable<NonNullable<RecordedTurn['asked']>['records']['parent']>;
}

/** This turn as a child; null for a turn that no other started, or whose policy is not known. */
export const childOf = perTurn((turn): Child | null => {
  const parent = turn.asked?.records.parent;
  const span = turn.spans[0];
  if (parent === undefined || turn.asked === null || span === undefined || span.policy === null)
    return null;
  const { origin } = turn.asked.request;
  if (!('parent' in origin) || origin.parent === 'none') return null;
  return { at: span, policy: span.policy, trigger: turn.asked.trigger, parent };
});

/** Why what a child says of the turn above is not what the log says of it, or null. */
export const falseParent = perTurn((turn): string | null => {
  const child = childOf(turn);
  const above = turn.around.parent;
  if (child === null || above === null) return null;
  const { parent } = child;
  if (above.agent !== parent.snapshot.agent)
    return `the turn above is of \`${above.agent}\`, not of \`${parent.snapshot.agent}\``;
  if (above.policy !== null && above.policy !== digestOf(parent.snapshot))
    return 'the policy said to be in force above was not';
  const held = new Set(parent.narrowings.map((entry) => canonicalJson(entry)));
  const lost = above.narrowings.find((entry) => !held.has(entry));
  if (lost !== undefined) return 'something that was taken away above is not taken away here';
  const call = turn.asked?.call;
  if (typeof call !== 'string') return null;
  const start = Object.hasOwn(above.starts, call) ? above.starts[call] : undefined;
  if (start === undefined) return 'no call of the turn above started this one';
  return start.children.length === 0 || start.children.includes(turn.id) || isStep(turn)
    ? null
    : 'the call of the turn above names other turns';
});

/** A step's turn is started by the run of its procedure, which the call names. */
const isStep = (turn: RecordedTurn): boolean => turn.asked?.request.origin.kind === 'sop';

/** Tools that the edge to this turn's agent adds to what its caller may use. */
export const edgeGrants = (turn: RecordedTurn, from: string): readonly string[] => {
  const version = turn.asked?.config.version;
  const config = version === undefined ? null : turn.around.config(version);
  const edges = config !== null && Object.hasOwn(config.agents, from) ? config.agents[from] : null;
  return (edges?.delegates ?? [])
    .filter(({ agent }) => agent === turn.agent)
    .flatMap(({ grants }) => {
      const tools = grants?.tools ?? [];
      return typeof tools === 'string' ? [tools] : tools;
    });
};

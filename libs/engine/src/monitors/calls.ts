import type { PolicySnapshot } from '@lockstep/policy';
import type { Operand, RootsFact } from '../events/parts.ts';
import { governed, perTurn, type Governed } from './monitor.ts';
import type { At, RecordedTurn } from './recorded-turn.ts';

/** A call that was let through or started, as one of its events tells it. */
export interface Use {
  readonly at: At;
  readonly policy: PolicySnapshot;
  readonly call: string;
  readonly tool: string;
  readonly operands: readonly Operand[];
  readonly roots: RootsFact | null;
}

/** Each call's authorizations and starts; one per call, tool and operands, so that a defect is told once. */
export const usesOf = perTurn((turn): readonly Use[] => {
  const seen = new Set<string>();
  const uses: Use[] = [];
  const add = (use: Use): void => {
    const key = JSON.stringify([use.call, use.tool, use.operands]);
    if (seen.has(key)) return;
    seen.add(key);
    uses.push(use);
  };
  for (const at of governed(turn, 'ToolCallAuthorized')) {
    const { call, tool, facts } = at.event.data;
    add({ at, policy: at.policy, call, tool, operands: facts.operands, roots: facts.roots });
  }
  for (const at of governed(turn, 'ToolCallStarted')) {
    const { call, tool, operands } = at.event.data;
    const roots = authorizationOf(turn, call, at.index)?.event.data.facts.roots ?? null;
    add({ at, policy: at.policy, call, tool, operands, roots });
  }
  return uses;
});

/** The latest verdict on a call before an index: whatever starts later rests on it. */
export const lastVerdict = (
  turn: RecordedTurn,
  call: string,
  before: number,
): At<'ToolCallAuthorized'> | At<'ToolCallRefused'> | null => {
  let found: At<'ToolCallAuthorized'> | At<'ToolCallRefused'> | null = null;
  for (const { event, index, policy } of turn.ofCall(call)) {
    if (index >= before) break;
    if (event.type === 'ToolCallAuthorized') found = { event, index, policy };
    else if (event.type === 'ToolCallRefused') found = { event, index, policy };
  }
  return found;
};

/** The authorization that a call rests on at an index; null when there is none, or a refusal came after it. */
export const authorizationOf = (
  turn: RecordedTurn,
  call: string,
  before: number,
): At<'ToolCallAuthorized'> | null => {
  const verdict = lastVerdict(turn, call, before);
  if (verdict?.event.type !== 'ToolCallAuthorized') return null;
  return { event: verdict.event, index: verdict.index, policy: verdict.policy };
};

/** The start that an outcome belongs to. */
export const startOf = (
  turn: RecordedTurn,
  call: string,
  before: number,
): Governed<'ToolCallStarted'> | null => {
  let found: Governed<'ToolCallStarted'> | null = null;
  for (const { event, index, policy } of turn.ofCall(call))
    if (index < before && policy !== null && event.type === 'ToolCallStarted')
      found = { event, index, policy };
  return found;
};

/** What the tools of a turn really did, with the start that each belongs to. */
export const touchesOf = perTurn((turn) =>
  [...turn.all('ToolCallCompleted'), ...turn.all('ToolCallFailed')].flatMap((at) => {
    const { touched, call } = at.event.data;
    const start = touched.length === 0 ? null : startOf(turn, call, at.index);
    return start === null ? [] : [{ at: at as At, start, touched }];
  }),
);

import { capUses } from '../../budget/cap-uses.ts';
import type { CapUse } from '../../events/parts.ts';
import type { GateState } from '../../gate/verdict.ts';
import { activeAt, callsOf, type ApprovalRef, type CallState, type OpenTurn } from '../state.ts';

/** What the gate reads of a turn. */
export const gateState = (state: OpenTurn, approval: ApprovalRef | null): GateState => {
  const { session, principal } = state.request;
  return {
    policy: state.policy,
    advertised: state.advertised,
    skills: state.skills,
    session,
    // As a binding names it.
    principal: `${principal.kind}:${principal.id}`,
    approval,
  };
};

/** The caps of a turn's own stream, for a verdict on one of its calls. */
export const ownCaps = (state: OpenTurn, call: CallState, now: number): CapUse[] => {
  // A call that runs again was counted when it first started.
  const again = call.status === 'running' ? 1 : 0;
  const totals = { ...state.totals, toolCalls: state.totals.toolCalls - again };
  return capUses(
    { turn: state.turn, policy: state.policy, totals },
    { toolCalls: held(state, call), tokens: 0, cost: 0, activeMs: activeAt(state, now) },
  );
};

/** Calls of this turn that are let through and that caps outside its stream do not count, or one less for a call that runs again. */
export const takenBefore = (state: OpenTurn, call: CallState): number =>
  call.status === 'running' ? -1 : held(state, call);

const held = (state: OpenTurn, call: CallState): number =>
  callsOf(state).filter((one) => one.call !== call.call && one.status === 'authorized').length;

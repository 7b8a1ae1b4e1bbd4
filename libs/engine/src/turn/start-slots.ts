import { overlap, type Reach } from './overlap.ts';
import { callsOf, type CallState, type OpenTurn } from './state.ts';

/** Whether an allowed call may start now: a slot is free, and no call that comes before it in its step, or that runs, touches what
 * it writes. Questions and calls that wait for people hold nothing. */
export const mayStart = (state: OpenTurn, call: string, reach: Reach): boolean => {
  if (state.ending !== null) return false;
  const calls = callsOf(state);
  const cap = state.policy.budgets.max_parallel_tools;
  if (cap !== 'unlimited' && calls.filter(isAtWork).length >= Math.max(1, cap)) return false;
  const at = calls.findIndex((one) => one.call === call);
  return !calls.some((other, index) => {
    if (other.call === call) return false;
    if (other.status === 'running') return overlap(reach, other);
    if (other.status === 'authorized' && index < at) return overlap(reach, reachOf(other));
    return false;
  });
};

/** What an authorized call touches. */
export const reachOf = (call: Extract<CallState, { status: 'authorized' }>): Reach => ({
  operands: call.judged.facts.operands,
  effects: call.judged.effects,
});

const isAtWork = (call: CallState): boolean => call.status === 'running' && call.question === null;

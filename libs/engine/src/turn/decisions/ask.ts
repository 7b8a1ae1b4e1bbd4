import type { TurnFact } from '../../events/event.ts';
import { approvalView } from '../../gate/approval-view.ts';
import type { Verdict } from '../../gate/verdict.ts';
import type { OpenTurn, PendingCall } from '../state.ts';
import type { Judged } from './judge.ts';

/** The durable request for a person's decision. */
export const requestApproval = (
  judged: Judged,
  verdict: Extract<Verdict, { kind: 'ask' }>,
  state: OpenTurn,
): readonly TurnFact[] => {
  const { tool } = judged.data;
  if (tool === null) return [];
  const { timeout_secs: seconds, route } = state.policy.approval;
  return [
    {
      type: 'ApprovalRequested',
      data: {
        ...judged.data,
        tool,
        approval: judged.prepared.ids.approval,
        binding: verdict.binding,
        view: { inline: viewOf(judged, state, verdict.why) },
        deadline: seconds === 'unlimited' ? 'never' : judged.now + seconds * 1000,
        route: route.approver,
        grantable: verdict.grantable,
      },
    },
  ];
};

/** A pending request that the policy no longer lets through: closed, and the call refused by the rule that now decides. */
export const closePending = (
  call: PendingCall,
  verdict: Extract<Verdict, { kind: 'refuse' }>,
  judged: Judged,
): readonly TurnFact[] => [
  {
    type: 'ApprovalClosed',
    data: {
      approval: call.approval,
      call: call.call,
      reason: verdict.rule === 'gate.stopped' ? 'emergency_stop' : 'policy_changed',
      why: verdict.why,
    },
  },
  {
    type: 'ToolCallRefused',
    data: { ...judged.data, shown: verdict.shown, approval: call.approval },
  },
];

const viewOf = ({ prepared, data }: Judged, state: OpenTurn, why: string): string => {
  const { agent, principal, session } = state.request;
  const { args } = prepared.call;
  return approvalView({
    agent,
    principal: `${principal.kind}:${principal.id}`,
    session,
    tool: data.tool ?? data.alias,
    effects: data.effects,
    args: args.ok ? args.value : null,
    operands: data.facts.operands,
    why,
    before: prepared.before,
  }).text;
};

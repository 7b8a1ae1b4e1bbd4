import { bindsAll } from '../../budget/binds-all.ts';
import type { TurnFact } from '../../events/event.ts';
import { approvalView, type ApprovalView } from '../../gate/approval-view.ts';
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
  const required = bindsAll(state.policy) ? state.policy.approval.approvers_required : 1;
  const view = viewOf(judged, state, verdict.why);
  const notBy = notByOf(judged, state);
  return [
    {
      type: 'ApprovalRequested',
      data: {
        ...judged.data,
        tool,
        approval: judged.prepared.ids.approval,
        binding: verdict.binding,
        view: { inline: view.text },
        deadline: seconds === 'unlimited' ? 'never' : judged.now + seconds * 1000,
        route: route.approver,
        grantable: verdict.grantable && !view.cut,
        ...(required === 1 ? {} : { required }),
        ...(notBy === null ? {} : { notBy }),
        ...(view.cut ? { cut: true } : {}),
      },
    },
  ];
};

/** Who asked is kept out under `four_eyes`. */
const notByOf = ({ prepared }: Judged, { policy, request }: OpenTurn): string | null => {
  if (!policy.approval.four_eyes || !bindsAll(policy)) return null;
  const { kind, id, person } = request.principal;
  return prepared.asker ?? person ?? `${kind}:${id}`;
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

const viewOf = ({ prepared, data }: Judged, state: OpenTurn, why: string): ApprovalView => {
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
  });
};

import { anyOf, refusedUnder, witness } from './monitor.ts';
import { toolDenied } from './matcher.ts';
import { effectsOf, onlyReads } from './tool-facts.ts';

/** Events in which an approval setting decided. */
export const approvalWitnesses = {
  'approval.autonomy': anyOf(
    refusedUnder('approval.autonomy'),
    witness('ApprovalRequested', ({ event }) =>
      event.data.rule === 'approval.autonomy' ? `asked before ${event.data.tool}` : null,
    ),
    witness('ToolCallAuthorized', ({ event, policy }) => {
      const { by, tool, facts } = event.data;
      const asked = !onlyReads(effectsOf(policy, tool, facts.operands));
      return by === 'autonomy' && asked ? `${tool} needed no question under full autonomy` : null;
    }),
  ),
  'approval.auto_approve': witness('ToolCallAuthorized', ({ event }) =>
    event.data.by === 'auto_approve' ? `${event.data.tool} was approved beforehand` : null,
  ),
  'approval.always_ask': anyOf(
    refusedUnder('approval.always_ask'),
    witness('ApprovalRequested', ({ event }) =>
      event.data.rule === 'approval.always_ask' ? `always asked before ${event.data.tool}` : null,
    ),
    // Full autonomy would have let it through: only this setting made it a call that needs a person.
    witness('ToolCallRefused', ({ event, policy }) => {
      const { rule, tool } = event.data;
      const { autonomy, always_ask: always } = policy.approval;
      if (rule !== 'approval.route.on_no_approver' || tool === null || autonomy !== 'full')
        return null;
      return toolDenied(always, tool) ? `${tool} needed a person, and nobody is there` : null;
    }),
  ),
  'approval.route.on_no_approver': anyOf(
    refusedUnder('approval.route.on_no_approver'),
    witness('ApprovalRequested', ({ event, policy }) =>
      policy.approval.route.on_no_approver === 'queue'
        ? `${event.data.tool} was parked for an approver`
        : null,
    ),
  ),
  'approval.timeout_secs': anyOf(
    refusedUnder('approval.timeout_secs'),
    witness('ApprovalExpired', () => 'nobody answered in time'),
    witness('QuestionExpired', () => 'nobody answered the question in time'),
  ),
  'approval.grant_ttl_secs': anyOf(
    refusedUnder('approval.grant_ttl_secs'),
    witness('ApprovalGranted', ({ event, policy }) => {
      const ends = event.data.grant?.expires;
      const limited = policy.approval.grant_ttl_secs !== 'unlimited';
      return limited && typeof ends === 'number' ? 'the standing grant got its end' : null;
    }),
  ),
};

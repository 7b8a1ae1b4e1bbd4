import { isAsker, votersOf, yesTo } from './approval-votes.monitor.ts';
import { anyOf, refusedUnder, witness } from './monitor.ts';

/** Events in which it mattered how many decide, and who. */
export const approvalVotesWitnesses = {
  'approval.approvers_required': anyOf(
    refusedUnder('approval.approvers_required'),
    witness('ApprovalGranted', ({ event, index, policy }, turn) => {
      const wanted = policy.approval.approvers_required;
      const voters = votersOf(yesTo(turn, event.data.approval, index));
      return voters >= wanted ? `let through by ${voters} of ${wanted} votes` : null;
    }),
    witness('ApprovalVoted', ({ event, policy }) =>
      event.data.choice !== 'deny' && policy.approval.approvers_required > 1
        ? 'one yes alone let nothing through'
        : null,
    ),
  ),
  'approval.four_eyes': anyOf(
    refusedUnder('approval.four_eyes'),
    witness('ApprovalRequested', ({ event }) =>
      typeof event.data.notBy === 'string'
        ? `\`${event.data.notBy}\` was kept out of the decision`
        : null,
    ),
    witness('ApprovalGranted', ({ event, policy }, turn) =>
      !policy.approval.four_eyes && isAsker(turn, event.data.by, event.data.approval)
        ? 'who asked was let decide'
        : null,
    ),
  ),
  'approval.route.approver': anyOf(
    refusedUnder('approval.route.approver'),
    witness('ApprovalRequested', ({ event }) => `the question went to ${event.data.route}`),
  ),
};

import { governed, objector, type Monitor } from './monitor.ts';
import type { Governed } from './monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';

const timeout = objector('approval.timeout_secs');
const ttl = objector('approval.grant_ttl_secs');
/** Commit times lie a little after the time that a command carries. */
const slackMs = 1_000;

/** A request waits exactly as long as the policy says, and nothing is granted once it expired. */
const timeoutMonitor: Monitor = (turn) => [
  ...governed(turn, 'ApprovalRequested').flatMap((at) => deadlineFault(at)),
  ...governed(turn, 'QuestionAsked').flatMap((at) => {
    const { deadline } = at.event.data;
    return isLater(deadline, at.event.time, at.policy.approval.timeout_secs)
      ? [timeout.violated(at, 'the question waits longer than the policy says')]
      : [];
  }),
  ...turn
    .all('ApprovalGranted')
    .flatMap((at) =>
      expiredBefore(turn, at.event.data.call, at.event.data.approval, at.index)
        ? [timeout.violated(at, 'granted after it had expired')]
        : [],
    ),
  ...turn.all('ApprovalExpired').flatMap((at) => {
    const asked = turn
      .ofCall(at.event.data.call)
      .find(({ event }) => event.type === 'ApprovalRequested');
    const early = at.event.data.now < at.event.data.deadline;
    return early && asked !== undefined
      ? [timeout.narrower(at, 'expired before its deadline')]
      : [];
  }),
];

/** No standing grant outlives what the policy gives it. */
const ttlMonitor: Monitor = (turn) => [
  ...governed(turn, 'ApprovalGranted').flatMap((at) => {
    const { grant } = at.event.data;
    const limit = at.policy.approval.grant_ttl_secs;
    return grant !== null && isLater(grant.expires, at.event.time, limit)
      ? [ttl.violated(at, 'the grant outlives `grant_ttl_secs`')]
      : [];
  }),
  ...governed(turn, 'ToolCallAuthorized').flatMap((at) => {
    const { by, grant: id, facts } = at.event.data;
    const grant = by === 'grant' && id !== null ? turn.around.grant(id) : null;
    if (grant === null || grant === 'unknown') return [];
    const { expires } = grant.data;
    return expires !== 'never' && expires <= facts.now
      ? [ttl.violated(at, `grant \`${grant.data.grant}\` had expired`)]
      : [];
  }),
];

export const approvalTimesMonitors = {
  'approval.timeout_secs': timeoutMonitor,
  'approval.grant_ttl_secs': ttlMonitor,
};

function deadlineFault(at: Governed<'ApprovalRequested'>) {
  const { deadline, facts } = at.event.data;
  const limit = at.policy.approval.timeout_secs;
  if (isLater(deadline, Math.max(facts.now, at.event.time), limit))
    return [timeout.violated(at, 'the request waits longer than the policy says')];
  const due = limit === 'unlimited' ? Infinity : facts.now + limit * 1_000 - slackMs;
  return deadline !== 'never' && deadline < due
    ? [timeout.narrower(at, 'the request waits less long than the policy says')]
    : [];
}

function isLater(when: number | 'never', from: number, secs: number | 'unlimited'): boolean {
  if (secs === 'unlimited') return false;
  return when === 'never' || when > from + secs * 1_000 + slackMs;
}

function expiredBefore(turn: RecordedTurn, call: string, approval: string, index: number): boolean {
  return turn
    .ofCall(call)
    .some(
      ({ event, index: i }) =>
        i < index && event.type === 'ApprovalExpired' && event.data.approval === approval,
    );
}

import type { PolicySnapshot } from '@lockstep/policy';
import type { DecidedBy } from '../events/parts.ts';
import type { Objection } from '../projections/parity-matrix.view.ts';
import { governed, objector, type Governed, type Monitor } from './monitor.ts';
import type { At, RecordedTurn } from './recorded-turn.ts';

const required = objector('approval.approvers_required');
const fourEyes = objector('approval.four_eyes');
const route = objector('approval.route.approver');

/** A yes to an approval, wherever it stands. */
type Yes = At<'ApprovalVoted'> | At<'ApprovalGranted'>;

/** Everybody who said yes to an approval up to an index. */
export const yesTo = (turn: RecordedTurn, approval: string, until: number): readonly Yes[] =>
  [...turn.all('ApprovalVoted'), ...turn.all('ApprovalGranted')].filter(
    ({ event, index }) =>
      index <= until && event.data.approval === approval && event.data.choice !== 'deny',
  );

/** How many different people said yes. Identities of nobody may all be those of one person, and of one that is known. */
export const votersOf = (votes: readonly Yes[]): number => {
  const people = new Set(votes.map(({ event }) => event.data.by.person));
  return people.delete(null) ? Math.max(1, people.size) : people.size;
};

/** A question names as many votes as the policy wants, and that many people said yes before anything rested on it. */
const requiredMonitor: Monitor = (turn) => {
  const faults = governed(turn, 'ApprovalRequested').flatMap((at): readonly Objection[] => {
    const asked = at.event.data.required ?? 1;
    const wanted = at.policy.approval.approvers_required;
    if (asked < wanted)
      return [required.violated(at, `${asked} votes were asked for, the policy wants ${wanted}`)];
    return asked > wanted
      ? [required.narrower(at, `${asked} votes were asked for, the policy wants ${wanted}`)]
      : [];
  });
  const told = new Set<string>();
  const rested = [...governed(turn, 'ApprovalGranted'), ...approvedCalls(turn)];
  const missing = rested.flatMap((at) => {
    const { approval } = at.event.data;
    const votes = approval === null ? [] : yesTo(turn, approval, at.index);
    const wanted = at.policy.approval.approvers_required;
    if (approval === null || votes.length === 0 || votersOf(votes) >= wanted) return [];
    if (told.has(approval)) return [];
    told.add(approval);
    return [required.violated(at, `${votersOf(votes)} of ${wanted} people said yes`)];
  });
  return [...faults, ...missing];
};

/** Who asked is kept out of the decision if, and only if, the policy wants four eyes. */
const fourEyesMonitor: Monitor = (turn) => [
  ...governed(turn, 'ApprovalRequested').flatMap((at): readonly Objection[] => {
    const out = at.event.data.notBy ?? null;
    if (at.policy.approval.four_eyes && out === null)
      return [fourEyes.violated(at, 'whoever asked may decide')];
    return !at.policy.approval.four_eyes && out !== null
      ? [fourEyes.narrower(at, `\`${out}\` was kept out of the decision`)]
      : [];
  }),
  ...[...governed(turn, 'ApprovalVoted'), ...governed(turn, 'ApprovalGranted')].flatMap((at) =>
    at.policy.approval.four_eyes &&
    at.event.data.choice !== 'deny' &&
    isAsker(turn, at.event.data.by, at.event.data.approval)
      ? [fourEyes.violated(at, 'who asked said yes')]
      : [],
  ),
  ...[...governed(turn, 'ApprovalVoted'), ...governed(turn, 'ApprovalGranted')].flatMap((at) =>
    at.policy.approval.four_eyes &&
    at.event.data.choice !== 'deny' &&
    at.event.data.by.person === null
      ? [
          fourEyes.violated(
            at,
            `\`${at.event.data.by.principal}\`, who said yes, is no known person`,
          ),
        ]
      : [],
  ),
  ...governed(turn, 'ToolCallAuthorized').flatMap((at) => {
    const { by, grant: id } = at.event.data;
    const grant = by === 'grant' && id !== null ? turn.around.grant(id) : null;
    if (grant === null || grant === 'unknown' || !at.policy.approval.four_eyes) return [];
    return isAsker(turn, grant.data.by, null)
      ? [fourEyes.violated(at, `grant \`${grant.data.grant}\` was given by who asked`)]
      : [];
  }),
];

/** A question goes where the policy sends it, and whoever said yes is among those it is sent to. */
const routeMonitor: Monitor = (turn) => [
  ...governed(turn, 'ApprovalRequested').flatMap((at) =>
    at.event.data.route === at.policy.approval.route.approver
      ? []
      : [route.violated(at, `the question went to \`${at.event.data.route}\``)],
  ),
  ...[...governed(turn, 'ApprovalVoted'), ...governed(turn, 'ApprovalGranted')].flatMap((at) => {
    const { by, choice } = at.event.data;
    const why = choice === 'deny' ? null : notAdmitted(turn, at, by);
    return why === null ? [] : [route.violated(at, why)];
  }),
];

export const approvalVotesMonitors = {
  'approval.approvers_required': requiredMonitor,
  'approval.four_eyes': fourEyesMonitor,
  'approval.route.approver': routeMonitor,
};

/** Whether who decided is who asked: the same person, or the same identity where no person stands behind it. A job's question
 * says itself whose it is. */
export function isAsker(turn: RecordedTurn, by: DecidedBy, approval: string | null): boolean {
  const asked = turn.all('ApprovalRequested').find(({ event }) => event.data.approval === approval)
    ?.event.data.notBy;
  if (typeof asked === 'string' && (by.person === asked || by.principal === asked)) return true;
  const { principal } = turn;
  if (principal === null) return false;
  if (principal.person !== null) return by.person === principal.person;
  return [principal.id, `${principal.kind}:${principal.id}`].includes(by.principal);
}

function approvedCalls(turn: RecordedTurn): readonly Governed<'ToolCallAuthorized'>[] {
  return governed(turn, 'ToolCallAuthorized').filter(({ event }) => event.data.by === 'approval');
}

/** Why the route does not lead to who decided, or null; what the log does not tell is not held against anybody. */
function notAdmitted(
  turn: RecordedTurn,
  at: { readonly policy: PolicySnapshot; readonly index: number },
  by: DecidedBy,
): string | null {
  const to = at.policy.approval.route.approver;
  const who = by.person ?? by.principal;
  if (/^(?:agent|job):/.test(by.principal)) return `\`${who}\` is no person`;
  if (to.startsWith('people:'))
    return by.person === to.slice('people:'.length) ? null : `\`${who}\` is not \`${to}\``;
  if (to.startsWith('role:')) {
    const roles = rolesOf(turn, at.index, by.person);
    const wanted = to.slice('role:'.length);
    const has = roles === null || roles.includes(wanted) || roles.includes('admin');
    return has ? null : `\`${who}\` has not the role \`${wanted}\``;
  }
  if (to.startsWith('channel:')) {
    const place = to.slice('channel:'.length);
    if (by.surface !== 'channel') return `decided from \`${by.surface}\`, not from \`${to}\``;
    return by.where === undefined || by.where === place ? null : `decided from \`${by.where}\``;
  }
  return null;
}

/** Roles of a person by the config of the last verdict before an index. */
function rolesOf(
  turn: RecordedTurn,
  index: number,
  person: string | null,
): readonly string[] | null {
  const asked = turn.all('ApprovalRequested').findLast((at) => at.index < index);
  const version = asked?.event.data.facts.config.version ?? turn.asked?.config.version;
  const config = version === undefined || person === null ? null : turn.around.config(version);
  // Whoever config names since was unknown to it when the question was asked.
  if (config === null || person === null || !Object.hasOwn(config.people, person)) return null;
  return config.people[person]?.roles ?? [];
}

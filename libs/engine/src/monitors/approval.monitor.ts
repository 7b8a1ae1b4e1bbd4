import type { EnforcedKey, PolicySnapshot } from '@lockstep/policy';
import type { Objection } from '../projections/parity-matrix.view.ts';
import { authorizationOf, startOf } from './calls.ts';
import { grantFault } from './grants.ts';
import { toolAllowed, toolDenied } from './matcher.ts';
import { governed, objector, type Governed, type Monitor } from './monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import { effectsOf, mcpTool, onlyReads, own } from './tool-facts.ts';

const autonomy = objector('approval.autonomy');
const autoApprove = objector('approval.auto_approve');
const alwaysAsk = objector('approval.always_ask');
const noApprover = objector('approval.route.on_no_approver');

const asksAlways = (policy: PolicySnapshot, tool: string): boolean =>
  toolDenied(policy.approval.always_ask, tool);

/** Nothing starts without an authorization for the same thing; what autonomy lets through it may; what it asks or refuses it must. */
const autonomyMonitor: Monitor = (turn) => [
  ...governed(turn, 'ToolCallStarted').flatMap((at) => {
    const why = startFault(turn, at);
    return why === null ? [] : [autonomy.violated(at, why)];
  }),
  ...outcomes(turn).flatMap((at) =>
    startOf(turn, at.event.data.call, at.index) === null
      ? [autonomy.violated(at, `call \`${at.event.data.call}\` has an outcome and never started`)]
      : [],
  ),
  ...governed(turn, 'ToolCallAuthorized').flatMap((at) => {
    const { tool, by } = at.event.data;
    const reads = onlyReads(effects(at));
    const level = at.policy.approval.autonomy;
    if (level === 'read_only' && !reads)
      return [autonomy.violated(at, `\`${tool}\` does more than read, under \`read_only\``)];
    if (by === 'autonomy' && level === 'supervised' && !reads && !asksAlways(at.policy, tool))
      return [autonomy.violated(at, `\`${tool}\` does more than read, and nobody was asked`)];
    return [];
  }),
  ...permissions(turn, 'approval.autonomy'),
  ...governed(turn, 'ApprovalRequested').flatMap((at) =>
    at.event.data.rule === 'approval.autonomy' &&
    (at.policy.approval.autonomy === 'full' || onlyReads(effects(at)))
      ? [autonomy.narrower(at, `\`${at.event.data.tool}\` needs no question at this level`)]
      : [],
  ),
  ...governed(turn, 'ToolCallRefused').flatMap((at) => {
    const { rule, effects: recorded } = at.event.data;
    const ceiling = at.policy.approval.autonomy === 'read_only' && !onlyReads(recorded);
    return rule === 'approval.autonomy' && !ceiling && !wasDenied(turn, at)
      ? [autonomy.narrower(at, 'the level admits this call')]
      : [];
  }),
];

/** What passed as approved beforehand is named by the list; what it names was not asked for autonomy's sake. */
const autoApproveMonitor: Monitor = (turn) => [
  ...governed(turn, 'ToolCallAuthorized').flatMap((at) => {
    const { tool, by } = at.event.data;
    return by === 'auto_approve' && !approvedBeforehand(at.policy, tool)
      ? [autoApprove.violated(at, `\`${tool}\` is not on the list`)]
      : [];
  }),
  ...governed(turn, 'ApprovalRequested').flatMap((at) => {
    const { tool, rule } = at.event.data;
    const listed = tool.startsWith('builtin:') && approvedBeforehand(at.policy, tool);
    return rule === 'approval.autonomy' && listed && !asksAlways(at.policy, tool)
      ? [autoApprove.narrower(at, `\`${tool}\` is approved beforehand`)]
      : [];
  }),
];

/** What the list names was decided by a person for this very call, and no standing grant was offered for it. */
const alwaysAskMonitor: Monitor = (turn) => [
  ...governed(turn, 'ToolCallAuthorized').flatMap((at) => {
    const { tool, by } = at.event.data;
    return asksAlways(at.policy, tool) && by !== 'approval'
      ? [alwaysAsk.violated(at, `\`${tool}\` is always asked for, and nobody was asked`)]
      : [];
  }),
  ...permissions(turn, 'approval.always_ask'),
  ...governed(turn, 'ApprovalRequested').flatMap((at) => {
    const { tool, rule, grantable } = at.event.data;
    const listed = asksAlways(at.policy, tool);
    if (listed && grantable)
      return [alwaysAsk.violated(at, `a standing grant was offered for \`${tool}\``)];
    return rule === 'approval.always_ask' && !listed
      ? [alwaysAsk.narrower(at, `\`${tool}\` is not on the list`)]
      : [];
  }),
];

/** Under `deny` nothing is parked; under `queue` nothing is refused for want of an approver. */
const noApproverMonitor: Monitor = (turn) => [
  ...governed(turn, 'ApprovalRequested').flatMap((at) =>
    at.policy.approval.route.on_no_approver === 'deny'
      ? [noApprover.violated(at, 'the call was parked, under `deny`')]
      : [],
  ),
  ...governed(turn, 'ToolCallRefused').flatMap((at) =>
    at.event.data.rule === 'approval.route.on_no_approver' &&
    at.policy.approval.route.on_no_approver === 'queue'
      ? [noApprover.narrower(at, 'refused for want of an approver, under `queue`')]
      : [],
  ),
];

export const approvalMonitors = {
  'approval.autonomy': autonomyMonitor,
  'approval.auto_approve': autoApproveMonitor,
  'approval.always_ask': alwaysAskMonitor,
  'approval.route.on_no_approver': noApproverMonitor,
};

/** A built-in tool's effects by the table, an MCP tool's as recorded: whether those are the declared ones is another setting. */
function effects(at: Governed<'ToolCallAuthorized'> | Governed<'ApprovalRequested'>) {
  const { tool, effects: recorded, facts } = at.event.data;
  return mcpTool(tool) === null ? effectsOf(at.policy, tool, facts.operands) : recorded;
}

function outcomes(turn: RecordedTurn) {
  return [...governed(turn, 'ToolCallCompleted'), ...governed(turn, 'ToolCallFailed')];
}

function startFault(turn: RecordedTurn, at: Governed<'ToolCallStarted'>): string | null {
  const { call, tool, binding, argsDigest } = at.event.data;
  const rests = authorizationOf(turn, call, at.index);
  if (rests === null) return `\`${tool}\` started without an authorization`;
  const { data } = rests.event;
  if (data.tool !== tool || data.argsDigest !== argsDigest)
    return `\`${tool}\` started, and another call was authorized`;
  return data.binding === binding ? null : `\`${tool}\` started under another binding`;
}

/** Calls let through by a person or a standing grant that no such decision covers: told under the rule that asked. */
function permissions(turn: RecordedTurn, key: EnforcedKey): readonly Objection[] {
  return governed(turn, 'ToolCallAuthorized').flatMap((at) => {
    const { by } = at.event.data;
    const rule = asksAlways(at.policy, at.event.data.tool)
      ? 'approval.always_ask'
      : 'approval.autonomy';
    if (rule !== key) return [];
    if (by === 'approval' && !decidedFor(turn, at))
      return [objector(key).violated(at, 'no decision for this call with the same binding')];
    const fault = by === 'grant' && key === 'approval.autonomy' ? grantFault(turn, at) : null;
    return fault === null ? [] : [objector(key).violated(at, fault)];
  });
}

function decidedFor(turn: RecordedTurn, at: Governed<'ToolCallAuthorized'>): boolean {
  const { call, approval, binding, argsDigest } = at.event.data;
  return turn
    .ofCall(call)
    .some(
      ({ event, index }) =>
        index < at.index &&
        event.type === 'ApprovalGranted' &&
        event.data.approval === approval &&
        event.data.binding === binding &&
        (event.data.edited === undefined || event.data.edited.argsDigest === argsDigest),
    );
}

/** A person's denial is a refusal too; it cites the rule that asked. */
function wasDenied(turn: RecordedTurn, at: Governed<'ToolCallRefused'>): boolean {
  const { call, approval } = at.event.data;
  return (
    approval !== null || turn.ofCall(call).some(({ event }) => event.type === 'ApprovalRequested')
  );
}

/** A tool whose effects nobody declared is approved beforehand by its exact id only. */
function approvedBeforehand(policy: PolicySnapshot, tool: string): boolean {
  const clauses = policy.approval.auto_approve;
  if (!toolAllowed(clauses, tool)) return false;
  const mcp = mcpTool(tool);
  if (mcp === null || own(own(policy.mcp.effects, mcp.server), mcp.name) !== undefined) return true;
  return clauses.some((patterns) => patterns.includes(tool));
}

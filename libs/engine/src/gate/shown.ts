import type { RuleId } from '../events/parts.ts';

/** What a model is told of a refusal: the outcome only. The rule and the remedy are for the operator. */
export const shownFor = (rule: RuleId): string =>
  texts[rule] ??
  (rule.startsWith('budgets.')
    ? 'the call was refused: a limit of the work is reached'
    : 'the call was refused: it is out of bounds');

const texts: Partial<Record<RuleId, string>> = {
  'gate.stopped': 'the call was refused: work is stopped',
  'gate.paused': 'the call was refused: work is paused',
  'gate.unknown_tool': 'the call was refused: there is no such tool',
  'gate.not_advertised': 'the call was refused: there is no such tool',
  'tools.denied': 'the call was refused: there is no such tool',
  'tools.allowed': 'the call was refused: there is no such tool',
  'mcp.bundles': 'the call was refused: there is no such tool',
  'mcp.expose': 'the call was refused: there is no such tool',
  'approval.autonomy': 'the call was refused: its effects are out of bounds',
  'mcp.operands': 'the call was refused: what it touches is not known',
  'workspace.workspace_only': 'the call was refused: the path is out of bounds',
  'workspace.access': 'the call was refused: the path is out of bounds',
  'workspace.forbidden_paths': 'the call was refused: the path is out of bounds',
  'network.allowed_hosts': 'the call was refused: the address is out of bounds',
  'network.block_private_addresses': 'the call was refused: the address is out of bounds',
  'gate.skill_tools': 'the call was refused: the skill in use does not name this tool',
  'skills.allow_scripts': 'the call was refused: there is no such tool',
  'skills.bundles': 'the call was refused: there is no such skill',
  'shell.allowed_commands': 'the call was refused: the command is out of bounds',
  'shell.block_high_risk': 'the call was refused: the command is out of bounds',
  'gate.unsettled_outcome':
    'the call was refused: the outcome of the same call made earlier is not known',
  'gate.approval_stale':
    'the call was refused: what was decided about no longer is what would be done',
  'approval.route.on_no_approver': 'the call was refused: nobody decided on it',
};

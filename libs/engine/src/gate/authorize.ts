import type { Effect } from '@lockstep/policy';
import type { Facts, RuleId, ToolSpec } from '../events/parts.ts';
import { whyWithheld } from '../tools/advertise.ts';
import { withheldByCeiling } from '../tools/effect-ceiling.ts';
import { effectsOf } from '../tools/effects.ts';
import { withheldBySkills } from '../tools/skill-tools.ts';
import { withheldByAllowed, withheldByDenied, type Withheld } from '../tools/withheld.ts';
import { approvalNeed } from './approval-rule.ts';
import { judgeArguments } from './arguments-rule.ts';
import { bindingOf, destinationOf } from './binding.ts';
import { judgeBudget } from './budget-rule.ts';
import { judgeFlags } from './flags-rule.ts';
import { judgeOperands } from './operands.ts';
import { shownFor } from './shown.ts';
import type { GateCall, GateState, Verdict } from './verdict.ts';

/** Judges one tool call, for every source on every path, in this order: stop and pause, identity, denied, allowed, arguments,
 * effect ceiling, operands, budgets, approval. The first rule that is broken refuses. Total: whatever the model wrote, there is
 * a verdict. After a person's decision the same steps run again and the binding is compared. */
export const authorize = (call: GateCall, facts: Facts, state: GateState): Verdict => {
  const flagged = judgeFlags(facts);
  if (flagged !== null) return refused(flagged);
  const { spec } = call;
  if (spec === null) return refused(unknownTool(call.alias));
  const { policy } = state;
  const early =
    judgeIdentity(spec, facts, state) ??
    withheldByDenied(policy, spec.id) ??
    withheldByAllowed(policy, spec.id) ??
    withheldBySkills(state.skills, spec.id);
  if (early !== null) return refused(early);
  const args = judgeArguments(spec, call.args);
  if (!args.ok) return refused(args.withheld, args.shown);
  const tool = { spec, args: args.value, effects: effectsOf(spec, args.value) };
  const broken =
    withheldByCeiling(policy, spec.id, tool.effects) ??
    judgeOperands(policy, facts, tool) ??
    judgeBudget(facts);
  return broken === null ? judgeApproval(call, facts, state, tool) : refused(broken);
};

/** A tool that was not offered is refused by the rule that kept it away, if it is one of the policy. */
const judgeIdentity = (spec: ToolSpec, facts: Facts, state: GateState): Withheld | null => {
  if (facts.spec !== spec.digest)
    return {
      rule: 'gate.unknown_tool',
      pattern: null,
      why: `\`${spec.id}\` is not the version of the tool that was looked at`,
    };
  if (state.advertised.includes(spec.id)) return null;
  return (
    whyWithheld(state.policy, spec) ??
    withheldBySkills(state.skills, spec.id) ?? {
      rule: 'gate.not_advertised',
      pattern: null,
      why: `the model call was not offered \`${spec.id}\``,
    }
  );
};

const unknownTool = (alias: string): Withheld => ({
  rule: 'gate.unknown_tool',
  pattern: null,
  why: `no tool of this agent is called \`${alias}\``,
});

interface JudgedTool {
  readonly spec: ToolSpec;
  readonly effects: readonly Effect[];
}

const judgeApproval = (
  call: GateCall,
  facts: Facts,
  state: GateState,
  tool: JudgedTool,
): Verdict => {
  const { policy, approval } = state;
  const binding = bindingOf({
    agent: policy.agent,
    principal: state.principal,
    session: state.session,
    tool: tool.spec.id,
    spec: tool.spec.digest,
    argsDigest: call.argsDigest,
    operands: facts.operands,
    destination: destinationOf(policy, tool.spec),
  });
  const need = approvalNeed(policy, facts.grants, tool);
  const reason = { rule: need.rule, pattern: need.pattern, binding };
  if (approval !== null)
    return approval.binding === binding
      ? {
          ...reason,
          kind: 'allow',
          why: `a person decided on the call in \`${approval.id}\``,
          by: 'approval',
          grant: null,
          approval: approval.id,
        }
      : refused(stale(approval.id));
  if (need.kind === 'none')
    return {
      ...reason,
      kind: 'allow',
      why: need.why,
      by: need.by,
      grant: need.grant,
      approval: null,
    };
  if (policy.approval.route.on_no_approver === 'deny')
    return refused({
      rule: 'approval.route.on_no_approver',
      pattern: 'deny',
      why: `${need.why}, and a call that needs a person is refused at once`,
    });
  return { ...reason, kind: 'ask', why: need.why, grantable: need.grantable };
};

const stale = (approval: string): Withheld => ({
  rule: 'gate.approval_stale',
  pattern: null,
  why: `the call, its operands or its tool are not what \`${approval}\` was decided on`,
});

const refused = (
  { rule, pattern, why }: { rule: RuleId; pattern: string | null; why: string },
  shown = shownFor(rule),
): Verdict => ({ kind: 'refuse', rule, pattern, why, shown });

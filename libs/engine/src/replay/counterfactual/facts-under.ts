import type { Facts } from '../../events/parts.ts';
import type { GateCall } from '../../gate/verdict.ts';
import { whyWithheld } from '../../tools/advertise.ts';
import { operandPointers } from '../../tools/operand-pointers.ts';
import type { OpenTurn } from '../../turn/state.ts';
import { assumedOperands } from './assumed-operands.ts';
import { operandUnder, rootsUnder } from './roots-under.ts';
import type { VerdictEvent } from './turn-index.ts';
import type { Walk } from './walk.ts';

/** What a recorded verdict read outside the stream, as a verdict under the other policy would have read it. What nobody looked at then
 * is assumed from the arguments, and noted. */
export const factsUnder = (
  walk: Walk,
  state: OpenTurn,
  { call, verdict }: { readonly call: GateCall; readonly verdict: VerdictEvent },
): Omit<Facts, 'caps'> => {
  const { caps: _caps, ...recorded } = verdict.data.facts;
  const { config } = walk.ask;
  const facts = {
    ...recorded,
    policy: state.policyDigest,
    ...(config === undefined ? {} : { config: { version: config.version, digest: config.digest } }),
    ...grantsUnder(walk, recorded.grants),
  };
  if (state.policyDigest === recorded.policy) return facts;
  if (isUnseen(walk, state, call, facts))
    return { ...facts, ...assumedOperands(walk, state, call) };
  const roots = facts.roots === null ? null : rootsUnder(walk, state.policy, facts.roots);
  const operands = facts.operands.map((one) => operandUnder(walk, state, facts.roots, one));
  return { ...facts, roots, operands };
};

/** Nobody looks at what a tool would touch that the policy keeps away. */
const isUnseen = (
  walk: Walk,
  state: OpenTurn,
  { spec, args }: GateCall,
  { operands }: { readonly operands: readonly unknown[] },
): boolean =>
  spec !== null &&
  args.ok &&
  operands.length === 0 &&
  whyWithheld(state.policy, spec) === null &&
  whyWithheld(walk.recordedPolicy, spec) !== null &&
  (operandPointers(spec, args.value).found.length > 0 || hasWhole(spec.operands));

const hasWhole = (operands: NonNullable<GateCall['spec']>['operands']): boolean =>
  typeof operands !== 'string' && operands.some(({ at }) => at === '');

/** A standing grant is for a person and a session: of another request nothing is known. */
const grantsUnder = (
  { ask, then, notes }: Walk,
  grants: readonly string[],
): Pick<Facts, 'grants'> | Record<string, never> => {
  if (ask.start === undefined || grants.length === 0 || then.status !== 'open') return {};
  const { principal, session } = ask.start.request;
  const was = then.request;
  if (
    principal.person === was.principal.person &&
    principal.id === was.principal.id &&
    session === was.session
  )
    return {};
  notes.add(
    'standing grants of the recorded request were left out: they are for its person and session',
  );
  return { grants: [] };
};

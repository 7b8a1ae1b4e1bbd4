import type { EnforcedKey } from '@lockstep/policy';
import { agentsIn, childOf, sopsIn } from './child-facts.ts';
import { anyOf, refusedUnder, witness, type Witness } from './monitor.ts';

/** Another agent was handed work by a call that was let through. */
const handedOn = witness('ToolCallAuthorized', ({ event }) => {
  const to = agentsIn(event.data.facts.operands).find(({ how }) => how === 'delegate');
  return to === undefined ? null : `work may be handed to ${to.given}`;
});

/** Events in which a delegation setting decided. */
export const delegationWitnesses = {
  'delegation.mode': anyOf(refusedUnder('delegation.mode'), handedOn),
  'delegation.delegates': anyOf(
    refusedUnder('delegation.delegates'),
    handedOn,
    witness('PolicyResolved', (_, turn) => {
      const child = childOf(turn);
      return child?.trigger === 'bounded' || child?.trigger === 'independent'
        ? `came over the ${child.trigger} edge of ${child.parent.snapshot.agent}`
        : null;
    }),
  ),
  'delegation.max_depth': anyOf(
    refusedUnder('delegation.max_depth'),
    witness('PolicyResolved', ({ policy }, turn) => {
      const left = policy.delegation.max_depth;
      return childOf(turn) !== null && left !== 'unlimited'
        ? `${left} levels are left below`
        : null;
    }),
  ),
  'delegation.spawn': anyOf(
    refusedUnder('delegation.spawn'),
    witness('ToolCallAuthorized', ({ event, policy }) =>
      event.data.tool === 'builtin:spawn' && policy.delegation.spawn
        ? 'a sub-agent may be started'
        : null,
    ),
  ),
  'delegation.sops': anyOf(
    refusedUnder('delegation.sops'),
    witness('ToolCallAuthorized', ({ event }) => {
      const sop = sopsIn(event.data.facts.operands)[0];
      return sop === undefined ? null : `procedure ${sop.given} may be started`;
    }),
  ),
} satisfies Record<Extract<EnforcedKey, `delegation.${string}`>, Witness>;

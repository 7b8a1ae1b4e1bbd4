import type { Principal } from '@lockstep/policy';
import type { Governed } from './monitor.ts';
import type { RecordedGrant, RecordedTurn } from './recorded-turn.ts';

/** Why the standing grant that a call cites does not cover it, or null. Expiry is another setting's matter. */
export const grantFault = (
  turn: RecordedTurn,
  at: Governed<'ToolCallAuthorized'>,
): string | null => {
  const { grant: id } = at.event.data;
  if (id === null) return 'let through by a grant that is not named';
  const grant = turn.around.grant(id);
  if (grant === 'unknown') return null;
  if (grant === null) return `grant \`${id}\` was never issued`;
  if (grant.revoked !== null && grant.revoked < at.event.position)
    return `grant \`${id}\` had been revoked`;
  return covers(turn, at, grant) ? null : `grant \`${id}\` is for something else`;
};

const covers = (
  turn: RecordedTurn,
  at: Governed<'ToolCallAuthorized'>,
  { data: grant }: RecordedGrant,
): boolean => {
  const { tool, argsDigest, facts } = at.event.data;
  return (
    grant.agent === turn.agent &&
    grant.tool === tool &&
    (facts.spec === null || grant.spec === facts.spec) &&
    (grant.scope.kind === 'agent' || grant.scope.session === turn.session) &&
    (grant.arguments.kind === 'any' ||
      (grant.arguments.kind === 'exact' && grant.arguments.digest === argsDigest)) &&
    (grant.person === null || isSame(grant.person, turn.principal))
  );
};

const isSame = (person: string, principal: Principal | null): boolean =>
  principal !== null &&
  [principal.person, principal.id, `${principal.kind}:${principal.id}`].includes(person);

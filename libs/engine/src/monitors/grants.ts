import { canonicalJson, type Principal } from '@lockstep/policy';
import type { GrantField } from '../events/parts.ts';
import { valuesAt } from './declared-operands.ts';
import type { Governed } from './monitor.ts';
import { inside, tidy } from './places.ts';
import { textOf, type RecordedGrant, type RecordedTurn } from './recorded-turn.ts';

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
      (grant.arguments.kind === 'exact' && grant.arguments.digest === argsDigest) ||
      (grant.arguments.kind === 'fields' && fieldsHold(turn, at, grant.arguments.fields))) &&
    (grant.person === null || isSame(grant.person, turn.principal))
  );
};

const isSame = (person: string, principal: Principal | null): boolean =>
  principal !== null &&
  [principal.person, principal.id, `${principal.kind}:${principal.id}`].includes(person);

/** Whether every named argument is what the grant says. Arguments that are not known are not held against the call. */
const fieldsHold = (
  turn: RecordedTurn,
  at: Governed<'ToolCallAuthorized'>,
  fields: readonly GrantField[],
): boolean => {
  const text = textOf(at.event.data.args, turn.around);
  if (text === null) return true;
  return fields.every((field) => {
    const values = valuesAt(text, field.at);
    if ('equals' in field)
      return values.length === 1 && canonicalJson(values[0]) === canonicalJson(field.equals);
    return values.length > 0 && values.every((value) => isBelow(at, field.below, value));
  });
};

/** Whether an argument is a path that, as it was judged, lies below a folder. */
const isBelow = (
  { event, policy }: Governed<'ToolCallAuthorized'>,
  folder: string,
  value: unknown,
): boolean => {
  const home = folder.startsWith('/') ? folder : `${policy.workspace.root}/${folder}`;
  return event.data.facts.operands.some(
    (operand) =>
      operand.kind === 'path' &&
      operand.given === value &&
      (inside(tidy(home), tidy(operand.lexical)) ||
        (operand.real !== null && inside(tidy(home), tidy(operand.real)))),
  );
};

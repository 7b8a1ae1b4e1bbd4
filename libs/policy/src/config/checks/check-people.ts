import type { ConfigProblem } from '../problem.ts';
import { atValue, type ConfigCheck } from './check-context.ts';

/** An identity belongs to one person, and is of a kind that this build knows. */
export const checkPeople: ConfigCheck = (context) => {
  const holders = new Map<string, string>();
  return Object.entries(context.config.people).flatMap(([person, { identities }]) =>
    identities.flatMap((identity, index): ConfigProblem[] => {
      const at = ['people', person, 'identities', index];
      const problem = unknownKind(identity);
      if (problem !== null) return [atValue(context, problem.code, at, problem.message)];
      const holder = holders.get(identity);
      holders.set(identity, holder ?? person);
      if (holder === undefined) return [];
      const where = holder === person ? 'stands here twice' : `belongs to \`${holder}\` already`;
      return [atValue(context, 'conflict', at, `\`${identity}\` ${where}, leave one out`)];
    }),
  );
};

const unknownKind = (identity: string) => {
  if (/^token:[^\s:]+$/.test(identity)) return null;
  if (/^[a-z][a-z0-9_-]*[./]/.test(identity))
    return {
      code: 'not_supported_yet',
      message: `\`${identity}\` is not supported yet: only identities \`token:<name>\` are`,
    } as const;
  return {
    code: 'invalid_value',
    message: `\`${identity}\` is no identity, write \`token:<name>\``,
  } as const;
};

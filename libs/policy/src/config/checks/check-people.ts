import type { ConfigProblem } from '../problem.ts';
import { checkSender } from './check-channels.ts';
import { atValue, type CheckContext, type ConfigCheck } from './check-context.ts';

/** An identity belongs to one person, and is of a kind that there is. */
export const checkPeople: ConfigCheck = (context) => {
  const holders = new Map<string, string>();
  return Object.entries(context.config.people).flatMap(([person, { identities }]) =>
    identities.flatMap((identity, index): ConfigProblem[] => {
      const at = ['people', person, 'identities', index];
      const problem = wrongKind(context, identity);
      if (problem !== null) return [atValue(context, problem.code, at, problem.message)];
      const holder = holders.get(identity);
      holders.set(identity, holder ?? person);
      if (holder === undefined) return [];
      const where = holder === person ? 'stands here twice' : `belongs to \`${holder}\` already`;
      return [atValue(context, 'conflict', at, `\`${identity}\` ${where}, leave one out`)];
    }),
  );
};

const wrongKind = (context: CheckContext, identity: string) => {
  if (/^(token|local):[^\s:]+$/.test(identity)) return null;
  if (/^[a-z][a-z0-9_-]*\.[^/]*\//.test(identity)) {
    const message = checkSender(context, identity);
    return message === null ? null : ({ code: 'unknown_name', message } as const);
  }
  return {
    code: 'invalid_value',
    message: `\`${identity}\` is no identity, write \`token:<name>\`, \`local:<name>\` or \`<kind>.<channel>/<sender>\``,
  } as const;
};

import type { ApproverRights, DecidedBy } from '@lockstep/engine';
import { expandRoles } from '../access/caller.ts';
import type { AppliedConfig } from '@lockstep/policy';

type People = AppliedConfig['config']['people'];

/** The rights behind a decision that came without any: those of the person in config. Who sits at the machine itself acts as admin on
 * the socket and the command line. Anybody else has none. */
export const rightsOf = (by: DecidedBy, people: People): ApproverRights => {
  const person = by.person !== null && Object.hasOwn(people, by.person) ? people[by.person] : null;
  const scopes = { agents: ['*'], tools: ['*'] };
  if (person != null) return { roles: expandRoles(person.roles), scopes };
  const isLocal = by.surface === 'json_rpc' || by.surface === 'acp' || by.surface === 'cli';
  return { roles: expandRoles(isLocal && by.person === null ? ['admin'] : []), scopes };
};

import {
  matchesPattern,
  normalizeToolPattern,
  roleNames,
  type Principal,
  type Role,
} from '@lockstep/policy';

/** Who makes a request, and what that permits. */
export interface Caller {
  readonly principal: Principal;
  /** Id of the token that this request acts under. */
  readonly token: string;
  /** With everything that a role includes. */
  readonly roles: ReadonlySet<Role>;
  readonly scopes: { readonly agents: readonly string[]; readonly tools: readonly string[] };
  readonly via: 'bearer' | 'cookie';
  /** Hash of the cookie session, if one is used. */
  readonly session: string | null;
}

/** Every role shows lists and states; `admin` includes all others. */
export const expandRoles = (roles: readonly Role[]): ReadonlySet<Role> => {
  if (roles.includes('admin')) return new Set(roleNames);
  return roles.length === 0 ? new Set() : new Set<Role>(['viewer', ...roles]);
};

/** A token of a person acts with what both hold. */
export const rolesOf = (
  token: readonly Role[],
  person: readonly Role[] | null,
): ReadonlySet<Role> => {
  const own = expandRoles(token);
  if (person === null) return own;
  const theirs = expandRoles(person);
  return new Set([...own].filter((role) => theirs.has(role)));
};

export const holdsAny = (caller: Caller, roles: readonly Role[]): boolean =>
  roles.some((role) => caller.roles.has(role));

/** Inputs, replies and arguments. */
export const seesContent = (caller: Caller): boolean => caller.roles.has('auditor');

export const seesAgent = (caller: Caller, agent: string): boolean =>
  caller.scopes.agents.some((pattern) => matchesPattern(pattern, agent));

/** Whether a caller's scope holds a tool, by its canonical id. */
export const reachesTool = ({ scopes }: Caller, tool: string): boolean =>
  scopes.tools.some(
    (pattern) => pattern === '*' || matchesPattern(normalizeToolPattern(pattern), tool),
  );

export const isLocal = (caller: Caller): boolean => caller.principal.kind === 'local';

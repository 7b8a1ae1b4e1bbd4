import { matchesPattern, normalizeToolPattern, type Role } from '@lockstep/policy';
import type { DecidedBy } from '../events/parts.ts';

/** What is to be decided, as far as it says who may. */
export interface DecidableRequest {
  readonly agent: string;
  /** Canonical id; a question is one of `builtin:ask_user`. */
  readonly tool: string;
  /** `inbox`, `people:<id>`, `role:<r>` or `channel:<binding>/<conversation>`. */
  readonly route: string;
  /** The person, or the identity, that may not decide; null = nobody is kept out. */
  readonly notBy: string | null;
}

/** The rights behind a decision. */
export interface ApproverRights {
  /** With everything that a role includes. */
  readonly roles: ReadonlySet<Role>;
  /** Patterns; `["*"]` is all. */
  readonly scopes: { readonly agents: readonly string[]; readonly tools: readonly string[] };
}

/** Why somebody may not decide on a request, or null. The same on every surface; what is not known to be permitted is refused. */
export const whyNotApprover = (
  request: DecidableRequest,
  by: DecidedBy,
  rights: ApproverRights,
): string | null => {
  if (/^(agent|job):/.test(by.principal)) return 'agents and jobs decide on nothing';
  if (!rights.scopes.agents.some((pattern) => matchesPattern(pattern, request.agent)))
    return `the scope of the decision leaves out the agent \`${request.agent}\``;
  const covers = (pattern: string): boolean =>
    matchesPattern(normalizeToolPattern(pattern), request.tool);
  if (!rights.scopes.tools.some((pattern) => pattern === '*' || covers(pattern)))
    return `the token's scope leaves out the tool \`${request.tool}\``;
  if (request.notBy !== null && isNamed(by, request.notBy))
    return `\`${request.notBy}\` asked for the work and may not decide on it`;
  return whyNotOnRoute(request.route, by, rights);
};

/** Why a yes counts for nothing where it must be that of another person, as under four eyes or where several are required; null = it
 * counts. Two identities that config maps to nobody may be those of one person. */
export const whyNoVote = (
  wanted: { readonly notBy: string | null; readonly required: number },
  by: DecidedBy,
): string | null =>
  by.person === null && (wanted.notBy !== null || wanted.required > 1)
    ? `different people decide here, and \`${by.principal}\` belongs to nobody: name it under \`people\``
    : null;

/** Whether a decision is that of a person or an identity of this name. */
export const isNamed = ({ person, principal }: DecidedBy, name: string): boolean =>
  person === name || principal === name || name.endsWith(`:${principal}`);

/** One person is one on every surface; an identity without a person counts as itself. */
export const deciderName = ({ person, principal }: DecidedBy): string => person ?? `:${principal}`;

const whyNotOnRoute = (route: string, by: DecidedBy, { roles }: ApproverRights): string | null => {
  const cut = route.indexOf(':');
  const [kind, name] = cut < 0 ? [route, ''] : [route.slice(0, cut), route.slice(cut + 1)];
  switch (kind) {
    case 'inbox':
      return roles.has('approver') ? null : 'this needs the role approver';
    case 'people':
      return by.person === name ? null : `this is for \`${name}\` to decide`;
    case 'role':
      return [...roles].some((role) => role === name) ? null : `this needs the role ${name}`;
    case 'channel':
      if (by.surface !== 'channel' || by.where !== name)
        return `this is decided in the conversation \`${name}\``;
      return roles.has('approver') ? null : 'this needs the role approver';
    default:
      return `nobody can be asked on the route \`${route}\``;
  }
};

import type { EnforcedKey, PolicySnapshot } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import { authorizationOf, touchesOf, usesOf } from './calls.ts';
import { isIdentityFile } from './identity.monitor.ts';
import { governed, objector, perTurn, type Governed, type Monitor } from './monitor.ts';
import { forbiddenInAnyCase, inside, placeOf, rootsOf, tidy, type Place } from './places.ts';

type WorkspaceKey = Extract<EnforcedKey, `workspace.${string}`>;
type PathOperand = Extract<Operand, { kind: 'path' }>;

/** A path that was let through, or that a tool really opened. */
interface Reached {
  readonly event: { readonly id: string };
  readonly policy: PolicySnapshot;
  readonly path: string;
  readonly access: PathOperand['access'];
  readonly place: Place;
}

/** Every path that the turn's calls were let through to, or opened, with where it lies. */
const reached = perTurn((turn): readonly Reached[] => {
  const named = usesOf(turn).flatMap(({ at, policy, operands, roots }) => {
    const paths = pathsIn(operands);
    const known = paths.length === 0 ? null : rootsOf(policy, roots);
    return paths.flatMap((operand) => {
      const path = operand.real ?? operand.lexical;
      if (known === null) return [];
      const { access } = operand;
      return [
        { event: at.event, policy, path, access, place: placeOf(policy, known, path, access) },
      ];
    });
  });
  const opened = touchesOf(turn).flatMap(({ at, start, touched }) => {
    const facts = authorizationOf(turn, start.event.data.call, start.index)?.event.data.facts;
    const paths = touched.filter((touch) => touch.kind === 'opened');
    if (paths.length === 0) return [];
    const roots = rootsOf(start.policy, facts?.roots ?? null);
    return paths.map(({ path, access }) => {
      const place = placeOf(start.policy, roots, path, access);
      return { event: at.event, policy: start.policy, path, access, place };
    });
  });
  return [...named, ...opened];
});

/** A monitor over every reached path, and over refusals of paths that the policy opens. */
const overPaths =
  (key: WorkspaceKey, fault: (at: Reached) => string | null): Monitor =>
  (turn) => [
    ...reached(turn).flatMap((at) => {
      const why = fault(at);
      return why === null ? [] : [objector(key).violated(at, why)];
    }),
    ...governed(turn, 'ToolCallRefused').flatMap((at) =>
      at.event.data.rule === key && isOpen(at)
        ? [objector(key).narrower(at, 'every path of this call is open to the agent')]
        : [],
    ),
  ];

const root = objector('workspace.root');
/** A relative path of a built-in tool means a place below the agent's own root. */
const rootMonitor: Monitor = (turn) => [
  ...overPaths('workspace.root', () => null)(turn),
  ...usesOf(turn).flatMap(({ at, policy, tool, operands, roots }) => {
    if (!tool.startsWith('builtin:')) return [];
    const homes = [policy.workspace.root, roots?.root ?? policy.workspace.root];
    return pathsIn(operands)
      .filter(({ given, lexical }) => isRelative(given) && !isBelow(homes, given, lexical))
      .map(({ given }) => root.violated(at, `\`${given}\` does not start at the agent's own root`));
  }),
];

const extra = objector('workspace.allowed_roots');
/** Folders that a verdict counted as extra roots, and those a server was shown, are the policy's own. */
const allowedRootsMonitor: Monitor = (turn) => [
  ...overPaths('workspace.allowed_roots', () => null)(turn),
  ...governed(turn, 'ToolCallAuthorized').flatMap((at) =>
    (at.event.data.facts.roots?.allowed ?? [])
      .filter(({ path }) => !at.policy.workspace.allowed_roots.includes(path))
      .map(({ path }) => extra.violated(at, `\`${path}\` was taken for an allowed root`)),
  ),
  ...touchesOf(turn).flatMap(({ at, start, touched }) => {
    const { call } = start.event.data;
    const facts = authorizationOf(turn, call, start.index)?.event.data.facts.roots ?? null;
    return touched
      .flatMap((touch) => (touch.kind === 'mcp' && touch.sandboxed ? touch.roots : []))
      .filter((path) => !isShown(start.policy, rootsOf(start.policy, facts), path))
      .map((path) => extra.violated(at, `a server was shown \`${path}\``));
  }),
];

export const workspaceMonitors = {
  'workspace.root': rootMonitor,
  'workspace.allowed_roots': allowedRootsMonitor,
  /** Nothing outside every root is reached while the boundary is on. */
  'workspace.workspace_only': overPaths('workspace.workspace_only', ({ policy, path, place }) =>
    place.kind === 'outside' && policy.workspace.workspace_only
      ? `\`${path}\` lies outside the workspace`
      : null,
  ),
  /** Another agent's workspace is reached in the ways that `access` names. */
  'workspace.access': overPaths('workspace.access', ({ path, place }) =>
    place.kind === 'sibling' && !place.granted
      ? `\`${path}\` is in the workspace of \`${place.alias}\``
      : null,
  ),
  /** Nothing forbidden or protected is reached. Whether an identity file may be written to is another setting's matter. */
  'workspace.forbidden_paths': overPaths(
    'workspace.forbidden_paths',
    ({ policy, path, access, place }) =>
      place.kind === 'forbidden' && (access === 'read' || !isIdentityFile(policy, path))
        ? `\`${path}\` is forbidden by \`${place.by}\``
        : null,
  ),
  /** The boundary is off only where full autonomy or this setting permits it. */
  'workspace.unrestricted_filesystem': overPaths(
    'workspace.unrestricted_filesystem',
    ({ policy, path, place }) =>
      place.kind === 'outside' && !policy.workspace.workspace_only && !permitted(policy)
        ? `\`${path}\` lies outside the workspace, and nothing permits that`
        : null,
  ),
} satisfies Record<WorkspaceKey, Monitor>;

/** The path operands among a call's operands. */
export const pathsIn = (operands: readonly Operand[]): readonly PathOperand[] =>
  operands.filter((operand) => operand.kind === 'path');

/** Whether `workspace_only = false` may stand. */
const permitted = (policy: PolicySnapshot): boolean =>
  policy.workspace.unrestricted_filesystem || policy.approval.autonomy === 'full';

const isRelative = (given: string): boolean => !given.startsWith('/') && !given.startsWith('~');

const isBelow = (homes: readonly string[], given: string, lexical: string): boolean =>
  homes.some((home) => tidy(`${home}/${given}`) === tidy(lexical));

const isShown = (
  policy: PolicySnapshot,
  roots: ReturnType<typeof rootsOf>,
  path: string,
): boolean => {
  const shown = tidy(path);
  const siblings = roots.siblings.flatMap(([alias, folders]) =>
    Object.hasOwn(policy.workspace.access, alias) ? folders : [],
  );
  return [...roots.own, ...roots.allowed, ...siblings].some((folder) => inside(folder, shown));
};

/** Whether every path of a refused call is surely open: known, in a root, and not forbidden in any spelling. */
const isOpen = ({ event, policy }: Governed<'ToolCallRefused'>): boolean => {
  const { facts } = event.data;
  const paths = pathsIn(facts.operands);
  const roots = rootsOf(policy, facts.roots);
  return (
    paths.length > 0 &&
    !facts.operands.some((operand) => operand.kind === 'undeclared') &&
    paths.every(({ real, lexical, access }) => {
      if (real === null || [real, lexical].some((path) => forbiddenInAnyCase(roots, path)))
        return false;
      const place = placeOf(policy, roots, real, access);
      if (place.kind === 'sibling') return place.granted;
      if (place.kind === 'outside') return !policy.workspace.workspace_only && permitted(policy);
      return place.kind !== 'forbidden';
    })
  );
};

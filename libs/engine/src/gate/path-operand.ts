import { normalPath, type AccessMode, type PolicySnapshot } from '@lockstep/policy';
import type { Operand, RootsFact } from '../events/parts.ts';
import type { Withheld } from '../tools/withheld.ts';
import { deniedBy, prepareDenied, type DeniedPaths } from './denied-paths.ts';
import { comparable } from './path-text.ts';
import { accessBits, grants, holdsLexical, holdsReal, zonesOf, type Zone } from './path-zones.ts';

export type PathOperand = Extract<Operand, { kind: 'path' }>;
type Workspace = PolicySnapshot['workspace'];

/** The rule that a path breaks, or null: its text and its real path are both judged, and forbidden paths come before every grant. */
export const judgePath = (
  policy: PolicySnapshot,
  roots: RootsFact | null,
  operand: Pick<PathOperand, 'access' | 'lexical' | 'real'>,
): Withheld | null => {
  const lexical = comparable(operand.lexical);
  const real = operand.real === null ? null : comparable(operand.real);
  if (roots === null || lexical === null || real === null)
    return untraceable(policy.workspace, operand.lexical);
  const rules = prepared(policy, roots);
  const { access } = operand;
  return (
    forbidden(rules, lexical, operand.lexical) ??
    (real === lexical ? null : forbidden(rules, real, operand.lexical)) ??
    outside(policy.workspace, rules, { path: lexical, access, holds: holdsLexical }) ??
    outside(policy.workspace, rules, { path: real, access, holds: holdsReal })
  );
};

/** Whether a list or a search may name an entry: what a read of it would be refused for is left out. */
export const pathVisible = (
  policy: PolicySnapshot,
  roots: RootsFact,
  lexical: string,
  real: string | null,
): boolean => judgePath(policy, roots, { access: 'read', lexical, real }) === null;

interface PathRules {
  readonly denied: DeniedPaths;
  readonly zones: readonly Zone[];
}

interface Prepared {
  /** By the roots as they stand in the facts of one verdict, which a search asks about again and again. */
  last: { readonly roots: RootsFact; readonly rules: PathRules } | null;
  /** By the text of the roots: every verdict has facts of its own, and they hardly ever differ. */
  readonly byText: Map<string, PathRules>;
}

const keptRoots = 16;
// A policy is never changed after it was made; a narrowed one is another object.
const cache = new WeakMap<PolicySnapshot, Prepared>();

const prepared = (policy: PolicySnapshot, roots: RootsFact): PathRules => {
  const known = cache.get(policy) ?? { last: null, byText: new Map<string, PathRules>() };
  if (known.last?.roots === roots) return known.last.rules;
  const text = JSON.stringify(roots);
  const rules = known.byText.get(text) ?? rulesOf(policy, roots);
  if (known.byText.size >= keptRoots) known.byText.clear();
  known.byText.set(text, rules);
  known.last = { roots, rules };
  cache.set(policy, known);
  return rules;
};

/** Identity files are closed like everything that config names by path, unless the agent may change its own. */
const rulesOf = ({ workspace, context }: PolicySnapshot, roots: RootsFact): PathRules => {
  const { files, writable } = context.identity;
  const opened = writable ? files.map(normalPath) : [];
  return {
    denied: prepareDenied(workspace, roots, opened),
    zones: zonesOf(workspace, roots, opened),
  };
};

const untraceable = (workspace: Workspace, shown: string): Withheld => ({
  rule: workspace.workspace_only ? 'workspace.workspace_only' : 'workspace.forbidden_paths',
  pattern: null,
  why: `the real path of \`${shown}\` cannot be found out`,
});

const forbidden = (rules: PathRules, path: string, shown: string): Withheld | null => {
  const pattern = deniedBy(rules.denied, path);
  if (pattern === null) return null;
  const led = path === shown ? '' : ` leads to \`${path}\`, which`;
  return {
    rule: 'workspace.forbidden_paths',
    pattern,
    why: `\`${shown}\`${led} is closed by \`${pattern}\``,
  };
};

interface Judged {
  readonly path: string;
  readonly access: AccessMode;
  readonly holds: (zone: Zone, path: string) => boolean;
}

const outside = (workspace: Workspace, rules: PathRules, judged: Judged): Withheld | null => {
  const { path, access, holds } = judged;
  const wanted = accessBits(access);
  const around = rules.zones.filter((zone) => holds(zone, path));
  if (around.some((zone) => grants(zone, wanted))) return null;
  const theirs = around.find((zone) => zone.sibling !== null);
  if (theirs !== undefined && !workspace.unrestricted_filesystem)
    return {
      rule: 'workspace.access',
      pattern: theirs.sibling,
      why: `\`${path}\` is in the workspace of \`${theirs.sibling ?? ''}\`, without ${access} access`,
    };
  if (!workspace.workspace_only) return null;
  return {
    rule: 'workspace.workspace_only',
    pattern: null,
    why: `\`${path}\` is outside the roots of the workspace`,
  };
};

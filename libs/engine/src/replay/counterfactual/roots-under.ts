import {
  isWithin,
  matchesHostClauses,
  type HostTarget,
  normalPath,
  type PolicySnapshot,
} from '@lockstep/policy';
import { memoryScopeOf } from '../../context/memory-scope.ts';
import type { Operand, RootsFact } from '../../events/parts.ts';
import type { OpenTurn } from '../../turn/state.ts';
import type { Walk } from './walk.ts';

type Looked = Pick<Walk, 'notes' | 'recordedPolicy'>;

/** Real paths of the folders that a policy names. What the recorded verdict did not look at is taken for a folder without links. */
export const rootsUnder = (
  { notes, recordedPolicy }: Looked,
  { workspace }: PolicySnapshot,
  recorded: RootsFact | null,
): RootsFact => {
  const known = new Map(
    [...(recorded?.allowed ?? []), ...(recorded?.denied ?? [])].map(({ path, real }) => [
      path,
      real,
    ]),
  );
  const realOf = (path: string): string | null => {
    const found = known.get(path);
    if (found !== undefined) return found;
    notes.add(`nobody looked at the folder \`${path}\`: it was taken to be no link`);
    return normalPath(path);
  };
  const kept = recorded !== null && recordedPolicy.workspace.root === workspace.root;
  return {
    root: kept ? recorded.root : realOf(workspace.root),
    allowed: workspace.allowed_roots.map((path) => ({ path, real: realOf(path) })),
    siblings: Object.fromEntries(
      Object.entries(workspace.siblings).map(([alias, { root }]) => {
        const siblings = recorded?.siblings ?? {};
        return [alias, Object.hasOwn(siblings, alias) ? (siblings[alias] ?? null) : realOf(root)];
      }),
    ),
    denied: [...(recorded?.denied ?? [])],
  };
};

/** Something that a call touches, as a look under the other policy would have found it. */
export const operandUnder = (
  walk: Looked,
  state: OpenTurn,
  roots: RootsFact | null,
  operand: Operand,
): Operand => {
  switch (operand.kind) {
    case 'path':
      return pathUnder(walk, state.policy, roots, operand);
    case 'url':
      return urlUnder(walk, state.policy, operand);
    case 'memory': {
      const scope = memoryScopeOf(state.policy, state.request.principal);
      if (operand.access !== 'read' || scope === null) return operand;
      return { ...operand, agents: [...scope.agents] };
    }
    case 'agent':
    case 'command':
    case 'sop':
    case 'job':
    case 'skill':
    case 'undeclared':
      return operand;
  }
};

/** A relative path starts at the root of the workspace: under another root it names another file. */
const pathUnder = (
  { notes, recordedPolicy }: Looked,
  { workspace }: PolicySnapshot,
  roots: RootsFact | null,
  operand: Extract<Operand, { kind: 'path' }>,
): Operand => {
  const before = recordedPolicy.workspace.root;
  if (before === workspace.root || operand.given.startsWith('/')) return operand;
  const lexical = normalPath(`${workspace.root}/${operand.given}`);
  const followed = operand.real !== null && operand.real === operand.lexical;
  const inside = roots?.root != null && operand.real !== null && isWithin(roots.root, operand.real);
  notes.add(
    `\`${operand.given}\` starts at another root: it was taken to be there, and no link, as it was recorded`,
  );
  return { ...operand, lexical, real: followed || inside ? lexical : operand.real };
};

/** A host that the recorded policy did not let through was never looked up. */
const urlUnder = (
  { notes, recordedPolicy }: Looked,
  { network }: PolicySnapshot,
  operand: Extract<Operand, { kind: 'url' }>,
): Operand => {
  const { scheme, host, port, addresses } = operand;
  if (addresses.length > 0 || host === '') return operand;
  if (scheme !== 'https' && scheme !== 'http') return operand;
  const target: HostTarget = { scheme, host, port };
  if (matchesHostClauses(recordedPolicy.network.allowed_hosts, target).ok) return operand;
  if (!matchesHostClauses(network.allowed_hosts, target).ok) return operand;
  notes.add(`nobody looked up \`${host}\`: it was taken to have a public address`);
  return { ...operand, addresses: [{ address: 'not looked up', private: false }] };
};

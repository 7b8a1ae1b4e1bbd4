import { normalPath, type AccessMode, type PolicySnapshot } from '@lockstep/policy';
import type { RootsFact } from '../events/parts.ts';
import { own } from '../tools/own.ts';
import { isBelow } from './path-text.ts';

/** A folder with what the policy lets an agent do in it. */
export interface Zone {
  /** Null for the agent's own folders, else the sibling whose workspace it is. */
  readonly sibling: string | null;
  readonly lexical: string;
  readonly real: string | null;
  readonly read: boolean;
  readonly write: boolean;
}

/** Every folder that a policy names: its root, its extra roots, and all siblings' workspaces with the rights of their edges. `files`:
 * single files that the agent may change wherever they stand. */
export const zonesOf = (
  workspace: PolicySnapshot['workspace'],
  roots: RootsFact,
  files: readonly string[] = [],
): readonly Zone[] => {
  const mine = (lexical: string, real: string | null): Zone => ({
    sibling: null,
    lexical: normalPath(lexical),
    real: real === null ? null : normalPath(real),
    read: true,
    write: true,
  });
  const real = new Map(roots.allowed.map((root) => [root.path, root.real]));
  const led = new Map(roots.denied.map((denied) => [denied.path, denied.real]));
  return [
    ...files.map((path) => mine(path, led.get(path) ?? path)),
    mine(workspace.root, roots.root),
    ...workspace.allowed_roots.map((path) => mine(path, real.get(path) ?? null)),
    ...Object.entries(workspace.siblings).map(([alias, sibling]) => {
      const bits = accessBits(own(workspace.access, alias));
      return { ...mine(sibling.root, own(roots.siblings, alias) ?? null), sibling: alias, ...bits };
    }),
  ];
};

/** The two bits of an access mode; an edge that is not there gives none. */
export const accessBits = (mode: AccessMode | undefined): Pick<Zone, 'read' | 'write'> => ({
  read: mode === 'read' || mode === 'read_write',
  write: mode === 'write' || mode === 'read_write',
});

/** Whether a zone lets through what is wanted. */
export const grants = (zone: Zone, wanted: Pick<Zone, 'read' | 'write'>): boolean =>
  (zone.read || !wanted.read) && (zone.write || !wanted.write);

/** A path as the arguments name it lies in a zone under either of the zone's names. */
export const holdsLexical = (zone: Zone, path: string): boolean =>
  isBelow(zone.lexical, path) || holdsReal(zone, path);

/** A real path lies in a zone only below the zone's own real path. */
export const holdsReal = (zone: Zone, path: string): boolean =>
  zone.real !== null && isBelow(zone.real, path);

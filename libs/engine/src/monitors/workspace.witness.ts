import type { EnforcedKey, PolicySnapshot } from '@lockstep/policy';
import { anyOf, refusedUnder, witness, type Witness } from './monitor.ts';
import { placeOf, rootsOf, type Place } from './places.ts';
import { pathsIn } from './workspace.monitor.ts';

/** A call that was let through because of where a path lies. */
const through = (note: (place: Place, policy: PolicySnapshot) => string | null): Witness =>
  witness('ToolCallAuthorized', ({ event, policy }) => {
    const { facts } = event.data;
    const paths = pathsIn(facts.operands);
    if (paths.length === 0) return null;
    const roots = rootsOf(policy, facts.roots);
    for (const { real, lexical, access } of paths) {
      const found = note(placeOf(policy, roots, real ?? lexical, access), policy);
      if (found !== null) return `${event.data.tool} ${found}`;
    }
    return null;
  });

/** A refusal at the boundary that stands because nothing permits to switch it off. */
const keptClosed = witness('ToolCallRefused', ({ event }, turn) => {
  const held = turn.provenance.some(
    ({ key, source }) => key === 'workspace.workspace_only' && source === 'closure',
  );
  return held && event.data.rule === 'workspace.workspace_only'
    ? 'the boundary stayed on, for nothing permits to switch it off'
    : null;
});

/** Events in which a workspace setting decided. */
export const workspaceWitnesses = {
  'workspace.root': anyOf(
    refusedUnder('workspace.root'),
    through((place) => (place.kind === 'root' ? "worked in the agent's own root" : null)),
  ),
  'workspace.allowed_roots': anyOf(
    refusedUnder('workspace.allowed_roots'),
    through((place) =>
      place.kind === 'allowed_root' ? `reached ${place.root} as an allowed root` : null,
    ),
  ),
  'workspace.workspace_only': anyOf(
    refusedUnder('workspace.workspace_only'),
    through((place) => (place.kind === 'outside' ? 'reached outside the workspace' : null)),
  ),
  'workspace.access': anyOf(
    refusedUnder('workspace.access'),
    through((place) =>
      place.kind === 'sibling' && place.granted ? `reached the workspace of ${place.alias}` : null,
    ),
  ),
  'workspace.forbidden_paths': refusedUnder('workspace.forbidden_paths'),
  'workspace.unrestricted_filesystem': anyOf(
    refusedUnder('workspace.unrestricted_filesystem'),
    keptClosed,
    through((place, { workspace, approval }) =>
      place.kind === 'outside' && workspace.unrestricted_filesystem && approval.autonomy !== 'full'
        ? 'reached outside the workspace, which this setting permits'
        : null,
    ),
  ),
} satisfies Record<Extract<EnforcedKey, `workspace.${string}`>, Witness>;

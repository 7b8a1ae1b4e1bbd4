import { enforcedKeys, type EnforcedKey } from '@lockstep/policy';
import type { Objection } from '../projections/parity-matrix.view.ts';
import { approvalMonitors } from './approval.monitor.ts';
import { approvalTimesMonitors } from './approval-times.monitor.ts';
import { approvalWitnesses } from './approval.witness.ts';
import { approvalVotesMonitors } from './approval-votes.monitor.ts';
import { approvalVotesWitnesses } from './approval-votes.witness.ts';
import { budgetsMonitors } from './budgets.monitor.ts';
import { budgetsWitnesses } from './budgets.witness.ts';
import { channelsMonitors, channelsWitnesses } from './channels.monitor.ts';
import { contextMonitors, contextWitnesses } from './context.monitor.ts';
import { delegationMonitors } from './delegation.monitor.ts';
import { delegationWitnesses } from './delegation.witness.ts';
import { identityMonitors, identityWitnesses } from './identity.monitor.ts';
import { memoryMonitors } from './memory.monitor.ts';
import { memoryWitnesses } from './memory.witness.ts';
import { mcpMonitors } from './mcp.monitor.ts';
import { mcpWitnesses } from './mcp.witness.ts';
import type { Monitor, Witness } from './monitor.ts';
import { networkMonitors, networkWitnesses } from './network.monitor.ts';
import { outputMonitors, outputWitnesses } from './output.monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import { secretsMonitors, secretsWitnesses } from './secrets.monitor.ts';
import { shellMonitors } from './shell.monitor.ts';
import { shellWitnesses } from './shell.witness.ts';
import { skillsMonitors, skillsWitnesses } from './skills.monitor.ts';
import { toolsMonitors, toolsWitnesses } from './tools.monitor.ts';
import { windowsMonitors } from './windows.monitor.ts';
import { windowsWitnesses } from './windows.witness.ts';
import { whereOccurs } from './traits.ts';
import { workspaceMonitors } from './workspace.monitor.ts';
import { workspaceWitnesses } from './workspace.witness.ts';

/** The check of every enforced setting: a setting without one does not compile. */
export const monitors = {
  ...toolsMonitors,
  ...approvalMonitors,
  ...approvalTimesMonitors,
  ...whereOccurs('question', approvalVotesMonitors),
  ...budgetsMonitors,
  ...windowsMonitors,
  ...contextMonitors,
  ...whereOccurs('identity', identityMonitors),
  ...whereOccurs('memory', memoryMonitors),
  ...whereOccurs('skill', skillsMonitors),
  ...workspaceMonitors,
  ...whereOccurs('command', shellMonitors),
  ...networkMonitors,
  ...mcpMonitors,
  ...whereOccurs('other', delegationMonitors),
  ...whereOccurs('other', channelsMonitors),
  ...secretsMonitors,
  ...outputMonitors,
} satisfies Record<EnforcedKey, Monitor>;

/** What shows every enforced setting at work: a setting without a witness does not compile. */
export const witnesses = {
  ...toolsWitnesses,
  ...approvalWitnesses,
  ...approvalVotesWitnesses,
  ...budgetsWitnesses,
  ...windowsWitnesses,
  ...contextWitnesses,
  ...identityWitnesses,
  ...memoryWitnesses,
  ...skillsWitnesses,
  ...workspaceWitnesses,
  ...shellWitnesses,
  ...networkWitnesses,
  ...mcpWitnesses,
  ...delegationWitnesses,
  ...channelsWitnesses,
  ...secretsWitnesses,
  ...outputWitnesses,
} satisfies Record<EnforcedKey, Witness>;

/** An event in which a setting changed the outcome. */
export interface Bite {
  readonly key: EnforcedKey;
  readonly event: string;
  readonly position: string;
  /** Place in the turn's stream. */
  readonly index: number;
  readonly note: string;
}

/** All objections of all monitors to one turn. Never throws, however broken the history. */
export const judgeTurn = (turn: RecordedTurn): readonly Objection[] => {
  const objections: Objection[] = [];
  for (const key of isOfFirstRegistry(turn) ? firstKeys : enforcedKeys)
    objections.push(...monitors[key](turn));
  return objections;
};

/** Every event of a turn in which a setting bit, in order. */
export const bitesOf = (turn: RecordedTurn): readonly Bite[] => {
  const bites: Bite[] = [];
  for (const at of turn.events)
    for (const { key, notes } of byType.get(at.event.type) ?? noWitnesses)
      for (const noteOf of notes) {
        const note = noteOf(at, turn);
        if (note === null) continue;
        const { id, position } = at.event;
        bites.push({ key, event: id, position, index: at.index, note });
        break;
      }
  return bites;
};

/** What may be noted of a setting at events of one type, in order. */
interface Noting {
  readonly key: EnforcedKey;
  readonly notes: Witness['note'][];
}
const noWitnesses: readonly Noting[] = [];

/** Settings of later registries held their narrowest value under the first one, whatever was done: nothing is claimed of them there. */
const laterKeys: ReadonlySet<EnforcedKey> = new Set(
  Object.keys({
    ...approvalVotesMonitors,
    ...windowsMonitors,
    ...identityMonitors,
    ...memoryMonitors,
    ...skillsMonitors,
    ...shellMonitors,
    ...delegationMonitors,
    ...channelsMonitors,
  }) as EnforcedKey[],
);
/** The registry under which a setting first acted. */
export const actsSince = (key: EnforcedKey): number => (laterKeys.has(key) ? 2 : 1);
const firstKeys = enforcedKeys.filter((key) => !laterKeys.has(key));
const isOfFirstRegistry = ({ spans }: RecordedTurn): boolean =>
  spans.some(({ policy }) => policy !== null && policy.registry < 2);

const byType = new Map<string, Noting[]>();
for (const key of enforcedKeys) {
  const witness: Witness = witnesses[key];
  for (const part of witness.parts ?? [witness])
    for (const type of part.on) {
      const known = byType.get(type) ?? [];
      byType.set(type, known);
      const noting = known.find((entry) => entry.key === key);
      if (noting === undefined) known.push({ key, notes: [part.note] });
      else noting.notes.push(part.note);
    }
}

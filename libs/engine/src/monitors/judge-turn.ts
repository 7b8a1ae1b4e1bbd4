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
import { workspaceMonitors } from './workspace.monitor.ts';
import { workspaceWitnesses } from './workspace.witness.ts';

/** The check of every enforced setting: a setting without one does not compile. */
export const monitors = {
  ...toolsMonitors,
  ...approvalMonitors,
  ...approvalTimesMonitors,
  ...approvalVotesMonitors,
  ...budgetsMonitors,
  ...windowsMonitors,
  ...contextMonitors,
  ...identityMonitors,
  ...memoryMonitors,
  ...skillsMonitors,
  ...workspaceMonitors,
  ...shellMonitors,
  ...networkMonitors,
  ...mcpMonitors,
  ...delegationMonitors,
  ...channelsMonitors,
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
export const judgeTurn = (turn: RecordedTurn): readonly Objection[] =>
  (isOfFirstRegistry(turn) ? firstKeys : enforcedKeys).flatMap((key) => monitors[key](turn));

/** Every event of a turn in which a setting bit, in order. */
export const bitesOf = (turn: RecordedTurn): readonly Bite[] =>
  turn.events.flatMap((at) =>
    (byType.get(at.event.type) ?? []).flatMap(({ key, witness }) => {
      const note = witness.note(at, turn);
      if (note === null) return [];
      const { id, position } = at.event;
      return [{ key, event: id, position, index: at.index, note }];
    }),
  );

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
const firstKeys = enforcedKeys.filter((key) => !laterKeys.has(key));
const isOfFirstRegistry = ({ spans }: RecordedTurn): boolean =>
  spans.some(({ policy }) => policy !== null && policy.registry < 2);

const byType = new Map<string, { readonly key: EnforcedKey; readonly witness: Witness }[]>();
for (const key of enforcedKeys)
  for (const type of witnesses[key].on) {
    const known = byType.get(type) ?? [];
    known.push({ key, witness: witnesses[key] });
    byType.set(type, known);
  }

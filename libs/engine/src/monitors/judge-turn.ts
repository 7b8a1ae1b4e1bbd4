import { enforcedKeys, type EnforcedKey } from '@lockstep/policy';
import type { Objection } from '../projections/parity-matrix.view.ts';
import { approvalMonitors } from './approval.monitor.ts';
import { approvalTimesMonitors } from './approval-times.monitor.ts';
import { approvalWitnesses } from './approval.witness.ts';
import { awaitedMonitors, awaitedWitnesses } from './awaited.monitor.ts';
import { budgetsMonitors } from './budgets.monitor.ts';
import { budgetsWitnesses } from './budgets.witness.ts';
import { contextMonitors, contextWitnesses } from './context.monitor.ts';
import { mcpMonitors } from './mcp.monitor.ts';
import { mcpWitnesses } from './mcp.witness.ts';
import type { Monitor, Witness } from './monitor.ts';
import { networkMonitors, networkWitnesses } from './network.monitor.ts';
import { outputMonitors, outputWitnesses } from './output.monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import { secretsMonitors, secretsWitnesses } from './secrets.monitor.ts';
import { toolsMonitors, toolsWitnesses } from './tools.monitor.ts';
import { workspaceMonitors } from './workspace.monitor.ts';
import { workspaceWitnesses } from './workspace.witness.ts';

/** The check of every enforced setting: a setting without one does not compile. */
export const monitors = {
  ...toolsMonitors,
  ...approvalMonitors,
  ...approvalTimesMonitors,
  ...budgetsMonitors,
  ...contextMonitors,
  ...workspaceMonitors,
  ...networkMonitors,
  ...mcpMonitors,
  ...secretsMonitors,
  ...outputMonitors,
  ...awaitedMonitors,
} satisfies Record<EnforcedKey, Monitor>;

/** What shows every enforced setting at work: a setting without a witness does not compile. */
export const witnesses = {
  ...toolsWitnesses,
  ...approvalWitnesses,
  ...budgetsWitnesses,
  ...contextWitnesses,
  ...workspaceWitnesses,
  ...networkWitnesses,
  ...mcpWitnesses,
  ...secretsWitnesses,
  ...outputWitnesses,
  ...awaitedWitnesses,
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
  enforcedKeys.flatMap((key) => monitors[key](turn));

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

const byType = new Map<string, { readonly key: EnforcedKey; readonly witness: Witness }[]>();
for (const key of enforcedKeys)
  for (const type of witnesses[key].on) {
    const known = byType.get(type) ?? [];
    known.push({ key, witness: witnesses[key] });
    byType.set(type, known);
  }

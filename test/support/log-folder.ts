import { checkLog, logPath, openSqliteLog } from '@lockstep/daemon';
import type { LockstepEvent, Position } from '@lockstep/engine';
import { rebuildTurn, recordedLog } from '../oracle/recorded-log.ts';

/** Every event of a data folder that no daemon uses now, in order. */
export const eventsIn = async (folder: string): Promise<readonly LockstepEvent[]> => {
  const log = await openSqliteLog({ folder, clock: { now: () => 1 } });
  try {
    const events: LockstepEvent[] = [];
    for (let after: Position | 'start' = 'start'; ;) {
      const page = await log.store.readAll({ after, limit: 1_000 });
      events.push(...page.events);
      if (page.end) return events;
      after = page.next;
    }
  } finally {
    await log.store.close();
  }
};

/** How much of a log was built again. */
export interface RebuiltLog {
  readonly turns: number;
  readonly inputs: number;
  readonly verdicts: number;
}

/** Checks the log of a stopped daemon as `lockstep doctor --log` does, then builds every model input and every verdict of every turn
 * in it again from the log alone. Throws at the first that differs. */
export const rebuildLog = async (folder: string): Promise<RebuiltLog> => {
  const checked = await checkLog(logPath(folder));
  if (checked.problems.length > 0)
    throw new Error(checked.problems.map((p) => `${p.stream ?? 'file'}: ${p.message}`).join('\n'));
  const log = recordedLog(await eventsIn(folder));
  const turns = new Set(
    log.events.flatMap(({ stream }) => (stream.startsWith('turn-') ? [stream.slice(5)] : [])),
  );
  const counts = [...turns].map((turn) => rebuildTurn(log, turn));
  return {
    turns: turns.size,
    inputs: counts.reduce((sum, { inputs }) => sum + inputs, 0),
    verdicts: counts.reduce((sum, { verdicts }) => sum + verdicts, 0),
  };
};

import { existsSync } from 'node:fs';
import { logPath, openRecordedLog } from '@lockstep/daemon';
import { replayer, type LockstepEvent } from '@lockstep/engine';
import { expect } from 'vitest';

/** Makes every turn of a data folder's log again and holds it to what was recorded; a turn that has not ended, as far as it went.
 * Answers how many there were. */
export const expectReplayed = async (folder: string): Promise<number> => {
  if (!existsSync(logPath(folder))) return 0;
  const log = openRecordedLog(folder);
  const events: LockstepEvent[] = [];
  try {
    for await (const page of log.pages()) events.push(...page);
  } finally {
    log.close();
  }
  const all = replayer(events);
  const others = all.turns
    .map((turn) => all.replay(turn, 'open'))
    .filter(({ outcome }) => outcome !== 'same');
  expect(others, 'turns that came out otherwise').toEqual([]);
  return all.turns.length;
};

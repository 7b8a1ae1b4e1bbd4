import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkLog, logPath, openSqliteLog } from '@lockstep/daemon';
import type { LockstepEvent, Position } from '@lockstep/engine';
import type { DaemonProcess, ProcessFolder } from './lockstep-process.ts';
import {
  approveAll,
  doneLines,
  finishRich,
  startRich,
  type RichDaemon,
  type StartName,
} from './rich-team.ts';
import { callerOf } from './running-daemon.ts';
import { lostOrTwice } from './whole-log.ts';

/** Ways to start that are used in each round, each with a name of its own. */
const ways: readonly StartName[] = ['rest', 'run', 'webhook', 'json-rpc', 'sop'];

/** Names of the turns of so many rounds, for the script. */
export const killNames = (rounds: number): readonly string[] =>
  Array.from({ length: rounds }, (_, round) => ways.map((way) => nameOf(round, way))).flat();

const nameOf = (round: number, way: StartName): string =>
  `k${String(round).padStart(4, '0')}${way}`;

export interface Killed {
  readonly rounds: number;
  readonly turns: number;
  readonly events: number;
  readonly calls: number;
  /** Calls of which nobody knows whether they took effect. */
  readonly unknown: number;
  readonly problems: readonly string[];
}

/** Kills the real daemon once a round, so many ms after it was given new work, then lets all come to its end.
 * @param delays one a round */
export const killRounds = async (
  place: ProcessFolder,
  { lines, delays }: { readonly lines: string; readonly delays: readonly number[] },
  told: (round: number) => void = () => undefined,
): Promise<Killed> => {
  const problems: string[] = [];
  for (const [round, delay] of delays.entries()) {
    const daemon = await place.up();
    const running = await speaker(place, daemon);
    const work = ways.map((way) =>
      startRich(running, way, nameOf(round, way)).catch(() => undefined),
    );
    const approving = setInterval(() => void approveAll(running.admin()).catch(() => 0), 50);
    await new Promise((later) => setTimeout(later, delay));
    clearInterval(approving);
    await daemon.kill();
    await Promise.all(work);
    const checked = await checkLog(logPath(place.data));
    problems.push(...checked.problems.map(({ message }) => `round ${round}: ${message}`));
    told(round);
  }
  const last = await place.up();
  await finishRich(await speaker(place, last), 120_000);
  await last.stop();
  const checked = await checkLog(logPath(place.data));
  problems.push(...checked.problems.map(({ message }) => `at the end: ${message}`));
  const events = await eventsOf(place.data);
  problems.push(...lostOrTwice(events, { acknowledged: [], done: await doneLines(lines) }));
  const count = (type: LockstepEvent['type']): number =>
    events.filter((event) => event.type === type).length;
  return {
    rounds: delays.length,
    turns: count('TurnRequested'),
    events: events.length,
    calls: count('ToolCallStarted'),
    unknown: count('ToolCallOutcomeUnknown'),
    problems,
  };
};

const speaker = async (place: ProcessFolder, daemon: DaemonProcess): Promise<RichDaemon> => {
  const local = await readFile(join(place.data, 'local.json'), 'utf8');
  const { token } = JSON.parse(local) as { readonly token: string };
  return {
    data: place.data,
    url: () => daemon.url,
    admin: () => callerOf(daemon.url, token),
  };
};

const eventsOf = async (folder: string): Promise<readonly LockstepEvent[]> => {
  const { store } = await openSqliteLog({ folder, clock: { now: () => 1 } });
  const events: LockstepEvent[] = [];
  for (let after: Position | 'start' = 'start', end = false; !end;) {
    const page = await store.readAll({ after, limit: 5_000 });
    events.push(...page.events);
    ({ next: after, end } = page);
  }
  await store.close();
  return events;
};

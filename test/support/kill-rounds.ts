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
  /** Lines that the tool server left: calls that really ran. */
  readonly ran: number;
  /** Calls of which nobody knows whether they took effect. */
  readonly unknown: number;
  readonly problems: readonly string[];
}

/** Kills the real daemon once a round, as it has recorded so many events after it was given new work (or has nothing to do for a while),
 * then lets all come to its end.
 * @param after events, one count a round */
export const killRounds = async (
  place: ProcessFolder,
  { lines, after }: { readonly lines: string; readonly after: readonly number[] },
  told: (round: number) => void = () => undefined,
): Promise<Killed> => {
  const problems: string[] = [];
  for (const [round, events] of after.entries()) {
    const daemon = await place.up();
    const running = await speaker(place, daemon);
    const enough = seen(running, events);
    const work = ways.map((way) =>
      startRich(running, way, nameOf(round, way)).catch(() => undefined),
    );
    const approving = setInterval(() => void approveAll(running.admin()).catch(() => 0), 50);
    await enough;
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
  const done = await doneLines(lines);
  problems.push(...lostOrTwice(events, { acknowledged: [], done }));
  const count = (type: LockstepEvent['type']): number =>
    events.filter((event) => event.type === type).length;
  return {
    rounds: after.length,
    turns: count('TurnRequested'),
    events: events.length,
    calls: count('ToolCallStarted'),
    ran: done.length,
    unknown: count('ToolCallOutcomeUnknown'),
    problems,
  };
};

const idleMs = 1_500;

/** Resolves once the daemon has told of so many further events, or of none for a while. */
const seen = async ({ admin, url }: RichDaemon, count: number): Promise<void> => {
  const stop = new AbortController();
  const idle = setTimeout(() => {
    stop.abort();
  }, idleMs);
  try {
    const response = await fetch(`${url()}/v1/events/stream?after=end`, {
      headers: { authorization: `Bearer ${admin().token}` },
      signal: stop.signal,
    });
    let left = count;
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      left -= chunk.split('event: event\n').length - 1;
      if (left <= 0) break;
      idle.refresh();
    }
  } catch {
    // Nothing came for a while: that is a moment too.
  } finally {
    clearTimeout(idle);
    stop.abort();
  }
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

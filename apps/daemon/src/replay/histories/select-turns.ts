import type { EventOf } from '@lockstep/engine';
import type { PathName } from '@lockstep/policy';
import type { RecordedLog } from './open-recorded-log.ts';

/** Which turns of a log are meant. Absent = of any. */
export interface TurnChoice {
  readonly agent?: string;
  readonly path?: PathName;
  /** Milliseconds since the epoch: turns that began then or later. */
  readonly since?: number;
  /** By id; absent = all that the rest lets through. */
  readonly turns?: readonly string[];
}

/** A turn of a log, by its first event. */
export interface ChosenTurn {
  readonly turn: string;
  /** The turn at the top of its tree. */
  readonly root: string;
}

/** Turns in the order in which they began. Those of probes are no work of an agent and are left out unless they are named. */
export const selectTurns = async (
  log: RecordedLog,
  choice: TurnChoice,
): Promise<readonly ChosenTurn[]> => {
  const named = choice.turns === undefined ? null : new Set(choice.turns);
  const chosen: ChosenTurn[] = [];
  for await (const page of log.pages({ types: ['TurnRequested'] }))
    for (const event of page) {
      if (event.type !== 'TurnRequested') continue;
      const turn = event.stream.slice('turn-'.length);
      if (named === null ? event.meta.probe === undefined : named.has(turn))
        if (fits(event, choice)) chosen.push({ turn, root: event.meta.root ?? turn });
    }
  return chosen;
};

const fits = (
  { meta, time }: EventOf<'TurnRequested'>,
  { agent, path, since }: TurnChoice,
): boolean =>
  (agent === undefined || meta.agent === agent) &&
  (path === undefined || meta.path === path) &&
  (since === undefined || time >= since);

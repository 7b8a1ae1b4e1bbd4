import type Database from 'better-sqlite3';
import {
  counterfactualsOver,
  originOf,
  recordingOver,
  type CounterfactualReport,
  type JudgedTurn,
  type TurnOrigin,
} from '@lockstep/engine';
import type { AppliedConfig } from '@lockstep/policy';
import { DamagedRowError, logSource } from './log-source.ts';
import type { ListedTurn } from './turn-index.ts';

/** Judges groups of turns under a draft. Of one group nothing is kept for the next.
 * @param upTo position of the last event that is looked at */
export const turnJudge = (
  db: Database.Database,
  upTo: number,
  draft: AppliedConfig,
): ((turns: readonly ListedTurn[]) => readonly JudgedTurn[]) => {
  const source = logSource(db, upTo);
  return (turns) => {
    const recording = recordingOver(source.forTurns(turns.map(({ turn }) => turn)));
    const all = counterfactualsOver(recording);
    return turns.map((listed): JudgedTurn => {
      const { turn } = listed;
      try {
        const report = all.compare(turn, 'open', { config: draft });
        const origin = originOf(recording.stream(`turn-${turn}`)) ?? unknownOrigin(listed);
        return { ...origin, report };
      } catch (error) {
        if (!(error instanceof DamagedRowError)) throw error;
        return { ...unknownOrigin(listed), report: damaged(turn, error) };
      }
    });
  };
};

const unknownOrigin = ({ turn, agent, path, time, position }: ListedTurn): TurnOrigin => ({
  turn,
  agent,
  path,
  person: 'unknown',
  time,
  position,
  waits: [],
});

const damaged = (turn: string, { where, message }: DamagedRowError): CounterfactualReport => ({
  outcome: 'refused',
  turn,
  problems: [{ where, message }],
});

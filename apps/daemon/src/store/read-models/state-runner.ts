import { numberOf, type LockstepEvent, type Projection } from '@lockstep/engine';
import type Database from 'better-sqlite3';
import { readCheckpoint, writeCheckpoint, type CheckpointOwner } from './read-model-file.ts';
import { failureAt, wanted, type ProjectionFailure, type Runner } from './runner.ts';

/** Positions between two checkpoints of a state: the state is written whole, so not with every page. */
const checkpointEvery = 5_000;

export interface StateRunner<S> extends Runner {
  readonly state: () => S;
}

/** Runs a projection with one state, which lives in memory and is checkpointed now and then. */
export const stateRunner = <S>(
  db: Database.Database,
  projection: Projection<S>,
  generation: string,
): StateRunner<S> => {
  const owner: CheckpointOwner = {
    name: projection.name,
    version: projection.version,
    generation,
  };
  const wants = wanted(projection.types);
  const found = readCheckpoint(db, owner);
  const frozen = found?.state ?? null;
  let state = frozen === null ? projection.initial() : projection.thaw(JSON.parse(frozen));
  let position = found?.position ?? 0;
  let savedAt = position;
  let saving = position;
  let failure: ProjectionFailure | null = null;

  const foldOne = (event: LockstepEvent): boolean => {
    try {
      state = projection.fold(state, event);
      return true;
    } catch (error) {
      failure = failureAt(event, error);
      return false;
    }
  };

  return {
    name: projection.name,
    state: () => state,
    get position() {
      return position;
    },
    get failure() {
      return failure;
    },
    fold: (events, upTo) => {
      if (failure !== null) return;
      for (const event of events) {
        const at = numberOf(event.position);
        if (at <= position || !wants(event.type)) continue;
        if (!foldOne(event)) return;
        position = at;
      }
      position = Math.max(position, upTo);
    },
    save: (force) => {
      if (failure !== null || position === savedAt) return;
      if (!force && position - savedAt < checkpointEvery) return;
      saving = position;
      writeCheckpoint(db, owner, { position, state: JSON.stringify(projection.freeze(state)) });
    },
    saved: (ok) => {
      if (ok) savedAt = saving;
      else saving = savedAt;
    },
  };
};

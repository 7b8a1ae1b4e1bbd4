import { copyOf } from './copy-of.ts';
import { isTable, problemAt, type ConfigDocument } from './document.ts';
import type { ConfigProblem } from './problem.ts';

export interface WithoutEventStore {
  readonly problems: readonly ConfigProblem[];
  /** The values without what was refused, to be checked on. */
  readonly value: Record<string, unknown>;
}

/** Refuses by name the one part that no build acts on yet: the event store of installs that outgrow one machine. */
export const refuseEventStore = (document: ConfigDocument): WithoutEventStore => {
  const value = copyOf(document.value);
  const store = value['store'];
  if (!isTable(store)) return { problems: [], value };
  const problems: ConfigProblem[] = [];
  if (store['type'] === 'eventstoredb') {
    delete store['type'];
    const path = ['store', 'type'];
    const message = '`eventstoredb` is not supported yet, write `"sqlite"`';
    problems.push(problemAt('not_supported_yet', path, document.valueAt(path), message));
  }
  if (Object.hasOwn(store, 'connection')) {
    delete store['connection'];
    const path = ['store', 'connection'];
    const message = '`store.connection` is not supported yet, leave it out';
    problems.push(problemAt('not_supported_yet', path, document.keyAt(path), message));
  }
  return { problems, value };
};

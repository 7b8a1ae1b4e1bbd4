import { isInMemoryScope } from '../context/memory-scope.ts';
import type { RecalledRow } from '../events/turn-parts.ts';
import type { Memory, MemoryQuery } from '../ports/memory.ts';

/** A memory of fixed rows, with what it was asked. */
export interface FakeMemory extends Memory {
  readonly asked: readonly MemoryQuery[];
}

/** Gives every row in scope, in the order of the list, whatever the words are. */
export const fakeMemory = (rows: readonly RecalledRow[] = []): FakeMemory => {
  const asked: MemoryQuery[] = [];
  return {
    asked,
    recall: (query) => {
      asked.push(query);
      const found = rows.filter((row) => isInMemoryScope(query.scope, row));
      return Promise.resolve(query.limit === 'unlimited' ? found : found.slice(0, query.limit));
    },
  };
};

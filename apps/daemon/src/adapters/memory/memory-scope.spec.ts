import fc from 'fast-check';
import type { MemoryScope } from '@lockstep/engine';
import { describe, expect, it } from 'vitest';
import { matchWords } from './match-words.ts';
import type { NewRow } from './memory-service.ts';
import {
  found,
  keeper,
  memoryWorld,
  newRow,
  scopeOf,
  storeRow,
  type MemoryWorld,
} from './memory.fixture.ts';

const agents = ['ada', 'bob', 'cleo'];
const persons = ['ana', 'ben', null];
const backends = ['sqlite', 'markdown'] as const;

const rowsOf = (backend: NewRow['backend']) =>
  fc
    .array(
      fc.record({
        agent: fc.constantFrom(...agents),
        person: fc.constantFrom(...persons),
        text: fc.constantFrom('tea at four', 'four cats', 'tea'),
      }),
      { maxLength: 8 },
    )
    .map((rows) =>
      rows.map((row, index) => newRow({ ...row, row: `row${index}`, backend, call: `c${index}` })),
    );

const scopes = (backend: NewRow['backend']): fc.Arbitrary<MemoryScope> =>
  fc.record({
    backend: fc.constant(backend),
    agents: fc.subarray(agents),
    person: fc.oneof(
      fc.constant({ kind: 'anyone' } as const),
      fc.record({ kind: fc.constant('person' as const), id: fc.constantFrom(...persons) }),
    ),
  });

/** The meaning of a scope, said again in words of its own. */
const mayBeSeen = (scope: MemoryScope, row: NewRow): boolean => {
  if (row.backend !== scope.backend || !scope.agents.includes(row.agent)) return false;
  if (scope.person.kind === 'anyone') return true;
  return row.person === null || row.person === scope.person.id;
};

const foundById = async (w: MemoryWorld, scope: MemoryScope, row: NewRow): Promise<boolean> =>
  (await w.memory.find({ keeper, scope }, row.row)) !== null;

describe.each(backends)('a look into memory (%s)', (backend) => {
  it('gives what its scope holds and nothing else, in every form', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf(backend), scopes(backend), async (rows, scope) => {
        const w = await memoryWorld();
        for (const row of rows) await storeRow(w, row);
        const seen = rows.filter((row) => mayBeSeen(scope, row));
        const ids = (some: readonly NewRow[]) => some.map(({ row }) => row).sort();
        expect(await found(w, scope, null)).toEqual(ids(seen));
        expect(await found(w, scope, 'tea')).toEqual(
          ids(seen.filter(({ text }) => text.includes('tea'))),
        );
        for (const row of rows) expect(await foundById(w, scope, row)).toBe(seen.includes(row));
        await w.memory.close();
      }),
      { numRuns: 15 },
    );
  });

  it('shows no word of another agent on any form', async () => {
    const w = await memoryWorld();
    const canary = newRow({ row: 'canary', agent: 'bob', text: 'the canary sings', backend });
    await storeRow(w, canary);
    const scope = scopeOf({ backend });
    for (const text of [null, 'canary', 'the canary sings', 'CANARY', 'sings"'])
      expect(await found(w, scope, text)).toEqual([]);
    expect(await foundById(w, scope, canary)).toBe(false);
    expect(await found(w, scopeOf({ backend, agents: ['bob'] }), 'canary')).toEqual(['canary']);
  });

  it('takes no word of the text as syntax', async () => {
    const w = await memoryWorld();
    await storeRow(w, newRow({ row: 'mine', text: 'tea and cats', backend }));
    await storeRow(w, newRow({ row: 'theirs', agent: 'bob', text: 'tea', backend }));
    const scope = scopeOf({ backend });
    for (const text of [
      'tea" OR "x',
      'tea*',
      'text:tea',
      '^tea',
      'NEAR(tea cats)',
      'tea AND NOT cats',
      '{text tags}: tea',
      "tea'; DROP TABLE rows; --",
      'tea\u0000',
      '(tea',
    ])
      expect(await found(w, scope, text), text).toEqual(['mine']);
    for (const text of ['', '"', '* : ^ - ( )', '\u0000', '💡']) {
      expect(await found(w, scope, text), text).toEqual([]);
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(await found(w, scope, text)).not.toContain('theirs');
      }),
    );
  });

  it('reads no row of another backend', async () => {
    const w = await memoryWorld();
    const other = backend === 'sqlite' ? 'markdown' : 'sqlite';
    await storeRow(w, newRow({ row: 'there', text: 'tea', backend: other }));
    expect(await found(w, scopeOf({ backend }), 'tea')).toEqual([]);
    expect(await found(w, scopeOf({ backend: other }), 'tea')).toEqual(['there']);
  });
});

it('gives at most as many rows as asked, best first', async () => {
  const w = await memoryWorld();
  await storeRow(w, newRow({ row: 'one', text: 'tea' }));
  await storeRow(w, newRow({ row: 'two', text: 'tea with milk, and cats' }));
  await storeRow(w, newRow({ row: 'three', text: 'cats' }));
  const rows = await w.memory.recall({ keeper, scope: scopeOf(), text: 'milk tea cats', limit: 1 });
  expect(rows.map(({ id }) => id)).toEqual(['two']);
  expect(await w.memory.recall({ keeper, scope: scopeOf(), text: 'tea', limit: 0 })).toEqual([]);
});

it('asks for quoted words joined by or, each once and not for all of a document', () => {
  expect(matchWords('Tea "OR" tea* AND x')).toBe('"tea" OR "or" OR "and" OR "x"');
  expect(matchWords('* - "')).toBe(null);
  const many = Array.from({ length: 100 }, (_, n) => `w${n}`).join(' ');
  expect(matchWords(many)?.split(' OR ').length).toBe(64);
});

import type { ToolOutcome, ToolScope } from '@lockstep/engine';
import { plainMasker, samplePolicy, sampleTool } from '@lockstep/engine/testing';
import type { PolicySnapshot, Principal } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import { startedTool } from '../../../../../test/support/started-calls.ts';
import { memoryTools } from './memory-tools.ts';
import { memoryWorld, newRow, storeRow, type MemoryWorld } from './memory.fixture.ts';

const ana: Principal = { kind: 'token', id: 'tok-1', person: 'ana' };
const job: Principal = { kind: 'job', id: 'job-1', person: null };

const scopeWith = (
  memory: Partial<PolicySnapshot['memory']> = {},
  principal: Principal = ana,
): ToolScope => ({
  agent: 'ada',
  principal,
  session: 'session-ada-1',
  turn: 't1',
  policyDigest: 'd'.repeat(64),
  narrowings: [],
  policy: samplePolicy({
    memory: { backend: 'sqlite', recall_limit: 5, writable: true, retention_days: 1, ...memory },
  }),
});

const toolsOf = (w: MemoryWorld) =>
  memoryTools({
    memory: w.memory,
    artifacts: w.log.artifacts,
    masker: plainMasker({ KEY: 'hunter2' }),
    clock: w.clock,
  });

/** Looks at a call and then makes it, as after a verdict that lets it through. */
const call = async (
  w: MemoryWorld,
  name: 'memory_store' | 'memory_recall' | 'memory_forget',
  args: Readonly<Record<string, unknown>>,
  scope: ToolScope = scopeWith(),
) => {
  const spec = sampleTool(name);
  const tools = toolsOf(w);
  const { operands } = await tools.inspect(scope, spec, args, 'call-1');
  const started = startedTool(spec, args, { operands: [...operands] });
  const signal = new AbortController().signal;
  const outcome = await tools.run(scope, started, args, { signal, touched: [] });
  return { operands, outcome };
};

const saying = (outcome: ToolOutcome): string => (outcome.ok ? outcome.text : outcome.message);

describe('the tools of memory', () => {
  it('keep a text, masked, as the words of the person who speaks, and find it again', async () => {
    const w = await memoryWorld();
    const stored = await call(w, 'memory_store', { text: 'the key is hunter2', tags: ['hunter2'] });
    expect(stored.operands).toEqual([
      { kind: 'memory', access: 'write', agents: ['ada'], person: 'ana', row: null },
    ]);
    const [event] = w.events();
    expect(event).toMatchObject({
      type: 'MemoryStored',
      data: {
        agent: 'ada',
        person: 'ana',
        text: { inline: 'the key is «secret:KEY»' },
        tags: ['«secret:KEY»'],
        turn: 't1',
        call: 'call-1',
        backend: 'sqlite',
        expires: w.clock.now() + 24 * 60 * 60 * 1000,
      },
    });
    const row = event?.type === 'MemoryStored' ? event.data.row : '';
    expect(stored.outcome.touched).toEqual([{ kind: 'stored', rows: [row] }]);
    const found = await call(w, 'memory_recall', { query: 'key' });
    expect(saying(found.outcome)).toBe(`[${row}, kept by ada]\nthe key is «secret:KEY»`);
    expect(found.outcome.touched).toEqual([{ kind: 'recalled', rows: [row] }]);
    expect(found.outcome.ok ? found.outcome.recalled : null).toEqual({
      query: { inline: 'key' },
      limit: 5,
      scope: { backend: 'sqlite', agents: ['ada'], person: { kind: 'person', id: 'ana' } },
      rows: [
        {
          id: row,
          agent: 'ada',
          person: 'ana',
          text: { inline: 'the key is «secret:KEY»' },
          stored: w.clock.now(),
        },
      ],
    });
  });

  it('keep rows of a job as nobody’s, and for ever where no days are set', async () => {
    const w = await memoryWorld();
    await call(w, 'memory_store', { text: 'x' }, scopeWith({ retention_days: 'unlimited' }, job));
    expect(w.events()[0]?.data).toMatchObject({ person: null, expires: 'never' });
  });

  it('give no more rows than the policy and the call say', async () => {
    const w = await memoryWorld();
    for (const row of ['a', 'b', 'c']) await storeRow(w, newRow({ row, text: 'tea' }));
    const rows = async (limit: number | 'unlimited', asked?: number): Promise<number> => {
      const args = { query: 'tea', ...(asked === undefined ? {} : { limit: asked }) };
      const { outcome } = await call(w, 'memory_recall', args, scopeWith({ recall_limit: limit }));
      return outcome.ok ? (outcome.recalled?.rows.length ?? -1) : -1;
    };
    expect(await rows(2)).toBe(2);
    expect(await rows(2, 100)).toBe(2);
    expect(await rows(5, 1)).toBe(1);
    expect(await rows('unlimited')).toBe(3);
  });

  it('look at whose row is to be forgotten, and forget no other than that one', async () => {
    const w = await memoryWorld();
    await storeRow(w, newRow({ row: 'mine', text: 'x' }));
    await storeRow(w, newRow({ row: 'bobs', agent: 'bob', text: 'x' }));
    await storeRow(w, newRow({ row: 'bens', person: 'ben', text: 'x' }));
    const reads = scopeWith({ read_memory_from: ['bob'] });
    const bobs = await call(w, 'memory_forget', { id: 'bobs' }, reads);
    expect(bobs.operands).toMatchObject([{ row: { id: 'bobs', agent: 'bob' } }]);
    // The gate refuses this; were it let through, nothing would happen.
    expect(bobs.outcome).toMatchObject({ ok: false, kind: 'late_swap' });
    // What lies outside the scope is as if it were not there.
    for (const id of ['bobs', 'bens', 'none']) {
      const { operands, outcome } = await call(w, 'memory_forget', { id });
      expect(operands).toMatchObject([{ row: null }]);
      expect(saying(outcome)).toBe(`nothing is kept as \`${id}\``);
    }
    const mine = await call(w, 'memory_forget', { id: 'mine' });
    expect(mine.outcome).toMatchObject({ ok: true, touched: [{ kind: 'forgot', rows: ['mine'] }] });
    expect(w.events().map(({ type }) => type)).toEqual([
      'MemoryStored',
      'MemoryStored',
      'MemoryStored',
      'MemoryForgotten',
    ]);
    expect(w.events().at(-1)?.data).toEqual({
      row: 'mine',
      agent: 'ada',
      why: 'asked',
      by: 't1/call-1',
    });
  });

  it('store once for one call, however often it runs', async () => {
    const w = await memoryWorld();
    await call(w, 'memory_store', { text: 'tea' });
    await call(w, 'memory_store', { text: 'tea' });
    expect(w.events().length).toBe(1);
  });

  it('do nothing where there is no memory', async () => {
    const w = await memoryWorld();
    const none = scopeWith({ backend: 'none' });
    for (const [name, args] of [
      ['memory_store', { text: 'tea' }],
      ['memory_recall', { query: 'tea' }],
      ['memory_forget', { id: 'tea' }],
    ] as const)
      expect((await call(w, name, args, none)).outcome).toMatchObject({ ok: false });
    expect(w.events()).toEqual([]);
  });
});

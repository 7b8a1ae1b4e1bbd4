import { builtinSpecs, turnList, type TurnListRow } from '@lockstep/engine';
import { fakeTools } from '@lockstep/engine/testing';
import { describe, expect, it } from 'vitest';
import { ana, ask, configWith, launched, only, world } from './harness.ts';

const fetching = (url: string) => ({ tool: 'builtin:http_fetch', args: { url } });

describe('a call of a tool that the policy keeps away', () => {
  it.each([
    ['denied', { tools: { allowed: ['*'], denied: ['http_fetch'] } }, 'tools.denied'],
    ['not allowed', { tools: { allowed: ['file_*'] } }, 'tools.allowed'],
  ])('is refused before anybody looks at what it names: %s', async (_, tables, rule) => {
    // Given a tool that looks names up, which tells name servers what stands in them
    const looked: string[] = [];
    const tools = fakeTools(builtinSpecs, { root: '/ws/a', run: () => 'never' });
    const w = world({
      config: configWith(tables),
      model: ({ modelCall }) =>
        modelCall === 1 ? { calls: [fetching('https://note.elsewhere.test/')] } : { say: 'done' },
      tools: {
        ...tools,
        inspect: (scope, spec, args, call) => {
          looked.push(spec.id);
          return tools.inspect(scope, spec, args, call);
        },
      },
    });
    // When the model calls it although it was not offered
    const turn = await launched(w, ask('fetch'));
    // Then the rule refuses it, and nobody has looked
    expect(only(w, turn, 'ToolCallRefused').data.rule).toBe(rule);
    expect(looked).toEqual([]);
  });
});

describe('a queued turn that is taken back', () => {
  it('is answered and listed as cancelled, with the reason', async () => {
    // Given a turn behind another of the same session
    const w = world({ model: () => new Promise(() => undefined) });
    await w.turns.launch(ask('first', { session: 's1' }));
    const queued = await w.turns.launch(ask('second', { session: 's1' }));
    if (queued.kind !== 'accepted') throw new Error('not accepted');
    expect((await w.turns.answer(queued.turn))?.status).toBe('queued');
    // When it is cancelled
    expect(await w.turns.cancel(queued.turn, ana.principal, 'not needed')).toBe('requested');
    // Then it is no unknown turn, whoever asks
    expect(await w.turns.answer(queued.turn)).toMatchObject({
      id: queued.turn,
      status: 'cancelled',
      agent: 'a',
      session: queued.session,
      reply: null,
      reason: 'cancelled by token:ana: not needed',
    });
    expect(await w.turns.cancel(queued.turn, ana.principal, 'again')).toBe('ended');
    const row = w.memory
      .events()
      .filter((event) => turnList.keyOf(event) === queued.turn)
      .reduce<TurnListRow | null>((known, event) => turnList.fold(known, event), null);
    expect(row).toMatchObject({ status: 'cancelled', input: 'second', pending: [] });
  });
});

describe('a key that was used before', () => {
  it.each([
    ['another session', { session: 's2' }],
    ['no session', { session: null }],
  ])('starts nothing in %s', async (_, change) => {
    // Given a request with a key, in a session of its own name
    const w = world({ model: () => ({ say: 'done' }) });
    const idempotency = { key: 'a'.repeat(64), body: 'b'.repeat(64) };
    const turn = await launched(w, ask('pay', { session: 's1', idempotency }));
    // When the key comes again with something else
    const again = await w.turns.launch(
      ask('pay', { ...change, idempotency: { ...idempotency, body: 'c'.repeat(64) } }),
    );
    // Then it is refused, and the first request is still what it stands for
    expect(again).toEqual({ kind: 'key_reused' });
    expect(await w.turns.launch(ask('pay', { session: 's1', idempotency }))).toMatchObject({
      kind: 'accepted',
      turn,
      repeat: true,
    });
    expect(w.memory.events().filter((event) => event.type === 'MessageAccepted')).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { all, ask, launched, only, typesOf, world, type World } from './harness.ts';
import { checkTurn } from './rebuild.ts';

const read = (path: string) => ({ tool: 'builtin:file_read', args: { path } });
const write = (path: string) => ({ tool: 'builtin:file_write', args: { path, content: 'x' } });

// What every other path rests on: the order of intents, effects and outcomes, and the batches in which they become durable.
describe('a turn that calls tools and answers', () => {
  it('records every intent before its effect and ends with the reply', async () => {
    const w = world({
      model: ({ modelCall }) => (modelCall === 1 ? { calls: [read('a.md')] } : { say: 'done' }),
    });
    const turn = await launched(w, ask('read it'));
    expect(typesOf(w, turn)).toEqual([
      'TurnRequested',
      'PolicyResolved',
      'ModelCallStarted',
      'ModelCallCompleted',
      'ToolCallAuthorized',
      'ToolCallStarted',
      'ToolCallCompleted',
      'ModelCallStarted',
      'ModelCallCompleted',
      'TurnCompleted',
    ]);
    const answer = await w.turns.answer(turn);
    expect(answer?.status).toBe('completed');
    expect(answer?.reply).toBe('done');
    expect(w.problems).toEqual([]);
    await checkTurn(w, turn);
  });

  it('starts what is allowed at once, up to max_parallel_tools, and shows results in call order', async () => {
    const w = world({
      model: ({ modelCall }) =>
        modelCall === 1
          ? { calls: ['a', 'b', 'c', 'd', 'e'].map((name) => read(`${name}.md`)) }
          : { say: 'done' },
      run: ({ args }) => `text of ${JSON.stringify(args)}`,
    });
    const turn = await launched(w, ask('read them'));
    const types = typesOf(w, turn);
    const firstOutcome = types.indexOf('ToolCallCompleted');
    expect(types.slice(0, firstOutcome).filter((t) => t === 'ToolCallStarted').length).toBe(4);
    expect(all(w, turn, 'ToolCallStarted').length).toBe(5);
    const second = w.model.asked[1]?.input.messages ?? [];
    expect(second.flatMap((m) => (m.role === 'tool' ? [m.call] : []))).toEqual([
      'm1c0',
      'm1c1',
      'm1c2',
      'm1c3',
      'm1c4',
    ]);
    await checkTurn(w, turn);
  });

  it('runs calls whose written paths overlap one after the other', async () => {
    const running = new Set<string>();
    let together = 0;
    const w = world({
      model: ({ modelCall }) =>
        modelCall === 1 ? { calls: [write('a.md'), read('a.md'), write('b.md')] } : { say: 'done' },
      run: async ({ call }) => {
        running.add(call);
        if (running.has('m1c0') && running.has('m1c1')) together += 1;
        await new Promise(setImmediate);
        running.delete(call);
        return 'ok';
      },
    });
    const turn = await launched(w, ask('write'));
    expect(together).toBe(0);
    expect(all(w, turn, 'ToolCallStarted').map((e) => e.data.call)).toEqual([
      'm1c0',
      'm1c2',
      'm1c1',
    ]);
    await checkTurn(w, turn);
  });

  it('needs thirty-two events for five tool calls in five steps', async () => {
    const w = world({
      model: ({ modelCall }) =>
        modelCall <= 5 ? { calls: [read(`${modelCall}.md`)] } : { say: 'done' },
    });
    await launched(w, ask('warm up'));
    const before = w.memory.events().length;
    const turn = await launched(w, ask('read five'));
    expect(w.memory.events().length - before).toBe(32);
    await checkTurn(w, turn);
  });

  it('remembers earlier turns of the session, and nobody else gets into it', async () => {
    const w = world({ model: ({ input }) => ({ say: `${input.messages.length} messages` }) });
    const first = await launched(w, ask('one', { session: 'mine' }));
    const second = await launched(w, ask('two', { session: 'mine' }));
    expect((await w.turns.answer(second))?.reply).toBe('3 messages');
    expect(only(w, second, 'TurnRequested').data.history).toEqual([first]);
    const other = { kind: 'token', id: 'ben', person: null } as const;
    expect((await w.turns.launch(ask('three', { session: 'mine', principal: other }))).kind).toBe(
      'session_refused',
    );
    await checkTurn(w, second);
  });

  it('gives the same turn for the same idempotency key and refuses it with another body', async () => {
    const w = world({ model: () => ({ say: 'done' }) });
    const keyed = (body: string) =>
      ask('one', { idempotency: { key: 'a'.repeat(64), body: body.repeat(64) } });
    const first = await w.turns.launch(keyed('b'));
    const again = await w.turns.launch(keyed('b'));
    if (first.kind !== 'accepted' || again.kind !== 'accepted') throw new Error('not accepted');
    expect([again.turn, again.repeat]).toEqual([first.turn, true]);
    expect(await w.turns.launch(keyed('c'))).toEqual({ kind: 'key_reused' });
    await w.quiet();
    expect(all(w, first.turn, 'TurnRequested').length).toBe(1);
  });

  it('keeps secrets out of the log and out of the text that streams', async () => {
    const w: World = world({
      model: () => ({ say: 'the key is hunter2!' }),
      secrets: { KEY: 'hunter2' },
    });
    const seen: string[] = [];
    const result = await w.turns.launch(ask('say hunter2', { listening: true }));
    if (result.kind !== 'accepted') throw new Error('not accepted');
    w.turns.deltas(result.turn, (delta) => seen.push(delta.text));
    await w.turns.settled(result.turn, new AbortController().signal);
    expect(seen.join('')).toBe('the key is «secret:KEY»!');
    expect(JSON.stringify(w.memory.events())).not.toContain('hunter2');
    expect(only(w, result.turn, 'TurnCompleted').data.masked).toBe(1);
  });

  it('records large contents as artifacts and builds the next input from them', async () => {
    const long = 'y'.repeat(40_000);
    const w = world({
      model: ({ modelCall }) => (modelCall === 1 ? { calls: [read('a.md')] } : { say: 'done' }),
      run: () => long,
    });
    const turn = await launched(w, ask('z'.repeat(50_000)));
    expect('artifact' in only(w, turn, 'TurnRequested').data.input).toBe(true);
    expect('artifact' in only(w, turn, 'ToolCallCompleted').data.result).toBe(true);
    expect(JSON.stringify(w.model.asked[1]?.input)).toContain(long);
    await checkTurn(w, turn);
  });
});

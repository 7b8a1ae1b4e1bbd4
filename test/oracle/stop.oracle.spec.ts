import { describe, expect, it } from 'vitest';
import type { Fact } from '@lockstep/engine';
import { asking, decide, finished, person, waiting, asksOnce } from './asking.ts';
import { all, ask, configWith, launched, only, typesOf, world, type World } from './harness.ts';
import { checkTurn } from './rebuild.ts';

/** Records a fact of nobody in particular, as a route does, and tells the turns. */
const record = async (w: World, stream: string, fact: Fact): Promise<void> => {
  const before = w.memory.events().filter((event) => event.stream === stream).length;
  const id = `00000000-0000-7000-8000-${String(before).padStart(4, '0')}${stream.length.toString(16).padStart(8, '0')}`;
  const meta = {
    agent: stream.startsWith('agent-') ? stream.slice(6) : null,
    path: null,
    trigger: null,
    principal: null,
    session: null,
    turn: null,
    root: null,
    parent: null,
    chain: [],
    correlation: id,
    causation: null,
    attempt: 1,
    daemon: 'daemon-1',
    build: 'test',
  };
  const expected = before === 0 ? 'no-stream' : before - 1;
  await w.memory.store.append(stream, [{ ...fact, id, schema: 1, meta }], expected);
  w.turns.flagsChanged();
};
const smoke: Fact = {
  type: 'EmergencyStopSet',
  data: { agent: null, by: 'ana', why: 'smoke' },
};
const stop = (w: World, agent: string | null) =>
  record(w, 'daemon', { type: 'EmergencyStopSet', data: { agent, by: 'ana', why: 'smoke' } });
const resume = (w: World, agent: string | null) =>
  record(w, 'daemon', { type: 'EmergencyStopCleared', data: { agent, by: 'ben' } });

const agents = {
  a: {
    provider: 'local',
    risk_profile: 'careful',
    runtime_profile: 'short',
    workspace: { root: '/ws/a' },
  },
  b: {
    provider: 'local',
    risk_profile: 'careful',
    runtime_profile: 'short',
    workspace: { root: '/ws/b' },
  },
};
const never = () => new Promise<never>(() => undefined);

// The emergency stop: nothing new begins anywhere, what runs is cancelled, and a restart changes nothing.
describe('given an emergency stop', () => {
  it('cancels a call that runs and a model that answers, and begins nothing more', async () => {
    const w = world({
      config: configWith({}, { agents }),
      model: ({ modelCall, input }) =>
        JSON.stringify(input.messages).includes('think') && modelCall === 1
          ? never()
          : { calls: [{ tool: 'builtin:file_read', args: { path: 'a.md' } }] },
      run: never,
    });
    const working = await w.turns.launch(ask('work'));
    const thinking = await w.turns.launch(ask('think', { agent: 'b' }));
    if (working.kind !== 'accepted' || thinking.kind !== 'accepted')
      throw new Error('not accepted');
    await w.quiet();
    const asked = w.model.asked.length;
    await stop(w, null);
    await w.quiet();
    for (const { turn } of [working, thinking]) {
      expect(only(w, turn, 'TurnCancelled').data).toMatchObject({
        by: 'emergency-stop',
        why: 'stopped by ana: smoke',
      });
      await checkTurn(w, turn);
    }
    expect(only(w, working.turn, 'ToolCallCancelled').data.started).toBe(true);
    expect(w.tools.runs.length).toBe(1);
    expect(w.model.asked.length).toBe(asked);
  });

  it.each(['ToolCallStarted', 'ModelCallStarted'] as const)(
    'begins nothing of a %s that was on its way to the log before it and came there after it',
    async (type) => {
      const w: World = world({
        model: () => ({ calls: [{ tool: 'builtin:file_read', args: { path: 'a.md' } }] }),
        over: (store) => ({
          ...store,
          append: async (stream, events, expected) => {
            if (events.some((event) => event.type === type)) await record(w, 'daemon', smoke);
            return store.append(stream, events, expected);
          },
        }),
      });
      const launch = await w.turns.launch(ask('work'));
      if (launch.kind !== 'accepted') throw new Error('not accepted');
      await w.quiet();
      const types = typesOf(w, launch.turn);
      expect([types.includes(type), types.at(-1)]).toEqual([true, 'TurnCancelled']);
      expect(w.tools.runs).toEqual([]);
      expect(w.model.asked.length).toBe(type === 'ModelCallStarted' ? 0 : 1);
      await checkTurn(w, launch.turn);
    },
  );

  it('closes what waits for a person, and takes no decision on it', async () => {
    const w = asksOnce();
    const pending = await waiting(w);
    await stop(w, 'a');
    await w.quiet();
    expect(only(w, pending.turn, 'ApprovalClosed').data).toMatchObject({
      reason: 'emergency_stop',
      why: 'stopped by ana: smoke',
    });
    expect((await decide(w, pending, person('ana'))).kind).toBe('already_decided');
    expect(w.tools.runs).toEqual([]);
  });

  it('refuses new turns as stopped until somebody resumes', async () => {
    const w = world({ config: configWith({}, { agents }), model: () => ({ say: 'done' }) });
    await stop(w, 'a');
    expect(await w.turns.launch(ask('work'))).toMatchObject({ kind: 'refused', code: 'stopped' });
    const other = await launched(w, ask('work', { agent: 'b' }));
    expect((await w.turns.answer(other))?.status).toBe('completed');
    await resume(w, 'a');
    const again = await launched(w, ask('work'));
    expect((await w.turns.answer(again))?.status).toBe('completed');
  });

  it('refuses what stood in line behind the turn that it cancels', async () => {
    const w = world({ model: () => never() });
    const first = await w.turns.launch(ask('one', { session: 'mine' }));
    const second = await w.turns.launch(ask('two', { session: 'mine' }));
    if (first.kind !== 'accepted' || second.kind !== 'accepted') throw new Error('not accepted');
    await w.quiet();
    await stop(w, null);
    await w.quiet();
    expect(typesOf(w, first.turn).at(-1)).toBe('TurnCancelled');
    expect(only(w, second.turn, 'TurnRefused').data.code).toBe('stopped');
  });

  it('holds over a restart: a turn that was cut off before it knew is cancelled, not taken up', async () => {
    const w = asksOnce();
    const pending = await waiting(w);
    // The daemon dies right after the stop was acknowledged.
    const log = [...w.memory.events()];
    const last = log.at(-1);
    if (last === undefined) throw new Error('an empty log');
    const next = world({ config: asking(), model: () => ({ say: 'done' }), log, run_number: 2 });
    await record(next, 'daemon', {
      type: 'EmergencyStopSet',
      data: { agent: 'a', by: 'ana', why: 'smoke' },
    });
    await next.turns.recover();
    await next.quiet();
    expect(only(next, pending.turn, 'TurnCancelled').data.by).toBe('emergency-stop');
    expect(next.model.asked).toEqual([]);
    expect(next.tools.runs).toEqual([]);
  });
});

describe('given the pause of an agent', () => {
  it('begins no call while it holds, and goes on where it was after it', async () => {
    let release = (): void => undefined;
    const w = world({
      model: ({ modelCall }) =>
        modelCall === 1
          ? { calls: [{ tool: 'builtin:file_read', args: { path: 'a.md' } }] }
          : { say: 'done' },
      run: () =>
        new Promise((resolve) => {
          release = () => {
            resolve('read');
          };
        }),
    });
    const accepted = await w.turns.launch(ask('work'));
    if (accepted.kind !== 'accepted') throw new Error('not accepted');
    await w.quiet();
    await record(w, 'agent-a', { type: 'AgentPaused', data: { by: 'ana', why: 'lunch' } });
    release();
    await w.quiet();
    expect(all(w, accepted.turn, 'ToolCallCompleted').length).toBe(1);
    expect(w.model.asked.length).toBe(1);
    await record(w, 'agent-a', { type: 'AgentResumed', data: { by: 'ana' } });
    await finished(w, accepted.turn);
    expect((await w.turns.answer(accepted.turn))?.status).toBe('completed');
  });
});

describe('given a call whose outcome is not known', () => {
  it('is refused again until an operator settles it, once', async () => {
    const call = { tool: 'builtin:file_write', args: { path: 'a.md', content: 'x' } };
    const model = ({ modelCall }: { readonly modelCall: number }) =>
      modelCall === 1 ? { calls: [call] } : { say: 'done' };
    const first = world({ model, run: never });
    const begun = await first.turns.launch(ask('write', { session: 'mine' }));
    if (begun.kind !== 'accepted') throw new Error('not accepted');
    await first.quiet();
    const w = world({ model, log: [...first.memory.events()], run_number: 2, clock: first.clock });
    await w.turns.recover();
    await finished(w, begun.turn);
    const lost = only(w, begun.turn, 'ToolCallOutcomeUnknown').data.call;
    expect(w.memory.ledger.unknownOutcomes()).toMatchObject([{ turn: begun.turn, call: lost }]);

    const refused = await launched(w, ask('write', { session: 'mine' }));
    expect(only(w, refused, 'ToolCallRefused').data.rule).toBe('gate.unsettled_outcome');

    const by = person('ben');
    const settle = () => w.turns.settleOutcome(begun.turn, lost, { as: 'retry', by });
    expect(await Promise.all([settle(), settle()])).toEqual(['settled', 'not_found']);
    expect(await w.turns.settleOutcome(begun.turn, 'another', { as: 'done', by })).toBe(
      'not_found',
    );
    expect(only(w, begun.turn, 'UnknownOutcomeSettled').data).toEqual({
      call: lost,
      as: 'retry',
      by,
    });
    const again = await launched(w, ask('write', { session: 'mine' }));
    expect(all(w, again, 'ToolCallCompleted').length).toBe(1);
  });
});

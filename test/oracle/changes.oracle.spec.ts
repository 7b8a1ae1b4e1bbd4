import { describe, expect, it } from 'vitest';
import { digestOfText } from '@lockstep/policy';
import { all, ana, ask, configWith, launched, only, typesOf, world } from './harness.ts';
import { checkTurn } from './rebuild.ts';

const write = { tool: 'builtin:file_write', args: { path: 'a.md', content: 'x' } };
const asking = { approval: { auto_approve: [] } };

// Operators cancel, steer and change configs under running turns: nothing may widen, nothing may run on.
describe('a turn that is changed while it runs', () => {
  it('is refused and recorded for unknown and disabled agents alike, in no session', async () => {
    const w = world({
      config: configWith({ enabled: false }),
      model: () => ({ say: 'never' }),
    });
    const unknown = await w.turns.launch(ask('hi', { agent: 'nobody' }));
    const disabled = await w.turns.launch(ask('hi'));
    if (unknown.kind !== 'refused' || disabled.kind !== 'refused') throw new Error('not refused');
    expect([unknown.code, disabled.code]).toEqual(['agent_unavailable', 'agent_unavailable']);
    expect(unknown.message.replace('nobody', 'a')).toBe(disabled.message);
    expect(typesOf(w, disabled.turn ?? '')).toEqual(['TurnRequested', 'TurnRefused']);
    expect(w.memory.events().some((event) => event.type === 'SessionOpened')).toBe(false);
    expect(w.model.asked).toEqual([]);
  });

  it('ends at once when it is cancelled, and what it waited for is closed', async () => {
    const w = world({ config: configWith(asking), model: () => ({ calls: [write] }) });
    const turn = await launched(w, ask('write'));
    expect(await w.turns.cancel(turn, 'token:ana', 'changed my mind')).toBe('requested');
    await w.turns.settled(turn, new AbortController().signal);
    expect(typesOf(w, turn).slice(5)).toEqual([
      'CancelRequested',
      'ApprovalClosed',
      'TurnCancelled',
    ]);
    expect(await w.turns.cancel(turn, 'token:ana', 'again')).toBe('ended');
    await checkTurn(w, turn);
  });

  it('aborts a running tool and says that its effect may have happened', async () => {
    const w = world({
      model: () => ({ calls: [write] }),
      run: () => new Promise<never>(() => undefined),
    });
    const launch = await w.turns.launch(ask('write'));
    if (launch.kind !== 'accepted') throw new Error('not accepted');
    await w.quiet();
    await w.turns.cancel(launch.turn, 'token:ana', 'stop');
    expect(only(w, launch.turn, 'ToolCallCancelled').data.started).toBe(true);
    expect(typesOf(w, launch.turn).at(-1)).toBe('TurnCancelled');
  });

  it('hands steering to the next model call', async () => {
    const w = world({
      config: configWith(asking),
      model: ({ modelCall }) => (modelCall === 1 ? { calls: [write] } : { say: 'done' }),
    });
    const turn = await launched(w, ask('write'));
    expect(await w.turns.steer(turn, 'be brief', 'token:ana')).toBe('recorded');
    const event = only(w, turn, 'ApprovalRequested');
    const view = 'inline' in event.data.view ? event.data.view.inline : '';
    await w.turns.decide(
      event.data.approval,
      {
        choice: 'deny',
        scope: null,
        guidance: null,
        revision: event.revision,
        shown: digestOfText(view),
      },
      ana,
    );
    await w.turns.settled(turn, new AbortController().signal);
    expect(w.model.asked[1]?.input.messages.at(-1)).toEqual({ role: 'user', text: 'be brief' });
    await checkTurn(w, turn);
  });

  it('narrows under a newer config before the next verdict and closes what is now denied', async () => {
    const w = world({
      config: configWith(asking),
      model: ({ input }) => {
        const called = input.messages.at(-1)?.role === 'tool';
        return called ? { say: 'done' } : { calls: [write] };
      },
    });
    const turn = await launched(w, ask('write'));
    w.apply(configWith({ ...asking, tools: { allowed: ['file_read'] } }, { version: 2 }));
    await w.turns.settled(turn, new AbortController().signal);
    await w.quiet();
    const types = typesOf(w, turn);
    expect(types.slice(5, 8)).toEqual(['PolicyNarrowed', 'ApprovalClosed', 'ToolCallRefused']);
    expect(only(w, turn, 'ApprovalClosed').data.reason).toBe('policy_changed');
    expect(only(w, turn, 'PolicyNarrowed').data.keys).toEqual(['tools.allowed']);
    expect(all(w, turn, 'ModelCallStarted').at(-1)?.data.advertised).toEqual(['builtin:file_read']);
    await checkTurn(w, turn);
  });

  it('takes nothing that a newer config adds', async () => {
    const w = world({
      config: configWith({ ...asking, tools: { allowed: ['file_read', 'file_write'] } }),
      model: ({ input }) =>
        input.messages.at(-1)?.role === 'tool' ? { say: 'done' } : { calls: [write] },
    });
    const turn = await launched(w, ask('write'));
    w.apply(configWith({ ...asking, tools: { allowed: ['*'] } }, { version: 2 }));
    await w.quiet();
    expect(typesOf(w, turn)).not.toContain('PolicyNarrowed');
    expect((await w.turns.answer(turn))?.status).toBe('waiting');
  });

  it('cancels the turns of an agent that a newer config disables', async () => {
    const w = world({ config: configWith(asking), model: () => ({ calls: [write] }) });
    const turn = await launched(w, ask('write'));
    w.apply(configWith({ enabled: false }, { version: 2 }));
    await w.turns.settled(turn, new AbortController().signal);
    await w.quiet();
    const end = only(w, turn, 'TurnCancelled').data;
    expect(end.by).toBe('config');
    await checkTurn(w, turn);
  });

  it('runs the turns of one session in order and those of two side by side', async () => {
    const release: (() => void)[] = [];
    const w = world({
      model: async ({ input }) => {
        await new Promise<void>((resolve) => release.push(resolve));
        return { say: JSON.stringify(input.messages.at(-1)) };
      },
    });
    const one = await w.turns.launch(ask('1', { session: 'mine' }));
    const two = await w.turns.launch(ask('2', { session: 'mine' }));
    await w.turns.launch(ask('3', { session: 'other' }));
    await w.quiet();
    if (one.kind !== 'accepted' || two.kind !== 'accepted') throw new Error('not accepted');
    expect(release.length).toBe(2);
    expect((await w.turns.answer(two.turn))?.status).toBe('queued');
    for (const go of release.splice(0)) go();
    await w.quiet();
    expect((await w.turns.answer(one.turn))?.status).toBe('completed');
    expect((await w.turns.answer(two.turn))?.status).toBe('running');
  });

  it('takes back a queued turn that is cancelled before it begins', async () => {
    const w = world({ model: () => new Promise<never>(() => undefined) });
    await w.turns.launch(ask('1', { session: 'mine' }));
    await w.quiet();
    const two = await w.turns.launch(ask('2', { session: 'mine' }));
    if (two.kind !== 'accepted') throw new Error('not accepted');
    expect(await w.turns.cancel(two.turn, 'token:ana', 'no need')).toBe('requested');
    expect(w.memory.ledger.waitingMessages()).toEqual([]);
    expect(w.memory.events().at(-1)?.type).toBe('MessageDropped');
    expect(await w.turns.answer(two.turn)).toMatchObject({
      status: 'cancelled',
      reason: 'cancelled by token:ana: no need',
      reply: null,
    });
  });
});

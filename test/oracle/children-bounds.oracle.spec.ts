import { describe, expect, it } from 'vitest';
import { digestOfText } from '@lockstep/policy';
import type { ModelStep } from '@lockstep/engine/testing';
import { call, endsOf, eventsOf, playing, team, turnsOf } from './family.ts';
import { ana, all, ask, launched, only, world, type World } from './harness.ts';
import { checkTurn } from './rebuild.ts';

const lead = (input: string) => ask(input, { agent: 'lead' });
const hangs = () => new Promise<never>(() => undefined);

/** Starts what comes next in the first call of the model, and says `done` in the second. */
const then =
  (tool: string, args: unknown) =>
  ({ modelCall }: { readonly modelCall: number }): ModelStep =>
    modelCall === 1 ? { calls: [call(tool, args)] } : { say: 'done' };

/** Three levels, of which the last hangs. */
const chain = {
  work: then('delegate', { agent: 'helper', input: 'second' }),
  second: then('delegate', { agent: 'free', input: 'third' }),
  third: hangs,
};

const started = async (w: World, request = lead('work')): Promise<string> => {
  const launch = await w.turns.launch(request);
  if (launch.kind !== 'accepted') throw new Error(JSON.stringify(launch));
  await w.quiet();
  return launch.turn;
};

const order = (w: World, type: string): readonly (string | null)[] =>
  w.turnEvents().flatMap((event) => (event.type === type ? [event.meta.agent] : []));

describe('given turns below a turn', () => {
  it('starts none below the last level', async () => {
    const w = world({
      config: team(),
      model: playing({
        work: then('spawn', { input: 'second' }),
        second: then('spawn', { input: 'third' }),
        third: then('spawn', { input: 'fourth' }),
      }),
    });
    await launched(w, lead('work'));
    const [first = '', second = '', third = ''] = turnsOf(w, 'lead');
    expect(turnsOf(w, 'lead')).toEqual([first, second, third]);
    expect(only(w, third, 'TurnRequested').meta.chain).toEqual([first, second]);
    const refused = only(w, third, 'ToolCallRefused').data;
    expect([refused.rule, refused.why]).toEqual([
      'delegation.max_depth',
      'no level of turns is left below this one',
    ]);
    for (const turn of [first, second, third]) await checkTurn(w, turn);
  });

  it('waits with a turn below that waits for a person, and shows what that one asks', async () => {
    const w = world({
      config: team({
        helper: { autonomy: 'supervised', approval: { timeout_secs: 'unlimited' } },
        lead: {
          approval: { timeout_secs: 'unlimited' },
          budgets: { turn_timeout_secs: 5, tool_timeout_secs: 1 },
        },
      }),
      model: playing({
        work: then('delegate', { agent: 'helper', input: 'second' }),
        second: then('file_write', { path: 'a', content: '1' }),
      }),
    });
    const turn = await launched(w, lead('work'));
    const [child = ''] = turnsOf(w, 'helper');
    const asked = only(w, child, 'ApprovalRequested');
    const answer = await w.turns.answer(turn);
    expect([answer?.status, answer?.approvals]).toEqual(['waiting', [asked.data.approval]]);
    expect(w.turns.family(turn)).toEqual([
      {
        turn: child,
        agent: 'helper',
        parent: turn,
        call: 'm1c0',
        status: 'waiting',
        approvals: [asked.data.approval],
      },
    ]);
    // An hour passes: nothing that only waits is at work, and no time of a tool or a turn is used up.
    w.clock.advance(3_600_000);
    const view = asked.data.view;
    const decided = await w.turns.decide(
      asked.data.approval,
      {
        choice: 'once',
        scope: null,
        guidance: null,
        revision: asked.revision,
        shown: digestOfText('inline' in view ? view.inline : ''),
      },
      ana,
      { roles: new Set(['approver']), scopes: { agents: ['*'], tools: ['*'] } },
    );
    expect(decided).toMatchObject({ kind: 'decided' });
    const end = await w.turns.ended(turn, new AbortController().signal);
    expect([end?.status, end?.approvals]).toEqual(['completed', []]);
    expect(only(w, turn, 'TurnCompleted').data.activeMs).toBe(0);
    await checkTurn(w, turn);
    await checkTurn(w, child);
  });

  it('ends when those below have used up its time, though it only waits for them, and ends them first', async () => {
    const w = world({
      config: team({ lead: { budgets: { turn_timeout_secs: 30 } } }),
      model: playing({
        work: then('delegate', { agent: 'helper', input: 'second' }),
        second: then('file_read', { path: 'a' }),
      }),
      run: () => hangs(),
    });
    const turn = await started(w);
    while (endsOf(w, 'lead')[0] === 'open' && w.alarms.ringNext()) await w.quiet();
    expect([endsOf(w, 'lead'), endsOf(w, 'helper')]).toEqual([['TurnFailed'], ['TurnCancelled']]);
    const { code, key, activeMs } = only(w, turn, 'TurnFailed').data;
    expect([code, key, activeMs]).toEqual(['turn_timeout', 'budgets.turn_timeout_secs', 0]);
    const { scope, used } = only(w, turn, 'BudgetExhausted').data;
    expect([scope, used]).toEqual([turn, 30]);
    const [child = ''] = turnsOf(w, 'helper');
    expect(only(w, child, 'TurnCancelled').data.activeMs).toBe(30_000);
    await checkTurn(w, turn);
    await checkTurn(w, child);
  });

  it.each(['cancel', 'time out'] as const)(
    'stops all that hangs below a turn before it: %s',
    async (how) => {
      const w = world({
        config: team({ lead: { budgets: { turn_timeout_secs: 60 } } }),
        model: playing({
          ...chain,
          // A tool that never ends keeps the clock of the turn at the root running.
          work: ({ modelCall }) =>
            modelCall === 1
              ? {
                  calls: [
                    call('delegate', { agent: 'helper', input: 'second' }),
                    call('file_read', { path: 'a' }),
                  ],
                }
              : { say: 'done' },
        }),
        run: () => hangs(),
      });
      const turn = await started(w);
      expect([endsOf(w, 'helper'), endsOf(w, 'free')]).toEqual([['open'], ['open']]);
      if (how === 'cancel') await w.turns.cancel(turn, 'token:ana', 'enough');
      else while (!order(w, 'TurnFailed').includes('lead') && w.alarms.ringNext()) await w.quiet();
      await w.quiet();
      expect([endsOf(w, 'helper'), endsOf(w, 'free')]).toEqual([
        ['TurnCancelled'],
        ['TurnCancelled'],
      ]);
      const ends = w
        .turnEvents()
        .filter(({ type }) => type === 'TurnCancelled' || type === 'TurnFailed');
      expect(ends.map((event) => event.meta.agent)).toEqual(['free', 'helper', 'lead']);
      expect(w.problems).toEqual([]);
    },
  );

  it('stops a turn in the background too', async () => {
    const w = world({
      config: team(),
      model: playing({
        work: ({ modelCall }) =>
          modelCall === 1
            ? { calls: [call('delegate', { agent: 'helper', input: 'third', background: true })] }
            : hangs(),
        third: hangs,
      }),
    });
    const turn = await started(w);
    expect(endsOf(w, 'helper')).toEqual(['open']);
    await w.turns.cancel(turn, 'token:ana', 'enough');
    expect(endsOf(w, 'helper')).toEqual(['TurnCancelled']);
  });

  it('starts nothing below a turn that was stopped', async () => {
    const w = world({ config: team(), model: playing(chain) });
    const turn = await started(w);
    await w.turns.cancel(turn, 'token:ana', 'enough');
    const launch = await w.turns.launch(
      ask('late', {
        agent: 'free',
        principal: { kind: 'agent', id: 'lead', person: null },
        origin: { kind: 'delegate', parent: turn, edge: 'free' },
        turn: 'late-child',
        parent: { turn, call: 'm1c0' },
      }),
    );
    expect(launch).toMatchObject({ kind: 'refused', code: 'stopped' });
  });

  it.each([
    [
      'a job',
      {
        principal: { kind: 'job' as const, id: 'nightly', person: null },
        origin: { kind: 'cron' as const, job: 'nightly' },
      },
      { tools: ['builtin:delegate', 'builtin:time_now'], backend: 'none' },
    ],
    [
      'what a client took away',
      { client: { 'memory.backend': 'none', 'tools.allowed': [['builtin:delegate']] } },
      { tools: ['builtin:delegate'], backend: 'none' },
    ],
  ])('passes a narrowing on through an independent edge: %s', async (_, change, held) => {
    const w = world({
      config: team({
        rest: {
          cron: {
            nightly: {
              agent: 'lead',
              schedule: '0 7 * * *',
              prompt: 'work',
              tools: ['delegate', 'time_now'],
            },
          },
        },
      }),
      model: playing({
        work: then('delegate', { agent: 'helper', input: 'second' }),
        second: then('delegate', { agent: 'free', input: 'third' }),
        third: () => ({ calls: [call('file_write', { path: 'a', content: '' })] }),
      }),
    });
    await started(w, ask('work', { agent: 'lead', ...change }));
    for (const agent of ['lead', 'helper', 'free']) {
      const [turn = ''] = turnsOf(w, agent);
      const { snapshot } = only(w, turn, 'PolicyResolved').data;
      if (!('inline' in snapshot)) throw new Error('the snapshot is an artifact');
      expect(snapshot.inline.tools.allowed).toContainEqual(held.tools);
      expect(snapshot.inline.memory.backend).toBe(held.backend);
    }
    const [free = ''] = turnsOf(w, 'free');
    expect(all(w, free, 'ToolCallRefused')[0]?.data.rule).toBe('tools.allowed');
  });

  it('takes over what a newer config takes from the turn above', async () => {
    let go = (): void => undefined;
    const parts = playing({
      ...chain,
      third: ({ modelCall }) =>
        modelCall === 1
          ? new Promise<ModelStep>((resolve) => {
              go = () => {
                resolve({ calls: [call('file_write', { path: 'a', content: '' })] });
              };
            })
          : { say: 'done' },
    });
    // Without an edge of its own to `free`, the lead bounds what its helper starts.
    const delegates = [{ agent: 'helper', mode: 'bounded' }];
    const w = world({ config: team({ lead: { delegates } }), model: parts });
    const turn = await started(w);
    w.apply(
      team({ version: 2, lead: { delegates, tools: { allowed: ['delegate', 'time_now'] } } }),
    );
    await w.quiet();
    go();
    await w.quiet();
    const [helper = ''] = turnsOf(w, 'helper');
    const [free = ''] = turnsOf(w, 'free');
    expect(only(w, helper, 'PolicyNarrowed').data.keys).toEqual(['tools.allowed']);
    expect(only(w, helper, 'PolicyNarrowed').data.records?.parent?.turn).toBe(turn);
    expect(only(w, free, 'PolicyNarrowed').data.keys).toEqual(['tools.allowed']);
    expect(only(w, free, 'ToolCallRefused').data.rule).toBe('tools.allowed');
    expect(endsOf(w, 'lead')).toEqual(['TurnCompleted']);
    for (const one of [turn, helper, free]) await checkTurn(w, one);
  });

  it.each([
    ['the agent of the turn', 'helper', ['TurnCancelled', 'TurnCancelled', 'TurnCompleted']],
    ['the agent above all', 'lead', ['TurnCancelled', 'TurnCancelled', 'TurnCancelled']],
  ] as const)('is cancelled when a newer config disables %s', async (_, agent, ends) => {
    const w = world({ config: team(), model: playing(chain) });
    await started(w);
    w.apply(team({ version: 2, [agent]: { enabled: false } }));
    await w.quiet();
    expect([endsOf(w, 'free')[0], endsOf(w, 'helper')[0], endsOf(w, 'lead')[0]]).toEqual(ends);
    const by = eventsOf(w, agent).find((event) => event.type === 'CancelRequested');
    expect(by?.type === 'CancelRequested' ? by.data.by : null).toBe('config');
    expect(w.problems).toEqual([]);
  });
});

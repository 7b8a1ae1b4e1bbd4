import { describe, expect, it } from 'vitest';
import type { ModelStep } from '@lockstep/engine/testing';
import { call, endsOf, eventsOf, playing, team, turnsOf } from './family.ts';
import { all, ask, launched, only, world } from './harness.ts';
import { checkTurn } from './rebuild.ts';

const lead = (input: string) => ask(input, { agent: 'lead' });

/** Hands the same work over in one way, then says what came of it. */
const handing =
  (tool: string, args: Record<string, unknown>) =>
  ({
    modelCall,
    input,
  }: {
    readonly modelCall: number;
    readonly input: { readonly messages: readonly { readonly role: string }[] };
  }): ModelStep =>
    modelCall === 1
      ? { calls: [call(tool, args)] }
      : { say: `heard: ${JSON.stringify(input.messages.at(-1))}` };

describe('given a call that starts another turn', () => {
  it.each([
    [
      'a bounded edge',
      'delegate',
      { agent: 'helper', input: 'count' },
      'helper',
      ['delegate', 'bounded'],
    ],
    [
      'an independent edge',
      'delegate',
      { agent: 'free', input: 'count' },
      'free',
      ['delegate', 'independent'],
    ],
    ['a sub-agent', 'spawn', { input: 'count' }, 'lead', ['loop', 'subagent']],
  ] as const)(
    'ends with the reply of that turn as its result: %s',
    async (_, tool, args, agent, path) => {
      const w = world({
        config: team(),
        model: playing({ work: handing(tool, args), count: () => ({ say: 'forty-two' }) }),
      });
      const turn = await launched(w, lead('work'));
      const child = turnsOf(w, agent).find((one) => one !== turn) ?? '';
      const result = only(w, turn, 'ToolCallCompleted').data;
      expect([result.result, result.isError]).toEqual([{ inline: 'forty-two' }, false]);
      expect(result.touched).toEqual([{ kind: 'child', turn: child, agent }]);
      expect(only(w, turn, 'ToolCallStarted').data.children).toEqual([{ turn: child, agent }]);
      expect(only(w, turn, 'ChildTurnLinked').data).toEqual({ call: 'm1c0', child, agent });
      const begun = only(w, child, 'TurnRequested');
      expect([begun.data.path, begun.data.trigger]).toEqual(path);
      expect([begun.meta.root, begun.meta.parent, begun.meta.chain]).toEqual([turn, turn, [turn]]);
      expect(begun.data.call).toBe('m1c0');
      expect(begun.meta.session).toBe(`session-${agent}-${child}`);
      expect(w.memory.ledger.session(`session-${agent}-${child}`)).toBe(null);
      expect(w.problems).toEqual([]);
      await checkTurn(w, turn);
      await checkTurn(w, child);
    },
  );

  it('runs the calls of one step side by side', async () => {
    const waiting: (() => void)[] = [];
    const w = world({
      config: team(),
      model: playing({
        work: ({ modelCall }) =>
          modelCall === 1
            ? {
                calls: [
                  call('delegate', { agent: 'helper', input: 'one' }),
                  call('delegate', { agent: 'free', input: 'two' }),
                ],
              }
            : { say: 'done' },
        one: () =>
          new Promise<ModelStep>((resolve) => {
            waiting.push(() => {
              resolve({ say: '1' });
            });
          }),
        two: () => ({ say: '2' }),
      }),
    });
    const turn = w.turns.launch(lead('work'));
    await w.quiet();
    expect([endsOf(w, 'helper'), endsOf(w, 'free')]).toEqual([['open'], ['TurnCompleted']]);
    for (const go of waiting) go();
    await w.quiet();
    const launch = await turn;
    if (launch.kind !== 'accepted') throw new Error('not accepted');
    // Outcomes stand as they came; the model sees them in call order.
    expect(all(w, launch.turn, 'ToolCallCompleted').map(({ data }) => data.result)).toEqual([
      { inline: '2' },
      { inline: '1' },
    ]);
    expect(only(w, launch.turn, 'TurnCompleted').data.reply).toEqual({ inline: 'done' });
  });

  it('hears of a turn in the background by a message, once', async () => {
    const w = world({
      config: team(),
      model: playing({
        work: ({ modelCall, input }) => {
          if (modelCall === 1)
            return {
              calls: [call('delegate', { agent: 'helper', input: 'count', background: true })],
            };
          const heard = input.messages.some(
            (m) => m.role === 'user' && m.text.includes('forty-two'),
          );
          return heard ? { say: 'heard' } : { calls: [call('time_now', {})] };
        },
        count: () => ({ say: 'forty-two' }),
      }),
    });
    const turn = await launched(w, lead('work'));
    const [child] = turnsOf(w, 'helper');
    expect(only(w, turn, 'ChildTurnLinked').data.background).toBe(true);
    const said = only(w, turn, 'TurnSteered').data;
    expect(said).toEqual({
      by: `child:${child ?? ''}`,
      text: {
        inline:
          'Your call `m1c0` to agent `helper` has come to its end.\n<untrusted 1 from agent:helper>\nforty-two\n</untrusted 1>',
      },
    });
    expect(only(w, turn, 'TurnCompleted').data.reply).toEqual({ inline: 'heard' });
    await checkTurn(w, turn);
  });

  it('leaves a turn in the background to go on when its starter has ended', async () => {
    let go = (): void => undefined;
    const w = world({
      config: team(),
      model: playing({
        work: ({ modelCall }) =>
          modelCall === 1
            ? { calls: [call('spawn', { input: 'count', background: true })] }
            : { say: 'on its way' },
        count: () =>
          new Promise<ModelStep>((resolve) => {
            go = () => {
              resolve({ say: '42' });
            };
          }),
      }),
    });
    const turn = await launched(w, lead('work'));
    expect(endsOf(w, 'lead')).toEqual(['TurnCompleted', 'open']);
    go();
    await w.quiet();
    expect(endsOf(w, 'lead')).toEqual(['TurnCompleted', 'TurnCompleted']);
    expect(all(w, turn, 'TurnSteered')).toEqual([]);
    expect(w.problems).toEqual([]);
  });

  it('brings a message to a peer of the group, as text that is not trusted', async () => {
    const w = world({
      config: team(),
      model: playing({
        work: handing('message_peer', { agent: 'peer', channel: 'webhook.support', text: 'hello' }),
        'writes to you': () => ({ say: 'hello back' }),
      }),
    });
    const turn = await launched(w, lead('work'));
    const [child = ''] = turnsOf(w, 'peer');
    expect(only(w, child, 'TurnRequested').data.input).toEqual({
      inline:
        'Agent `lead` writes to you on channel `webhook.support`.\n<untrusted 1 from agent:lead>\nhello\n</untrusted 1>',
    });
    expect(only(w, turn, 'ToolCallCompleted').data.isError).toBe(false);
    await w.quiet();
    expect(endsOf(w, 'peer')).toEqual(['TurnCompleted']);
  });

  it.each([
    ['failed', { fail: { message: 'no luck' } }, 'the turn of agent `helper` failed'],
    ['said nothing', { say: '' }, ''],
  ] as const)('says how the turn ended: %s', async (_, step, text) => {
    const w = world({
      config: team(),
      model: playing({
        work: handing('delegate', { agent: 'helper', input: 'count' }),
        count: () => step,
      }),
    });
    const turn = await launched(w, lead('work'));
    const { result, isError } = only(w, turn, 'ToolCallCompleted').data;
    expect('inline' in result && result.inline.startsWith(text)).toBe(true);
    expect(isError).toBe('fail' in step);
  });

  it('says that the turn was refused, which the log holds too', async () => {
    const w = world({
      config: team({ helper: { enabled: false } }),
      model: playing({ work: handing('delegate', { agent: 'helper', input: 'count' }) }),
    });
    const turn = await launched(w, lead('work'));
    const { result, isError, touched } = only(w, turn, 'ToolCallCompleted').data;
    expect([result, isError]).toEqual([{ inline: 'agent `helper` is not available' }, true]);
    expect(touched).toEqual([]);
    expect(endsOf(w, 'helper')).toEqual(['TurnRefused']);
    const refused = eventsOf(w, 'helper').at(0);
    expect([refused?.meta.parent, refused?.meta.root]).toEqual([turn, turn]);
  });
});

import { trailEntry } from '@lockstep/engine';
import type { ModelStep } from '@lockstep/engine/testing';
import { describe, expect, it } from 'vitest';
import { call, eventsOf, playing, team, turnsOf } from './family.ts';
import { all, ask, only, world, type World } from './harness.ts';

// What went wrong elsewhere in turns below a turn, once for each way to start one.

const lead = ask('work', { agent: 'lead' });

interface Way {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Whose turn it is. */
  readonly agent: 'lead' | 'helper' | 'free' | 'peer';
}
const ways: readonly (readonly [string, Way])[] = [
  ['delegate', { tool: 'delegate', args: { agent: 'helper', input: 'task' }, agent: 'helper' }],
  [
    'delegate in the background',
    {
      tool: 'delegate',
      args: { agent: 'helper', input: 'task', background: true },
      agent: 'helper',
    },
  ],
  ['spawn', { tool: 'spawn', args: { input: 'task' }, agent: 'lead' }],
  [
    'spawn in the background',
    { tool: 'spawn', args: { input: 'task', background: true }, agent: 'lead' },
  ],
];
const peerWay: readonly [string, Way] = [
  'message to a peer',
  {
    tool: 'message_peer',
    args: { agent: 'peer', channel: 'webhook.support', text: 'task' },
    agent: 'peer',
  },
];
const independentWay: readonly [string, Way] = [
  'delegate over an independent edge',
  { tool: 'delegate', args: { agent: 'free', input: 'task' }, agent: 'free' },
];

const writing: ModelStep = { calls: [call('file_write', { path: 'a.md', content: 'x' })] };

/** A lead that starts one turn, and that turn's part: it writes a file. */
const parts = ({ tool, args }: Way, task: () => ModelStep | Promise<ModelStep> = () => writing) =>
  playing({
    work: ({ modelCall }) => (modelCall === 1 ? { calls: [call(tool, args)] } : { say: 'done' }),
    task: ({ modelCall }) => (modelCall === 1 ? task() : { say: 'written' }),
  });

/** The turn below. */
const childOf = (w: World, { agent }: Way, turn: string): string =>
  turnsOf(w, agent).find((one) => one !== turn) ?? 'none';

const started = async (w: World): Promise<string> => {
  const launch = await w.turns.launch(lead);
  if (launch.kind !== 'accepted') throw new Error('not accepted');
  await w.quiet();
  await w.quiet();
  return launch.turn;
};

describe('given an agent that may not write', () => {
  it.each(ways)('lets no turn below it write for it: %s', async (_, way) => {
    const tools = { allowed: '*', denied: ['file_write'] };
    const w = world({ config: team({ lead: { tools } }), model: parts(way) });
    const turn = await started(w);
    const child = childOf(w, way, turn);
    const refused = only(w, child, 'ToolCallRefused');
    expect([refused.data.rule, refused.data.pattern]).toEqual([
      'tools.denied',
      'builtin:file_write',
    ]);
    expect(w.tools.runs).toEqual([]);
  });
});

describe('given a turn below whose agent always asks, where nobody can be asked', () => {
  const approval = { always_ask: ['file_write'], route: { on_no_approver: 'deny' } };

  it.each([...ways, independentWay, peerWay])('runs nothing unasked: %s', async (_, way) => {
    const w = world({ config: team({ [way.agent]: { approval } }), model: parts(way) });
    const turn = await started(w);
    const refused = only(w, childOf(w, way, turn), 'ToolCallRefused');
    expect(refused.data.rule).toBe('approval.route.on_no_approver');
    expect(w.tools.runs).toEqual([]);
  });
});

describe('given a turn below whose agent only reads', () => {
  // A sub-agent is the same agent, so only other agents can differ.
  const others = [...ways.filter(([, { agent }]) => agent !== 'lead'), independentWay, peerWay];

  it.each(others)('writes nothing, whatever the one that starts it may do: %s', async (_, way) => {
    const w = world({
      config: team({ [way.agent]: { autonomy: 'read_only' } }),
      model: parts(way),
    });
    const turn = await started(w);
    const refused = only(w, childOf(w, way, turn), 'ToolCallRefused');
    expect(refused.data.rule).toBe('approval.autonomy');
    expect(w.tools.runs).toEqual([]);
  });
});

describe('given a turn below that already runs', () => {
  it.each([...ways, independentWay])(
    'sees what a newer config takes away at its next call: %s',
    async (_, way) => {
      let go: (step: ModelStep) => void = () => undefined;
      const waits = (): Promise<ModelStep> =>
        new Promise((resolve) => {
          go = resolve;
        });
      const w = world({ config: team(), model: parts(way, waits) });
      const turn = await started(w);
      const tools = { allowed: '*', denied: ['file_write'] };
      w.apply(team({ version: 2, [way.agent]: { tools } }));
      await w.quiet();
      go(writing);
      await w.quiet();
      const child = childOf(w, way, turn);
      expect(only(w, child, 'PolicyNarrowed').data.config.version).toBe(2);
      expect(only(w, child, 'ToolCallRefused').data.rule).toBe('tools.denied');
      expect(w.tools.runs).toEqual([]);
    },
  );
});

describe('given two turns below that work side by side', () => {
  it('tells by its ids which of them made a call, and who stands above', async () => {
    const w = world({
      config: team({ free: { tools: { allowed: '*', denied: ['file_write'] } } }),
      model: playing({
        work: ({ modelCall }) =>
          modelCall === 1
            ? {
                calls: [
                  call('delegate', { agent: 'helper', input: 'task' }),
                  call('delegate', { agent: 'free', input: 'task' }),
                ],
              }
            : { say: 'done' },
        task: ({ modelCall }) => (modelCall === 1 ? writing : { say: 'written' }),
      }),
    });
    const turn = await started(w);
    const [helper = ''] = turnsOf(w, 'helper');
    const [free = ''] = turnsOf(w, 'free');
    const trail = [...eventsOf(w, 'helper'), ...eventsOf(w, 'free')].flatMap((event) => {
      const entry = trailEntry(event);
      if (entry?.tool !== 'builtin:file_write' || entry.verdict === null) return [];
      return [[entry.agent, entry.turn, entry.verdict, entry.rule, event.meta.parent]];
    });
    expect(trail).toEqual([
      ['helper', helper, 'allow', 'approval.autonomy', turn],
      ['free', free, 'refuse', 'tools.denied', turn],
    ]);
    expect(all(w, helper, 'ToolCallCompleted')).toHaveLength(1);
    expect(eventsOf(w, 'lead').some(({ meta }) => meta.turn !== turn)).toBe(false);
  });
});

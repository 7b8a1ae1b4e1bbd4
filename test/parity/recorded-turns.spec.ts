import { bitesOf, judgeTurn, recordTurn, type TurnEvent } from '@lockstep/engine';
import { describe, expect, it } from 'vitest';
import { ask, configWith, launched, world, type World } from '../oracle/harness.ts';

const turnOf = (w: World, turn: string) =>
  recordTurn(w.turnEvents().filter((event): event is TurnEvent => event.stream === `turn-${turn}`));

const call = (tool: string, args: unknown) => ({ tool: `builtin:${tool}`, args });

// Monitors and gate are two codes: on turns that the engine really made they must find nothing.
describe('monitors over turns that the engine recorded', () => {
  it('object to nothing when calls pass, are refused and are cut', async () => {
    const w = world({
      config: configWith({
        tools: { allowed: ['file_*'], denied: ['file_edit'] },
        budgets: { max_tool_result_chars: 100 },
        output: { max_reply_chars: 10 },
      }),
      model: ({ modelCall }) =>
        modelCall === 1
          ? { calls: [call('file_read', { path: 'a.md' }), call('time_now', {})] }
          : { say: '😀'.repeat(50) },
      run: () => '😀'.repeat(300),
    });
    const turn = turnOf(w, await launched(w, ask('read it')));
    expect(judgeTurn(turn)).toEqual([]);
    const bitten = new Set(bitesOf(turn).map(({ key }) => key));
    for (const key of [
      'tools.allowed',
      'budgets.max_tool_result_chars',
      'output.max_reply_chars',
    ] as const)
      expect(bitten).toContain(key);
  });

  it('object to nothing while a call waits for a person', async () => {
    const w = world({
      config: configWith({ approval: { always_ask: ['file_write'] } }),
      model: ({ modelCall }) =>
        modelCall === 1
          ? { calls: [call('file_write', { path: 'a.md', content: 'x' })] }
          : { say: 'done' },
    });
    const id = await launched(w, ask('write it'));
    expect(judgeTurn(turnOf(w, id))).toEqual([]);
    const request = w.turnEvents().find(({ type }) => type === 'ApprovalRequested');
    if (request?.type !== 'ApprovalRequested') throw new Error('nothing was asked');
    expect(bitesOf(turnOf(w, id)).map(({ key }) => key)).toContain('approval.always_ask');
  });
});

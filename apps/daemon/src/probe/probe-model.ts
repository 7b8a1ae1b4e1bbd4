import type { ModelOutcome, ModelPort, StartedModelCall } from '@lockstep/engine';
import type { ModelPorts } from '../adapters/models/model-ports.ts';
import type { Reply } from './attacks/attack.ts';
import type { Board } from './board.ts';
import type { Errands } from './errands.ts';

/** Stands in place of every provider: the turn of the trial plays the attack, the one that starts it does the errand, all others say
 * a word. */
export const probeModels = (board: Board, errands: Errands): ModelPorts => {
  const port: ModelPort = {
    call: async (started, { signal, onDelta }) => {
      const reply = await replyOf(board, errands, started);
      if (reply.kind === 'hang') {
        board.hanging = 'model';
        board.wake();
        await new Promise<void>((done) => {
          if (signal.aborted) done();
          signal.addEventListener('abort', done);
        });
        return cancelled;
      }
      if (reply.kind === 'say' && onDelta !== null) onDelta(reply.text);
      return outcomeOf(reply, started);
    },
  };
  return { for: () => port };
};

const replyOf = async (
  board: Board,
  errands: Errands,
  started: StartedModelCall,
): Promise<Reply> => {
  const { meta, data } = started.event;
  const { turn, agent, trigger } = meta;
  const { trial } = board;
  const done = { kind: 'say', text: 'Done.' } as const;
  if (trial === null || turn === null || agent === null) return done;
  // What a turn that plays starts below itself plays nothing.
  const isBelow = meta.chain.some((above) => board.playing.has(above));
  const isTried = agent === trial.agent && trigger === trial.trigger && !isBelow;
  errands.claim(turn, agent, trigger);
  if (isTried && !errands.isStarter(turn)) board.playing.add(turn);
  if (board.playing.has(turn)) {
    const policy = await board.policyOf(turn);
    if (policy === null) return done;
    return trial.attack.reply({ policy, step: data.modelCall, final: data.final }) ?? done;
  }
  return errands.reply(turn, agent, data.modelCall) ?? done;
};

const outcomeOf = (
  reply: Exclude<Reply, { readonly kind: 'hang' }>,
  started: StartedModelCall,
): ModelOutcome => {
  const { input } = started;
  const limit = started.event.data.maxOutputTokens;
  const most = limit === 'unlimited' ? 4_096 : limit;
  const usage = (outputTokens: number) => ({
    inputTokens: started.event.data.promptTokens,
    outputTokens: Math.min(most, outputTokens),
    cachedInputTokens: 0,
  });
  if (reply.kind === 'calls') {
    const calls = reply.calls.map(({ tool, args }, index) => ({
      call: `call_${started.event.data.modelCall}_${index + 1}`,
      alias: input.tools.find(({ id }) => id === tool)?.alias ?? tool,
      args: JSON.stringify(args),
    }));
    return { ok: true, text: '', calls, finish: 'tool_calls', usage: usage(reply.tokens ?? 8) };
  }
  if (reply.kind === 'cut')
    return { ok: true, text: 'and so on', calls: [], finish: 'length', usage: usage(most) };
  return { ok: true, text: reply.text, calls: [], finish: 'stop', usage: usage(8) };
};

const cancelled: ModelOutcome = {
  ok: false,
  kind: 'cancelled',
  status: null,
  message: 'the call was cancelled',
  retryable: false,
  retryAfterMs: null,
};

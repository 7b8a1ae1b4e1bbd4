import { describe, expect, it } from 'vitest';
import type { LockstepEvent, TurnFact } from '../events/event.ts';
import { asked, granted, modelCall, opening, started } from '../monitors/fixture/facts.ts';
import { begun, fixtureMeta, streamOf } from '../monitors/fixture/stream.ts';
import { calls, cleanFacts } from '../monitors/fixture/turn.ts';
import { turnList, type TurnListRow } from './turn-list.ts';

const fold = (events: readonly LockstepEvent[]): TurnListRow | null =>
  events.reduce<TurnListRow | null>((row, event) => turnList.fold(row, event), null);

const statusAfter = (facts: readonly TurnFact[]) => fold(streamOf(facts))?.status;

const question: TurnFact = {
  type: 'QuestionAsked',
  data: {
    question: 'q-1',
    call: 'c9',
    text: { inline: 'Which one?' },
    choices: [],
    deadline: begun,
  },
};
const askUser = started({ ...calls.read, call: 'c9', tool: 'builtin:ask_user' });

describe('the list of turns', () => {
  it('holds one row of a finished turn, with its counts', () => {
    const events = streamOf(cleanFacts());
    expect(fold(events)).toMatchObject({
      id: 't-1',
      agent: 'researcher',
      path: 'gateway',
      trigger: 'rest',
      principal: 'token:tok-1',
      person: 'ana',
      session: 's-1',
      status: 'completed',
      startedAt: events[0]?.time,
      endedAt: events.at(-1)?.time,
      configVersion: 1,
      input: 'tidy the notes',
      reply: 'All is tidy.',
      modelCalls: 2,
      allowed: 6,
      refused: 0,
      asked: 2,
      tokens: 1_900,
      cost: 400,
      pending: [],
      busy: [],
    });
  });

  it('queues an accepted message under the turn that will answer it', () => {
    const accepted: LockstepEvent = {
      id: '00000000-0000-7000-8000-000000000001',
      stream: 'session-researcher-s-1',
      revision: 1,
      position: '00000000000000000001',
      schema: 1,
      time: begun,
      meta: { ...fixtureMeta, turn: null },
      type: 'MessageAccepted',
      data: { message: 'm-1', turn: 't-1', text: { inline: 'hello' }, idempotency: null },
    };
    expect(turnList.keyOf(accepted)).toBe('t-1');
    expect(fold([accepted])).toMatchObject({ id: 't-1', status: 'queued', input: 'hello' });
    expect(fold([accepted, ...streamOf(opening())])?.status).toBe('running');
  });

  it('says waiting only when people are asked and nothing else is under way', () => {
    const request = asked(calls.fetch, 'approval.autonomy');
    expect(statusAfter([...opening(), ...request])).toBe('waiting');
    expect(statusAfter([...opening(), started(calls.read), ...request])).toBe('running');
    expect(statusAfter([...opening(), ...request, granted(calls.fetch, false)])).toBe('running');
    const both = [...request, ...asked(calls.edit, 'approval.always_ask')];
    expect(statusAfter([...opening(), ...both, granted(calls.fetch, false)])).toBe('waiting');
    expect(statusAfter([...opening(), question, askUser])).toBe('waiting');
  });

  it('keeps an unknown cost unknown', () => {
    const facts = modelCall(1, [], 'x').map((fact) =>
      fact.type === 'ModelCallCompleted'
        ? { ...fact, data: { ...fact.data, settled: { tokens: 5, cost: 'unknown' as const } } }
        : fact,
    );
    expect(fold(streamOf([...opening(), ...facts, ...modelCall(2, [], 'y')]))?.cost).toBe(
      'unknown',
    );
  });

  it('cuts the input to 200 characters, between code points', () => {
    const facts = opening().map((fact) =>
      fact.type === 'TurnRequested'
        ? { ...fact, data: { ...fact.data, input: { inline: '😀'.repeat(300) } } }
        : fact,
    );
    expect(fold(streamOf(facts))?.input).toBe('😀'.repeat(200));
  });

  it('has no row for a stream that does not say whose turn it is', () => {
    const meta = { ...fixtureMeta, agent: null, path: null, trigger: null };
    expect(fold(streamOf(modelCall(1, [], 'x'), meta))).toBeNull();
  });
});

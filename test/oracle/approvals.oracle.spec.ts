import { describe, expect, it } from 'vitest';
import type { ApprovalDecision } from '@lockstep/daemon';
import { digestOfText } from '@lockstep/policy';
import {
  all,
  ana,
  ask,
  ben,
  configWith,
  launched,
  only,
  typesOf,
  world,
  type World,
} from './harness.ts';
import { checkTurn } from './rebuild.ts';

const write = { tool: 'builtin:file_write', args: { path: 'a.md', content: 'x' } };
const asking = configWith({ approval: { auto_approve: [], timeout_secs: 60 } });

const asksOnce = (input = asking): World =>
  world({
    config: input,
    model: ({ input: { messages } }) =>
      messages.at(-1)?.role === 'tool' ? { say: 'done' } : { calls: [write] },
  });

const pendingIn = (w: World, turn: string): { id: string; revision: number; shown: string } => {
  const event = only(w, turn, 'ApprovalRequested');
  const view = event.data.view;
  return {
    id: event.data.approval,
    revision: event.revision,
    shown: 'inline' in view ? digestOfText(view.inline) : '',
  };
};

const say = (
  choice: ApprovalDecision['choice'],
  pending: { revision: number; shown: string },
  change: Partial<ApprovalDecision> = {},
): ApprovalDecision => ({
  choice,
  scope: null,
  guidance: null,
  revision: pending.revision,
  shown: pending.shown,
  ...change,
});

const finished = async (w: World, turn: string): Promise<void> => {
  await w.turns.settled(turn, new AbortController().signal);
  await checkTurn(w, turn);
};

// Who waits for a person: the inbox, the CLI, every surface that answers.
describe('given a turn that waits for a person', () => {
  it('judges an approved call again, runs it once and goes on', async () => {
    const w = asksOnce();
    const turn = await launched(w, ask('write'));
    expect((await w.turns.answer(turn))?.status).toBe('waiting');
    await checkTurn(w, turn);
    const pending = pendingIn(w, turn);
    expect((await w.turns.decide(pending.id, say('once', pending), ana)).kind).toBe('decided');
    await finished(w, turn);
    expect(typesOf(w, turn).slice(4)).toEqual([
      'ApprovalRequested',
      'ApprovalGranted',
      'ToolCallAuthorized',
      'ToolCallStarted',
      'ToolCallCompleted',
      'ModelCallStarted',
      'ModelCallCompleted',
      'TurnCompleted',
    ]);
    expect(only(w, turn, 'ToolCallAuthorized').data.by).toBe('approval');
    expect(w.tools.runs.length).toBe(1);
  });

  it('makes the guidance of a denial the result', async () => {
    const w = asksOnce();
    const turn = await launched(w, ask('write'));
    const pending = pendingIn(w, turn);
    await w.turns.decide(pending.id, say('deny', pending, { guidance: 'use b.md' }), ana);
    await finished(w, turn);
    expect(w.tools.runs).toEqual([]);
    expect(only(w, turn, 'ToolCallRefused').data.shown).toBe('use b.md');
    expect(w.model.asked[1]?.input.messages.at(-1)).toEqual({
      role: 'tool',
      call: 'm1c0',
      alias: 'file_write',
      text: 'use b.md',
      isError: true,
    });
  });

  it('refuses the call as expired when nobody decides', async () => {
    const w = asksOnce();
    const turn = await launched(w, ask('write'));
    expect(w.alarms.ringNext()).toBe(true);
    await w.quiet();
    await finished(w, turn);
    expect(typesOf(w, turn)).toContain('ApprovalExpired');
    expect(only(w, turn, 'ToolCallRefused').data.rule).toBe('approval.timeout_secs');
    expect(w.tools.runs).toEqual([]);
  });

  it('counts exactly one of many decisions and tells the others who and when', async () => {
    const w = asksOnce();
    const turn = await launched(w, ask('write'));
    const pending = pendingIn(w, turn);
    const results = await Promise.all([
      w.turns.decide(pending.id, say('once', pending), ana),
      w.turns.decide(pending.id, say('deny', pending), ben),
      w.turns.decide(pending.id, say('once', pending), ana),
    ]);
    expect(results[0].kind).toBe('decided');
    expect(results[1]).toEqual({
      kind: 'already_decided',
      by: ana,
      at: only(w, turn, 'ApprovalGranted').time,
      how: 'granted: once',
    });
    expect(results[2]).toEqual({ kind: 'repeat' });
    await finished(w, turn);
  });

  it('takes no decision on a stale revision or another view', async () => {
    const w = asksOnce();
    const turn = await launched(w, ask('write'));
    const pending = pendingIn(w, turn);
    expect(await w.turns.decide(pending.id, say('once', { ...pending, revision: 0 }), ana)).toEqual(
      { kind: 'stale_revision', revision: pending.revision },
    );
    const other = say('once', { ...pending, shown: '0'.repeat(64) });
    expect((await w.turns.decide(pending.id, other, ana)).kind).toBe('invalid');
    expect(typesOf(w, turn)).not.toContain('ApprovalGranted');
  });

  it('lets the same call of the session through without asking after `always`', async () => {
    const w = asksOnce();
    const turn = await launched(w, ask('write', { session: 'mine' }));
    const pending = pendingIn(w, turn);
    await w.turns.decide(pending.id, say('always', pending), ana);
    await finished(w, turn);
    const second = await launched(w, ask('write', { session: 'mine' }));
    await finished(w, second);
    expect(only(w, second, 'ToolCallAuthorized').data.by).toBe('grant');
    const elsewhere = await launched(w, ask('write'));
    expect((await w.turns.answer(elsewhere))?.status).toBe('waiting');
    expect(w.memory.events().filter((event) => event.type === 'GrantIssued').length).toBe(1);
  });

  it('does not hold calls that need nobody', async () => {
    const w = world({
      config: asking,
      model: ({ modelCall }) =>
        modelCall === 1
          ? { calls: [write, { tool: 'builtin:file_read', args: { path: 'b.md' } }] }
          : { say: 'done' },
    });
    const turn = await launched(w, ask('both'));
    expect(all(w, turn, 'ToolCallCompleted').map((e) => e.data.call)).toEqual(['m1c1']);
    expect((await w.turns.answer(turn))?.status).toBe('waiting');
    await checkTurn(w, turn);
  });

  it('answers a question with what the person says, among the choices', async () => {
    const w = world({
      model: ({ modelCall }) =>
        modelCall === 1
          ? {
              calls: [
                { tool: 'builtin:ask_user', args: { question: 'ok?', choices: ['yes', 'no'] } },
              ],
            }
          : { say: 'done' },
    });
    const turn = await launched(w, ask('ask me'));
    const asked = only(w, turn, 'QuestionAsked');
    const { question } = asked.data;
    const answer = (text: string) =>
      w.turns.answerQuestion(question, { text, revision: asked.revision }, ana);
    expect((await answer('maybe')).kind).toBe('invalid');
    expect((await answer('yes')).kind).toBe('decided');
    await finished(w, turn);
    expect(only(w, turn, 'ToolCallCompleted').data.result).toEqual({ inline: 'yes' });
    expect(w.tools.runs).toEqual([]);
  });
});

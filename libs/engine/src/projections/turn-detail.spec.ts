import { digestOfText } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import type { TurnFact } from '../events/event.ts';
import { fixturePolicy } from '../monitors/fixture/policy.ts';
import { alter } from '../monitors/fixture/alter.ts';
import { asked, judgedCall, opening, pathOperand, refused } from '../monitors/fixture/facts.ts';
import { streamOf } from '../monitors/fixture/stream.ts';
import { calls, cleanFacts } from '../monitors/fixture/turn.ts';
import { foldTurnDetail, turnDetail, type FoldedTurn } from './turn-detail.ts';

const outside = judgedCall('c9', 'builtin:file_write', { path: '/x' }, [
  pathOperand('/x', 'write'),
]);

describe('the detail of a turn', () => {
  it('puts each event into one line', () => {
    const facts = [...cleanFacts().slice(0, -1), refused(outside, 'workspace.workspace_only')];
    const steps = turnDetail(streamOf(facts))?.steps.map(({ tone, title }) => `${tone}: ${title}`);
    expect(steps).toEqual([
      'neutral: asked over gateway/rest',
      'neutral: policy resolved from config version 1',
      'neutral: model call 1 to scripted',
      'neutral: model answered',
      'good: allowed file_read by itself',
      'good: allowed file_write approved beforehand',
      'good: allowed mcp:files/read_text_file by itself',
      'neutral: started file_read',
      'neutral: started file_write',
      'neutral: started mcp:files/read_text_file',
      'good: done after 900 ms',
      'good: done after 900 ms',
      'good: done after 900 ms',
      'waiting: asked about http_fetch: more than the agent may do on its own',
      'waiting: asked about file_edit: always asked about',
      'good: approved from now on by ben',
      'good: allowed http_fetch by a person',
      'neutral: started http_fetch',
      'good: done after 900 ms',
      'good: approved once by ben',
      'good: allowed file_edit by a person',
      'neutral: started file_edit',
      'good: done after 900 ms',
      'neutral: model call 2 to scripted',
      'neutral: model answered',
      'good: allowed http_fetch by a standing approval',
      'neutral: started http_fetch',
      'good: done after 900 ms',
      'refused: refused file_write: outside the workspace',
    ]);
  });

  it('names the tool of a call on the steps that do not name it themselves', () => {
    const steps = turnDetail(streamOf(cleanFacts()))?.steps ?? [];
    const done = steps.find(({ type, call }) => type === 'ToolCallCompleted' && call === 'c3');
    expect(done?.tool).toBe('mcp:files/read_text_file');
  });

  it('is the same whether folded at once or event by event', () => {
    const events = streamOf(cleanFacts());
    let live: FoldedTurn | null = null;
    for (const event of events) live = foldTurnDetail(live, event);
    expect(live).toEqual(turnDetail(events));
  });

  it('says where it came from and what it started, in order', () => {
    const child = (turn: string, background?: true): TurnFact => ({
      type: 'ChildTurnLinked',
      data: { call: 'c1', child: turn, agent: 'reviewer', ...(background ? { background } : {}) },
    });
    const detail = turnDetail(streamOf([...opening(), child('t-2'), child('t-3', true)]));
    expect(detail?.origin).toEqual({ kind: 'rest', token: 'tok-1' });
    expect(detail?.chain).toEqual([]);
    expect(detail?.children.map(({ turn, background }) => [turn, background])).toEqual([
      ['t-2', false],
      ['t-3', true],
    ]);
    expect(detail?.children[0]?.event).toBe(
      detail?.steps.find(({ type }) => type === 'ChildTurnLinked')?.event,
    );
  });

  it('lists what waits for a person', () => {
    const facts = [...opening(), ...asked(calls.fetch, 'approval.autonomy')];
    expect(turnDetail(streamOf(facts))?.pendingApprovals).toEqual(['ap-c4']);
    expect(turnDetail(streamOf(cleanFacts()))?.pendingApprovals).toEqual([]);
  });

  it('reads a policy that is an artifact once it is handed in, and follows what narrows it', () => {
    const text = JSON.stringify(fixturePolicy);
    const snapshot = { artifact: digestOfText(text), bytes: text.length };
    const apart = alter(opening(), 'PolicyResolved', (d) => ({ ...d, snapshot }));
    const narrowed: TurnFact = {
      type: 'PolicyNarrowed',
      data: {
        config: { version: 2, digest: digestOfText('two') },
        snapshot: { inline: fixturePolicy },
        digest: digestOfText('narrowed'),
        keys: ['tools.denied'],
      },
    };
    expect(turnDetail(streamOf(apart))?.policy?.snapshot).toBeNull();
    const read = (digest: string) => (digest === snapshot.artifact ? text : null);
    expect(turnDetail(streamOf(apart), read)?.policy?.snapshot).toEqual(fixturePolicy);
    expect(turnDetail(streamOf([...apart, narrowed]), read)?.policy).toMatchObject({
      digest: digestOfText('narrowed'),
      config: { version: 2 },
      snapshot: fixturePolicy,
      narrowedSince: ['tools.denied'],
    });
  });
});

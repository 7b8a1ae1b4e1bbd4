import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes, type LockstepEvent } from '../events/event.ts';
import { judgedCall, pathOperand, refused } from '../monitors/fixture/facts.ts';
import { fixtureMeta, streamOf } from '../monitors/fixture/stream.ts';
import { cleanFacts } from '../monitors/fixture/turn.ts';
import { matchesTrail, trailEntry, type TrailFilter } from './agent-trail.ts';
import type { TrailEntry } from './agent-trail.view.ts';
import { otherTitles } from './titles/other-titles.ts';
import { turnTitles } from './titles/turn-titles.ts';

const outside = judgedCall('c9', 'builtin:file_write', { path: '/x' }, [
  pathOperand('/x', 'write'),
]);
const events = streamOf([...cleanFacts(), refused(outside, 'workspace.workspace_only')]);
const entries = events.map(trailEntry).filter((entry): entry is TrailEntry => entry !== null);
const found = (filter: TrailFilter) => entries.filter((entry) => matchesTrail(entry, filter));

describe('the trail of an agent', () => {
  it('tells who, over which path, what, by which rule', () => {
    const last = events.at(-1);
    expect(entries.at(-1)).toEqual({
      event: last?.id,
      type: 'ToolCallRefused',
      position: last?.position,
      agentSeq: last?.meta.agentSeq,
      at: last?.time,
      agent: 'researcher',
      path: 'gateway',
      trigger: 'rest',
      turn: 't-1',
      session: 's-1',
      principal: 'token:tok-1',
      person: 'ana',
      tone: 'refused',
      title: 'refused file_write: outside the workspace',
      detail: 'as the policy says',
      tool: 'builtin:file_write',
      verdict: 'refuse',
      rule: 'workspace.workspace_only',
      pattern: null,
      approver: null,
    });
  });

  it('has words for every event type', () => {
    expect(Object.keys({ ...turnTitles, ...otherTitles }).sort()).toEqual([...eventTypes].sort());
  });

  it('leaves out what belongs to no agent', () => {
    const stopped: LockstepEvent = {
      ...(events[0] as LockstepEvent),
      meta: { ...fixtureMeta, agent: null },
      type: 'DaemonStopped',
      data: { incarnation: 'i-1', why: 'asked' },
    };
    expect(trailEntry(stopped)).toBeNull();
  });

  it.each<[string, TrailFilter, number]>([
    ['verdict', { verdict: 'refuse' }, 1],
    ['verdict', { verdict: 'ask' }, 2],
    ['rule', { rule: 'workspace.workspace_only' }, 1],
    ['surface of a rule', { rule: 'workspace' }, 1],
    ['tool by its bare name', { tool: 'http_fetch' }, 5],
    ['tool by its id', { tool: 'mcp:files/read_text_file' }, 2],
    ['approver', { approver: 'ben' }, 2],
    ['person', { person: 'ana' }, entries.length],
    ['another person', { person: 'ben' }, 0],
    ['trigger', { trigger: 'run' }, 0],
    ['path', { path: 'gateway' }, entries.length],
    ['type', { types: ['TurnCompleted'] }, 1],
    ['text in any case', { text: 'OUTSIDE the' }, 1],
    ['time', { from: events[2]?.time, to: events[3]?.time }, 2],
    ['two conditions', { verdict: 'allow', tool: 'file_edit' }, 1],
  ])('is filtered by %s', (_, filter, count) => {
    expect(found(filter)).toHaveLength(count);
  });

  it('gives everything for no filter, and less for each more', () => {
    const filters = fc.record(
      {
        verdict: fc.constantFrom('allow', 'ask', 'refuse' as const),
        tool: fc.constantFrom('file_read', 'http_fetch'),
        text: fc.constantFrom('file', 'by', 'zzz'),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<TrailFilter>;
    fc.assert(
      fc.property(filters, filters, (a, b) => {
        expect(found({})).toHaveLength(entries.length);
        expect(found({ ...a, ...b }).length).toBeLessThanOrEqual(found(b).length);
      }),
    );
  });
});

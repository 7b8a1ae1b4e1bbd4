import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readHistory, type LockstepEvent } from '@lockstep/engine';
import { triggersByPath, type PathName } from '@lockstep/policy';
import { answererOf, type AnsweredReplay } from '../answer-replay.ts';

const historyIn = (file: string): readonly LockstepEvent[] => {
  const read = readHistory(readFileSync(new URL(file, import.meta.url), 'utf8'));
  if (!read.ok) throw new Error(read.problems[0]?.message);
  return read.events;
};

/** One path of this history did not go through the seam. */
const bypassed = historyIn('../../../../../examples/divergence/history.jsonl');
const demo = historyIn('../../../../../test/replay/fixtures/demo-loop.jsonl');

const on = (
  events: readonly LockstepEvent[],
  turn: string,
  path: PathName,
  trigger?: (typeof triggersByPath)[PathName][number],
): AnsweredReplay =>
  answererOf(events).answer(turn, 'required', {
    way: { path, trigger },
    config: null,
    timeline: false,
  });

const turnsOn = (events: readonly LockstepEvent[], path: PathName): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'TurnRequested' && event.data.path === path && event.meta.turn !== null
      ? [event.meta.turn]
      : [],
  );

const changesOf = (report: AnsweredReplay) =>
  report.outcome === 'compared'
    ? report.verdicts.map(({ tool, change, now }) => [tool, change, now?.rule ?? null])
    : report;

describe('given a path that bypassed the policy', () => {
  it.each(['gateway', 'rpc', 'loop'] as const)(
    'finds on the path %s what the policy would have refused',
    (path) => {
      const turns = turnsOn(bypassed, 'loop');
      expect(turns.length).toBe(2);
      for (const turn of turns)
        expect(changesOf(on(bypassed, turn, path))).toEqual([
          ['builtin:file_list', 'unchanged', 'approval.autonomy'],
          ['builtin:file_write', 'newly_refused', 'tools.denied'],
        ]);
    },
  );

  it('finds nothing on another path for the turns that went through it', () => {
    const turns = turnsOn(bypassed, 'gateway');
    expect(turns.length).toBe(2);
    for (const turn of turns) {
      const report = on(bypassed, turn, 'loop');
      expect(changesOf(report)).toEqual([
        ['builtin:file_list', 'unchanged', 'approval.autonomy'],
        ['builtin:file_write', 'unchanged', 'tools.denied'],
      ]);
      expect(report).toMatchObject({ now: { path: 'loop', trigger: 'run' }, horizon: null });
    }
  });

  it('says for each trigger why config has no way in there', () => {
    const [turn = ''] = turnsOn(bypassed, 'loop');
    expect(on(bypassed, turn, 'delegate')).toMatchObject({
      outcome: 'not_reachable',
      turn,
      now: { path: 'delegate', trigger: 'bounded', config: { version: 1 } },
      why: '`bounded`: no agent has an edge to agent `clerk`; `independent`: no agent has an edge to agent `clerk`',
    });
    expect(on(bypassed, turn, 'loop', 'cron')).toMatchObject({
      outcome: 'not_reachable',
      now: { path: 'loop', trigger: 'cron' },
      why: 'no job runs agent `clerk`',
    });
  });
});

describe('the turns of the demo on every path', () => {
  const all = answererOf(demo);

  it.each(Object.entries(triggersByPath))(
    'go through the adapters of %s, or are told why not',
    (path, triggers) => {
      for (const trigger of triggers)
        for (const turn of all.turns) {
          const report = all.answer(turn, 'required', {
            way: { path: path as PathName, trigger },
            config: null,
            timeline: false,
          });
          if (report.outcome === 'not_reachable') {
            expect(report.why).not.toBe('');
            continue;
          }
          expect(report).toMatchObject({ outcome: 'compared', now: { path, trigger } });
        }
    },
  );

  it('are as they were on the three triggers of the gateway', () => {
    for (const trigger of triggersByPath.gateway)
      for (const turn of all.turns) {
        const report = on(demo, turn, 'gateway', trigger);
        expect(report).toMatchObject({ outcome: 'compared', policy: [], horizon: null });
      }
  });
});

import { describe, expect, it } from 'vitest';
import {
  replayTurn,
  thisBuild,
  type Engine,
  type LockstepEvent,
  type ReplayReport,
  type TurnFact,
} from '@lockstep/engine';
import { demoEvents, turnOf } from './fixture-events.ts';

const events = demoEvents('loop');
/** A turn with an allowed, an asked and a refused call, and a reply. */
const turn = turnOf(events, 'edit the note');

const replay = (history: readonly LockstepEvent[], engine: Engine = thisBuild): ReplayReport =>
  replayTurn({ turn, events: history, end: 'required' }, engine);

/** An engine that decides as this build does and changes what it decided. */
const changed = (change: (fact: TurnFact) => TurnFact | null): Engine => ({
  ...thisBuild,
  decide: (command, state) => {
    const decision = thisBuild.decide(command, state);
    if (decision.kind !== 'record') return decision;
    const [first, ...rest] = decision.facts.flatMap((fact) => change(fact) ?? []);
    return first === undefined ? { kind: 'nothing' } : { kind: 'record', facts: [first, ...rest] };
  },
});

const revisionOf = (type: LockstepEvent['type']): number =>
  events.find((event) => event.stream === `turn-${turn}` && event.type === type)?.revision ?? -1;

const where = (report: ReplayReport) =>
  report.outcome === 'diverged'
    ? {
        at: report.at?.revision,
        type: report.at?.type,
        fields: report.fields.map((field) => field.path),
      }
    : report;

/** One event of the turn, altered. */
const edited = (
  type: LockstepEvent['type'],
  data: (known: Record<string, unknown>) => Record<string, unknown>,
): readonly LockstepEvent[] => {
  const revision = revisionOf(type);
  return events.map((event) =>
    event.stream === `turn-${turn}` && event.revision === revision
      ? ({ ...event, data: { ...event.data, ...data(event.data) } } as LockstepEvent)
      : event,
  );
};

/** The turn without one event, its revisions closed up as if it had never been there. */
const without = (type: LockstepEvent['type']): readonly LockstepEvent[] => {
  const revision = revisionOf(type);
  return events.flatMap((event) => {
    if (event.stream !== `turn-${turn}` || event.revision < revision) return [event];
    return event.revision === revision ? [] : [{ ...event, revision: event.revision - 1 }];
  });
};

// Who trusts a replay must know that it can fail: each change of the engine or of the record stands where it was made.
describe('a replay of a turn that comes out otherwise', () => {
  it('is the same with the engine and the record as they are', () => {
    expect(replay(events)).toMatchObject({ outcome: 'same', turn, ended: true });
  });

  it('names the verdict whose rule the engine changed', () => {
    const engine = changed((fact) =>
      fact.type === 'ApprovalRequested'
        ? { ...fact, data: { ...fact.data, rule: 'approval.autonomy' } }
        : fact,
    );
    expect(where(replay(events, engine))).toEqual({
      at: revisionOf('ApprovalRequested'),
      type: 'ApprovalRequested',
      fields: ['rule'],
    });
  });

  it('names the event that the engine no longer records', () => {
    const engine = changed((fact) => (fact.type === 'ToolCallStarted' ? null : fact));
    expect(where(replay(events, engine))).toMatchObject({
      at: revisionOf('ToolCallStarted'),
      type: 'ToolCallStarted',
    });
  });

  it('names the event before which the engine records another', () => {
    const engine = changed((fact) =>
      fact.type === 'ModelCallStarted'
        ? { type: 'TurnCancelled', data: { by: 'engine', why: 'seeded', activeMs: 0 } }
        : fact,
    );
    expect(where(replay(events, engine))).toEqual({
      at: 2,
      type: 'ModelCallStarted',
      fields: ['type'],
    });
  });

  it('names PolicyResolved and the setting when resolve gives another value', () => {
    const engine: Engine = {
      ...thisBuild,
      resolve: (applied, request, records) => {
        const { config } = applied;
        const tools = { ...config.risk_profiles['careful']?.tools, denied: [] };
        const risk_profiles = {
          ...config.risk_profiles,
          careful: { ...config.risk_profiles['careful'], tools },
        };
        return thisBuild.resolve(
          { ...applied, config: { ...config, risk_profiles } },
          request,
          records,
        );
      },
    };
    const report = where(replay(events, engine));
    expect(report).toMatchObject({ at: 1, type: 'PolicyResolved' });
    expect('fields' in report ? report.fields[0] : null).toBe('snapshot.inline.tools.denied[0]');
  });

  it('names the recorded verdict that was altered, with both sides', () => {
    const report = replay(edited('ApprovalRequested', () => ({ rule: 'approval.autonomy' })));
    expect(where(report)).toEqual({
      at: revisionOf('ApprovalRequested'),
      type: 'ApprovalRequested',
      fields: ['rule'],
    });
    expect(report.outcome === 'diverged' ? report.fields[0] : null).toEqual({
      path: 'rule',
      recorded: '"approval.autonomy"',
      replayed: '"approval.always_ask"',
    });
  });

  it('names the verdict whose recorded facts say otherwise', () => {
    const report = replay(
      edited('ApprovalRequested', ({ facts }) => ({
        facts: { ...(facts as object), stopped: true },
      })),
    );
    expect(where(report)).toEqual({
      at: revisionOf('ApprovalRequested'),
      type: 'ApprovalRequested',
      fields: ['type'],
    });
  });

  it('names the event that follows one that was dropped', () => {
    expect(where(replay(without('ToolCallStarted')))).toMatchObject({
      at: revisionOf('ToolCallStarted'),
      fields: ['type'],
    });
  });

  it('names the verdict that is due where none is recorded', () => {
    const report = replay(without('ToolCallAuthorized'));
    expect(where(report)).toEqual({
      at: revisionOf('ToolCallAuthorized'),
      type: 'ToolCallStarted',
      fields: [],
    });
    expect(report.outcome === 'diverged' ? report.why : null).toMatch(
      /^a verdict on the call `\w+` is due, and none is recorded$/,
    );
  });

  it('stops with the name of what the recording lacks', () => {
    const stopped = (history: readonly LockstepEvent[]) => {
      const report = replay(history);
      return report.outcome === 'stopped'
        ? { at: report.at?.revision, missing: report.missing }
        : report;
    };
    const asked = events.find(
      (event) => event.stream === `turn-${turn}` && event.type === 'ApprovalRequested',
    );
    if (asked?.type !== 'ApprovalRequested') throw new Error('no approval');
    const { spec } = asked.data.facts;
    expect(stopped(events.filter((event) => event.stream !== 'config'))).toEqual({
      at: 0,
      missing: 'config version 1',
    });
    expect(stopped(events.filter((event) => event.stream !== `artifact-${spec ?? ''}`))).toEqual({
      at: asked.revision,
      missing: `the artifact \`${spec ?? ''}\``,
    });
  });
});

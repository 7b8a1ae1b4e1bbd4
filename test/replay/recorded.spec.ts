import { describe, expect, it } from 'vitest';
import { replayer, type ReplayReport } from '@lockstep/engine';
import { demoEvents, eventsIn } from './fixture-events.ts';

const all = (events: ReturnType<typeof demoEvents>): readonly ReplayReport[] => {
  const history = replayer(events);
  return history.turns.map((turn) => history.replay(turn, 'required'));
};

// What an older build recorded is what people rely on: a later build has to come to the same events, or to say where it does not.
describe('turns that were recorded once', () => {
  it.each(['gateway', 'loop'] as const)('come out the same on the path %s', (path) => {
    const reports = all(demoEvents(path));
    expect(reports.length).toBeGreaterThan(10);
    expect(reports.filter(({ outcome }) => outcome !== 'same')).toEqual([]);
    // They were recorded when fewer settings acted: each report says so.
    expect(new Set(reports.flatMap(({ notes }) => notes ?? ['none']))).toEqual(
      new Set([
        'the policy was resolved by registry 1 and this build has registry 2: settings that did not act then were taken as recorded',
      ]),
    );
  });

  it('hold every kind of end, verdict and outcome that the demo shows', () => {
    const types = new Set(
      (['gateway', 'loop'] as const).flatMap((path) => demoEvents(path).map(({ type }) => type)),
    );
    expect(
      [...types].filter((type) => !/^(ArtifactRecorded|ConfigApplied)$/.test(type)).sort(),
    ).toEqual([
      'ApprovalDenied',
      'ApprovalExpired',
      'ApprovalGranted',
      'ApprovalRequested',
      'BudgetExhausted',
      'ContextTrimmed',
      'LoopDetected',
      'ModelCallCompleted',
      'ModelCallFailed',
      'ModelCallStarted',
      'PolicyResolved',
      'ToolCallAuthorized',
      'ToolCallCompleted',
      'ToolCallFailed',
      'ToolCallRefused',
      'ToolCallStarted',
      'TurnCompleted',
      'TurnFailed',
      'TurnRequested',
    ]);
  });

  it('name PolicyResolved where a path bypassed the policy', () => {
    const file = new URL('../../examples/divergence/history.jsonl', import.meta.url);
    const reports = all(eventsIn(file));
    const seen = reports.map((report) =>
      report.outcome === 'diverged'
        ? { at: report.at?.type, revision: report.at?.revision, field: report.fields[0] }
        : report.outcome,
    );
    const bypass = {
      at: 'PolicyResolved',
      revision: 1,
      field: {
        path: 'snapshot.inline.tools.denied[0]',
        recorded: null,
        replayed: '"builtin:file_write"',
      },
    };
    expect(seen).toEqual(['same', bypass, 'same', bypass]);
  });
});

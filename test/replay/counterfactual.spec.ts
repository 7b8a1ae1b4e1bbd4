import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  counterfactuals,
  recordingOf,
  type CounterfactualReport,
  type LockstepEvent,
} from '@lockstep/engine';
import type { AppliedConfig, Config } from '@lockstep/policy';
import { demoEvents, eventsIn, turnOf } from './fixture-events.ts';
import { whatChanged } from './same-again.ts';

const paths = ['gateway', 'loop'] as const;

const recorded = new Map(paths.map((path) => [path, demoEvents(path)]));
const eventsOf = (path: (typeof paths)[number]): readonly LockstepEvent[] =>
  recorded.get(path) ?? [];

const configOf = (events: readonly LockstepEvent[]): AppliedConfig => {
  const found = recordingOf(events).config({ version: 1, digest: null });
  if (!found.ok) throw new Error('the fixture holds no config');
  return found.value;
};

type Profile = Config['risk_profiles'][string];

/** The recorded config with each risk profile changed, as a draft. */
const drafted = (
  events: readonly LockstepEvent[],
  change: (profile: Profile) => Profile,
): AppliedConfig => {
  const applied = configOf(events);
  const risk_profiles = Object.fromEntries(
    Object.entries(applied.config.risk_profiles).map(([name, one]) => [name, change(one)]),
  );
  return { ...applied, version: 0, config: { ...applied.config, risk_profiles } };
};

const denying =
  (tool: string) =>
  (profile: Profile): Profile => {
    const { denied = [] } = profile.tools ?? {};
    return {
      ...profile,
      tools: { ...profile.tools, denied: Array.isArray(denied) ? [...denied, tool] : denied },
    };
  };

type Compared = Extract<CounterfactualReport, { outcome: 'compared' }>;

const comparedUnder = (
  events: readonly LockstepEvent[],
  config: AppliedConfig,
): readonly Compared[] => {
  const all = counterfactuals(events);
  return all.turns.map((turn) => {
    const report = all.compare(turn, 'required', { config, steps: 'all' });
    if (report.outcome !== 'compared') throw new Error(`${turn}: ${report.outcome}`);
    return report;
  });
};

describe.each(paths)('turns that were recorded on the path %s', (path) => {
  const events = eventsOf(path);

  it('are unchanged without a horizon when nothing is put in the place of what was recorded', () => {
    const all = counterfactuals(events);
    const reports = all.turns.map((turn) => all.compare(turn, 'required', { steps: 'all' }));
    expect(reports.length).toBeGreaterThan(10);
    expect(reports.flatMap((report) => whatChanged(report) ?? [])).toEqual([]);
  });

  it('are unchanged under the config that was in force', () => {
    const reports = comparedUnder(events, configOf(events));
    expect(reports.flatMap((report) => whatChanged(report) ?? [])).toEqual([]);
  });

  it('are newly refused exactly where a draft denies the one tool that was not refused', () => {
    const all = counterfactuals(events);
    const tools = new Set(
      all.turns.flatMap((turn) => {
        const report = all.compare(turn, 'required', {});
        return report.outcome === 'compared' ? report.verdicts.map(({ tool }) => tool) : [];
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...tools), (tool) => {
        for (const report of comparedUnder(events, drafted(events, denying(tool))))
          for (const one of report.verdicts.filter(({ change }) => change !== 'beyond_horizon')) {
            const refused = one.tool === tool && one.recorded.verdict !== 'refuse';
            // What is refused takes no place of a budget: a later call of the same reply may find it.
            const room = one.recorded.rule.startsWith('budgets.') && one.change === 'newly_allowed';
            const wanted = refused ? 'newly_refused' : room ? 'newly_allowed' : 'unchanged';
            expect([one.tool, one.change]).toEqual([one.tool, wanted]);
          }
      }),
      { numRuns: 6 },
    );
  });

  it('are nowhere newly refused by a draft that only widens', () => {
    const wider: fc.Arbitrary<(profile: Profile) => Profile> = fc.constantFrom(
      (profile: Profile): Profile => ({ ...profile, tools: { ...profile.tools, denied: [] } }),
      (profile: Profile): Profile => ({ ...profile, tools: { ...profile.tools, allowed: '*' } }),
      (profile: Profile): Profile => ({
        ...profile,
        approval: { ...profile.approval, always_ask: [], auto_approve: '*' },
      }),
      (profile: Profile): Profile => ({
        ...profile,
        tools: { ...profile.tools, allowed: '*' },
      }),
    );
    fc.assert(
      fc.property(wider, (change) => {
        const found = comparedUnder(events, drafted(events, change)).flatMap(({ verdicts }) =>
          verdicts.filter((one) => one.change === 'newly_refused'),
        );
        expect(found).toEqual([]);
      }),
      { numRuns: 6 },
    );
  });
});

describe('given a turn that asked a person, who said yes', () => {
  const events = eventsOf('loop');
  const turn = turnOf(events, 'edit the note');
  const under = (change: (profile: Profile) => Profile): Compared => {
    const config = drafted(events, change);
    const report = counterfactuals(events).compare(turn, 'required', { config, steps: 'all' });
    if (report.outcome !== 'compared') throw new Error(report.outcome);
    return report;
  };
  const changesOf = ({ verdicts }: Compared) =>
    verdicts.map(({ tool, recorded: was, now, change }) => [
      tool,
      was.verdict,
      now?.verdict ?? null,
      change,
    ]);

  it('goes on as it went where nobody would be asked, because the model is told the same', () => {
    const report = under((profile) => ({
      ...profile,
      approval: { ...profile.approval, always_ask: [], auto_approve: '*' },
    }));
    expect(changesOf(report)).toContainEqual([
      'builtin:file_edit',
      'ask',
      'allow',
      'newly_allowed',
    ]);
    expect(report.horizon).toBeNull();
    // The question and its answer stand on one side only.
    const alone = report.steps.filter(({ recorded: was, now }) => was !== null && now === null);
    expect(alone.map(({ recorded: was }) => was?.fact.type)).toEqual(
      expect.arrayContaining(['ApprovalRequested', 'ApprovalGranted']),
    );
    expect(
      report.verdicts.find(({ change }) => change === 'newly_allowed')?.waitedMs,
    ).not.toBeNull();
  });

  it('has its horizon at the next call of the model where the call would be refused', () => {
    const report = under(denying('builtin:file_edit'));
    expect(changesOf(report)).toContainEqual([
      'builtin:file_edit',
      'ask',
      'refuse',
      'newly_refused',
    ]);
    expect(report.horizon?.type).toBe('ModelCallStarted');
    const beyond = report.steps.filter(({ state }) => state === 'beyond_horizon');
    expect(beyond[0]?.recorded?.at).toEqual(report.horizon);
    expect(beyond.every(({ now }) => now === null)).toBe(true);
    expect(report.notes).toContainEqual(
      'the model would have been offered its tools without `builtin:file_edit`: its recorded replies were used',
    );
  });

  it('has its horizon there too where who decided could not have done so alone', () => {
    const report = under((profile) => ({
      ...profile,
      approval: { ...profile.approval, approvers_required: 2 },
    }));
    expect(changesOf(report)).toContainEqual(['builtin:file_edit', 'ask', 'ask', 'unchanged']);
    expect(report.horizon?.type).toBe('ModelCallStarted');
    expect(report.notes).toContainEqual(
      expect.stringMatching(
        /^the answer to `[^`]+` would not have counted: different people decide/,
      ),
    );
  });

  it('does not count the wait for a person as time of its work', () => {
    const report = under((profile) => ({
      ...profile,
      approval: { ...profile.approval, timeout_secs: 3600 },
    }));
    expect(report.verdicts.every(({ change }) => change === 'unchanged')).toBe(true);
    expect(report.horizon).toBeNull();
  });
});

type Runtime = Config['runtime_profiles'][string];

/** The recorded config with the budgets of each runtime profile changed, as a draft. */
const budgeted = (events: readonly LockstepEvent[], budgets: Runtime['budgets']): AppliedConfig => {
  const applied = configOf(events);
  const runtime_profiles = Object.fromEntries(
    Object.entries(applied.config.runtime_profiles).map(([name, one]) => [
      name,
      { ...one, budgets: { ...one.budgets, ...budgets } },
    ]),
  );
  return { ...applied, version: 0, config: { ...applied.config, runtime_profiles } };
};

const compared = (
  events: readonly LockstepEvent[],
  turn: string,
  config: AppliedConfig,
): Compared => {
  const report = counterfactuals(events).compare(turn, 'required', { config });
  if (report.outcome !== 'compared') throw new Error(report.outcome);
  return report;
};

describe('given settings that decide how long and how many at once', () => {
  const events = eventsOf('loop');
  const turn = turnOf(events, 'look at everything at once');

  it.each([
    ['budgets.tool_timeout_secs', { tool_timeout_secs: 1 }, '60', '1'],
    ['budgets.max_parallel_tools', { max_parallel_tools: 2 }, '4', '2'],
  ] as const)('shows %s as changed, and no verdict', (key, budgets, recorded, now) => {
    const report = compared(events, turn, budgeted(events, budgets));
    expect(report.policy).toEqual([{ key, recorded, now }]);
    expect(report.verdicts.length).toBe(5);
    expect(report.verdicts.filter(({ change }) => change !== 'unchanged')).toEqual([]);
    expect(report.horizon).toBeNull();
  });

  it('says where there would have been less time to answer than was taken', () => {
    const asked = turnOf(events, 'write without an answer');
    const shorter = drafted(events, (profile) => ({
      ...profile,
      approval: { ...profile.approval, timeout_secs: 1 },
    }));
    const report = compared(events, asked, shorter);
    expect(report.policy).toEqual([{ key: 'approval.timeout_secs', recorded: '2', now: '1' }]);
    expect(report.notes).toContain(
      'a person took longer to answer than there would have been time',
    );
  });
});

describe('given a call that a person changed to another file and let through', () => {
  it('would not have run where that file is closed, whatever the model had asked for', () => {
    const events = eventsIn(new URL('fixtures/edited-steered-cancelled.jsonl', import.meta.url));
    const turn = turnOf(events, 'write the note');
    const closing = (pattern: string): AppliedConfig =>
      drafted(events, (profile) => ({
        ...profile,
        workspace: { ...profile.workspace, forbidden_paths: [pattern] },
      }));
    const report = compared(events, turn, closing('**/other.md'));
    expect(report.horizon?.type).toBe('ModelCallStarted');
    expect(report.notes).toContainEqual(
      expect.stringMatching(
        /^the answer to `[^`]+` would not have counted: `.*other\.md` is closed/,
      ),
    );
    expect(compared(events, turn, closing('**/elsewhere.md')).horizon).toBeNull();
  });
});

import { countOf, quantile, type Histogram } from './histogram.ts';
import type { BacktestGroup, BacktestReport, ChangeCounts } from './report.ts';
import type { BacktestTally, GroupTally } from './tally.ts';

const dayMs = 86_400_000;

/** Stands for the names that a tally does not keep. No alias, tool or rule is called so. */
export const othersName = '(others)';

/** What a tally says of the draft that it was counted for. */
export const backtestReport = (
  tally: BacktestTally,
  config: BacktestReport['config'],
): BacktestReport => {
  const { turns, span, verdicts, by, changes, changed, unjudged, notes } = tally;
  return {
    config,
    span,
    turns,
    verdicts,
    by: {
      tool: groupsOf(by.tool),
      rule: groupsOf(by.rule),
      path: groupsOf(by.path),
      agent: groupsOf(by.agent),
      person: groupsOf(by.person),
    },
    approvals: approvalsOf(tally),
    changes,
    more: changed - changes.length,
    unjudged,
    notes,
  };
};

const groupsOf = ({ named, others }: GroupTally): readonly BacktestGroup[] => {
  const groups = [...named]
    .map(([name, counts]) => ({ name, counts }))
    .sort((a, b) => changesIn(b.counts) - changesIn(a.counts) || (a.name < b.name ? -1 : 1));
  const left = Object.values(others).some((count) => count > 0);
  return left ? [...groups, { name: othersName, counts: others }] : groups;
};

const changesIn = ({ newly_refused, newly_asked, newly_allowed }: ChangeCounts): number =>
  newly_refused + newly_asked + newly_allowed;

const approvalsOf = ({ asked, span, waits }: BacktestTally): BacktestReport['approvals'] => {
  const days = span === null ? 0 : (span.last - span.first) / dayMs;
  const perDay =
    days < 1 ? null : { recorded: asked.recorded / days, expected: asked.expected / days };
  return { perDay, ...asked, wait: waitOf(waits) };
};

const waitOf = (waits: Histogram): BacktestReport['approvals']['wait'] => {
  const p50 = quantile(waits, 0.5);
  const p90 = quantile(waits, 0.9);
  return p50 === null || p90 === null ? null : { p50, p90, answers: countOf(waits) };
};

/** Whether nothing came out otherwise than it was recorded. */
export const isUnchanged = (report: {
  readonly outcome: string;
  readonly horizon?: unknown;
  readonly verdicts?: readonly { readonly change: string }[];
}): boolean =>
  report.outcome === 'same' ||
  (report.outcome === 'compared' &&
    report.horizon === null &&
    (report.verdicts ?? []).every(({ change }) => change === 'unchanged'));

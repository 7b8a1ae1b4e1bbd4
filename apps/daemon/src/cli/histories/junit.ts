import { isGood, type HistoryCheck } from '../../replay/histories/verify-histories.ts';
import { escaped } from '../parity/junit.ts';
import { whatIsWrong } from './check-text.ts';

/** The checks as JUnit XML: a case for each history. */
export const junitOfChecks = (checks: readonly HistoryCheck[]): string => {
  const failures = checks.filter((check) => !isGood(check)).length;
  const counts = `tests="${checks.length}" failures="${failures}"`;
  const cases = checks.map(caseOf).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="lockstep histories" ${counts}>\n  <testsuite name="histories" ${counts}>\n${cases}  </testsuite>\n</testsuites>\n`;
};

const caseOf = (check: HistoryCheck): string => {
  const head = `    <testcase classname="histories" name="${escaped(check.file)}"`;
  if (isGood(check)) return `${head}/>\n`;
  return `${head}><failure type="${check.state}" message="${escaped(whatIsWrong(check))}"/></testcase>\n`;
};

import { isBad, type Finding } from './findings.ts';

/** The findings as JUnit XML: a suite for each agent and trigger, a case for each setting. What cannot matter is skipped with its
 * reason. */
export const junitOf = (findings: readonly Finding[], strict: boolean): string => {
  const suites = new Map<string, Finding[]>();
  for (const finding of findings) {
    const name = `${finding.agent} over ${finding.trigger}`;
    suites.set(name, [...(suites.get(name) ?? []), finding]);
  }
  const body = [...suites].map(([name, list]) => suiteOf(name, list, strict)).join('');
  const failures = findings.filter(({ state }) => isBad(state, strict)).length;
  const counts = `tests="${findings.length}" failures="${failures}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="lockstep parity" ${counts}>\n${body}</testsuites>\n`;
};

const suiteOf = (name: string, list: readonly Finding[], strict: boolean): string => {
  const failures = list.filter(({ state }) => isBad(state, strict)).length;
  const skipped = list.filter(({ state }) => isSkipped(state, strict)).length;
  const counts = `tests="${list.length}" failures="${failures}" skipped="${skipped}"`;
  const cases = list.map((finding) => caseOf(finding, strict)).join('');
  return `  <testsuite name="${escaped(name)}" ${counts}>\n${cases}  </testsuite>\n`;
};

const isSkipped = (state: string, strict: boolean): boolean =>
  state !== 'enforced' && !isBad(state, strict);

const caseOf = (finding: Finding, strict: boolean): string => {
  const { agent, path, trigger, setting, state, kind, reason } = finding;
  const head = `    <testcase classname="${escaped(`${agent}.${path}.${trigger}`)}" name="${escaped(setting)}"`;
  if (state === 'enforced') return `${head}/>\n`;
  const what = kind === null ? state : `${state} (${kind})`;
  const message = escaped(reason === null ? what : `${what}: ${reason}`);
  const inner = isBad(state, strict)
    ? `<failure type="${escaped(state)}" message="${message}"/>`
    : `<skipped message="${message}"/>`;
  return `${head}>${inner}</testcase>\n`;
};

const forms: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Characters that XML does not take are left out. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"]/g, (character) => forms[character] ?? character);

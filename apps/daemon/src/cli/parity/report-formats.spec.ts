import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parse } from 'junit2json';
import { describe, expect, it } from 'vitest';
import type { Finding } from './findings.ts';
import { junitOf } from './junit.ts';
import { sarifOf } from './sarif.ts';

const finding = (more: Partial<Finding>): Finding => ({
  agent: 'alpha',
  setting: 'tools.denied',
  path: 'gateway',
  trigger: 'rest',
  state: 'enforced',
  kind: null,
  reason: null,
  bites: 1,
  ...more,
});

/** A reason with what a format may stumble over. */
const reason = 'ran `<a href="x">` & more \u0007 in «ünïcode» \ud800';
const findings: readonly Finding[] = [
  finding({}),
  finding({ setting: 'tools.allowed', state: 'gap', kind: 'wider', reason, bites: 0 }),
  finding({ setting: 'mcp.run', state: 'n/a', reason: '`mcp.bundles` is empty', bites: 0 }),
  finding({ agent: 'beta', trigger: 'cron', path: 'loop', state: 'held', bites: 0 }),
];

describe('the JUnit report', () => {
  it('is read by a reader of that format with its suites, failures and reasons', async () => {
    const read = await parse(junitOf(findings, true));
    if (read === null || read === undefined || !('testsuite' in read))
      throw new TypeError('nothing was read');
    expect(read).toMatchObject({ name: 'lockstep parity', tests: 4, failures: 2 });
    expect(read.testsuite).toMatchObject([
      { name: 'alpha over rest', tests: 3, failures: 1, skipped: 1 },
      { name: 'beta over cron', tests: 1, failures: 1, skipped: 0 },
    ]);
    const [first] = read.testsuite ?? [];
    expect(first?.testcase).toMatchObject([
      { name: 'tools.denied', classname: 'alpha.gateway.rest' },
      {
        name: 'tools.allowed',
        failure: [
          {
            type: 'gap',
            message: 'gap (wider): ran `<a href="x">` & more  in «ünïcode» \ufffd',
          },
        ],
      },
      { name: 'mcp.run', skipped: [{ message: 'n/a: `mcp.bundles` is empty' }] },
    ]);
  });
});

interface Judge {
  (report: unknown): boolean;
  readonly errors?: readonly unknown[] | null;
}
type Validator = new (options: object) => { compile(schema: object): Judge };

/** Holds a report to the schema of SARIF 2.1.0 that the package `@microsoft/jest-sarif` carries, with the validator that it uses: the
 * schema is of draft 4. */
const judgeOf = (): Judge => {
  const packed = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/package.json');
  const file = new URL('lib/schemas/sarif-2.1.0-rtm.5.json', pathToFileURL(packed));
  const { $schema: _draft, ...schema } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly $schema: string;
  };
  const Ajv = createRequire(packed)('ajv') as Validator;
  return new Ajv({
    schemaId: 'id',
    validateSchema: false,
    unknownFormats: 'ignore',
    logger: false,
  }).compile(schema);
};

describe('the SARIF report', () => {
  const judge = judgeOf();

  it.each([
    ['what failed', findings.filter(({ state }) => state === 'gap' || state === 'held')],
    ['nothing that failed', []],
  ])('is held to be one by the schema of that format, with %s in it', (_, bad) => {
    const report = JSON.parse(sarifOf(bad, '/srv/a b/lockstep.toml')) as {
      readonly runs: readonly { readonly results: readonly unknown[] }[];
    };
    judge(report);
    expect(judge.errors ?? []).toEqual([]);
    expect(report.runs[0]?.results).toHaveLength(bad.length);
  });

  it('is not held to be one with a level that the format has not', () => {
    const text = sarifOf(findings.slice(1, 2), '/srv/lockstep.toml');
    expect(judge(JSON.parse(text.replace('"error"', '"red"')))).toBe(false);
  });
});

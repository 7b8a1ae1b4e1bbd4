// `npm run verify`: format, lint, types, build and all tests; ends with one line of counts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildConsole, buildDaemon, root } from '../.ci/setup.mjs';

let passed = 0;
let failed = 0;

const check = (name, work) => {
  const begin = Date.now();
  const ok = work();
  passed += ok ? 1 : 0;
  failed += ok ? 0 : 1;
  const secs = ((Date.now() - begin) / 1000).toFixed(1);
  process.stdout.write(`${ok ? '✓' : '✕'} ${name} (${secs} s)\n`);
};

const command = (name, args) => () =>
  spawnSync('npx', ['--no-install', name, ...args], { cwd: root, stdio: 'inherit' }).status === 0;

check('build daemon', () => (buildDaemon(), true));
check('build console', () => (buildConsole(), true));
check('format', command('prettier', ['--check', '--log-level', 'warn', '.']));
check('types of specs', command('tsc', ['-p', 'tsconfig.spec.json']));
check('types of console', command('tsc', ['-p', 'apps/console/tsconfig.json', '--noEmit']));
check('lint', command('eslint', ['.', '--max-warnings', '0']));

const folder = mkdtempSync(join(tmpdir(), 'lockstep-verify-'));
const report = join(folder, 'report.json');
const begin = Date.now();
const run = spawnSync(
  'npx',
  [
    '--no-install',
    'vitest',
    'run',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
);
try {
  const told = JSON.parse(readFileSync(report, 'utf8'));
  passed += told.numPassedTests;
  failed += told.numFailedTests;
  // A file that does not load has no tests to fail, and an unhandled error fails no test: both must count.
  const broken = told.testResults.filter(
    (f) => f.status === 'failed' && f.assertionResults.length === 0,
  );
  failed += broken.length;
  const skipped = told.numPendingTests + told.numTodoTests;
  if (skipped > 0) process.stdout.write(`✕ ${skipped} skipped tests\n`);
  failed += skipped;
  if (run.status !== 0 && told.numFailedTests === 0 && broken.length === 0) failed += 1;
} catch {
  failed += 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`tests took ${((Date.now() - begin) / 1000).toFixed(0)} s\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);

// `npm test`: installs what is missing, then runs everything.
import { spawnSync } from 'node:child_process';
import {
  ensureDependencies,
  ensureSystem,
  requireNode,
  root,
  stage,
  systemPrograms,
} from './setup.mjs';

stage('node', requireNode);
stage('system', () => {
  const byHand = ensureSystem([
    systemPrograms.sandbox,
    systemPrograms.browser,
    systemPrograms.broker,
  ]);
  if (byHand === null) return undefined;
  process.stdout.write('missing\n');
  process.stderr.write(
    `lockstep: the tests need programs of the system, run \`${byHand}\` and try again\n`,
  );
  process.exit(4);
});
stage('dependencies', ensureDependencies);
const done = spawnSync(process.execPath, ['test/run.mjs'], { cwd: root, stdio: 'inherit' });
process.exit(done.status ?? 1);

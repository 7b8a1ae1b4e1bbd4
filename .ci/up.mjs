// `npm run up`: everything from a fresh clone to a running daemon and console.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import {
  buildConsole,
  buildDaemon,
  ensureDependencies,
  ensureSystem,
  requireNode,
  root,
  stage,
  systemPrograms,
} from './setup.mjs';

stage('node', requireNode);
stage('sandbox', () => {
  const byHand = ensureSystem([systemPrograms.sandbox]);
  return byHand === null
    ? 'bubblewrap'
    : `missing: sandboxed servers are refused until you run \`${byHand}\``;
});
stage('dependencies', ensureDependencies);
stage('daemon', buildDaemon);
stage('console', buildConsole);

const child = spawn(
  process.execPath,
  [join(root, 'apps/daemon/bin/lockstep.mjs'), 'up', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
// A terminal sends its signal to the whole group; one sent to this process alone is passed on.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  if (code !== null) process.exit(code);
  // Asked to stop before it listened for that is a good end; killed is not.
  if (signal === 'SIGINT' || signal === 'SIGTERM') process.exit(0);
  process.stderr.write(
    `lockstep: the daemon was ended by ${signal}, start it again, nothing that was acknowledged is lost\n`,
  );
  process.exit(4);
});

// Set-up shared by `npm run up` and `npm test`: runs before anything is installed, so it uses Node alone.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs one named stage and prints its name and time. A failing stage ends the process. */
export const stage = (name, work) => {
  const begin = Date.now();
  process.stdout.write(`• ${name} … `);
  const note = work();
  const secs = ((Date.now() - begin) / 1000).toFixed(1);
  process.stdout.write(`${note ?? 'done'} (${secs} s)\n`);
};

/** Runs a command quietly; on failure shows all it said and ends the process. */
export const run = (command, args, options = {}) => {
  const done = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  });
  if (done.status === 0) return done.stdout;
  process.stdout.write('failed\n');
  process.stderr.write(`${done.stdout ?? ''}${done.stderr ?? ''}${done.error ?? ''}\n`);
  process.stderr.write(`lockstep: \`${[command, ...args].join(' ')}\` failed\n`);
  process.exit(1);
};

export const requireNode = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return `node ${process.versions.node}`;
  process.stdout.write('too old\n');
  process.stderr.write(
    `lockstep: node ${process.versions.node} is too old, 20.19 or newer is needed\n`,
  );
  process.exit(2);
};

const onPath = (command) =>
  (process.env.PATH ?? '').split(delimiter).some((dir) => {
    try {
      accessSync(join(dir, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** Programs that come from the system, by the command that proves them and the Debian package that brings them. */
export const systemPrograms = {
  sandbox: { command: 'bwrap', debian: 'bubblewrap' },
  browser: { command: 'chromium', debian: 'chromium' },
  broker: { command: 'mosquitto', debian: 'mosquitto' },
};

/** Installs what is missing where that may be done (root on Debian or Ubuntu).
 * @returns the command that a person must run, or null when nothing is missing */
export const ensureSystem = (programs) => {
  const missing = programs.filter((p) => !onPath(p.command)).map((p) => p.debian);
  if (missing.length === 0) return null;
  const byHand = `sudo apt-get install -y ${missing.join(' ')}`;
  if (process.getuid?.() !== 0 || !onPath('apt-get')) return byHand;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
  const got = spawnSync('apt-get', ['install', '-y', '-qq', ...missing], { env, stdio: 'ignore' });
  return got.status === 0 ? null : byHand;
};

/** `npm ci` when the lock file differs from what is installed. */
export const ensureDependencies = () => {
  const stamp = join(root, 'node_modules', '.lockstep-installed');
  const want = digestOfFiles(['package-lock.json']) + process.versions.modules;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === want) return 'already there';
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stamp, want);
  return undefined;
};

export const buildDaemon = () => {
  run('npx', ['--no-install', 'tsc', '-b']);
};

/** `next build` when a source of the console, or of what it imports, changed since the last one. */
export const buildConsole = () => {
  const stamp = join(root, 'apps', 'console', '.next', '.lockstep-built');
  const want = digestOfTree(['apps/console', 'libs/policy/src', 'libs/engine/src']);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === want) return 'already there';
  run('npm', ['run', 'build', '--workspace', '@lockstep/console'], {
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
  });
  mkdirSync(join(root, 'apps', 'console', '.next'), { recursive: true });
  writeFileSync(stamp, digestOfTree(['apps/console', 'libs/policy/src', 'libs/engine/src']));
  return undefined;
};

const digestOfFiles = (names) => {
  const hash = createHash('sha256');
  for (const name of names) hash.update(name).update(readFileSync(join(root, name)));
  return hash.digest('hex');
};

const digestOfTree = (folders) => {
  const names = [];
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder)).sort()) {
      if (entry === 'node_modules' || entry === '.next' || entry === 'dist') continue;
      if (entry === 'next-env.d.ts' || entry.endsWith('.tsbuildinfo')) continue;
      const path = join(folder, entry);
      if (statSync(join(root, path)).isDirectory()) walk(path);
      else names.push(path);
    }
  };
  folders.forEach(walk);
  return digestOfFiles(['package-lock.json', ...names]);
};

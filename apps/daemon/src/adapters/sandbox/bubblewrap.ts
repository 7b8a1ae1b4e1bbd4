import { execFile } from 'node:child_process';
import { accessSync, constants, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { childPath, type ProgramPaths } from './program-paths.ts';
import type { SandboxView } from './sandbox-view.ts';

/** Whether this machine can confine a process, found out once at start. */
export type SandboxState =
  { readonly ok: true; readonly bwrap: string } | { readonly ok: false; readonly reason: string };

export interface ConfinedCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** A granted folder. */
  readonly cwd: string;
  /** Folder that relative paths of config start at. */
  readonly base: string;
  readonly network: boolean;
  /** Files and folders that stay out of sight even if config names them here: the data folder, the config, secret files. */
  readonly hidden: readonly string[];
  /** Variables that config names; nothing else reaches the process but PATH and HOME. */
  readonly env: Readonly<Record<string, string>>;
  /** What else is in sight: files that config names in the command line, or these folders alone where an agent wrote it. */
  readonly beside: 'named_files' | readonly ReadOnlyFolder[];
}

/** A folder of the machine at a place of its own inside the sandbox. */
export interface ReadOnlyFolder {
  readonly from: string;
  readonly at: string;
}

export interface Spawn {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Looks for bubblewrap and runs `true` in it: containers often forbid what it needs. */
export const probeSandbox = async (): Promise<SandboxState> => {
  const bwrap = found('bwrap', process.env['PATH'] ?? '/usr/bin:/bin');
  if (bwrap === null)
    return { ok: false, reason: 'bubblewrap is not installed (`apt-get install bubblewrap`)' };
  const args = [...isolation(false), ...system(), '--', 'true'];
  return new Promise((done) => {
    execFile(bwrap, args, { timeout: 10_000, env: {} }, (error, _, stderr) => {
      const why = stderr.trim().split('\n')[0] ?? '';
      done(
        error === null
          ? { ok: true, bwrap }
          : {
              ok: false,
              reason: `bubblewrap cannot start here: ${why === '' ? error.message : why}`,
            },
      );
    });
  });
};

/** The command line that runs a command with only these folders in sight. Variables travel in the environment, where other users
 * cannot read them, not in the arguments. */
export const confined = (
  bwrap: string,
  view: SandboxView,
  program: ProgramPaths,
  wanted: ConfinedCommand,
): Spawn => {
  const env = { PATH: childPath(program), HOME: '/tmp', ...wanted.env };
  const inherited = ['LOGNAME', 'SHELL', 'TERM', 'USER'].filter((k) => !(k in wanted.env));
  return {
    command: bwrap,
    args: [
      ...isolation(wanted.network),
      ...inherited.flatMap((name) => ['--unsetenv', name]),
      ...system(),
      ...(wanted.network ? networkFiles() : []),
      ...view.folders.flatMap((f) => [
        ...bind(f.write, f.path, f.path),
        ...(f.alias === null ? [] : bind(f.write, f.path, f.alias)),
      ]),
      ...view.maskedFolders.flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
      ...view.maskedFiles.flatMap((path) => ['--ro-bind', '/dev/null', path]),
      ...programFiles(program),
      ...(wanted.beside === 'named_files'
        ? namedFiles(program, wanted)
        : wanted.beside.flatMap(({ from, at }) => ['--ro-bind', from, at])),
      '--chdir',
      wanted.cwd,
      '--',
      wanted.command.includes('/') ? resolve(wanted.base, wanted.command) : wanted.command,
      ...wanted.args,
    ],
    env,
  };
};

const isolation = (network: boolean): readonly string[] => [
  '--unshare-all',
  ...(network ? ['--share-net'] : []),
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
];

/** The system's programs and libraries, read-only; of /etc only what the loader needs. */
const system = (): readonly string[] => [
  '--ro-bind',
  '/usr',
  '/usr',
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].flatMap(systemFolder),
  '--ro-bind-try',
  '/etc/ld.so.cache',
  '/etc/ld.so.cache',
  '--ro-bind-try',
  '/etc/alternatives',
  '/etc/alternatives',
  '--proc',
  '/proc',
  '--dev',
  '/dev',
  '--tmpfs',
  '/tmp',
];

const systemFolder = (path: string): readonly string[] => {
  try {
    return lstatSync(path).isSymbolicLink()
      ? ['--symlink', readlinkSync(path), path]
      : ['--ro-bind', path, path];
  } catch {
    return [];
  }
};

const networkFiles = (): readonly string[] =>
  [
    '/etc/resolv.conf',
    '/etc/hosts',
    '/etc/nsswitch.conf',
    '/etc/ssl/certs',
    '/usr/share/ca-certificates',
  ].flatMap((path) => ['--ro-bind-try', path, path]);

const bind = (write: boolean, from: string, to: string): readonly string[] => [
  write ? '--bind' : '--ro-bind',
  from,
  to,
];

const underSystem = (path: string): boolean => path === '/usr' || path.startsWith('/usr/');

const programFiles = (program: ProgramPaths): readonly string[] =>
  [...program.modules, program.node]
    .filter((path) => !underSystem(path))
    .flatMap((path) => ['--ro-bind', path, path]);

/** Regular files that config names as command or argument: a server that is one file outside the system's folders. */
const namedFiles = (program: ProgramPaths, wanted: ConfinedCommand): readonly string[] => {
  const command = wanted.command.includes('/')
    ? resolve(wanted.base, wanted.command)
    : found(wanted.command, childPath(program));
  const seen = [...program.modules, '/usr'];
  return [command ?? '', ...wanted.args.filter((arg) => isAbsolute(arg))]
    .filter((path) => path !== '' && isFile(path) && !isIn(seen, path))
    .filter((path) => !isIn(wanted.hidden, path) && !isIn(wanted.hidden, realpathSync(path)))
    .flatMap((path) => ['--ro-bind', realpathSync(path), path]);
};

const isIn = (places: readonly string[], path: string): boolean =>
  places.some((place) => path === place || path.startsWith(`${place}/`));

const isFile = (path: string): boolean => {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

const found = (name: string, path: string): string | null => {
  for (const folder of path.split(delimiter).filter((f) => isAbsolute(f))) {
    const at = join(folder, name);
    try {
      accessSync(at, constants.X_OK);
      if (isFile(at)) return at;
    } catch {
      continue;
    }
  }
  return null;
};

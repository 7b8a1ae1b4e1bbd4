import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { ToolFailure, ToolSays } from './tool-failure.ts';

/** A folder held open: names below it are reached through the descriptor, so nobody can exchange what lies above. */
export interface HeldFolder {
  /** Real path, as the descriptor says. */
  readonly path: string;
  /** A path that leads to a name in the held folder, whatever happens to its ancestors. */
  at(name: string): string;
  close(): void;
}

export interface HeldFile {
  readonly fd: number;
  readonly path: string;
  readonly stats: Stats;
  close(): void;
}

const linux = process.platform === 'linux';
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Opens the thing itself without its content: neither a pipe nor a device can hold the opener up. Linux only. */
const oPath = 0o10000000;

/** Opens a folder by its authorized real path, one component after the other, none of which may be a link. With `make`, missing
 * folders are made. On other systems the path and the inode are compared after opening instead.
 * @throws ToolFailure `late_swap` when the path leads elsewhere by now; ToolSays when there is no such folder */
export const holdFolder = (real: string, options: { readonly make: boolean }): HeldFolder => {
  if (!linux) return holdByComparison(real, options.make);
  let fd = openSync('/', oPath | O_DIRECTORY);
  try {
    for (const name of real.split('/').filter((part) => part !== '')) {
      const next = openChild(fd, name, options.make);
      closeSync(fd);
      fd = next;
    }
    const path = readlinkSync(`/proc/self/fd/${fd}`);
    if (path !== real) throw swapped(real);
    const held = fd;
    return {
      path,
      at: (name) => `/proc/self/fd/${held}/${name}`,
      close: () => {
        closeSync(held);
      },
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
};

/** Opens a regular file in a held folder for reading. Never waits for a pipe, never follows a link.
 * @throws ToolFailure `late_swap` for a link; ToolSays when nothing or no regular file is there */
export const holdFile = (folder: HeldFolder, name: string): HeldFile => {
  const shown = join(folder.path, name);
  const fd = linux ? reopened(folder, name, shown) : opened(folder, name, shown);
  try {
    const stats = fstatSync(fd);
    requireRegular(stats, shown);
    const path = linux ? readlinkSync(`/proc/self/fd/${fd}`) : shown;
    if (path !== shown) throw swapped(shown);
    return {
      fd,
      path,
      stats,
      close: () => {
        closeSync(fd);
      },
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
};

export const swapped = (path: string): ToolFailure =>
  new ToolFailure('late_swap', `\`${path}\` is not what was authorized any more`);

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const openChild = (fd: number, name: string, make: boolean): number => {
  const path = `/proc/self/fd/${fd}/${name}`;
  const open = (): number => openSync(path, oPath | O_DIRECTORY | O_NOFOLLOW);
  try {
    return open();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' && make) {
      mkdirSync(path);
      return open();
    }
    if (code === 'ENOENT') throw new ToolSays(`there is no folder \`${name}\``);
    // ENOTDIR is what both a link and a file answer here.
    if (code === 'ELOOP') throw swapped(name);
    if (code === 'ENOTDIR')
      throw lstatSync(path).isSymbolicLink()
        ? swapped(name)
        : new ToolSays(`\`${name}\` is not a folder`);
    throw error;
  }
};

const reopened = (folder: HeldFolder, name: string, shown: string): number => {
  const handle = openOr(() => openSync(folder.at(name), oPath | O_NOFOLLOW), shown);
  try {
    requireRegular(fstatSync(handle), shown);
    return openSync(`/proc/self/fd/${handle}`, O_RDONLY | O_NONBLOCK);
  } finally {
    closeSync(handle);
  }
};

const opened = (folder: HeldFolder, name: string, shown: string): number => {
  requireRegular(
    openOr(() => lstatSync(folder.at(name)), shown),
    shown,
  );
  return openOr(() => openSync(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK), shown);
};

const openOr = <T>(open: () => T, shown: string): T => {
  try {
    return open();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') throw new ToolSays(`there is no file \`${shown}\``);
    if (code === 'ELOOP') throw swapped(shown);
    throw error;
  }
};

const requireRegular = (stats: Stats, shown: string): void => {
  if (stats.isSymbolicLink()) throw swapped(shown);
  if (stats.isDirectory()) throw new ToolSays(`\`${shown}\` is a folder`);
  if (!stats.isFile()) throw new ToolSays(`\`${shown}\` is not a regular file`);
};

const holdByComparison = (real: string, make: boolean): HeldFolder => {
  if (make) mkdirSync(real, { recursive: true });
  const fd = openOr(() => openSync(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), real);
  const same = realpathSync(real) === real && lstatSync(real).ino === fstatSync(fd).ino;
  if (!same) {
    closeSync(fd);
    throw swapped(real);
  }
  return {
    path: real,
    at: (name) => join(real, name),
    close: () => {
      closeSync(fd);
    },
  };
};

import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { digestOfBytes } from '../tools/file-content.ts';

/** Largest file that is taken in as a row, in bytes. */
export const largestRowBytes = 32 * 1024;

export interface FoundFile {
  /** Without its ending. */
  readonly name: string;
  readonly digest: string;
  /** Null when it cannot be a row: too large, no regular file, or no UTF-8 text. */
  readonly text: string | null;
}

/** The folder of the markdown backend: one folder for each agent, one file for each row, which its owner may read and change. */
export class MemoryFolder {
  readonly #folder: string;
  /** Files that were read, by path: read again once their inode, size or time of change differs. */
  readonly #seen = new Map<string, { readonly key: string; readonly file: FoundFile }>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Files of an agent's folder. Hidden ones and those with another ending are nobody's rows. */
  list(agent: string): readonly FoundFile[] {
    const folder = this.#of(agent);
    return namesIn(folder)
      .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
      .sort()
      .flatMap((name) => {
        const file = this.#read(join(folder, name), name.slice(0, -'.md'.length));
        return file === null ? [] : [file];
      });
  }

  /** The file of a row as it stands there, or null. */
  find(agent: string, name: string): FoundFile | null {
    return this.#read(this.#path(agent, name), name);
  }

  /** Puts a file in place whole: nobody sees half of it. */
  write(agent: string, name: string, text: string): void {
    const folder = this.#of(agent);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, `.${randomUUID()}`);
    try {
      const fd = openSync(draft, 'wx', 0o600);
      try {
        writeFileSync(fd, text);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      chmodSync(draft, 0o600);
      renameSync(draft, this.#path(agent, name));
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /** Removes a file if it still is what it was. */
  remove(agent: string, name: string, digest: string): void {
    if (this.find(agent, name)?.digest === digest) rmSync(this.#path(agent, name), { force: true });
  }

  #of(agent: string): string {
    return join(this.#folder, agent);
  }

  #path(agent: string, name: string): string {
    return join(this.#of(agent), `${name}.md`);
  }

  #read(path: string, name: string): FoundFile | null {
    const key = keyOf(path);
    if (key === null) {
      this.#seen.delete(path);
      return null;
    }
    const known = this.#seen.get(path);
    if (known?.key === key) return known.file;
    const file = readAt(path, name);
    if (file !== null) this.#seen.set(path, { key, file });
    return file;
  }
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
};

/** Changes with every write, also with one that sets the time of modification back. */
const keyOf = (path: string): string | null => {
  try {
    const stats = lstatSync(path, { bigint: true });
    return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
  } catch {
    return null;
  }
};

const readAt = (path: string, name: string): FoundFile | null => {
  const none = (why: string): FoundFile => ({
    name,
    digest: digestOfBytes(Buffer.from(why)),
    text: null,
  });
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'ENOENT' ? null : none('it cannot be opened');
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return none('it is no regular file');
    if (stats.size > largestRowBytes) return none(`it is larger: ${stats.size}`);
    const bytes = readFileSync(fd);
    return { name, digest: digestOfBytes(bytes), text: textIn(bytes) };
  } finally {
    closeSync(fd);
  }
};

const textIn = (bytes: Buffer): string | null => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.trim() === '' ? null : text;
  } catch {
    return null;
  }
};

import { statfs } from 'node:fs/promises';

/** How much of the disk is used: below 90 %, from there on, or from 95 % on. */
export type DiskLevel = 'ok' | 'high' | 'full';

export interface DiskUse {
  readonly level: DiskLevel;
  /** Of what this user may write, in per cent; null = the system does not say. */
  readonly percent: number | null;
}

/** Blocks of a file system: all, and those that this user may still have. */
export type ReadDisk = (
  folder: string,
) => Promise<{ readonly blocks: number; readonly bfree: number; readonly bavail: number }>;

/** The disk that holds the data folder, looked at now and then. */
export interface DiskState {
  current(): DiskUse;
  /** Looks at once. */
  look(): Promise<DiskUse>;
  close(): void;
}

const highPercent = 90;
const fullPercent = 95;
const everyMs = 500;

/** Begins to watch a folder's disk. A disk that cannot be looked at counts as it did before. */
export const openDiskState = async (
  folder: string,
  read: ReadDisk = statfs,
): Promise<DiskState> => {
  let use: DiskUse = { level: 'ok', percent: null };
  const look = async (): Promise<DiskUse> => {
    try {
      use = useOf(await read(folder));
    } catch {
      // Not every file system answers.
    }
    return use;
  };
  await look();
  const timer = setInterval(() => void look(), everyMs).unref();
  return {
    current: () => use,
    look,
    close: () => {
      clearInterval(timer);
    },
  };
};

/** Blocks kept for the system are nobody's: what is used is measured against used and available, as `df` does. */
const useOf = ({ blocks, bfree, bavail }: Awaited<ReturnType<ReadDisk>>): DiskUse => {
  const used = blocks - bfree;
  const all = used + bavail;
  if (all <= 0) return { level: 'ok', percent: null };
  const percent = Math.floor((used / all) * 1000) / 10;
  const level = percent >= fullPercent ? 'full' : percent >= highPercent ? 'high' : 'ok';
  return { level, percent };
};

/** What is said when the disk keeps work out. */
export const diskMessage = ({ percent }: DiskUse): string =>
  `the disk of the data folder is ${percent ?? 100} % full: free some space`;

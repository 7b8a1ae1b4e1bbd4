import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** New data folders for the specs of one file, removed after the last of them. */
export const dataFolders = (): { next(): string } => {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-eventstore-'));
  let count = 0;
  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });
  return {
    next: () => {
      count += 1;
      return join(root, String(count));
    },
  };
};

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forgetReadModel } from './forget-read-model.ts';
import { openReadModelFile, readCheckpoint, writeCheckpoint } from './read-model-file.ts';
import { readModelsPath } from './read-models.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-forget-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const owner = (name: string) => ({ name, version: 1, generation: 'g' });

describe('given checkpoints of two read models', () => {
  it('takes the one that is named away, and leaves the other', () => {
    const before = openReadModelFile(readModelsPath(folder));
    for (const name of ['first', 'second'])
      writeCheckpoint(before, owner(name), { position: 7, state: null });
    before.close();
    forgetReadModel(folder, 'first');
    const after = openReadModelFile(readModelsPath(folder));
    expect(readCheckpoint(after, owner('first'))).toBeNull();
    expect(readCheckpoint(after, owner('second'))).toEqual({ position: 7, state: null });
    after.close();
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LockstepEvent, MemoryScope } from '@lockstep/engine';
import {
  fixedClock,
  memoryStore,
  plainMasker,
  sequentialIds,
  type FixedClock,
  type MemoryStore,
} from '@lockstep/engine/testing';
import { afterEach } from 'vitest';
import { createFactRecorder } from '../../record-fact.ts';
import type { MemoryService, NewRow } from './memory-service.ts';
import { openMemory } from './open-memory.ts';

/** A memory over an in-memory log, with its files in a folder of its own. */
export interface MemoryWorld {
  readonly memory: MemoryService;
  readonly log: MemoryStore;
  readonly clock: FixedClock;
  /** Holds the rows, and the folder `memory` of the markdown backend. */
  readonly folder: string;
  readonly problems: unknown[];
  events(): readonly LockstepEvent[];
}

export interface MemoryWorldOptions {
  readonly folder?: string;
  /** Events of an earlier run. */
  readonly log?: readonly LockstepEvent[];
  readonly clock?: FixedClock;
  readonly secrets?: Record<string, string>;
}

const undo: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-memory-'));
  undo.push(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

let runs = 0;

export const memoryWorld = async (options: MemoryWorldOptions = {}): Promise<MemoryWorld> => {
  runs += 1;
  const folder = options.folder ?? newFolder();
  const clock = options.clock ?? fixedClock();
  const problems: unknown[] = [];
  const log = memoryStore({
    clock,
    daemon: 'd1',
    ids: sequentialIds(`${runs}a`),
    ...(options.log === undefined ? {} : { log: options.log }),
  });
  const recorder = createFactRecorder({
    store: log.store,
    ids: sequentialIds(`${runs}b`),
    clock,
    daemon: 'd1',
    build: 'test',
  });
  const memory = await openMemory({
    file: join(folder, 'memory.db'),
    folder: join(folder, 'memory'),
    store: log.store,
    artifacts: log.artifacts,
    recorder,
    masker: plainMasker(options.secrets),
    clock,
    report: (problem) => problems.push(problem),
  });
  let open = true;
  const close = memory.close.bind(memory);
  memory.close = async () => {
    if (open) await close();
    open = false;
  };
  undo.push(() => memory.close());
  return { memory, log, clock, folder, problems, events: log.events };
};

/** A row of agent `ada` that nobody said. */
export const newRow = (change: Partial<NewRow> & Pick<NewRow, 'row' | 'text'>): NewRow => ({
  agent: 'ada',
  person: null,
  tags: [],
  turn: 't1',
  call: 'c1',
  backend: 'sqlite',
  expires: 'never',
  ...change,
});

export const storeRow = (w: MemoryWorld, row: NewRow): Promise<void> =>
  w.memory.store(row, { principal: null, agent: row.agent });

/** What a turn sees: of agent `ada`, whoever speaks. */
export const scopeOf = (change: Partial<MemoryScope> = {}): MemoryScope => ({
  backend: 'sqlite',
  agents: ['ada'],
  person: { kind: 'anyone' },
  ...change,
});

export const keeper = { agent: 'ada', retentionDays: 30, redact: true } as const;

/** Ids of the rows that a look gives, sorted. */
export const found = async (
  w: MemoryWorld,
  scope: MemoryScope,
  text: string | null,
): Promise<readonly string[]> => {
  const rows = await w.memory.recall({ keeper, scope, text, limit: 'unlimited' });
  return rows.map(({ id }) => id).sort();
};

import {
  expiryOf,
  type Artifacts,
  type Clock,
  type Content,
  type DataOf,
  type EventStore,
  type Fact,
  type LockstepEvent,
  type Masker,
  type Memory,
  type MemoryQuery,
  type RecalledRow,
} from '@lockstep/engine';
import type { FactContext, FactRecorder } from '../../record-fact.ts';
import type { MemoryDb, MemoryRow } from './memory-db.ts';
import { changeOf, contentOf, recalledRows } from './row-texts.ts';
import type { MemoryFolder } from './memory-folder.ts';
import { outsideChanges, type OutsideChange } from './outside-changes.ts';
import { encodeRow, rowFileDigest } from './memory-file.ts';

export interface MemoryParts {
  readonly db: MemoryDb;
  readonly folder: MemoryFolder;
  readonly store: EventStore;
  readonly artifacts: Artifacts;
  readonly recorder: FactRecorder;
  readonly masker: Pick<Masker, 'mask'>;
  readonly clock: Clock;
  /** Told of what should not happen and stops nothing. */
  readonly report: (problem: unknown) => void;
}

/** A row on its way into memory. Its text is masked. */
export interface NewRow extends Pick<
  DataOf<'MemoryStored'>,
  'row' | 'agent' | 'person' | 'tags' | 'turn' | 'call' | 'backend' | 'expires'
> {
  readonly text: string;
}

const types = ['MemoryStored', 'MemoryForgotten', 'MemoryImported'] as const;
const pageSize = 512;
/** Rows that one sweep forgets at most. */
export const sweepLimit = 200;

/** The rows of memory: every change is an event first, the rows follow from it before the writer goes on. Work on them is done one
 * after the other. */
export class MemoryService implements Memory {
  readonly #parts: MemoryParts;
  #last: Promise<unknown> = Promise.resolve();
  /** Something was recorded and may not be folded yet. */
  #behind = true;

  constructor(parts: MemoryParts) {
    this.#parts = parts;
  }

  /** Folds what the log holds and the rows do not. */
  catchUp(): Promise<void> {
    return this.#inTurn(() => this.#catchUp());
  }

  async recall(query: MemoryQuery): Promise<readonly RecalledRow[]> {
    const { scope, text, limit } = query;
    const rows = await this.#inTurn(async () => {
      await this.#upToDate(query);
      const now = this.#parts.clock.now();
      return this.#parts.db.search(scope, text, {
        limit: limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : limit,
        now,
      });
    });
    return recalledRows(rows, this.#parts.artifacts);
  }

  /** One row, if it is in scope. */
  find(query: Omit<MemoryQuery, 'text' | 'limit'>, id: string): Promise<MemoryRow | null> {
    return this.#inTurn(async () => {
      await this.#upToDate(query);
      return this.#parts.db.find(query.scope, id, this.#parts.clock.now());
    });
  }

  /** Resolves when the row can be recalled. A row of this id that is there already is not stored again.
   * @throws LogUnavailableError when the log takes no writes */
  store({ text, ...row }: NewRow, context: FactContext): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#behind) await this.#catchUp();
      if (this.#parts.db.has(row.row)) return;
      const content = await contentOf(text, this.#parts.artifacts);
      await this.#record(
        row.agent,
        [{ type: 'MemoryStored', data: { ...row, text: content } }],
        context,
      );
    });
  }

  /** Resolves with whether there was such a row. */
  forget(forgotten: DataOf<'MemoryForgotten'>, context: FactContext): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#behind) await this.#catchUp();
      if (!this.#parts.db.has(forgotten.row)) return false;
      await this.#record(forgotten.agent, [{ type: 'MemoryForgotten', data: forgotten }], context);
      return true;
    });
  }

  /** Forgets rows that are past their time, the oldest first. Resolves with how many. */
  sweep(): Promise<number> {
    return this.#inTurn(async () => {
      if (this.#behind) await this.#catchUp();
      const rows = this.#parts.db.expired(this.#parts.clock.now(), sweepLimit);
      for (const agent of new Set(rows.map((row) => row.agent))) {
        const expired = rows.filter((row) => row.agent === agent);
        const facts = expired.map((row): Fact => ({
          type: 'MemoryForgotten',
          data: { row: row.id, agent, why: 'expired', by: 'retention' },
        }));
        await this.#record(agent, facts, { principal: null, agent });
      }
      return rows.length;
    });
  }

  /** Resolves when nothing is at work; the rows cannot be used any more. */
  close(): Promise<void> {
    return this.#inTurn(() => {
      this.#parts.db.close();
      return Promise.resolve();
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #upToDate({ scope, keeper }: Pick<MemoryQuery, 'scope' | 'keeper'>): Promise<void> {
    if (this.#behind) await this.#catchUp();
    if (scope.backend !== 'markdown') return;
    for (const agent of scope.agents) await this.#takeIn(agent, keeper);
  }

  async #record(agent: string, facts: readonly Fact[], context: FactContext): Promise<void> {
    const [first, ...rest] = facts;
    if (first === undefined) return;
    this.#behind = true;
    await this.#parts.recorder.record(`memory-${agent}`, [first, ...rest], context);
    await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    const { db, store, artifacts } = this.#parts;
    for (let end = false; !end;) {
      const page = await store.readAll({
        after: db.position,
        limit: pageSize,
        filter: { types: [...types] },
      });
      const changes = [];
      for (const event of page.events)
        changes.push(await changeOf(event as MemoryEvent, artifacts));
      db.fold(changes, page.next);
      end = page.end;
    }
    this.#behind = false;
    this.#writeFiles();
  }

  /** Brings the files of the markdown backend in line with the rows. A file that somebody changed is left for `#takeIn` to find. */
  #writeFiles(): void {
    const { db, folder, report } = this.#parts;
    try {
      for (const row of db.unwritten()) {
        const standing = folder.find(row.agent, row.id);
        const digest = rowFileDigest(row);
        if (standing === null || standing.digest === row.found)
          folder.write(row.agent, row.id, encodeRow(row));
        db.written(row.id, digest);
      }
      for (const { id, agent, file } of db.gone()) {
        folder.remove(agent, id, file);
        db.removed(id);
      }
    } catch (error) {
      // The rows stand in the log; their files are tried again with the next change.
      report(error);
    }
  }

  /** Records what changed in an agent's folder before anything of it is used. A new file becomes a row when its own agent looks. */
  async #takeIn(agent: string, keeper: MemoryQuery['keeper']): Promise<void> {
    const { db, folder, report } = this.#parts;
    const found = outsideChanges(folder.list(agent), {
      agent,
      rows: db.fileRows(agent),
      gone: db.gone().filter((file) => file.agent === agent),
      has: (id) => db.has(id),
    });
    for (const { name, why } of found.unreadable)
      report(new Error(`\`${name}.md\` in the memory of \`${agent}\` was not taken in: ${why}`));
    const changes = found.changes.filter((one) => one.kind !== 'new' || agent === keeper.agent);
    for (const change of changes)
      await this.#record(agent, [await this.#factOf(agent, change, keeper)], {
        principal: null,
        agent,
      });
    for (const { name, digest } of [...changes.flatMap(leftOver), ...found.leftOver])
      folder.remove(agent, name, digest);
  }

  async #factOf(
    agent: string,
    change: OutsideChange,
    { redact, retentionDays }: MemoryQuery['keeper'],
  ): Promise<Fact> {
    const { artifacts, masker, clock } = this.#parts;
    if (change.kind === 'removed')
      return {
        type: 'MemoryForgotten',
        data: { row: change.row, agent, why: 'removed_outside', by: 'file' },
      };
    const mask = (text: string): string =>
      masker.mask(text.toWellFormed(), { formats: redact, agent }).text;
    const text: Content = await contentOf(mask(change.text), artifacts);
    const common = {
      row: change.row,
      agent,
      text,
      tags: change.tags.map(mask),
      backend: 'markdown',
      found: change.digest,
    } as const;
    const data =
      change.kind === 'new'
        ? {
            ...common,
            person: null,
            expected: null,
            expires: expiryOf(retentionDays, clock.now()),
          }
        : {
            ...common,
            person: change.before.person,
            expected: change.before.file,
            expires: change.before.expires ?? ('never' as const),
          };
    return { type: 'MemoryImported', data };
  }
}

type MemoryEvent = Extract<LockstepEvent, { type: (typeof types)[number] }>;

/** A new file stands under the name of its row from then on. */
const leftOver = (change: OutsideChange): readonly { name: string; digest: string }[] =>
  change.kind === 'new' && change.name !== change.row
    ? [{ name: change.name, digest: change.digest }]
    : [];

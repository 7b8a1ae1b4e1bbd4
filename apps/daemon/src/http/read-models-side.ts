import { rm } from 'node:fs/promises';
import {
  approvalsInbox,
  jobList,
  matchesTrail,
  numberOf,
  parityCell,
  parityMatrix,
  parityView,
  positionOf,
  trailEntry,
  turnDetail,
  sopRuns,
  turnList,
  type Artifacts,
  type EventStore,
  type InboxRow,
  type JobRow,
  type LockstepEvent,
  type ParityCellDetail,
  type ParityQuery,
  type ParityView,
  type SopRunRow,
  type TrailEntry,
  type TurnDetail,
  type TurnEvent,
  type TurnRow,
} from '@lockstep/engine';
import { triggersByPath, type PathName, type SettingKey } from '@lockstep/policy';
import { z } from 'zod';
import { forgetReadModel } from '../store/read-models/forget-read-model.ts';
import { CursorError } from '../store/read-models/row-cursor.ts';
import {
  openReadModels,
  readModelsPath,
  type ReadModels,
} from '../store/read-models/read-models.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { ProblemError } from './problem.ts';
import type { Page, ProjectionStatus, ReadSide, SeenAgents } from './read-side.ts';
import type { TrailQuery } from './schemas/agent.schema.ts';
import type { ApprovalQuery } from './schemas/approval.schema.ts';
import type { SopRunQuery } from './schemas/work.schema.ts';
import type { TurnQuery } from './schemas/turn.schema.ts';

/** The ways that this build can start a turn: all there are. */
const matrix = parityMatrix({ supportedTriggers: Object.values(triggersByPath).flat() });
const versions = new Map(
  [matrix, turnList, approvalsInbox, jobList, sopRuns].map(({ name, version }) => [name, version]),
);

const parityQueryOf = (agent: string | null, version: number | undefined): ParityQuery => ({
  ...(agent === null ? {} : { agent }),
  ...(version === undefined ? {} : { configVersion: version }),
});

/** How long a reader waits for the read models to reach the end of the log. */
const freshMs = 1000;
/** How far back one request looks for entries of a trail: so many windows of so many positions. */
const trailWindow = 2000;
const trailWindows = 50;

const decidedStates = ['granted', 'denied', 'expired', 'closed', 'answered'];

/** The read models of the data folder, as the routes want them. */
export class ReadModelsSide implements ReadSide {
  readonly #folder: string;
  readonly #store: EventStore;
  readonly #artifacts: Artifacts;
  #models: ReadModels;
  #changing: Promise<void> = Promise.resolve();

  constructor(parts: {
    readonly folder: string;
    readonly store: EventStore;
    readonly artifacts: Artifacts;
  }) {
    this.#folder = parts.folder;
    this.#store = parts.store;
    this.#artifacts = parts.artifacts;
    this.#models = this.#open();
  }

  async turns(query: TurnQuery, seen: SeenAgents): Promise<Page<TurnRow>> {
    const agent = agentCondition(query.agent, seen);
    const { path, trigger, status, session, parent } = query;
    const given = { path, trigger, status, session, parent };
    const where = Object.fromEntries(
      Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    );
    const models = await this.#fresh();
    return page(() =>
      models.rows(turnList, {
        where: { ...where, ...agent },
        orderBy: 'started',
        direction: 'descending',
        limit: query.limit,
        cursor: query.cursor ?? null,
      }),
    );
  }

  async turn(id: string): Promise<TurnDetail | null> {
    const events = (await this.#store.readStream(`turn-${id}`)).filter(isOfTurn);
    if (events.length > 0) {
      const texts = await this.#snapshots(events);
      return turnDetail(events, (digest) => texts.get(digest) ?? null);
    }
    const row = (await this.#fresh()).row(turnList, id);
    if (row === null) return null;
    const nothing = { policy: null, steps: [], pendingApprovals: [], origin: null };
    return { row, ...nothing, chain: row.parent === null ? [] : [row.parent], children: [] };
  }

  async approvals(query: ApprovalQuery, seen: SeenAgents): Promise<Page<InboxRow>> {
    const agent = agentCondition(query.agent, seen);
    const state = query.state === 'pending' ? ['pending'] : decidedStates;
    const models = await this.#fresh();
    return page(() =>
      models.rows(approvalsInbox, {
        where: { ...agent, ...(query.state === 'all' ? {} : { state }) },
        orderBy: 'asked',
        // Who waits longest stands first; a history begins with the newest.
        direction: query.state === 'pending' ? 'ascending' : 'descending',
        limit: query.limit,
        cursor: query.cursor ?? null,
      }),
    );
  }

  async approval(id: string): Promise<InboxRow | null> {
    return (await this.#fresh()).row(approvalsInbox, id);
  }

  async job(name: string): Promise<JobRow | null> {
    return (await this.#fresh()).row(jobList, name);
  }

  async sopRuns(query: SopRunQuery, seen: SeenAgents): Promise<Page<SopRunRow>> {
    const { sop, status } = query;
    const models = await this.#fresh();
    return page(() =>
      models.rows(sopRuns, {
        where: {
          ...agentCondition(query.agent, seen),
          ...(sop === undefined ? {} : { sop }),
          ...(status === undefined ? {} : { status }),
        },
        orderBy: 'started',
        direction: 'descending',
        limit: query.limit,
        cursor: query.cursor ?? null,
      }),
    );
  }

  async sopRun(id: string): Promise<SopRunRow | null> {
    return (await this.#fresh()).row(sopRuns, id);
  }

  async parity(agent: string | null, version?: number): Promise<ParityView> {
    const models = await this.#fresh();
    return parityView(models.state(matrix), parityQueryOf(agent, version));
  }

  async parityCell(
    setting: SettingKey,
    path: PathName,
    agent: string | null = null,
    version?: number,
  ): Promise<ParityCellDetail> {
    const state = (await this.#fresh()).state(matrix);
    return parityCell(state, setting, path, parityQueryOf(agent, version));
  }

  /** Newest first, straight from the log: windows of it, backwards, until enough was found. */
  async trail(agent: string, query: TrailQuery): Promise<Page<TrailEntry>> {
    const from = decodeCursor(query.cursor, z.int().min(1));
    let before = from ?? numberOf(await this.#store.head()) + 1;
    const items: TrailEntry[] = [];
    for (let n = 0; n < trailWindows && before > 1 && items.length < query.limit; n += 1) {
      const lower = Math.max(0, before - 1 - trailWindow);
      const events = await this.#window(agent, lower, before);
      before = lower + 1;
      for (const event of events.reverse()) {
        const entry = trailEntry(event);
        if (entry === null || !matchesTrail(entry, query)) continue;
        items.push(entry);
        if (items.length < query.limit) continue;
        before = numberOf(event.position);
        break;
      }
    }
    return { items, next: before > 1 ? encodeCursor(before) : null };
  }

  async status(): Promise<readonly ProjectionStatus[]> {
    await this.#changing;
    const status = await this.#models.status();
    return status.map((one) => ({ ...one, version: versions.get(one.name) ?? 0 }));
  }

  async rebuild(name: string | null): Promise<void> {
    if (name !== null && !versions.has(name))
      throw new ProblemError(
        'not_found',
        `there is no read model \`${name}\`, name one of ${[...versions.keys()].join(', ')}`,
      );
    this.#changing = this.#changing.then(async () => {
      await this.#models.close();
      if (name === null) await this.#removeFile();
      else forgetReadModel(this.#folder, name);
      this.#models = this.#open();
    });
    await this.#changing;
  }

  async close(): Promise<void> {
    await this.#changing;
    await this.#models.close();
  }

  async #removeFile(): Promise<void> {
    const path = readModelsPath(this.#folder);
    for (const end of ['', '-wal', '-shm']) await rm(`${path}${end}`, { force: true });
  }

  #open(): ReadModels {
    return openReadModels({
      folder: this.#folder,
      store: this.#store,
      projections: [matrix],
      keyed: [turnList, approvalsInbox, jobList, sopRuns],
    });
  }

  /** A reader sees what was acknowledged before it asked, unless the read models are far behind. */
  async #fresh(): Promise<ReadModels> {
    await this.#changing;
    const head = await this.#store.head();
    if (head !== 'start') await this.#models.waitFor(head, freshMs);
    return this.#models;
  }

  /** Events of one agent with positions above `lower` and below `before`, oldest first. */
  async #window(agent: string, lower: number, before: number): Promise<LockstepEvent[]> {
    const read = await this.#store.readAll({
      after: lower === 0 ? 'start' : positionOf(lower),
      limit: trailWindow,
      filter: { agent },
    });
    return read.events.filter((event) => numberOf(event.position) < before);
  }

  async #snapshots(events: readonly TurnEvent[]): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>();
    for (const event of events) {
      if (event.type !== 'PolicyResolved' && event.type !== 'PolicyNarrowed') continue;
      const { snapshot } = event.data;
      if (!('artifact' in snapshot)) continue;
      const text = await this.#artifacts.get(snapshot.artifact);
      if (text !== null) texts.set(snapshot.artifact, text);
    }
    return texts;
  }
}

const isOfTurn = (event: LockstepEvent): event is TurnEvent => event.stream.startsWith('turn-');

const agentCondition = (
  wanted: string | undefined,
  seen: SeenAgents,
): { readonly agent?: readonly string[] } => {
  if (wanted === undefined) return seen === 'all' ? {} : { agent: seen };
  return { agent: seen === 'all' || seen.includes(wanted) ? [wanted] : [] };
};

const page = <T>(
  read: () => { readonly rows: readonly T[]; readonly next: string | null },
): Page<T> => {
  try {
    const { rows, next } = read();
    return { items: rows, next };
  } catch (thrown) {
    if (!(thrown instanceof CursorError)) throw thrown;
    throw new ProblemError('invalid_body', thrown.message, {
      errors: [{ path: 'cursor', message: 'not a cursor of this list' }],
    });
  }
};

import type { Artifacts, EventStore, Ledger, NewMeta, OpenTurn, TurnState } from '@lockstep/engine';
import {
  canonicalJson,
  inheritedNarrowings,
  type Narrowing,
  type Origin,
  type ResolveRecords,
} from '@lockstep/policy';
import type { CurrentConfig } from '../config/current-config.port.ts';
import { narrowTurn } from './narrow-turn.ts';
import { readTurn } from './past-turns.ts';
import { skillNarrowings } from './skill-narrowings.ts';

/** Records that an origin names. */
export interface FoundRecords {
  readonly records: ResolveRecords;
  /** What they were read from: the same rows give the same records. Null = a turn, which may change at any time. */
  readonly rows: readonly unknown[] | null;
}

/** A turn that starts others, as it stands now; or why nothing may stand below it any more. */
export type ParentRecord =
  | { readonly ok: true; readonly parent: NonNullable<ResolveRecords['parent']> }
  | { readonly ok: false; readonly why: string };

interface RecordsParts {
  readonly ledger: Ledger;
  readonly config: CurrentConfig;
  readonly store: EventStore;
  readonly artifacts: Artifacts;
  /** A turn that runs here, as it stands; null = it does not. */
  readonly live: (turn: string) => { readonly state: TurnState; readonly meta: NewMeta } | null;
}

/** Finds what the log and config say of the ids that origins name. */
export class Records {
  readonly #parts: RecordsParts;

  constructor(parts: RecordsParts) {
    this.#parts = parts;
  }

  /** The records behind an origin. What is not there is left out: `resolve()` says what that means.
   * @param spawn what the starting tool's arguments take away */
  async of(origin: Origin, spawn: Narrowing): Promise<FoundRecords> {
    const { ledger } = this.#parts;
    switch (origin.kind) {
      case 'channel':
      case 'heartbeat':
      case 'run':
        return { records: {}, rows: [] };
      case 'json_rpc':
      case 'acp':
        return connectionRecord(ledger, origin.connection);
      case 'rest':
      case 'websocket':
      case 'openai':
        return tokenRecord(ledger, origin.token);
      case 'cron':
        return jobRecord(ledger, this.#parts.config, origin.job);
      case 'subagent':
      case 'delegate':
      case 'peer':
        return { records: await this.#parentOnly(origin.parent, spawn), rows: null };
      case 'sop': {
        const run = sopRunRecord(ledger, origin.run, origin.step);
        const parent = origin.parent === 'none' ? {} : await this.#parentOnly(origin.parent, spawn);
        return { records: { ...run, ...parent }, rows: null };
      }
    }
  }

  /** The records of a running turn with its parent as that stands now; all else is as it was at the start. */
  async now(
    state: OpenTurn,
  ): Promise<
    | { readonly ok: true; readonly records: ResolveRecords }
    | { readonly ok: false; readonly why: string }
  > {
    const known = state.records.parent;
    if (known === undefined) return { ok: true, records: state.records };
    const found = await this.parent(known.turn, known.spawn);
    if (found === null) return { ok: true, records: state.records };
    return found.ok ? { ok: true, records: { ...state.records, parent: found.parent } } : found;
  }

  /** A parent under the config in force: its effective policy, and all that narrowed it, then or now. Null = there is no such turn. */
  async parent(turn: string, spawn: Narrowing): Promise<ParentRecord | null> {
    const state = await this.#open(turn);
    if (state === null) return null;
    const stands = await this.#standing(state);
    if (!stands.ok) return stands;
    const { snapshot, narrowings } = stands;
    const depth = snapshot.delegation.max_depth;
    return { ok: true, parent: { turn, snapshot, narrowings, depth, spawn } };
  }

  /** Who the facts of a turn are of; null = there is no such turn. */
  async meta(turn: string): Promise<NewMeta | null> {
    const live = this.#parts.live(turn);
    if (live !== null) return live.meta;
    const [first] = await this.#parts.store.readStream(`turn-${turn}`, { limit: 1 });
    return first?.meta ?? null;
  }

  /** Whether a turn, or one that it hangs below, was cancelled or failed: then nothing may begin or go on below it. */
  async isStopped(turn: string): Promise<boolean> {
    const meta = await this.meta(turn);
    for (const one of [turn, ...(meta?.chain ?? [])]) {
      const state = this.#parts.live(one)?.state ?? (await readTurn(this.#parts, one, new Map()));
      if (state.status === 'ended' && state.end !== 'completed') return true;
    }
    return false;
  }

  async #parentOnly(turn: string, spawn: Narrowing): Promise<ResolveRecords> {
    const found = await this.parent(turn, spawn);
    return found?.ok === true ? { parent: found.parent } : {};
  }

  /** A running turn, or an ended one as it stood before its end. */
  async #open(turn: string): Promise<OpenTurn | null> {
    const state = this.#parts.live(turn)?.state ?? (await readTurn(this.#parts, turn, new Map()));
    if (state.status === 'open') return state;
    return state.status === 'ended' ? state.before : null;
  }

  async #standing(
    state: OpenTurn,
  ): Promise<Standing | { readonly ok: false; readonly why: string }> {
    const { config } = this.#parts;
    const held = inheritedNarrowings([...state.narrowings, ...skillNarrowings(state)]);
    if (config.current().version <= state.config.version)
      return { ok: true, snapshot: state.policy, narrowings: held };
    const records = await this.now(state);
    if (!records.ok) return records;
    const next = narrowTurn(state, config, records.records);
    if (next.kind === 'cancel') return { ok: false, why: next.why };
    const { snapshot, narrowings } = next.command.policy.parts;
    return { ok: true, snapshot, narrowings: joined(held, inheritedNarrowings(narrowings)) };
  }
}

interface Standing {
  readonly ok: true;
  readonly snapshot: NonNullable<ResolveRecords['parent']>['snapshot'];
  readonly narrowings: Held;
}

type Held = NonNullable<ResolveRecords['parent']>['narrowings'];

/** Both, each once: what held at the start holds on, and so does what a newer config added. */
const joined = (before: Held, now: Held): Held => {
  const known = new Set(before.map((one) => canonicalJson(one)));
  return [...before, ...now.filter((one) => !known.has(canonicalJson(one)))];
};

const tokenRecord = (ledger: Ledger, id: string): FoundRecords => {
  const row = ledger.tokenById(id);
  if (row === null) return { records: {}, rows: [row] };
  const { name, roles, scopes } = row;
  return { records: { token: { id: row.id, name, roles, scopes } }, rows: [row] };
};

const connectionRecord = (ledger: Ledger, id: string): FoundRecords => {
  const row = ledger.connection(id);
  if (row === null) return { records: {}, rows: [row] };
  return { records: { connection: { id: row.id, narrowing: row.narrowing } }, rows: [row] };
};

/** A job of config stands before one of that name that a tool made. */
const jobRecord = (ledger: Ledger, config: CurrentConfig, name: string): FoundRecords => {
  const { cron } = config.current().config;
  const fixed = Object.hasOwn(cron, name) ? cron[name] : undefined;
  if (fixed !== undefined) {
    const { agent, uses_memory: usesMemory } = fixed;
    const tools = fixed.tools === undefined ? null : patternsOf(fixed.tools);
    return {
      records: { job: { name, agent, tools, usesMemory, narrowing: {}, depth: 0 } },
      rows: [fixed],
    };
  }
  const row = ledger.job(name);
  if (row === null) return { records: {}, rows: [row] };
  const { agent, tools, usesMemory, narrowing, depth } = row;
  return { records: { job: { name, agent, tools, usesMemory, narrowing, depth } }, rows: [row] };
};

const patternsOf = (written: '*' | readonly string[]): string[] =>
  written === '*' ? ['*'] : [...written];

const sopRunRecord = (ledger: Ledger, id: string, step: string): ResolveRecords => {
  const row = ledger.sopRun(id);
  const scope = row?.scopes.find((one) => one.step === step);
  if (row === null || scope === undefined) return {};
  const { sop, narrowings, depth } = row;
  return { sopRun: { id, sop, step, scope: scope.tools, narrowings, depth } };
};

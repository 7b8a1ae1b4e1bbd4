import {
  pathNames,
  registry,
  settingKeys,
  triggersByPath,
  type PathName,
  type SettingKey,
  type Trigger,
} from '@lockstep/policy';
import { surfaceOf } from './surface-of.ts';
import {
  cellStates,
  type CellState,
  type ParityCell,
  type ParityCellDetail,
  type ParityRow,
  type ParityView,
  type TriggerCell,
} from '../parity-matrix.view.ts';
import { cellOf, evidenceIn, stateOf, type CellQuestion } from './cell.ts';
import { withOpenTurns } from './open-turns.ts';
import { laneKey, type Lane, type ParityState } from './parity-state.ts';
import { appliedConfig, latestVersion } from './surroundings.ts';

/** What of the matrix is wanted. Absent = all. */
export interface ParityQuery {
  readonly agent?: string;
  /** The matrix as this config version expects it; the latest by default. */
  readonly configVersion?: number;
  /** Only evidence seen at or after this time (ms since the epoch) counts. */
  readonly since?: number;
}

/** The matrix as it stands, open turns included. */
export const parityView = (state: ParityState, query: ParityQuery = {}): ParityView => {
  const board = boardOf(state, query);
  const rows = rowsOf(board);
  const whole = query.agent === undefined && query.configVersion === undefined;
  return {
    position: state.position,
    figure: countOf(rows.flatMap(({ cells }) => pathNames.map((path) => cells[path].state))),
    rows,
    trend: whole && query.since === undefined ? state.trend.points : [],
    missing: state.seqs.missing.filter(
      ({ agent, time }) => (query.agent ?? agent) === agent && time >= board.since,
    ),
    agents: board.agents,
    configVersions: [...state.configs.keys()].sort((a, b) => a - b),
  };
};

/** How many cells of the matrix, of those that can matter, are enforced as the turns that ended show it. */
export const figureOf = (state: ParityState): ParityView['figure'] => {
  const board = boardOf(state, {}, state.lanes);
  const states = settingKeys.flatMap((setting) =>
    pathNames.map((path) => {
      const open = triggersOf(path).filter((trigger) => state.supported.includes(trigger));
      const found = open.flatMap((trigger) =>
        board.agents.map((agent) => stateOf(question(board, agent, trigger), setting)),
      );
      return cellStates.find((known) => found.includes(known)) ?? 'n/a';
    }),
  );
  return countOf(states);
};

const countOf = (states: readonly CellState[]): ParityView['figure'] => ({
  enforced: states.filter((s) => s === 'enforced').length,
  of: states.filter((s) => s !== 'n/a').length,
});

const rowsOf = (board: Board): readonly ParityRow[] =>
  settingKeys.map((setting): ParityRow => {
    const cell = (path: PathName) => [path, pathCell(board, setting, path)] as const;
    return {
      setting,
      surface: surfaceOf(setting),
      cells: Object.fromEntries(pathNames.map(cell)) as Record<PathName, ParityCell>,
    };
  });

/** One cell with all that it rests on. */
export const parityCell = (
  state: ParityState,
  setting: SettingKey,
  path: PathName,
  query: ParityQuery = {},
): ParityCellDetail => {
  const board = boardOf(state, query);
  return {
    setting,
    path,
    explain: registry[setting].explain,
    cell: pathCell(board, setting, path),
    evidence: triggersOf(path).flatMap((trigger) =>
      board.agents.flatMap((agent) => evidenceIn(question(board, agent, trigger), setting)),
    ),
  };
};

interface Board {
  readonly state: ParityState;
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly agents: readonly string[];
  /** One question by agent and trigger: what is found for one setting is found for all. */
  readonly questions: Map<string, CellQuestion>;
  readonly version: number | null;
  readonly since: number;
}

const boardOf = (
  state: ParityState,
  query: ParityQuery,
  lanes: Board['lanes'] = withOpenTurns(state),
): Board => {
  const version = query.configVersion ?? latestVersion(state);
  const applied = version === null ? null : appliedConfig(state, version);
  const named = [
    ...Object.keys(applied?.config.agents ?? {}),
    ...[...lanes.values()].map(({ agent }) => agent),
  ];
  const known = [...new Set(named)].sort();
  const agents = query.agent === undefined ? known : [query.agent];
  return { state, lanes, agents, questions: new Map(), version, since: query.since ?? 0 };
};

const question = (board: Board, agent: string, trigger: Trigger): CellQuestion => {
  const key = laneKey(agent, trigger);
  const { state, lanes, version, since } = board;
  const found = board.questions.get(key) ?? { state, lanes, version, since, agent, trigger };
  board.questions.set(key, found);
  return found;
};

const pathCell = (board: Board, setting: SettingKey, path: PathName): ParityCell => {
  const cells = triggersOf(path).map((trigger) => {
    const cell = triggerCell(board, setting, trigger);
    return [trigger, cell] as const;
  });
  const worst = worstOf(cells.map(([, cell]) => cell));
  return {
    ...described(worst),
    since: worst.since,
    triggers: Object.fromEntries(cells),
  };
};

const triggerCell = (board: Board, setting: SettingKey, trigger: Trigger): TriggerCell => {
  if (board.version === null && board.agents.length === 0) return notHere('no config was applied');
  if (board.agents.length === 0) return notHere('config names no agent');
  const open = board.agents.map((agent) => cellOf(question(board, agent, trigger), setting));
  const worst = worstOf(open);
  const seen = open.map(({ lastSeen }) => lastSeen).filter((at) => at !== null);
  return {
    ...worst,
    turns: open.reduce((sum, { turns }) => sum + turns, 0),
    probes: open.reduce((sum, { probes }) => sum + probes, 0),
    bites: {
      live: open.reduce((sum, { bites }) => sum + bites.live, 0),
      probe: open.reduce((sum, { bites }) => sum + bites.probe, 0),
    },
    lastSeen: seen.length === 0 ? null : Math.max(...seen),
  };
};

const worstOf = (cells: readonly TriggerCell[]): TriggerCell =>
  cells.reduce(
    (worst, cell) => (rank(cell.state) < rank(worst.state) ? cell : worst),
    cells[0] ?? notHere('nothing can start this path'),
  );

const rank = (state: CellState): number => cellStates.indexOf(state);

const described = ({ state, kind, reason }: TriggerCell) => ({
  state,
  ...(kind === undefined ? {} : { kind }),
  ...(reason === undefined ? {} : { reason }),
});

const notHere = (reason: string): TriggerCell => ({
  state: 'n/a',
  reason,
  since: null,
  turns: 0,
  lastSeen: null,
  bites: { live: 0, probe: 0 },
  probes: 0,
});

const triggersOf = (path: PathName): readonly Trigger[] => triggersByPath[path];

import {
  matchesTrail,
  trailEntry,
  type LockstepEvent,
  type TrailEntry,
  type TrailFilter,
} from '@lockstep/engine';

export interface AgentRow {
  readonly alias: string;
  readonly enabled: boolean;
  readonly complete: boolean;
  readonly missing: readonly string[];
  readonly paused: boolean;
  readonly stopped: boolean;
  readonly provider: string | null;
  readonly riskProfile: string | null;
  readonly runtimeProfile: string | null;
}

export interface AgentState {
  readonly word: string;
  readonly tone: 'good' | 'waiting' | 'bad' | 'neutral';
  readonly why: string;
}

/** Whether an agent takes work, and if not, why. */
export const agentState = (agent: AgentRow): AgentState => {
  if (!agent.complete)
    return {
      word: 'incomplete',
      tone: 'bad',
      why: `config does not give it ${agent.missing.join(', ')}`,
    };
  if (!agent.enabled)
    return { word: 'disabled', tone: 'neutral', why: 'config says enabled = false' };
  if (agent.stopped) return { word: 'stopped', tone: 'bad', why: 'an emergency stop is in force' };
  if (agent.paused) return { word: 'paused', tone: 'waiting', why: 'a person paused it' };
  return { word: 'ready', tone: 'good', why: 'it takes work' };
};

/** What changes the list of agents. */
export const changesAgents = ({ type }: LockstepEvent): boolean => agentTypes.has(type);
const agentTypes: ReadonlySet<string> = new Set([
  'ConfigApplied',
  'AgentPaused',
  'AgentResumed',
  'EmergencyStopSet',
  'EmergencyStopCleared',
]);

/** The filters of a trail as they stand in the address. */
export const trailKeys = ['verdict', 'path', 'tool', 'rule', 'person', 'text'] as const;
export type TrailKey = (typeof trailKeys)[number];
export type TrailChoice = Readonly<Record<TrailKey, string | null>>;

export interface TrailPage {
  readonly items: readonly (TrailEntry & { readonly id: string })[];
  readonly next: string | null;
}

/** The daemon's page with a key for lists. */
export const withIds = <T extends { readonly items: readonly TrailEntry[] }>(page: T): T => ({
  ...page,
  items: page.items.map((entry) => ({ ...entry, id: entry.event })),
});

const filterOf = (choice: TrailChoice): TrailFilter =>
  Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== null));

/** A trail after one more event: an entry of this agent that is wanted stands first, once. */
export const foldTrail =
  (agent: string, choice: TrailChoice) =>
  (page: TrailPage, event: LockstepEvent): TrailPage => {
    if (event.meta.agent !== agent) return page;
    const newest = page.items[0]?.position ?? '';
    const entry = event.position > newest ? trailEntry(event) : null;
    if (entry === null || !matchesTrail(entry, filterOf(choice))) return page;
    return { ...page, items: [{ ...entry, id: entry.event }, ...page.items] };
  };

export interface SettingRow {
  readonly key: string;
  readonly value: string;
  readonly source: string;
  readonly name: string | null;
  readonly path: string | null;
  readonly explain: string;
}

/** Settings by surface: those in force, and those that this build has not. */
export const bySurface = (
  rows: readonly SettingRow[],
): readonly {
  readonly surface: string;
  readonly rows: readonly SettingRow[];
  readonly later: readonly SettingRow[];
}[] => {
  const surfaceOf = ({ key }: SettingRow): string => key.split('.', 1)[0] ?? key;
  return [...new Set(rows.map(surfaceOf))].map((surface) => {
    const all = rows.filter((row) => surfaceOf(row) === surface);
    return {
      surface,
      rows: all.filter(({ source }) => source !== 'later'),
      later: all.filter(({ source }) => source === 'later'),
    };
  });
};

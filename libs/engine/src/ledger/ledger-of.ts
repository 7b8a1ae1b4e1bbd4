import type { FlagRecord, Ledger, SpendingRecord } from '../ports/ledger.ts';
import { messageKey, unsettledKey } from './fold-ledger.ts';
import { dayOf, isInHour } from './fold-spending.ts';
import { askerOf } from './asker.ts';
import { rowOf, rowsOf, type LedgerState } from './ledger-state.ts';

/** The ledger's reading side over a state that the writer goes on folding: every read sees the state of that moment. */
export const ledgerOf = (state: LedgerState): Ledger => {
  const { rows } = state;
  const configsByVersion = () =>
    [...rows.configs.values()].sort((a, b) => a.data.version - b.data.version);
  return {
    openTurns: () => [...rows.openTurns.values()],
    waitingMessages: () => [...rows.waiting.values()],
    grants: (agent) => [...rows.grants.values()].filter((grant) => grant.agent === agent),
    flags: (agent) => ({
      stopped: rows.flags.has('stop') || rows.flags.has(`stop ${agent}`),
      paused: rows.flags.has(`pause ${agent}`),
    }),
    flagsOf: (turn, agent) => ({
      stopped: stopOf(state, turn, agent),
      paused: rows.flags.has(`pause ${agent}`),
    }),
    allFlags: () => [...rows.flags.values()],
    allGrants: () => [...rows.grants.values()],
    asker: (principal, origin) => askerOf(state, principal, origin),
    spending: (turn) => rows.spending.get(turn) ?? null,
    below: (turn) => below(state, turn),
    windows: (agent, now) => {
      const day = rows.days.get(agent);
      const isToday = day !== undefined && day.day >= dayOf(now);
      return {
        actions: actionsOf(state, agent, now),
        cost: isToday ? day.cost : 0,
        held: day?.held ?? 0,
      };
    },
    unknownOutcomes: () => [...rows.unsettled.values()].flat().sort((a, b) => a.since - b.since),
    session: (id) => rowOf(state, 'sessions', id) ?? null,
    sessions: () => rowsOf(state, 'sessions'),
    message: (session, message) => rowOf(state, 'messages', messageKey(session, message)) ?? null,
    sessionOfKey: (message) => rowOf(state, 'keys', message)?.session ?? null,
    approval: (id) => rows.pending.get(id) ?? rows.decided.get(id) ?? null,
    pending: () => [...rows.pending.values()],
    unsettled: (session, tool, argsDigest) =>
      rows.unsettled.get(unsettledKey(session, tool, argsDigest))?.[0]?.turn ?? null,
    tokenByHash: (hash) => rows.tokens.get(state.tokenIds.get(hash) ?? '') ?? null,
    tokenById: (id) => rows.tokens.get(id) ?? null,
    tokens: () => [...rows.tokens.values()],
    ...repliesOf(rows),
    connection: (id) => rows.connections.get(id) ?? null,
    connections: () => [...rows.connections.values()],
    ...workOf(state),
    config: (version) => rows.configs.get(String(version))?.data ?? null,
    latestConfig: () => configsByVersion().at(-1)?.data ?? null,
    configVersions: () =>
      configsByVersion().map(({ time, data: { version, digest, by, widens } }) => ({
        version,
        digest,
        time,
        by,
        widens,
      })),
  };
};

/** Jobs and procedures. */
const workOf = ({
  rows,
}: LedgerState): Pick<Ledger, 'job' | 'jobs' | 'jobTimes' | 'openJobs' | 'sopRun' | 'sopRuns'> => ({
  job: (name) => rows.jobs.get(name) ?? null,
  jobs: () => [...rows.jobs.values()],
  jobTimes: (name) => rows.jobTimes.get(name) ?? null,
  openJobs: () => [...rows.jobTimes.values()].filter(({ open }) => open !== null),
  sopRun: (id) => rows.sopRuns.get(id) ?? null,
  sopRuns: () => [...rows.sopRuns.values()],
});

/** The stop that reaches a turn: of all agents, of its own, or of one above it. */
const stopOf = ({ rows }: LedgerState, turn: string, agent: string): FlagRecord | null => {
  const found = rows.flags.get('stop') ?? rows.flags.get(`stop ${agent}`);
  if (found !== undefined) return found;
  for (let at = rows.spending.get(turn)?.parent ?? null; at !== null;) {
    const above = rows.spending.get(at);
    if (above === undefined) return null;
    const stop = rows.flags.get(`stop ${above.agent}`);
    if (stop !== undefined) return stop;
    at = above.parent;
  }
  return null;
};

const below = ({ rows }: LedgerState, turn: string): readonly SpendingRecord[] => {
  const record = rows.spending.get(turn);
  const members = rows.spending.get(record?.root ?? '')?.tree?.members ?? [];
  const inside = new Set([turn]);
  const found: SpendingRecord[] = [];
  // Members stand in the order of their start: a parent comes before its children.
  for (const id of members) {
    const member = rows.spending.get(id);
    if (member?.parent == null || !inside.has(member.parent)) continue;
    inside.add(id);
    found.push(member);
  }
  return found;
};

/** Calls less than an hour before `now`; those that the log dates later, because the clock lags behind it, count too. */
const actionsOf = ({ rows }: LedgerState, agent: string, now: number): number => {
  let sum = 0;
  for (const [key, counts] of rows.actions)
    if (key.startsWith(`${agent} `))
      for (const [second, count] of counts) if (isInHour(second, now)) sum += count;
  return sum;
};

const repliesOf = ({
  owedReplies,
}: LedgerState['rows']): Pick<Ledger, 'owedReplies' | 'owedReply'> => ({
  owedReplies: () => [...owedReplies.values()],
  owedReply: (turn) => owedReplies.get(turn) ?? null,
});

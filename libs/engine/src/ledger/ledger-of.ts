import type { Ledger } from '../ports/ledger.ts';
import { messageKey, unsettledKey } from './fold-ledger.ts';
import type { LedgerState } from './ledger-state.ts';

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
    session: (id) => rows.sessions.get(id) ?? null,
    sessions: () => [...rows.sessions.values()],
    message: (session, message) => rows.messages.get(messageKey(session, message)) ?? null,
    approval: (id) => rows.pending.get(id) ?? rows.decided.get(id) ?? null,
    pending: () => [...rows.pending.values()],
    unsettled: (session, tool, argsDigest) =>
      rows.unsettled.get(unsettledKey(session, tool, argsDigest))?.[0]?.turn ?? null,
    tokenByHash: (hash) => rows.tokens.get(state.tokenIds.get(hash) ?? '') ?? null,
    tokenById: (id) => rows.tokens.get(id) ?? null,
    tokens: () => [...rows.tokens.values()],
    owedReplies: () => [...rows.owedReplies.values()],
    owedReply: (turn) => rows.owedReplies.get(turn) ?? null,
    connection: (id) => rows.connections.get(id) ?? null,
    job: (name) => rows.jobs.get(name) ?? null,
    jobs: () => [...rows.jobs.values()],
    jobTimes: (name) => rows.jobTimes.get(name) ?? null,
    sopRun: (id) => rows.sopRuns.get(id) ?? null,
    sopRuns: () => [...rows.sopRuns.values()],
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

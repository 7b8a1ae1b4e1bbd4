import { z } from 'zod';
import { pathNameSchema } from '@lockstep/policy';
import { agentQuery } from './common.schema.ts';

/** A draft as text in the format of the config file, or a version that was in force. */
const draft = z.union([
  z.strictObject({ text: z.string().min(1).max(4_000_000) }),
  z.strictObject({ version: z.int().min(1) }),
]);

export const backtestBody = z
  .strictObject({
    config: draft,
    /** Turns from then on: an ISO date or time, or an age as `30d` (`m`, `h`, `d`, `w`). */
    since: z.string().min(2).max(40).optional(),
    agent: agentQuery,
    path: pathNameSchema.optional(),
    /** The newest so many turns. */
    limit: z.int().min(1).optional(),
  })
  .meta({ id: 'StartBacktest' });
export type BacktestBody = z.output<typeof backtestBody>;

export const backtestStartedSchema = z.strictObject({ id: z.string() }).meta({ id: 'BacktestId' });

const count = z.int().min(0);

const counts = z.strictObject({
  unchanged: count,
  newly_refused: count,
  newly_asked: count,
  newly_allowed: count,
  beyond_horizon: count,
});

const groups = z.array(z.strictObject({ name: z.string(), counts }));

const verdict = z.strictObject({
  verdict: z.enum(['allow', 'ask', 'refuse']),
  rule: z.string(),
  key: z.string().nullable(),
  why: z.string(),
});

const change = z.strictObject({
  turn: z.string(),
  call: z.string(),
  tool: z.string(),
  agent: z.string(),
  path: z.string(),
  person: z.string(),
  time: z.int(),
  position: z.string(),
  recorded: verdict,
  now: verdict,
  change: z.enum(['newly_refused', 'newly_asked', 'newly_allowed']),
});

/** What a draft would have done to the turns of the log. */
export const backtestReportSchema = z
  .strictObject({
    config: z.strictObject({ version: z.int().nullable(), digest: z.string() }),
    span: z.strictObject({ first: z.int(), last: z.int() }).nullable(),
    turns: z.strictObject({
      all: count,
      unchanged: count,
      changed: count,
      notReachable: count,
      stopped: count,
      refused: count,
    }),
    verdicts: counts,
    by: z.strictObject({ tool: groups, rule: groups, path: groups, agent: groups, person: groups }),
    approvals: z.strictObject({
      perDay: z.strictObject({ recorded: z.number(), expected: z.number() }).nullable(),
      recorded: count,
      expected: count,
      beyondHorizon: count,
      wait: z.strictObject({ p50: count, p90: count, answers: count }).nullable(),
    }),
    changes: z.array(change),
    more: count,
    unjudged: z.array(
      z.strictObject({
        turn: z.string(),
        outcome: z.enum(['not_reachable', 'stopped', 'refused']),
        why: z.string(),
        position: z.string(),
      }),
    ),
    notes: z.array(z.string()),
  })
  .meta({ id: 'BacktestReport' });

/** Turns judged so far, of how many. `all` stays as it was counted at the start. */
export const backtestProgressSchema = z
  .strictObject({ done: count, all: count })
  .meta({ id: 'BacktestProgress' });

/** A backtest. Its stream sends `progress` messages with `{ done, all }` and ends with one `end` message: this object without its
 * report. */
export const backtestSchema = z
  .strictObject({
    id: z.string(),
    state: z.enum(['running', 'done', 'failed', 'cancelled']),
    /** Ms since the epoch. */
    startedAt: z.int(),
    progress: backtestProgressSchema,
    /** Null until it is done. */
    report: backtestReportSchema.nullable(),
    /** Why it failed; null = it did not. */
    error: z.string().nullable(),
  })
  .meta({ id: 'Backtest' });

import type { ResolveRecords } from '@lockstep/policy';
import type { EventOf, EventType, LockstepEvent } from '../events/event.ts';
import { countCodePoints } from '../turn/cut-text.ts';
import type { ToolOutcome } from '../ports/tools.ts';
import { firstBackoffMs, longestBackoffMs } from '../turn/retry.ts';
import { callsOf, type OpenTurn } from '../turn/state.ts';
import {
  allFed,
  command,
  findAhead,
  idle,
  inOpenTurn,
  withFed,
  type Cursor,
  type Next,
} from './cursor.ts';

import { granted, voted } from './decisions.ts';

type Readers = {
  readonly [T in EventType]?: (cursor: Cursor, event: EventOf<T>) => Next | null;
};

/** What came from outside, as the recorded event says: the outcome of an effect, a person's word, a timer, a newer config. Null =
 * the event is the engine's own work. */
export const inputOf = (cursor: Cursor, event: LockstepEvent): Next | null => {
  const read: ((cursor: Cursor, event: never) => Next | null) | undefined = readers[event.type];
  return read?.(cursor, event as never) ?? null;
};

const modelReplied = (cursor: Cursor, event: EventOf<'ModelCallCompleted'>): Next => {
  const { text, calls, finish, usage, durationMs } = event.data;
  const { recording } = cursor;
  const next = cursor.events[cursor.at + 1];
  return withFed(
    allFed([text, ...calls.map((call) => call.args)].map((content) => recording.textOf(content))),
    ([said = '', ...args]) =>
      command({
        type: 'EndModelCall',
        now: event.time,
        outcome: {
          ok: true,
          text: said,
          calls: calls.map(({ call, alias }, i) => ({ call, alias, args: args[i] ?? '' })),
          finish,
          usage,
        },
        durationMs,
        masked: next?.type === 'TurnCompleted' ? next.data.masked : 0,
      }),
  );
};

const modelFailed = (cursor: Cursor, event: EventOf<'ModelCallFailed'>): Next =>
  inOpenTurn(cursor, (state) => {
    const { error, retryAt, durationMs, attempt } = event.data;
    if (error.kind === 'interrupted') return interrupted(event);
    const backoff = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
    const now = retryAt === null ? event.time : Math.min(event.time, retryAt - backoff);
    return command({
      type: 'EndModelCall',
      now,
      outcome: {
        ok: false,
        kind: error.kind,
        status: error.status,
        message: error.message,
        // At the last attempt nothing tells whether another would have made sense.
        retryable: retryAt !== null || attempt >= state.policy.provider.max_attempts,
        retryAfterMs: retryAt === null ? null : retryAt - now,
      },
      durationMs,
      masked: 0,
    });
  });

/** A model call that the end of a daemon cut off: it is made again at once. */
export const interrupted = (event: LockstepEvent): Next =>
  command({
    type: 'EndModelCall',
    now: event.type === 'ModelCallFailed' ? (event.data.retryAt ?? event.time) : event.time,
    outcome: { ok: false, kind: 'interrupted' },
    durationMs: 0,
    masked: 0,
  });

const toolCompleted = (
  cursor: Cursor,
  event: EventOf<'ToolCallCompleted'>,
  known: Known = {},
): Next => {
  const { call, attempt, result, isError, chars, masked, touched, durationMs } = event.data;
  return withFed(cursor.recording.textOf(result), (text) =>
    command({
      type: 'EndToolCall',
      now: event.time,
      report: {
        call,
        attempt,
        durationMs,
        // What was cut off is not recorded: only its length counts.
        outcome: {
          ok: true,
          text: `${text}${' '.repeat(Math.max(0, chars - countCodePoints(text)))}`,
          isError,
          masked,
          touched,
          ...known,
        },
      },
    }),
  );
};

type Known = Pick<Extract<ToolOutcome, { ok: true }>, 'recalled' | 'activated'>;

const known: ReadonlySet<EventType> = new Set<EventType>(['MemoryRecalled', 'SkillActivated']);

/** What a call learned stands before its outcome, in the same append. */
const learned = (cursor: Cursor): Next => {
  const event = findAhead(cursor, 'ToolCallCompleted', known);
  if (event === null) return idle('the outcome of a call that learned something is not recorded');
  const found: { -readonly [K in keyof Known]: Known[K] } = {};
  for (const one of cursor.events.slice(cursor.at, cursor.events.indexOf(event))) {
    if (one.type === 'MemoryRecalled') {
      const { query, limit, scope, rows } = one.data;
      found.recalled = { query, limit, scope, rows };
    }
    if (one.type === 'SkillActivated') {
      const { skill, bundle, digest, tools } = one.data;
      found.activated = { skill, bundle, digest, tools };
    }
  }
  return toolCompleted(cursor, event, found);
};

const recalled = (cursor: Cursor, event: EventOf<'MemoryRecalled'>): Next => {
  const { by, query, limit, scope, rows } = event.data;
  return by === 'tool'
    ? learned(cursor)
    : command({ type: 'RecallMemory', now: event.time, recalled: { query, limit, scope, rows } });
};

const toolFailed = (_: Cursor, event: EventOf<'ToolCallFailed'>): Next => {
  const { call, attempt, error, touched, durationMs } = event.data;
  const outcome = { ok: false, ...error, touched } as const;
  return command({
    type: 'EndToolCall',
    now: event.time,
    report: { call, attempt, outcome, durationMs },
  });
};

const toolUnknown = (_: Cursor, event: EventOf<'ToolCallOutcomeUnknown'>): Next => {
  const { call, attempt, why } = event.data;
  const outcome = { ok: false, kind: 'unknown', message: why, touched: [] } as const;
  return command({
    type: 'EndToolCall',
    now: event.time,
    report: { call, attempt, outcome, durationMs: 0 },
  });
};

const settled = (_: Cursor, event: EventOf<'UnknownOutcomeSettled'>): Next =>
  command({ type: 'SettleOutcome', ...event.data });

const denied = (cursor: Cursor, event: EventOf<'ApprovalDenied'>): Next => {
  const { approval, by, guidance, shown } = event.data;
  const deny = (text: string | null): Next =>
    command({
      type: 'DecideApproval',
      now: event.time,
      decision: { approval, by, choice: 'deny', guidance: text, shown, grant: null },
    });
  return guidance === null ? deny(null) : withFed(cursor.recording.textOf(guidance), deny);
};

const expired = (cursor: Cursor, event: EventOf<'ApprovalExpired' | 'QuestionExpired'>): Next =>
  inOpenTurn(cursor, (state) => {
    const { now } = event.data;
    return command({ type: 'ExpireWaits', now, startedAt: startOf(cursor, state, now) });
  });

/** When the daemon whose timer rang had started. Only a later daemon can leave waits that are past their deadline alone, for the
 * minute that people have after its start: then it started after those deadlines and before the ones that rang. */
const startOf = (cursor: Cursor, state: OpenTurn, now: number): number => {
  if (cursor.events[0]?.meta.daemon === cursor.daemon) return 0;
  const rang = new Set<string>();
  for (let i = cursor.at; i < cursor.events.length; i += 1) {
    const event = cursor.events[i];
    if (event?.type === 'ApprovalExpired' || event?.type === 'QuestionExpired')
      rang.add(event.data.call);
    else if (event?.type !== 'ToolCallRefused' && event?.type !== 'ToolCallFailed') break;
  }
  const passed = callsOf(state).flatMap((call) => {
    const deadline =
      call.status === 'pending'
        ? call.deadline
        : call.status === 'running'
          ? (call.question?.deadline ?? 'never')
          : 'never';
    return deadline !== 'never' && deadline <= now ? [{ id: call.call, deadline }] : [];
  });
  if (passed.every(({ id }) => rang.has(id))) return 0;
  return Math.min(...passed.filter(({ id }) => rang.has(id)).map(({ deadline }) => deadline));
};

const answered = (cursor: Cursor, event: EventOf<'QuestionAnswered'>): Next => {
  const { question, by, text } = event.data;
  return withFed(cursor.recording.textOf(text), (said) =>
    command({ type: 'AnswerQuestion', now: event.time, question, text: said, by }),
  );
};

const steered = (cursor: Cursor, event: EventOf<'TurnSteered'>): Next =>
  withFed(cursor.recording.textOf(event.data.text), (text) =>
    command({ type: 'Steer', text, by: event.data.by }),
  );

/** A config that refuses the turn cancels it: that is derived anew. Everybody else's word is taken as recorded. */
const cancelled = (cursor: Cursor, event: EventOf<'CancelRequested'>): Next => {
  const { by, why } = event.data;
  const [, version] = /^config version (\d+): /.exec(why) ?? [];
  return by === 'config' && version !== undefined
    ? newerConfig(cursor, { version: Number(version), digest: null })
    : command({ type: 'Cancel', now: event.time, by, why });
};

/** What the engine makes of a config that came into force while the turn ran. */
export const newerConfig = (
  cursor: Cursor,
  ref: { readonly version: number; readonly digest: string | null },
  records?: ResolveRecords,
): Next =>
  inOpenTurn(cursor, (state) =>
    withFed(cursor.recording.config(ref), (applied) => {
      const now = cursor.events[cursor.at]?.time ?? state.time.last;
      const narrowing = cursor.policies.narrowed(applied, state, records ?? state.records);
      cursor.seenConfig = Math.max(cursor.seenConfig, ref.version);
      if (narrowing.kind === 'cancel')
        return command({ type: 'Cancel', now, by: 'config', why: narrowing.why });
      const { policy, keys } = narrowing;
      return command({ type: 'NarrowTurn', policy, keys });
    }),
  );

const timedOut = (cursor: Cursor, event: EventOf<'BudgetExhausted'>): Next | null => {
  if (event.data.key !== 'budgets.turn_timeout_secs') return null;
  const { key, used, scope, cap, caps } = event.data;
  // A model call that found no room says all that it was held against.
  if (used === 'unknown' || caps !== undefined) return null;
  const told = { type: 'TimeOut', now: event.time } as const;
  const use = { key, scope, cap, reserved: 0 };
  if (scope !== cursor.turn) return command({ ...told, outside: [{ ...use, used }] });
  // What the turns below took of it is what the turn itself was not active.
  const end = cursor.events.slice(cursor.at).find((one) => one.type === 'TurnFailed');
  const own = end === undefined ? used : Math.min(used, Math.floor(end.data.activeMs / 1000));
  const outside = own === used ? [] : [{ ...use, used: used - own }];
  return command({ ...told, outside }, own * 1000);
};

const failed = (_: Cursor, event: EventOf<'TurnFailed'>): Next | null =>
  event.data.code === 'internal'
    ? command({
        type: 'Fail',
        now: event.time,
        message: event.data.message,
        ...(event.data.key === null ? {} : { key: event.data.key }),
      })
    : null;

const readers: Readers = {
  ModelCallCompleted: modelReplied,
  ModelCallFailed: modelFailed,
  MemoryRecalled: recalled,
  SkillActivated: learned,
  ToolCallCompleted: (cursor, event) => toolCompleted(cursor, event),
  ToolCallFailed: toolFailed,
  ToolCallOutcomeUnknown: toolUnknown,
  ApprovalVoted: voted,
  ApprovalGranted: granted,
  UnknownOutcomeSettled: settled,
  ApprovalDenied: denied,
  ApprovalExpired: expired,
  QuestionExpired: expired,
  QuestionAnswered: answered,
  TurnSteered: steered,
  CancelRequested: cancelled,
  PolicyNarrowed: (cursor, event) => newerConfig(cursor, event.data.config, event.data.records),
  BudgetExhausted: timedOut,
  TurnFailed: failed,
};

import { settingKeys, type SettingKey } from '@lockstep/policy';
import type { LockstepEvent, TurnFact } from '../../events/event.ts';
import type { EventRef } from '../report.ts';
import type { VerdictChange, VerdictComparison, VerdictSeen } from './report.ts';
import type { CallRecord, VerdictEvent } from './turn-index.ts';

/** A verdict as a fact that would be recorded. */
export type VerdictFact = Extract<
  TurnFact,
  { type: 'ToolCallAuthorized' | 'ToolCallRefused' | 'ApprovalRequested' }
>;

/** Whether a fact is a judgement on a call. */
export const isVerdictFact = (fact: TurnFact): fact is VerdictFact =>
  fact.type === 'ToolCallAuthorized' ||
  fact.type === 'ToolCallRefused' ||
  fact.type === 'ApprovalRequested';

/** A call as it was judged, and as it would be.
 * @param now its verdicts, oldest first; empty = it lies beyond the horizon */
export const comparedCall = (
  call: string,
  record: CallRecord,
  now: readonly VerdictFact[],
): VerdictComparison | null => {
  const [first] = record.verdicts;
  if (first === undefined) return null;
  const pair = firstDifference(
    record.verdicts.map(({ event }) => event),
    now,
  );
  const recorded = pair?.recorded ?? first.event;
  const other = pair?.now ?? now[0];
  const seen = other === undefined ? null : seenIn(other);
  return {
    call,
    tool: recorded.data.tool ?? recorded.data.alias,
    at: refOf(recorded),
    recorded: seenIn(recorded),
    now: seen,
    change: seen === null ? 'beyond_horizon' : changeOf(seenIn(recorded), seen),
    decidedBy: nameOf(record),
    waitedMs: waited(record),
  };
};

/** Where an event stands. */
export const refOf = ({ revision, id, type, time, position }: LockstepEvent): EventRef => ({
  revision,
  id,
  type,
  time,
  position,
});

interface Pair {
  readonly recorded: VerdictEvent;
  readonly now: VerdictFact;
}

/** The first pair of verdicts on a call that differ in kind. A call that is judged once more only because it then waits for a place
 * is judged as before. Null = they do not differ. */
const firstDifference = (
  recorded: readonly VerdictEvent[],
  now: readonly VerdictFact[],
): Pair | null => {
  const then = withoutRepeats(recorded);
  const other = withoutRepeats(now);
  for (let i = 0; i < Math.max(then.length, other.length); i += 1) {
    const was = then[i] ?? then.at(-1);
    const is = other[i] ?? other.at(-1);
    if (was === undefined || is === undefined) return null;
    // A question that nobody has answered yet says nothing of what comes after it.
    if ((then[i] === undefined && isAsk(was)) || (other[i] === undefined && isAsk(is))) return null;
    if (was.type !== is.type) return { recorded: was, now: is };
  }
  return null;
};

const isAsk = ({ type }: { readonly type: string }): boolean => type === 'ApprovalRequested';

const withoutRepeats = <T extends { readonly type: string }>(all: readonly T[]): readonly T[] =>
  all.filter((one, at) => one.type !== all[at - 1]?.type);

const kinds = {
  ToolCallAuthorized: 'allow',
  ApprovalRequested: 'ask',
  ToolCallRefused: 'refuse',
} as const;

const seenIn = ({ type, data }: VerdictEvent | VerdictFact): VerdictSeen => ({
  verdict: kinds[type],
  rule: data.rule,
  key: keyOf(data.rule),
  why: data.why,
});

const known: ReadonlySet<string> = new Set(settingKeys);
const isKey = (rule: string): rule is SettingKey => known.has(rule);
const keyOf = (rule: string): SettingKey | null => (isKey(rule) ? rule : null);

const changes = { refuse: 'newly_refused', ask: 'newly_asked', allow: 'newly_allowed' } as const;

const changeOf = (recorded: VerdictSeen, now: VerdictSeen): VerdictChange =>
  recorded.verdict === now.verdict ? 'unchanged' : changes[now.verdict];

const nameOf = ({ decided }: CallRecord): string | null =>
  decided === null ? null : (decided.data.by.person ?? decided.data.by.principal);

const waited = ({ asked, decided }: CallRecord): number | null =>
  asked === null || decided === null ? null : Math.max(0, decided.time - asked.time);

import type { DataOf, EventOf, EventType, LockstepEvent } from '../events/event.ts';
import { outsideOf } from '../budget/join-caps.ts';
import type { CommandOf, PreparedCall } from '../turn/commands.ts';
import { ownCaps, takenBefore } from '../turn/decisions/caps.ts';
import { readCall, unsealedIn } from '../turn/read-call.ts';
import { callsOf, type CallState, type OpenTurn } from '../turn/state.ts';
import { allFed, command, idle, inOpenTurn, withFed, type Cursor, type Next } from './cursor.ts';
import { fed, type Fed } from './fed.ts';

type VerdictEvent = EventOf<'ToolCallAuthorized' | 'ToolCallRefused' | 'ApprovalRequested'>;

/** What stands in the log between the verdicts of one step. */
const between: ReadonlySet<EventType> = new Set<EventType>([
  'ToolCallAuthorized',
  'ToolCallRefused',
  'ApprovalRequested',
  'ApprovalClosed',
  'ToolCallStarted',
  'QuestionAsked',
  'LoopDetected',
  'BudgetExhausted',
  'BudgetWarning',
]);

/** Verdicts that are due, given anew: what each read outside the turn comes from the facts in its recorded verdict. */
export const judgeCalls = (cursor: Cursor, ids: readonly string[]): Next =>
  inOpenTurn(cursor, (state) => {
    const ahead = verdictsAhead(cursor, ids);
    const [name] = ids;
    if (ahead.verdicts.size === 0)
      return idle(`a verdict on the call \`${name ?? ''}\` is due, and none is recorded`);
    const prepared = callsOf(state).flatMap((call) => {
      const verdict = ahead.verdicts.get(call.call);
      return verdict === undefined ? [] : [prepare(cursor, { state, call, verdict, ahead })];
    });
    return withFed(allFed(prepared), (calls) =>
      command(
        {
          type: 'JudgeCalls',
          now: nowOf(state, ahead, cursor),
          calls,
          ...outsideAhead(state, ahead),
        },
        activeOf(ahead.verdicts, state.turn),
      ),
    );
  });

/** The caps outside the turn's stream, as the first verdict of the append read them. */
const outsideAhead = (
  state: OpenTurn,
  { verdicts }: Ahead,
): Pick<CommandOf<'JudgeCalls'>, 'outside'> => {
  const [first] = verdicts.values();
  const call = callsOf(state).find((one) => one.call === first?.data.call);
  if (first === undefined || call === undefined) return {};
  // Only amounts are compared: when it was matters to none of them.
  const own = ownCaps(state, call, state.time.last);
  const at = { turn: state.turn, taken: takenBefore(state, call) };
  const outside = outsideOf(first.data.facts.caps, own, at);
  return outside.length === 0 ? {} : { outside };
};

interface Ahead {
  /** The next verdict on each call, by call. */
  readonly verdicts: ReadonlyMap<string, VerdictEvent>;
  readonly questions: ReadonlyMap<string, DataOf<'QuestionAsked'>>;
  /** Turns that started calls of the step fixed, by call. */
  readonly children: ReadonlyMap<string, NonNullable<PreparedCall['children']>>;
  /** When a call of the step was started, as its intent says. */
  readonly startedAt: number | null;
}

const verdictsAhead = ({ events, at, daemon }: Cursor, ids: readonly string[]): Ahead => {
  const verdicts = new Map<string, VerdictEvent>();
  const questions = new Map<string, DataOf<'QuestionAsked'>>();
  const children = new Map<string, NonNullable<PreparedCall['children']>>();
  let startedAt: number | null = null;
  for (let i = at; i < events.length; i += 1) {
    const event = events[i];
    if (event === undefined || !between.has(event.type) || event.meta.daemon !== daemon) break;
    if (isVerdict(event)) {
      const { call } = event.data;
      if (!ids.includes(call) || verdicts.has(call)) break;
      verdicts.set(call, event);
    }
    if (event.type === 'QuestionAsked') questions.set(event.data.call, event.data);
    if (event.type !== 'ToolCallStarted') continue;
    startedAt ??= event.data.now;
    if (event.data.children !== undefined) children.set(event.data.call, event.data.children);
  }
  return { verdicts, questions, children, startedAt };
};

/** The next config version that the verdicts of this step were given under; null = no verdict comes next. */
export const configAhead = ({ events, at }: Cursor): DataOf<'PolicyResolved'>['config'] | null => {
  for (let i = at; i < events.length; i += 1) {
    const event = events[i];
    if (event === undefined || !between.has(event.type)) return null;
    if (isVerdict(event)) return event.data.facts.config;
  }
  return null;
};

const isVerdict = (event: LockstepEvent): event is VerdictEvent =>
  event.type === 'ToolCallAuthorized' ||
  event.type === 'ToolCallRefused' ||
  event.type === 'ApprovalRequested';

const prepare = (
  { recording }: Cursor,
  at: {
    readonly state: OpenTurn;
    readonly call: CallState;
    readonly verdict: VerdictEvent;
    readonly ahead: Ahead;
  },
): Fed<PreparedCall> => {
  const { state, call, verdict, ahead } = at;
  const { caps: _caps, ...facts } = verdict.data.facts;
  const raw = recording.textOf(call.args);
  if (!raw.ok) return raw;
  const spec = facts.spec === null ? fed(null) : recording.spec(facts.spec);
  if (!spec.ok) return spec;
  const gateCall = readCall(call, raw.value, spec.value);
  return fed({
    call: gateCall,
    facts: { ...facts, policy: state.policyDigest },
    ids: {
      approval: verdict.type === 'ApprovalRequested' ? verdict.data.approval : '',
      question: ahead.questions.get(call.call)?.question ?? '',
    },
    // What stood in the file is recorded nowhere but in the view itself.
    before: null,
    unsealed: unsealedIn(state, gateCall),
    ...askerOf(verdict),
    ...childrenOf(ahead, call.call),
  });
};

const childrenOf = ({ children }: Ahead, call: string): Pick<PreparedCall, 'children'> => {
  const started = children.get(call);
  return started === undefined ? {} : { children: started };
};

const askerOf = ({ type, data }: VerdictEvent): Pick<PreparedCall, 'asker'> =>
  type === 'ApprovalRequested' && data.notBy != null ? { asker: data.notBy } : {};

/** When the step was judged: the intent of a start says it, else a deadline does, else it is about when the verdict was recorded. */
const nowOf = (state: OpenTurn, ahead: Ahead, cursor: Cursor): number => {
  if (ahead.startedAt !== null) return ahead.startedAt;
  const seconds = state.policy.approval.timeout_secs;
  for (const { data } of [...ahead.verdicts.values()].filter(
    (event): event is EventOf<'ApprovalRequested'> => event.type === 'ApprovalRequested',
  ))
    if (data.deadline !== 'never' && seconds !== 'unlimited') return data.deadline - seconds * 1000;
  return cursor.events[cursor.at]?.time ?? state.time.last;
};

/** Active time as the facts of the verdicts say it, in whole seconds. */
const activeOf = (verdicts: ReadonlyMap<string, VerdictEvent>, turn: string): number | null => {
  for (const { data } of verdicts.values())
    for (const cap of data.facts.caps)
      if (cap.key === 'budgets.turn_timeout_secs' && cap.scope === turn && cap.used !== 'unknown')
        return cap.used * 1000;
  return null;
};

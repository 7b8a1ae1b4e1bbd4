import {
  authorize,
  callsOf,
  evolve,
  initialState,
  nextEffect,
  nothingMade,
  pastTurn,
  prepareModelInput,
  textFrom,
  toolList,
  toolSpecSchema,
  type ConversationTurn,
  type EventOf,
  type GateCall,
  type LockstepEvent,
  type OpenTurn,
  type RecordedFact,
  type TurnState,
} from '@lockstep/engine';
import { canonicalJson, digestOfText } from '@lockstep/policy';
import { expect } from 'vitest';

type VerdictEvent = EventOf<'ToolCallAuthorized' | 'ToolCallRefused' | 'ApprovalRequested'>;

/** A log read whole, with its artifacts put together. */
export interface RecordedLog {
  readonly events: readonly LockstepEvent[];
  /** Every artifact, by digest. */
  readonly texts: ReadonlyMap<string, string>;
}

export const recordedLog = (events: readonly LockstepEvent[]): RecordedLog => {
  const texts = new Map<string, string>();
  for (const event of events)
    if (event.type === 'ArtifactRecorded') {
      const { digest, part, text } = event.data;
      texts.set(digest, part === 0 ? text : `${texts.get(digest) ?? ''}${text}`);
    }
  return { events, texts };
};

/** What of one turn was built again. */
export interface Rebuilt {
  /** The fold of all its events. */
  readonly state: TurnState;
  readonly inputs: number;
  readonly verdicts: number;
}

/** Holds one recorded turn to what must be true of every turn, from the log alone: its grammar, that the effect due at each point is
 * what was recorded next, and that every model input and every verdict follows from what stands before it. */
export const rebuildTurn = (log: RecordedLog, turn: string): Rebuilt => {
  const events = log.events.filter((event) => event.stream === `turn-${turn}`);
  checkGrammar(events);
  let state: TurnState = initialState(turn);
  let [inputs, verdicts] = [0, 0];
  for (const [index, event] of events.entries()) {
    if (event.type === 'ModelCallStarted') {
      checkInput(log, { state, event });
      inputs += 1;
    }
    if (isVerdict(event)) {
      checkVerdict(state, { event, before: events.slice(0, index), texts: log.texts });
      verdicts += 1;
    }
    state = evolve(state, event as RecordedFact);
  }
  expect(nextEffect(state).kind === 'none').toBe(state.status === 'ended');
  return { state, inputs, verdicts };
};

/** An earlier turn as a later one sees it. */
const pastOf = (log: RecordedLog, turn: string): ConversationTurn | null => {
  let state = initialState(turn);
  for (const event of log.events)
    if (event.stream === `turn-${turn}`) state = evolve(state, event as RecordedFact);
  return pastTurn(turn, state, textFrom(log.texts));
};

const ends = ['TurnCompleted', 'TurnFailed', 'TurnCancelled', 'TurnRefused'];

const checkGrammar = (events: readonly LockstepEvent[]): void => {
  const types = events.map((event) => event.type);
  expect(types[0]).toBe('TurnRequested');
  expect(['PolicyResolved', 'TurnRefused']).toContain(types[1]);
  const end = types.findIndex((type) => ends.includes(type));
  const after = end === -1 ? [] : types.slice(end + 1);
  expect(
    after.filter((type) => !follows.has(type)),
    'nothing but the fate of the reply and of calls follows the end',
  ).toEqual([]);
  const authorized = new Map<string, string>();
  const running = new Set<string>();
  for (const event of events) {
    if (event.type === 'ToolCallAuthorized') authorized.set(event.data.call, event.data.binding);
    if (event.type === 'ToolCallStarted') {
      expect(authorized.get(event.data.call), 'no start without a verdict').toBe(
        event.data.binding,
      );
      running.add(event.data.call);
    }
    if (
      event.type === 'ToolCallCompleted' ||
      event.type === 'ToolCallFailed' ||
      event.type === 'ToolCallOutcomeUnknown'
    )
      expect(running.delete(event.data.call), 'no outcome without a start').toBe(true);
  }
  expect(events.map((event) => event.revision)).toEqual(events.map((_, index) => index));
};

const isVerdict = (event: LockstepEvent): event is VerdictEvent =>
  event.type === 'ToolCallAuthorized' ||
  event.type === 'ToolCallRefused' ||
  event.type === 'ApprovalRequested';

const checkInput = (
  log: RecordedLog,
  at: { readonly state: TurnState; readonly event: EventOf<'ModelCallStarted'> },
): void => {
  const { state, event } = at;
  const { texts } = log;
  if (state.status !== 'open') throw new Error('a model call outside an open turn');
  expect(['call-model', 'retry-model']).toContain(nextEffect(state).kind);
  const history: ConversationTurn[] = [];
  for (const earlier of state.history) {
    const past = pastOf(log, earlier);
    if (past !== null) history.push(past);
  }
  const tools = toolList(JSON.parse(texts.get(event.data.tools) ?? 'null'));
  const made = state.made ?? event.data.made ?? nothingMade;
  const built = prepareModelInput({ state, history, tools, textOf: textFrom(texts), made });
  expect(event.data.made ?? nothingMade, 'a turn keeps what it is').toEqual(made);
  expect(texts.get(event.data.system)).toBe(built.input.system);
  expect(tools.ids).toEqual(event.data.advertised);
  expect(built.prepared.input).toBe(event.data.input);
  expect(built.prepared.promptTokens).toBe(event.data.promptTokens);
  expect(built.prepared.historyMessages).toBe(event.data.historyMessages);
};

const checkVerdict = (
  state: TurnState,
  at: {
    readonly event: VerdictEvent;
    readonly before: readonly LockstepEvent[];
    readonly texts: ReadonlyMap<string, string>;
  },
): void => {
  const { event, before, texts } = at;
  if (state.status !== 'open') throw new Error('a verdict outside an open turn');
  if (isPeoples(event, before)) return;
  if (event.data.rule === 'budgets.loop_detection') return;
  const call = callsOf(state).find((one) => one.call === event.data.call);
  const approval =
    call?.status === 'granted' || call?.status === 'authorized' || call?.status === 'running'
      ? call.approval
      : null;
  const verdict = authorize(gateCallOf(event, texts), event.data.facts, {
    policy: state.policy,
    advertised: state.advertised,
    skills: state.skills,
    session: state.request.session,
    principal: `${state.request.principal.kind}:${state.request.principal.id}`,
    approval,
  });
  expect({ rule: verdict.rule, pattern: verdict.pattern, why: verdict.why }).toEqual({
    rule: event.data.rule,
    pattern: event.data.pattern,
    why: event.data.why,
  });
  expect(verdict.kind).toBe(
    { ToolCallAuthorized: 'allow', ToolCallRefused: 'refuse', ApprovalRequested: 'ask' }[
      event.type
    ],
  );
  if (verdict.kind !== 'refuse' && event.type !== 'ToolCallRefused')
    expect(verdict.binding).toBe(event.data.binding);
  expectDue(state, event.data.call);
};

/** Verdicts come when they are due: asked, approved, or let through before and not started. */
const expectDue = (state: OpenTurn, call: string): void => {
  if (state.ending !== null) return;
  const effect = nextEffect(state);
  const status = callsOf(state).find((one) => one.call === call)?.status;
  if (status === 'pending' || status === 'running') return;
  expect(effect.kind === 'judge-calls' ? effect.calls : effect).toContain(call);
};

/** A refusal that follows from a person's word or silence is no verdict of the gate. */
const isPeoples = (event: VerdictEvent, before: readonly LockstepEvent[]): boolean => {
  const last = before.at(-1);
  return (
    event.type === 'ToolCallRefused' &&
    (last?.type === 'ApprovalDenied' || last?.type === 'ApprovalExpired')
  );
};

const gateCallOf = (event: VerdictEvent, texts: ReadonlyMap<string, string>): GateCall => {
  const { call, alias, facts, argsDigest } = event.data;
  const raw = textFrom(texts)(event.data.args);
  const text = facts.spec === null ? undefined : texts.get(facts.spec);
  const spec =
    facts.spec === null
      ? null
      : // A model may use a name that is no alias; the verdict never looks at the spec's own.
        toolSpecSchema.parse({ ...JSON.parse(text ?? 'null'), alias: 'any', digest: facts.spec });
  let args: GateCall['args'];
  try {
    args = { ok: true, value: raw.trim() === '' ? {} : JSON.parse(raw) };
  } catch (error) {
    args = { ok: false, message: error instanceof Error ? error.message : '' };
  }
  expect(argsDigest).toBe(digestOfText(args.ok ? canonicalJson(args.value) : raw));
  return { call, alias, spec, args, argsDigest };
};

/** What may be recorded of a turn once it has ended. */
const follows: ReadonlySet<string> = new Set([
  'ReplyDeliveryStarted',
  'ReplyDelivered',
  'ReplyDeliveryFailed',
  'UnknownOutcomeSettled',
]);

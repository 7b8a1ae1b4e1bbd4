import type { Limit } from '@lockstep/policy';
import type { DataOf } from '../events/event.ts';
import { governed, objector, witness, type Governed, type Monitor } from './monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';

type TrimLimit = DataOf<'ContextTrimmed'>['limit'];

const size = (limit: Limit): number => (limit === 'unlimited' ? Infinity : limit);

const trims = (turn: RecordedTurn, limit: TrimLimit): readonly Governed<'ContextTrimmed'>[] =>
  governed(turn, 'ContextTrimmed').filter(({ event }) => event.data.limit === limit);

const history = objector('context.max_history_messages');
/** Earlier messages that were sent fit the limit, and nothing that fits was dropped. */
const historyMonitor: Monitor = (turn) => [
  ...governed(turn, 'ModelCallStarted').flatMap((at) => {
    const { historyMessages } = at.event.data;
    return historyMessages > size(at.policy.context.max_history_messages)
      ? [history.violated(at, `${historyMessages} earlier messages were sent`)]
      : [];
  }),
  ...trims(turn, 'context.max_history_messages').flatMap((at) => {
    const { keptMessages, droppedMessages } = at.event.data;
    return keptMessages + droppedMessages <= size(at.policy.context.max_history_messages)
      ? [history.narrower(at, `${droppedMessages} messages were dropped that fit the limit`)]
      : [];
  }),
];

const tokens = objector('context.max_context_tokens');
/** Nothing earlier is sent in a prompt that is over the limit: the current turn alone may be larger. */
const tokensMonitor: Monitor = (turn) =>
  governed(turn, 'ModelCallStarted').flatMap((at) => {
    const { promptTokens, historyMessages } = at.event.data;
    return historyMessages > 0 && promptTokens > size(at.policy.context.max_context_tokens)
      ? [tokens.violated(at, `history was sent in a prompt of ${promptTokens} tokens`)]
      : [];
  });

const results = objector('context.keep_tool_results_turns');
/** Tool results of older turns were cut where there are some, and were not where no turn is that old. */
const resultsMonitor: Monitor = (turn) => {
  const sent = turn.all('TurnRequested')[0]?.event.data.history ?? [];
  const cuts = trims(turn, 'context.keep_tool_results_turns');
  return [
    ...cuts.flatMap((at) =>
      sent.length === 0 || sent.length < size(at.policy.context.keep_tool_results_turns)
        ? [results.narrower(at, 'tool results were cut, and no turn is old enough')]
        : [],
    ),
    ...governed(turn, 'ModelCallStarted').flatMap((at) => {
      const keep = size(at.policy.context.keep_tool_results_turns);
      const cut = cuts.some(({ index }) => index < at.index);
      const kept = cut || keep === Infinity ? [] : oldWithResults(turn, sent, keep, at.index);
      return kept.length > 0 && at.event.data.historyMessages > 0
        ? [results.violated(at, `tool results of turn \`${kept[0] ?? ''}\` were not cut`)]
        : [];
    }),
  ];
};

/** Turns before the newest `keep` that have tool results and were not dropped as a whole before an index. */
const oldWithResults = (
  turn: RecordedTurn,
  sent: readonly string[],
  keep: number,
  before: number,
): readonly string[] => {
  const dropped = new Set(
    turn
      .all('ContextTrimmed')
      .flatMap(({ event, index }) => (index < before ? event.data.droppedTurns : [])),
  );
  return sent
    .slice(0, Math.max(0, sent.length - keep))
    .filter((id) => !dropped.has(id) && (turn.around.toolResults(id) ?? 0) > 0);
};

const system = objector('context.max_system_prompt_chars');
/** The system text fits the limit. */
const systemMonitor: Monitor = (turn) =>
  governed(turn, 'ModelCallStarted').flatMap((at) => {
    const chars = turn.around.chars(at.event.data.system) ?? 0;
    return chars > size(at.policy.context.max_system_prompt_chars)
      ? [system.violated(at, `a system text of ${chars} characters was sent`)]
      : [];
  });

export const contextMonitors = {
  'context.max_history_messages': historyMonitor,
  'context.max_context_tokens': tokensMonitor,
  'context.keep_tool_results_turns': resultsMonitor,
  'context.max_system_prompt_chars': systemMonitor,
};

const trimmed = (limit: TrimLimit, note: (data: DataOf<'ContextTrimmed'>) => string) =>
  witness('ContextTrimmed', ({ event }) => (event.data.limit === limit ? note(event.data) : null));

export const contextWitnesses = {
  'context.max_history_messages': trimmed(
    'context.max_history_messages',
    (data) => `${data.droppedMessages} earlier messages were left out`,
  ),
  'context.max_context_tokens': trimmed('context.max_context_tokens', (data) =>
    data.droppedMessages > 0
      ? `${data.droppedMessages} earlier messages were left out`
      : `${data.cutToolResults.length} tool results were cut`,
  ),
  'context.keep_tool_results_turns': trimmed(
    'context.keep_tool_results_turns',
    (data) => `${data.cutToolResults.length} old tool results were cut`,
  ),
  'context.max_system_prompt_chars': trimmed(
    'context.max_system_prompt_chars',
    () => 'the system text was cut',
  ),
};

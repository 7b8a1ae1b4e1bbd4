import { governed, objector, witness, anyOf, type Monitor } from './monitor.ts';
import { charsOf, textOf } from './recorded-turn.ts';
import { tokenIn } from './token-formats.ts';

const redact = objector('output.redact');
/** No exact form of a credential stands in a result, in what the model said, or in the reply. */
const redactMonitor: Monitor = (turn) => {
  const texts = [
    ...governed(turn, 'ToolCallCompleted').map((at) => ({ at, content: at.event.data.result })),
    ...governed(turn, 'ModelCallCompleted').map((at) => ({ at, content: at.event.data.text })),
    ...governed(turn, 'TurnCompleted').map((at) => ({ at, content: at.event.data.reply })),
  ];
  return texts.flatMap(({ at, content }) => {
    if (!at.policy.output.redact) return [];
    const found = tokenIn(textOf(content, turn.around) ?? '');
    return found === null ? [] : [redact.violated(at, `a ${found} stands in the recorded text`)];
  });
};

const reply = objector('output.max_reply_chars');
/** The reply fits the limit, and nothing that fits was cut. */
const replyMonitor: Monitor = (turn) =>
  governed(turn, 'TurnCompleted').flatMap((at) => {
    const limit = at.policy.output.max_reply_chars;
    if (limit === 'unlimited') return [];
    const { chars, truncated } = at.event.data;
    const shown = charsOf(at.event.data.reply, turn.around) ?? 0;
    if (shown > limit || (chars > limit && !truncated))
      return [reply.violated(at, `a reply of ${Math.max(shown, chars)} characters was not cut`)];
    return truncated && chars <= limit
      ? [reply.narrower(at, `a reply of ${chars} characters was cut`)]
      : [];
  });

const stream = objector('output.stream');
/** Text goes out while it is made if, and only if, the policy lets it. */
const streamMonitor: Monitor = (turn) =>
  governed(turn, 'ModelCallStarted').flatMap((at) => {
    const { deltas } = at.event.data;
    if (deltas === 'sent' && !at.policy.output.stream)
      return [stream.violated(at, 'text was sent while it was made')];
    return deltas === 'withheld' && at.policy.output.stream
      ? [stream.narrower(at, 'text was withheld, and the policy lets it go out')]
      : [];
  });

export const outputMonitors = {
  'output.redact': redactMonitor,
  'output.max_reply_chars': replyMonitor,
  'output.stream': streamMonitor,
};

export const outputWitnesses = {
  'output.redact': anyOf(
    witness('ToolCallCompleted', ({ event, policy }) => masked(event.data.masked, policy)),
    witness('TurnCompleted', ({ event, policy }) => masked(event.data.masked, policy)),
  ),
  'output.max_reply_chars': witness('TurnCompleted', ({ event }) =>
    event.data.truncated ? `a reply of ${event.data.chars} characters was cut` : null,
  ),
  'output.stream': witness('ModelCallStarted', ({ event }) => {
    if (event.data.deltas === 'withheld') return 'text was withheld while it was made';
    return event.data.deltas === 'sent' ? 'text went out while it was made' : null;
  }),
};

function masked(count: number, policy: { readonly output: { readonly redact: boolean } }) {
  return count > 0 && policy.output.redact ? `${count} secrets were masked` : null;
}

import type { Content } from '../events/content.ts';
import type { ModelMessage } from '../ports/model.ts';
import type { CallState, OpenTurn, TranscriptItem, TurnState } from '../turn/state.ts';
import { fenceUntrusted } from './fence.ts';
import { pastMemory, type PastMemory } from './past-memory.ts';

/** Text of a recorded content; artifacts are looked up among those that were loaded.
 * @throws when an artifact was not loaded (a bug of the caller) */
export type TextOf = (content: Content) => string;

/** Reads contents from texts by digest. */
export const textFrom =
  (texts: ReadonlyMap<string, string>): TextOf =>
  (content) => {
    if ('inline' in content) return content.inline;
    if ('sealed' in content) return '[erased]';
    const text = texts.get(content.artifact);
    if (text === undefined) throw new Error(`artifact \`${content.artifact}\` was not loaded`);
    return text;
  };

/** One turn of a session as a later turn's model sees it. */
export interface ConversationTurn {
  readonly turn: string;
  readonly messages: readonly ModelMessage[];
  /** Absent = its messages hold no rows of memory. */
  readonly memory?: PastMemory;
}

/** What of a turn its messages are made of. */
export type Said = Pick<
  OpenTurn,
  'input' | 'request' | 'trigger' | 'transcript' | 'steered' | 'skills'
>;

/** Messages of an open turn: its input, then what was said and done. Rebuilt from the recorded facts alone. */
export const currentMessages = (state: Said, textOf: TextOf): readonly ModelMessage[] => [
  inputMessage(state, textOf),
  ...state.transcript.flatMap((item) => itemMessages(item, state, textOf)),
  ...state.steered.map((text): ModelMessage => ({ role: 'user', text: textOf(text) })),
];

/** What another agent says is material and no order. */
const inputMessage = ({ input, request, trigger }: Said, textOf: TextOf): ModelMessage => {
  const text = textOf(input);
  return {
    role: 'user',
    text: trigger === 'peer' ? fenceUntrusted(text, `peer:${request.principal.id}`) : text,
  };
};

/** Messages of an ended turn, or null when nothing of it belongs into a conversation (it was refused, or has not ended). */
export const pastTurn = (
  turn: string,
  state: TurnState,
  textOf: TextOf,
): ConversationTurn | null => {
  if (state.status !== 'ended' || state.before === null) return null;
  const said = currentMessages(state.before, textOf);
  const memory = pastMemory(state.before);
  const gave = memory === null ? {} : { memory };
  if (state.end === 'completed') return { turn, messages: said, ...gave };
  const note: ModelMessage = { role: 'assistant', text: `[the turn ${state.end}]`, calls: [] };
  return { turn, messages: [...said, note], ...gave };
};

const itemMessages = (
  item: TranscriptItem,
  { skills }: Pick<OpenTurn, 'skills'>,
  textOf: TextOf,
): readonly ModelMessage[] => {
  if (item.kind === 'steered') return [{ role: 'user', text: textOf(item.text) }];
  return [
    kept(said, item.text, () => ({
      role: 'assistant',
      text: textOf(item.text),
      calls: item.calls.map(({ call, alias, args }) => ({ call, alias, args: textOf(args) })),
    })),
    ...item.calls.map((call) =>
      call.status === 'ended'
        ? kept(results, call.result, () => resultMessage(call, skills, textOf))
        : resultMessage(call, skills, textOf),
    ),
  ];
};

// A content belongs to one fact, and with it to one message: what was built for it stays right, whatever else the turn goes through.
const said = new WeakMap<Content, ModelMessage>();
const results = new WeakMap<Content, ModelMessage>();

const kept = (
  memo: WeakMap<Content, ModelMessage>,
  content: Content,
  build: () => ModelMessage,
): ModelMessage => {
  const known = memo.get(content);
  if (known !== undefined) return known;
  const made = build();
  memo.set(content, made);
  return made;
};

const resultMessage = (
  call: CallState,
  skills: OpenTurn['skills'],
  textOf: TextOf,
): ModelMessage => {
  const who = { role: 'tool', call: call.call, alias: call.alias } as const;
  if (call.status !== 'ended') return { ...who, text: 'the call did not end', isError: true };
  const text = textOf(call.result);
  // What we say of a call ourselves needs no fence.
  if (call.how !== 'completed' && call.how !== 'failed') return { ...who, text, isError: true };
  const shown = call.truncated ? `${text}\n[the rest was cut off]` : text;
  // A skill is the operator's word, like the system text: no agent can write it, and its digest stands in the log.
  if (call.how === 'completed' && skills.some((skill) => skill.call === call.call))
    return { ...who, text: shown, isError: call.isError };
  return { ...who, text: fenceUntrusted(shown, call.alias), isError: call.isError };
};

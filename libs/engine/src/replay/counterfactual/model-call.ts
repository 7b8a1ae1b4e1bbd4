import { textFrom } from '../../context/conversation.ts';
import { nothingMade } from '../../context/system-text.ts';
import type { EventOf, LockstepEvent } from '../../events/event.ts';
import type { ToolSpec } from '../../events/parts.ts';
import { whyWithheld } from '../../tools/advertise.ts';
import { aliasTools } from '../../tools/alias-tools.ts';
import { builtinSpecs } from '../../tools/builtin-specs.ts';
import { withheldBySkills } from '../../tools/skill-tools.ts';
import type { PreparedModelCall } from '../../turn/commands.ts';
import { noTools, prepareModelInput, toolList, type ToolList } from '../../turn/model-input.ts';
import type { OpenTurn } from '../../turn/state.ts';
import { capsUnder } from './caps-under.ts';
import { openThen, tell, type Walk } from './walk.ts';

type Started = EventOf<'ModelCallStarted'>;

/** Begins the model call that the recorded turn begins here, with what the model would be sent. Where nothing that it is made of
 * differs, that is what was recorded. */
export const beginModelCallNow = (walk: Walk, state: OpenTurn, recorded: Started): boolean => {
  const { data } = recorded;
  const prepared = isSentTheSame(walk, state)
    ? asRecorded(walk, data)
    : madeAnew(walk, state, data);
  const outside = capsUnder(walk, state, data.caps ?? []);
  return tell(walk, {
    type: 'BeginModelCall',
    now: data.now,
    prepared,
    deltas:
      data.deltas === 'not_asked' ? 'not_asked' : state.policy.output.stream ? 'sent' : 'withheld',
    ...(outside.length === 0 ? {} : { outside }),
  });
};

/** Whether the two turns are made of the same, as far as a model sees it. What was said so far is the same, or nobody would ask. */
const isSentTheSame = (walk: Walk, state: OpenTurn): boolean => {
  if (walk.ask.start !== undefined) return false;
  const then = openThen(walk);
  if (then?.policyDigest === state.policyDigest) return true;
  const { began } = walk;
  return (
    began.sentTheSame &&
    then?.policyDigest === began.recordedDigest &&
    state.policyDigest === began.nowDigest
  );
};

const asRecorded = ({ events, at }: Walk, data: Started['data']): PreparedModelCall => ({
  system: data.system,
  tools: data.tools,
  advertised: data.advertised,
  input: data.input,
  messages: data.messages,
  historyMessages: data.historyMessages,
  promptTokens: data.promptTokens,
  trims: trimsBefore(events, at),
  ...(data.made === undefined ? {} : { made: data.made }),
});

/** Trims stand before the call that they are of, in its append. */
const trimsBefore = (events: readonly LockstepEvent[], at: number): PreparedModelCall['trims'] => {
  const found: PreparedModelCall['trims'][number][] = [];
  for (const event of events.slice(at)) {
    if (event.type === 'ModelCallStarted') break;
    if (event.type !== 'ContextTrimmed') continue;
    const { modelCall: _modelCall, ...trim } = event.data;
    found.push(trim);
  }
  return found;
};

const madeAnew = (walk: Walk, state: OpenTurn, data: Started['data']): PreparedModelCall => {
  const { recording, notes } = walk;
  const tools = data.final ? noTools : offeredNow(walk, state, data);
  noteOffered(walk, data, tools);
  const history = walk.past.of(state.history);
  const made = state.made ?? data.made ?? nothingMade;
  const read = [...made.identity, ...made.skills].every(({ digest }) => recording.text(digest).ok);
  if (!history.ok || !read) {
    notes.add(
      'what the model would be sent is not in the recording: its size was taken as recorded',
    );
    return { ...asRecorded(walk, data), advertised: tools.ids };
  }
  const { prepared } = prepareModelInput({
    state,
    history: history.value,
    tools,
    textOf: textFrom(recording.texts),
    made,
  });
  if (prepared.system !== data.system)
    notes.add(
      'the model would have been given another system text: its recorded replies were used',
    );
  if (prepared.input !== data.input && prepared.messages !== data.messages)
    notes.add(
      'the model would have been given more or fewer earlier messages: its recorded replies were used',
    );
  return prepared;
};

/** A tool is offered now when it was offered and still may be, or when nothing but the recorded policy kept it away. */
const offeredNow = (walk: Walk, state: OpenTurn, data: Started['data']): ToolList => {
  const cited = citedTools(walk);
  const key = [
    data.tools,
    state.policyDigest,
    openThen(walk)?.policyDigest,
    ...state.skills.map(({ digest }) => digest),
    ...cited.map(({ digest, alias }) => `${digest}/${alias}`),
  ].join(' ');
  const known = walk.offered.get(key);
  if (known !== undefined) return known;
  const made = listNow(walk, state, { data, cited });
  if (walk.offered.size >= mostLists) walk.offered.clear();
  walk.offered.set(key, made);
  return made;
};

const mostLists = 500;

const listNow = (
  walk: Walk,
  state: OpenTurn,
  { data, cited }: { readonly data: Started['data']; readonly cited: readonly ToolSpec[] },
): ToolList => {
  const list = walk.recording.tools(data.tools);
  const was = list.ok ? list.value.tools : [];
  const offered = new Map(
    was.filter((tool) => isOffered(state, specOf(tool))).map((tool) => [tool.id, tool]),
  );
  const own = aliasTools([...builtinSpecs]);
  const others = cited.filter(({ id }) => !own.some((one) => one.id === id));
  for (const tool of [...own, ...others])
    if (
      !was.some(({ id }) => id === tool.id) &&
      whyWithheld(walk.recordedPolicy, tool) !== null &&
      isOffered(state, tool)
    )
      offered.set(tool.id, tool);
  return toolList([...offered.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)));
};

const isOffered = ({ policy, skills }: OpenTurn, tool: ToolSpec): boolean =>
  whyWithheld(policy, tool) === null && withheldBySkills(skills, tool.id) === null;

/** Tools that the turn's verdicts cite, by the names that the model used for them. */
const citedTools = ({ calls, recording }: Walk): readonly ToolSpec[] =>
  [...calls.values()].flatMap(({ verdicts: [first] }) => {
    const spec = first?.event.data.facts.spec ?? null;
    const found = spec === null ? null : recording.spec(spec);
    return found?.ok === true && first !== undefined
      ? [{ ...found.value, alias: first.event.data.alias }]
      : [];
  });

/** The spec of an offered tool. What effects a server's tool has stands in no list: those are judged at each call. */
const specOf = (tool: ToolList['tools'][number]): ToolSpec =>
  builtinSpecs.find((spec) => spec.id === tool.id) ?? {
    ...tool,
    effects: [],
    operands: 'none',
    repeatable: false,
    digest: '',
  };

const noteOffered = ({ notes }: Walk, data: Started['data'], tools: ToolList): void => {
  const less = data.advertised.filter((id) => !tools.ids.includes(id));
  const more = tools.ids.filter((id) => !(data.advertised as readonly string[]).includes(id));
  if (less.length + more.length === 0) return;
  const said = [
    ...(less.length === 0 ? [] : [`without \`${less.join('`, `')}\``]),
    ...(more.length === 0 ? [] : [`with \`${more.join('`, `')}\``]),
  ].join(' and ');
  notes.add(`the model would have been offered its tools ${said}: its recorded replies were used`);
};

import type { PolicySnapshot } from '@lockstep/policy';
import { textFrom } from '../context/conversation.ts';
import { nothingMade, type Made } from '../context/system-text.ts';
import type { EventOf, EventType } from '../events/event.ts';
import type { ToolSpec } from '../events/parts.ts';
import { advertise, whyWithheld } from '../tools/advertise.ts';
import { aliasTools } from '../tools/alias-tools.ts';
import { builtinSpecs } from '../tools/builtin-specs.ts';
import { noTools, prepareModelInput, toolList, type ToolList } from '../turn/model-input.ts';
import type { OpenTurn } from '../turn/state.ts';
import {
  command,
  findAhead,
  inOpenTurn,
  unfed,
  withFed,
  type Cursor,
  type Next,
} from './cursor.ts';
import type { CommandOf } from '../turn/commands.ts';
import { fed, missing, type Fed } from './fed.ts';

const between: ReadonlySet<EventType> = new Set<EventType>(['ContextTrimmed', 'BudgetExhausted']);

/** The next model call, its input built anew: only the list of tools and whether somebody listened come from the recording. */
export const beginModelCall = (cursor: Cursor, final: boolean): Next =>
  inOpenTurn(cursor, (state) => {
    const recorded = findAhead(cursor, 'ModelCallStarted', between);
    return withFed(cursor.past.of(state.history), (history) =>
      withFed(final ? fed(noTools) : toolsFor(cursor, state, recorded), (tools) => {
        const { texts } = cursor.recording;
        const made = madeOf(cursor, state, recorded);
        if (!made.ok) return unfed(made);
        const textOf = textFrom(texts);
        const built = prepareModelInput({ state, history, tools, textOf, made: made.value });
        return command({
          type: 'BeginModelCall',
          now: recorded?.data.now ?? cursor.events[cursor.at]?.time ?? state.time.last,
          prepared: built.prepared,
          deltas: deltasOf(state, recorded),
          ...outsideAhead(cursor, recorded),
        });
      }),
    );
  });

/** What the system text was made of, with every file in reach. A first call that no budget was left for names none. */
const madeOf = (
  { recording }: Cursor,
  { made, policy }: OpenTurn,
  recorded: EventOf<'ModelCallStarted'> | null,
): Fed<Made> => {
  if (made === null && recorded === null && policy.context.identity.files.length > 0)
    return missing('the identity files of the first model call');
  if (made === null && recorded === null && policy.skills.bundles.length > 0)
    return missing('the skills of the first model call');
  const parts = made ?? recorded?.data.made ?? nothingMade;
  for (const { digest } of [...parts.identity, ...parts.skills]) {
    const text = recording.text(digest);
    if (!text.ok) return text;
  }
  return fed(parts);
};

/** The caps outside the turn's stream, as the call that began or found no room read them. */
const outsideAhead = (
  { events, at }: Cursor,
  recorded: EventOf<'ModelCallStarted'> | null,
): Pick<CommandOf<'BeginModelCall'>, 'outside'> => {
  const next = events[at];
  const refused = next?.type === 'BudgetExhausted' ? next.data.caps : undefined;
  const caps = recorded === null ? refused : recorded.data.caps;
  return caps === undefined ? {} : { outside: caps };
};

const deltasOf = (
  { policy }: OpenTurn,
  recorded: EventOf<'ModelCallStarted'> | null,
): EventOf<'ModelCallStarted'>['data']['deltas'] => {
  if (recorded === null || recorded.data.deltas === 'not_asked') return 'not_asked';
  return policy.output.stream ? 'sent' : 'withheld';
};

/** The list that was offered, less what the policy withholds. A call that no budget was left for cites none: then it is the list of
 * the call before, or, without one and without servers, what this build offers by itself. */
const toolsFor = (
  cursor: Cursor,
  state: OpenTurn,
  recorded: EventOf<'ModelCallStarted'> | null,
): Fed<ToolList> => {
  const cited = recorded ?? lastStarted(cursor);
  if (cited !== null) {
    const list = cursor.recording.tools(cited.data.tools);
    return list.ok ? fed(offered(state.policy, list.value)) : list;
  }
  if (Object.keys(state.policy.mcp.expose).length > 0)
    return missing('the list of tools of the first model call');
  return fed(toolList(advertise(state.policy, aliasTools([...builtinSpecs]))));
};

const lastStarted = ({ events, at }: Cursor): EventOf<'ModelCallStarted'> | null => {
  for (let i = at - 1; i >= 0; i -= 1) {
    const event = events[i];
    if (event?.type === 'ModelCallStarted' && !event.data.final) return event;
  }
  return null;
};

const offered = (policy: PolicySnapshot, list: ToolList): ToolList => {
  const known = lists.get(list)?.get(policy);
  if (known !== undefined) return known;
  const kept = list.tools.filter((tool) => whyWithheld(policy, specOf(tool)) === null);
  const made = kept.length === list.tools.length ? list : toolList(kept);
  const byPolicy = lists.get(list) ?? new WeakMap<PolicySnapshot, ToolList>();
  lists.set(list, byPolicy.set(policy, made));
  return made;
};

// Many turns are offered the same list under the same policy.
const lists = new WeakMap<ToolList, WeakMap<PolicySnapshot, ToolList>>();

/** Tools of servers are judged by their names here: what effects they have stands in no list. The gate judges those at each call. */
const specOf = (tool: ToolList['tools'][number]): ToolSpec =>
  builtinSpecs.find((spec) => spec.id === tool.id) ?? {
    ...tool,
    effects: [],
    operands: 'none',
    repeatable: false,
    digest: '',
  };

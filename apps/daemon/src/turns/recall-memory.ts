import { memoryKeeperOf, memoryScopeOf, type CommandOf, type OpenTurn } from '@lockstep/engine';
import type { Texts } from './turn-contents.ts';
import type { TurnParts } from './turn-parts.ts';
import { isHalt } from './turn-log.ts';

type Found = CommandOf<'RecallMemory'> | CommandOf<'Fail'>;

/** Looks for what memory gives unasked to the input of a turn. Memory that cannot be read is no empty memory: the turn fails.
 * @throws when the log takes nothing now */
export const recallFor = async (
  parts: Pick<TurnParts, 'memory' | 'artifacts' | 'clock' | 'report'>,
  state: OpenTurn,
  texts: Texts,
): Promise<Found> => {
  const scope = memoryScopeOf(state.policy, state.request.principal);
  if (scope === null) throw new Error('a recall is due where there is no memory');
  const limit = state.policy.memory.recall_limit;
  try {
    const text = await textOf(state, parts, texts);
    const keeper = memoryKeeperOf(state.policy);
    const rows = [...(await parts.memory.recall({ keeper, scope, text, limit }))];
    for (const row of rows) if ('artifact' in row.text) await load(row.text.artifact, parts, texts);
    const recalled = { query: state.input, limit, scope, rows };
    return { type: 'RecallMemory', now: parts.clock.now(), recalled };
  } catch (error) {
    if (isHalt(error)) throw error;
    parts.report({ turn: state.turn, error });
    const message = 'the memory of the agent could not be read';
    return { type: 'Fail', now: parts.clock.now(), message, key: 'memory.backend' };
  }
};

const textOf = async (
  { input }: OpenTurn,
  parts: Pick<TurnParts, 'artifacts'>,
  texts: Texts,
): Promise<string> => {
  if ('inline' in input) return input.inline;
  return 'artifact' in input ? load(input.artifact, parts, texts) : '';
};

const load = async (
  digest: string,
  { artifacts }: Pick<TurnParts, 'artifacts'>,
  texts: Texts,
): Promise<string> => {
  const text = texts.get(digest) ?? (await artifacts.get(digest)) ?? '';
  texts.set(digest, text);
  return text;
};

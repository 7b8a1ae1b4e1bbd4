import type { ApprovalDecision } from '@lockstep/daemon';
import type { DecidedBy } from '@lockstep/engine';
import { digestOfText } from '@lockstep/policy';
import { ask, configWith, launched, only, world, type World } from './harness.ts';
import { checkTurn } from './rebuild.ts';

/** The call that the model asks for in these worlds. */
export const write = { tool: 'builtin:file_write', args: { path: 'a.md', content: 'x' } };

/** A config under which every write is asked for, with these settings of approval. */
export const asking = (approval: Record<string, unknown> = {}) =>
  configWith({ approval: { auto_approve: [], timeout_secs: 60, ...approval } });

/** A model that wants to write once, and says what it was told. */
export const asksOnce = (config = asking(), call: typeof write = write): World =>
  world({
    config,
    model: ({ input: { messages } }) => {
      const last = messages.at(-1);
      return last?.role === 'tool' ? { say: `told: ${last.text}` } : { calls: [call] };
    },
  });

/** A turn that waits for its one request, and what a surface knows of that. */
export const waiting = async (
  w: World,
  request = ask('write'),
): Promise<{ turn: string; id: string; revision: number; shown: string }> => {
  const turn = await launched(w, request);
  const event = only(w, turn, 'ApprovalRequested');
  const { view } = event.data;
  if (!('inline' in view)) throw new Error('the view is an artifact');
  return {
    turn,
    id: event.data.approval,
    revision: event.revision,
    shown: digestOfText(view.inline),
  };
};

type Pending = Awaited<ReturnType<typeof waiting>>;

/** A decision on what was shown. */
export const say = (
  choice: ApprovalDecision['choice'],
  { revision, shown }: Pending,
  change: Partial<ApprovalDecision> = {},
): ApprovalDecision => ({ choice, scope: null, guidance: null, revision, shown, ...change });

/** Sends a decision. */
export const decide = (
  w: World,
  pending: Pending,
  by: DecidedBy,
  change: Partial<ApprovalDecision> = {},
): ReturnType<World['turns']['decide']> =>
  w.turns.decide(pending.id, say(change.choice ?? 'once', pending, change), by);

/** Waits for the end of a turn and holds it against its log. */
export const finished = async (w: World, turn: string): Promise<void> => {
  await w.turns.settled(turn, new AbortController().signal);
  await checkTurn(w, turn);
};

/** A person of config on one surface. */
export const person = (
  name: string,
  surface: DecidedBy['surface'] = 'rest',
  where?: string,
): DecidedBy => ({
  principal: `token:${name}`,
  person: name,
  surface,
  ...(where === undefined ? {} : { where }),
});

import type { OpenTurn } from '../turn/state.ts';
import type { ConversationTurn } from './conversation.ts';
import { memoryScopeOf } from './memory-scope.ts';

type Scope = ReturnType<typeof memoryScopeOf>;

/** What of an earlier turn memory gave: the calls whose results hold rows, and whose rows those may be. */
export interface PastMemory {
  readonly calls: readonly string[];
  readonly scope: Scope;
}

/** What memory gave a turn through its tool; null = nothing. What it gave unasked is no part of a conversation. */
export const pastMemory = ({
  transcript,
  policy,
  request,
}: Pick<OpenTurn, 'transcript' | 'policy' | 'request'>): PastMemory | null => {
  const calls = transcript.flatMap((item) =>
    item.kind === 'steered'
      ? []
      : item.calls.flatMap((call) =>
          call.status === 'ended' && call.tool === 'builtin:memory_recall' ? [call.call] : [],
        ),
  );
  return calls.length === 0 ? null : { calls, scope: memoryScopeOf(policy, request.principal) };
};

/** Earlier turns as a turn of this policy and principal may see them: a session may be shared by several people, and a policy gets
 * narrower, so rows that the turn could not recall itself are taken out. */
export const withOwnMemory = (
  turns: readonly ConversationTurn[],
  { policy, request }: Pick<OpenTurn, 'policy' | 'request'>,
): readonly ConversationTurn[] => {
  const now = memoryScopeOf(policy, request.principal);
  return turns.map((turn) => {
    const { memory } = turn;
    if (memory === undefined || isWithin(memory.scope, now)) return turn;
    const messages = turn.messages.map((message) =>
      message.role === 'tool' && memory.calls.includes(message.call)
        ? { ...message, text: 'what memory gave in an earlier turn is not for this one' }
        : message,
    );
    return { ...turn, messages };
  });
};

const isWithin = (then: Scope, now: Scope): boolean => {
  if (then === null || now === null || then.backend !== now.backend) return false;
  if (!then.agents.every((agent) => now.agents.includes(agent))) return false;
  if (now.person.kind === 'anyone') return true;
  return then.person.kind === 'person' && then.person.id === now.person.id;
};

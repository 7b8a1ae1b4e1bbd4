import type { Limit, PolicySnapshot } from '@lockstep/policy';
import { estimateTokens } from '../budget/estimate-tokens.ts';
import type { DataOf } from '../events/event.ts';
import type { ModelMessage } from '../ports/model.ts';
import type { ConversationTurn } from './conversation.ts';
import { tokensOf } from './message-size.ts';

/** What a limit took away. */
export type Trim = Omit<DataOf<'ContextTrimmed'>, 'modelCall'>;

export interface TrimInput {
  /** Earlier turns of the session, oldest first. */
  readonly earlier: readonly ConversationTurn[];
  /** Messages of the turn itself, its input first. */
  readonly current: readonly ModelMessage[];
  /** Tokens of what is never cut: the system text and the tools. */
  readonly fixedTokens: number;
  readonly limits: PolicySnapshot['context'];
}

export interface TrimmedContext {
  readonly history: readonly ModelMessage[];
  readonly current: readonly ModelMessage[];
  readonly trims: readonly Trim[];
}

/** The one function that cuts a conversation down: the most recent whole turns whose messages fit, tool results of older turns
 * replaced by a note; the current turn stays, and only when it alone is too large its oldest tool results are cut. */
export const trimContext = (input: TrimInput): TrimmedContext => {
  const { limits, current } = input;
  const kept = keepToolResults(input.earlier, limits.keep_tool_results_turns);
  const counted = keepRecent(kept.turns, {
    size: (turn) => turn.messages.length,
    room: limits.max_history_messages,
    limit: 'context.max_history_messages',
  });
  const fixed = input.fixedTokens + tokensOf(current);
  const fitted = keepRecent(counted.turns, {
    size: (turn) => tokensOf(turn.messages),
    room:
      limits.max_context_tokens === 'unlimited'
        ? 'unlimited'
        : Math.max(0, limits.max_context_tokens - fixed),
    limit: 'context.max_context_tokens',
  });
  const over = limits.max_context_tokens === 'unlimited' ? 0 : fixed - limits.max_context_tokens;
  const cut = cutOldestResults(current, over);
  const history = fitted.turns.flatMap((turn) => turn.messages);
  const byTokens = joined(fitted.trim, cut.calls, history.length);
  return {
    history,
    current: cut.messages,
    trims: [kept.trim, counted.trim, byTokens].filter((trim) => trim !== null),
  };
};

/** What the model reads instead of a tool result that was left out. */
export const leftOut = '[this result was left out to save space]';

interface Step {
  readonly turns: readonly ConversationTurn[];
  readonly trim: Trim | null;
}

const keepToolResults = (turns: readonly ConversationTurn[], keep: Limit): Step => {
  if (keep === 'unlimited') return { turns, trim: null };
  const older = turns.length - keep;
  const cutToolResults: string[] = [];
  const changed = turns.map((turn, index) => {
    if (index >= older || !turn.messages.some((message) => message.role === 'tool')) return turn;
    return {
      ...turn,
      messages: turn.messages.map((message) => {
        if (message.role !== 'tool') return message;
        cutToolResults.push(`${turn.turn}/${message.call}`);
        return { ...message, text: leftOut };
      }),
    };
  });
  if (cutToolResults.length === 0) return { turns, trim: null };
  return {
    turns: changed,
    trim: {
      limit: 'context.keep_tool_results_turns',
      keptMessages: changed.reduce((sum, turn) => sum + turn.messages.length, 0),
      droppedMessages: 0,
      droppedTurns: [],
      cutToolResults,
    },
  };
};

interface Room {
  readonly size: (turn: ConversationTurn) => number;
  readonly room: Limit;
  readonly limit: Trim['limit'];
}

const keepRecent = (turns: readonly ConversationTurn[], { size, room, limit }: Room): Step => {
  if (room === 'unlimited') return { turns, trim: null };
  let left = room;
  let from = turns.length;
  for (const turn of turns.toReversed()) {
    left -= size(turn);
    if (left < 0) break;
    from -= 1;
  }
  if (from === 0) return { turns, trim: null };
  const kept = turns.slice(from);
  const dropped = turns.slice(0, from);
  return {
    turns: kept,
    trim: {
      limit,
      keptMessages: messagesIn(kept),
      droppedMessages: messagesIn(dropped),
      droppedTurns: dropped.map((turn) => turn.turn),
      cutToolResults: [],
    },
  };
};

const messagesIn = (turns: readonly ConversationTurn[]): number =>
  turns.reduce((sum, turn) => sum + turn.messages.length, 0);

const cutOldestResults = (
  messages: readonly ModelMessage[],
  over: number,
): { readonly messages: readonly ModelMessage[]; readonly calls: readonly string[] } => {
  if (over <= 0) return { messages, calls: [] };
  let excess = over;
  const calls: string[] = [];
  const cut = messages.map((message) => {
    if (excess <= 0 || message.role !== 'tool' || message.text.length <= leftOut.length)
      return message;
    excess -= estimateTokens(message.text) - estimateTokens(leftOut);
    calls.push(message.call);
    return { ...message, text: leftOut };
  });
  return { messages: cut, calls };
};

const joined = (trim: Trim | null, calls: readonly string[], kept: number): Trim | null => {
  if (calls.length === 0) return trim;
  const base = trim ?? {
    limit: 'context.max_context_tokens' as const,
    keptMessages: kept,
    droppedMessages: 0,
    droppedTurns: [],
    cutToolResults: [],
  };
  return { ...base, cutToolResults: [...calls] };
};

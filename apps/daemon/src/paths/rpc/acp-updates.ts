import type {
  SessionUpdate,
  ToolCallContent,
  ToolCallStatus,
  ToolKind,
} from '@agentclientprotocol/sdk';
import type { Artifacts, Content, DataOf, LockstepEvent } from '@lockstep/engine';
import type { Delta } from '../../turns/turns.port.ts';
import { contentText } from '../shared/content-text.ts';

type Judged = DataOf<'ToolCallAuthorized' | 'ToolCallRefused' | 'ApprovalRequested'>;

/** Tells one turn in the words of ACP: its text, and each of its calls from the verdict to the outcome. What its children say stays
 * with them. */
export class AcpUpdates {
  readonly #turn: string;
  readonly #artifacts: Artifacts;
  /** Whether what was said is told too: a history has nobody else's words for it. */
  readonly #history: boolean;
  readonly #announced = new Set<string>();
  /** The text of the model's last call went out, or goes out, while it is made. */
  #streamed = false;

  constructor(turn: string, artifacts: Artifacts, history: boolean) {
    this.#turn = turn;
    this.#artifacts = artifacts;
    this.#history = history;
  }

  delta({ text }: Delta): SessionUpdate {
    return said('agent_message_chunk', text);
  }

  async event(event: LockstepEvent): Promise<readonly SessionUpdate[]> {
    if (event.meta.turn !== this.#turn) return [];
    const read = this.#readers[event.type] as
      ((data: never) => Promise<Updates> | Updates) | undefined;
    return (await read?.(event.data as never)) ?? [];
  }

  /** What each event says to an editor; all others say nothing. */
  readonly #readers: Readers = {
    TurnRequested: ({ input }) =>
      this.#history ? this.#message('user_message_chunk', input) : nothing,
    ModelCallStarted: ({ deltas }) => {
      this.#streamed = !this.#history && deltas === 'sent';
      return nothing;
    },
    // The text of the last call is the reply, which may have been cut.
    ModelCallCompleted: ({ calls, text: words }) =>
      this.#streamed || calls.length === 0 ? nothing : this.#message('agent_message_chunk', words),
    TurnCompleted: ({ reply }) =>
      this.#streamed ? nothing : this.#message('agent_message_chunk', reply),
    ToolCallAuthorized: (data) => this.#judged(data, 'allowed', []),
    ApprovalRequested: (data) => this.#judged(data, 'asked', []),
    ToolCallRefused: (data) => this.#judged(data, 'refused', [text(data.shown)]),
    ToolCallStarted: ({ call }) => [callUpdate(call, 'in_progress')],
    ToolCallCompleted: async ({ call, isError, result }) => {
      const shown = await contentText(result, this.#artifacts);
      const content = shown === null || shown === '' ? [] : [text(shown)];
      return [callUpdate(call, isError ? 'failed' : 'completed', content)];
    },
    ToolCallFailed: ({ call, error }) => [callUpdate(call, 'failed', [text(error.message)])],
    ToolCallCancelled: ({ call, why }) => [callUpdate(call, 'failed', [text(why)])],
    ToolCallOutcomeUnknown: ({ call, why }) => [callUpdate(call, 'failed', [text(why)])],
  };

  async #message(
    kind: 'user_message_chunk' | 'agent_message_chunk',
    content: Content,
  ): Promise<readonly SessionUpdate[]> {
    const words = await contentText(content, this.#artifacts);
    return words === null || words === '' ? [] : [said(kind, words)];
  }

  async #judged(
    data: Judged,
    verdict: 'allowed' | 'asked' | 'refused',
    content: readonly ToolCallContent[],
  ): Promise<Updates> {
    const status = verdict === 'refused' ? 'failed' : 'pending';
    const _meta = { lockstep: { verdict, rule: data.rule, why: data.why } };
    if (this.#announced.has(data.call))
      return [{ ...callUpdate(data.call, status, content), _meta }];
    this.#announced.add(data.call);
    return [
      {
        sessionUpdate: 'tool_call',
        toolCallId: data.call,
        title: data.tool ?? data.alias,
        kind: kindOf(data.tool),
        status,
        rawInput: parsed(await contentText(data.args, this.#artifacts)),
        content: [...content],
        _meta,
      },
    ];
  }
}

type Updates = readonly SessionUpdate[];
type Readers = {
  readonly [T in LockstepEvent['type']]?: (data: DataOf<T>) => Promise<Updates> | Updates;
};
const nothing: Updates = [];

const callUpdate = (
  call: string,
  status: ToolCallStatus,
  content: readonly ToolCallContent[] = [],
): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: call,
  status,
  ...(content.length === 0 ? {} : { content: [...content] }),
});

export const said = (
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk',
  words: string,
): SessionUpdate => ({ sessionUpdate, content: { type: 'text', text: words } });

const text = (words: string): ToolCallContent => ({
  type: 'content',
  content: { type: 'text', text: words },
});

/** Arguments as they came, or their raw text when they are no JSON. */
export const parsed = (raw: string | null): unknown => {
  if (raw === null) return undefined;
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return raw;
  }
};

/** What an editor draws beside a call. */
export const kindOf = (tool: string | null): ToolKind => kinds[tool ?? ''] ?? 'other';

const kinds: Readonly<Record<string, ToolKind>> = {
  'builtin:file_read': 'read',
  'builtin:file_list': 'read',
  'builtin:skill_read': 'read',
  'builtin:memory_recall': 'read',
  'builtin:file_write': 'edit',
  'builtin:file_edit': 'edit',
  'builtin:file_search': 'search',
  'builtin:shell': 'execute',
  'builtin:http_fetch': 'fetch',
};

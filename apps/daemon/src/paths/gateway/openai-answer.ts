import type { TurnAnswer } from '@lockstep/engine';
import type { Problem } from '../../http/problem.ts';
import type { ChatCompletion } from './openai.schema.ts';

/** What a turn waits for. */
export interface Waits {
  readonly id: string;
  /** `approval`, `question`, … */
  readonly kind: string;
  readonly address: string;
}

/** An error as clients of this protocol read it. */
export interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
}

/** Addresses whose every answer has the form of this protocol. */
export const isOpenAiPath = (path: string): boolean =>
  path === '/v1/chat/completions' || path === '/v1/models' || path.startsWith('/v1/models/');

/** A problem document in the form of this protocol; the code stays the same. */
export const openAiError = ({ status, detail, code, errors }: Problem): OpenAiError => {
  const [first] = errors ?? [];
  const message = first === undefined ? detail : `${detail}: \`${first.path}\` ${first.message}`;
  return { error: { message, type: typeOf(status), param: first?.path ?? null, code } };
};

const typeOf = (status: number): string => {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 429:
      return 'rate_limit_error';
  }
  return status >= 500 ? 'server_error' : 'invalid_request_error';
};

/** A turn that gave no answer. */
export const noAnswer = ({ id, status, reason }: TurnAnswer): OpenAiError => ({
  error: {
    message: `the turn \`${id}\` ${status === 'failed' ? 'failed' : `is ${status}`}${reason === null ? '' : `: ${reason}`}`,
    type: status === 'refused' ? 'permission_error' : 'server_error',
    param: null,
    code: `turn_${status}`,
  },
});

/** What a client reads of a turn that waits: who must do what, and where. */
export const waitingText = (waits: readonly Waits[]): string =>
  [
    'This turn waits for a person, and goes on when that person has decided:',
    ...waits.map(({ id, kind, address }) => `- ${kind} ${id}: POST ${address}`),
  ].join('\n');

export const completionId = (turn: string): string => `chatcmpl-${turn}`;

/** The answer of a turn that ended well, or waits, as a completion. */
export const completionOf = (
  answer: TurnAnswer,
  waits: readonly Waits[],
  created: number,
): ChatCompletion => ({
  id: completionId(answer.id),
  object: 'chat.completion',
  created,
  model: answer.agent,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: answer.status === 'waiting' ? waitingText(waits) : (answer.reply ?? ''),
        refusal: null,
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: usageOf(answer),
  lockstep: {
    turn: answer.id,
    session: answer.session,
    status: answer.status,
    waits: [...waits],
  },
});

export const usageOf = ({ usage }: TurnAnswer): ChatCompletion['usage'] => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
});

/** One piece of a streamed completion. */
export const chunkOf = (
  turn: { readonly id: string; readonly agent: string; readonly created: number },
  delta: { readonly role?: 'assistant'; readonly content?: string },
  finish: 'stop' | null,
) => ({
  id: completionId(turn.id),
  object: 'chat.completion.chunk' as const,
  created: turn.created,
  model: turn.agent,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
});

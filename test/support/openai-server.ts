import type { ServerResponse } from 'node:http';
import { startScriptedServer, type ScriptedServer, type SeenRequest } from './http-script.ts';

export interface OpenAiCall {
  readonly id?: string;
  readonly name: string;
  /** Raw text of the arguments, which may be broken JSON. */
  readonly args: string;
}

/** What the server does with one request. */
export type OpenAiReply =
  | {
      readonly kind: 'answer';
      readonly text?: string;
      readonly calls?: readonly OpenAiCall[];
      readonly finish?: 'stop' | 'tool_calls' | 'length' | 'content_filter';
      /** Null = the server reports none. */
      readonly usage?: { readonly input: number; readonly output: number } | null;
    }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Sends the first piece of the text, then drops the connection. */
  | { readonly kind: 'cut'; readonly text: string }
  /** Sends one chunk that is no JSON, then goes on and finishes. */
  | { readonly kind: 'junk'; readonly text: string }
  /** Ends the stream in order, without a finish. */
  | { readonly kind: 'unfinished'; readonly text: string }
  /** Status 200 with a body that is no answer. */
  | { readonly kind: 'malformed' }
  /** Sends the headers and nothing more. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'redirect'; readonly to: string };

type Answer = Extract<OpenAiReply, { kind: 'answer' }>;

/** A local server that speaks the chat completions protocol, whole answers and streams alike. The last reply repeats. */
export const startOpenAiServer = (
  replies: readonly OpenAiReply[] | ((seen: SeenRequest, index: number) => OpenAiReply),
): Promise<ScriptedServer> =>
  startScriptedServer((seen, response, index) => {
    const reply =
      typeof replies === 'function' ? replies(seen, index) : (replies[index] ?? replies.at(-1));
    if (reply === undefined || seen.path !== '/v1/chat/completions')
      json(response, 404, { error: { message: `no such address: ${seen.path}` } });
    else respond(reply, seen, response);
  });

const respond = (reply: OpenAiReply, seen: SeenRequest, response: ServerResponse): void => {
  const streaming = seen.body['stream'] === true;
  switch (reply.kind) {
    case 'status':
      json(
        response,
        reply.status,
        { error: { message: reply.message, type: 'error' } },
        reply.headers,
      );
      return;
    case 'redirect':
      response.writeHead(307, { location: reply.to }).end();
      return;
    case 'malformed':
      json(response, 200, { surprising: true });
      return;
    case 'hang':
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      return;
    case 'cut':
      begin(response, streaming);
      response.write(
        streaming ? piece({ role: 'assistant', content: reply.text }) : '{"id":"x",',
        () => response.destroy(),
      );
      return;
    case 'junk':
      begin(response, true);
      response.write(piece({ role: 'assistant', content: reply.text }));
      response.write('data: {"choices":[{"delta":\n\n');
      response.end(`${finishPiece('stop')}data: [DONE]\n\n`);
      return;
    case 'unfinished':
      begin(response, true);
      response.end(piece({ role: 'assistant', content: reply.text }));
      return;
    case 'answer':
      if (streaming) streamAnswer(reply, seen, response);
      else json(response, 200, wholeAnswer(reply));
  }
};

const finishOf = (reply: Answer): string =>
  reply.finish ?? ((reply.calls ?? []).length > 0 ? 'tool_calls' : 'stop');

const usageOf = (reply: Answer) => {
  if (reply.usage === null) return {};
  const { input, output } = reply.usage ?? { input: 11, output: 7 };
  return {
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: 0 },
    },
  };
};

const toolCalls = (reply: Answer) =>
  (reply.calls ?? []).map((c, index) => ({
    index,
    id: c.id ?? `call_${index}`,
    type: 'function',
    function: { name: c.name, arguments: c.args },
  }));

const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'local' };

const wholeAnswer = (reply: Answer) => ({
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: reply.text ?? null,
        ...((reply.calls ?? []).length > 0 ? { tool_calls: toolCalls(reply) } : {}),
      },
      finish_reason: finishOf(reply),
    },
  ],
  ...usageOf(reply),
});

/** Text in pieces of five characters; the arguments of parallel calls in two pieces each, as real servers send them. */
const streamAnswer = (reply: Answer, seen: SeenRequest, response: ServerResponse): void => {
  begin(response, true);
  response.write(piece({ role: 'assistant', content: '' }));
  const text = reply.text ?? '';
  for (let at = 0; at < text.length; at += 5)
    response.write(piece({ content: text.slice(at, at + 5) }));
  for (const call of toolCalls(reply)) {
    const { name, arguments: args } = call.function;
    const half = Math.floor(args.length / 2);
    const first = { ...call, function: { name, arguments: args.slice(0, half) } };
    response.write(piece({ tool_calls: [first] }));
    response.write(
      piece({ tool_calls: [{ index: call.index, function: { arguments: args.slice(half) } }] }),
    );
  }
  response.write(finishPiece(finishOf(reply)));
  const options = seen.body['stream_options'] as { include_usage?: boolean } | undefined;
  if (options?.include_usage === true && reply.usage !== null)
    response.write(chunk({ choices: [], ...usageOf(reply) }));
  response.end('data: [DONE]\n\n');
};

const begin = (response: ServerResponse, streaming: boolean): void => {
  response.writeHead(200, {
    'content-type': streaming ? 'text/event-stream' : 'application/json',
  });
};

const chunk = (rest: object): string =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...rest })}\n\n`;

const piece = (delta: object): string =>
  chunk({ choices: [{ index: 0, delta, finish_reason: null }] });

const finishPiece = (reason: string): string =>
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });

const json = (
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body));
};

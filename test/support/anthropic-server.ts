import type { ServerResponse } from 'node:http';
import { startScriptedServer, type ScriptedServer, type SeenRequest } from './http-script.ts';

/** What the server does with one request. */
export type AnthropicReply =
  | {
      readonly kind: 'answer';
      readonly text?: string;
      readonly calls?: readonly {
        readonly id: string;
        readonly name: string;
        readonly args: string;
      }[];
      readonly finish?: 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal';
      readonly usage?: { readonly input: number; readonly output: number };
    }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly type: string;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Sends the first piece of the text, then drops the connection. */
  | { readonly kind: 'cut'; readonly text: string }
  /** Reports an error inside a stream that began well. */
  | {
      readonly kind: 'stream_error';
      readonly text: string;
      readonly type: string;
      readonly message: string;
    };

type Answer = Extract<AnthropicReply, { kind: 'answer' }>;

/** A local server that speaks the messages protocol, whole answers and streams alike. The last reply repeats. */
export const startAnthropicServer = (replies: readonly AnthropicReply[]): Promise<ScriptedServer> =>
  startScriptedServer((seen, response, index) => {
    const reply = replies[index] ?? replies.at(-1);
    if (reply === undefined || seen.path !== '/v1/messages')
      json(response, 404, {
        type: 'error',
        error: { type: 'not_found_error', message: seen.path },
      });
    else respond(reply, seen, response);
  });

const respond = (reply: AnthropicReply, seen: SeenRequest, response: ServerResponse): void => {
  const streaming = seen.body['stream'] === true;
  switch (reply.kind) {
    case 'status':
      json(
        response,
        reply.status,
        { type: 'error', error: { type: reply.type, message: reply.message } },
        reply.headers,
      );
      return;
    case 'cut':
      begin(response);
      response.write(start({ input: 1, output: 1 }) + textBlock(0, reply.text).join(''), () =>
        response.destroy(),
      );
      return;
    case 'stream_error':
      begin(response);
      response.write(start({ input: 1, output: 1 }) + textBlock(0, reply.text).join(''));
      response.end(event('error', { error: { type: reply.type, message: reply.message } }));
      return;
    case 'answer':
      if (streaming) streamAnswer(reply, response);
      else json(response, 200, wholeAnswer(reply));
  }
};

const usageOf = (reply: Answer) => reply.usage ?? { input: 11, output: 7 };
const finishOf = (reply: Answer): string =>
  reply.finish ?? ((reply.calls ?? []).length > 0 ? 'tool_use' : 'end_turn');

const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'local' };

const wholeAnswer = (reply: Answer) => ({
  ...message,
  content: [
    ...(reply.text === undefined ? [] : [{ type: 'text', text: reply.text }]),
    ...(reply.calls ?? []).map((c) => ({
      type: 'tool_use',
      id: c.id,
      name: c.name,
      input: JSON.parse(c.args) as unknown,
    })),
  ],
  stop_reason: finishOf(reply),
  stop_sequence: null,
  usage: { input_tokens: usageOf(reply).input, output_tokens: usageOf(reply).output },
});

const streamAnswer = (reply: Answer, response: ServerResponse): void => {
  begin(response);
  response.write(start(usageOf(reply)));
  let index = 0;
  if (reply.text !== undefined) {
    for (const part of textBlock(index, reply.text)) response.write(part);
    index += 1;
  }
  for (const call of reply.calls ?? []) {
    const block = { type: 'tool_use', id: call.id, name: call.name, input: {} };
    const half = Math.floor(call.args.length / 2);
    response.write(event('content_block_start', { index, content_block: block }));
    for (const partial_json of [call.args.slice(0, half), call.args.slice(half)])
      response.write(
        event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } }),
      );
    response.write(event('content_block_stop', { index }));
    index += 1;
  }
  const delta = { stop_reason: finishOf(reply), stop_sequence: null };
  response.write(
    event('message_delta', { delta, usage: { output_tokens: usageOf(reply).output } }),
  );
  response.end(event('message_stop', {}));
};

const start = (usage: { readonly input: number; readonly output: number }): string =>
  event('message_start', {
    message: {
      ...message,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: usage.input, output_tokens: 1 },
    },
  });

const textBlock = (index: number, text: string): readonly string[] => [
  event('content_block_start', { index, content_block: { type: 'text', text: '' } }),
  ...(text.match(/[\s\S]{1,5}/g) ?? []).map((part) =>
    event('content_block_delta', { index, delta: { type: 'text_delta', text: part } }),
  ),
  event('content_block_stop', { index }),
];

const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

const begin = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
};

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

import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { client, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import OpenAI, { APIError } from 'openai';
import { WebSocket } from 'ws';
import { rpcClient } from './rpc-client.ts';

/** What a turn is started with. */
export interface Start {
  readonly agent: string;
  readonly input: string;
}

/** Starts a turn on the JSON-RPC socket and answers its id, also when it is refused. */
export const startByJsonRpc = async (
  data: string,
  start: Start,
  hello: object = {},
): Promise<string> => {
  const opened = await rpcClient(data);
  await opened.call('initialize', hello);
  const { result, error } = await opened.call('turns.start', start);
  opened.close();
  return String(result?.['id'] ?? error?.data?.['turn']);
};

/** Starts a turn by ACP, in a folder inside the agent's workspace; answers its id once it has ended, was refused, or asks a person. */
export const startByAcp = async (data: string, start: Start, cwd: string): Promise<string> => {
  const socket = connect(join(data, 'acp.sock'));
  socket.write(`${JSON.stringify({ agent: start.agent })}\n`);
  let asks: (turn: string) => void = () => undefined;
  const asked = new Promise<string>((done) => {
    asks = done;
  });
  const { agent } = client({ name: 'test' })
    .onNotification(methods.client.session.update, () => undefined)
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asks((params._meta?.['lockstep'] as { turn: string }).turn);
      return { outcome: { outcome: 'cancelled' } };
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(socket) as WritableStream<Uint8Array>,
        Readable.toWeb(socket) as ReadableStream<Uint8Array>,
      ),
    );
  await agent.request(methods.agent.initialize, { protocolVersion: 1 });
  const opened = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  const { sessionId } = opened;
  const prompt = [{ type: 'text' as const, text: start.input }];
  const ended = agent.request(methods.agent.session.prompt, { sessionId, prompt }).then(
    (answer: unknown) => turnIn(answer),
    (thrown: unknown) => {
      if (thrown instanceof RequestError) return (thrown.data as { turn: string }).turn;
      throw thrown;
    },
  );
  const turn = await Promise.race([asked, ended]);
  ended.catch(() => undefined);
  socket.destroy();
  return turn;
};

const turnIn = (answer: unknown): string =>
  (answer as { readonly _meta: { readonly lockstep: { readonly turn: string } } })._meta.lockstep
    .turn;

/** Starts a turn by WebSocket and answers its id, also when it is refused. */
export const startByWebSocket = (url: string, token: string, start: Start): Promise<string> =>
  new Promise((done, failed) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/ws`, [
      'lockstep.v1',
      `bearer.${token}`,
    ]);
    socket.once('error', failed);
    socket.once('open', () => {
      socket.send(JSON.stringify({ id: 1, type: 'start', ...start }));
    });
    socket.once('message', (text: Buffer) => {
      const { result, turn } = JSON.parse(text.toString('utf8')) as {
        result?: { id: string };
        turn?: string;
      };
      socket.close();
      done(result?.id ?? String(turn));
    });
  });

/** Starts a turn as a chat completion; answers its id once it has ended or waits. Null = refused, which names no turn. */
export const startByOpenAi = async (
  url: string,
  token: string,
  { agent, input }: Start,
): Promise<string | null> => {
  const openAi = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: input }];
  try {
    const { response } = await openAi.chat.completions
      .create({ model: agent, messages })
      .withResponse();
    return response.headers.get('lockstep-turn');
  } catch (thrown) {
    if (thrown instanceof APIError) return thrown.headers?.get('lockstep-turn') ?? null;
    throw thrown;
  }
};

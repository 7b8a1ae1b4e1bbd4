import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { encodeWebhook } from '../../paths/channel/webhook/webhook.wire.ts';
import {
  sign,
  signatureHeader,
  timestampHeader,
} from '../../paths/channel/webhook/webhook-signature.ts';
import { turnAnswer } from '../api.schema.ts';
import { LineClient } from '../../probe/line-client.ts';
import type { Way } from './way.ts';

const inSession = (session: string | null): object => (session === null ? {} : { session });

/** A route that streams, so that `output.stream` has somebody to stream to. */
const byRoute = (path: Way['path'], trigger: Way['trigger'], route: string): Way => ({
  path,
  trigger,
  keepsSession: true,
  start: async ({ client }, { agent, input }, session) => {
    const body = { input, ...inSession(session) };
    for await (const { event, data } of client.stream(`/v1/agents/${agent}/${route}`, { body })) {
      if (event !== 'end') continue;
      const answer = turnAnswer.parse(data);
      return { kind: 'turn', id: answer.id, session: answer.session };
    }
    throw new Error('the stream ended before the turn');
  },
});

export const rest = byRoute('gateway', 'rest', 'turns');
export const run = byRoute('loop', 'run', 'runs');

const started = z.looseObject({ id: z.string(), session: z.string() });

export const webSocket: Way = {
  path: 'gateway',
  trigger: 'websocket',
  keepsSession: true,
  start: ({ address }, { agent, input }, session) =>
    new Promise((done, failed) => {
      const protocols = ['lockstep.v1', `bearer.${address.token}`];
      const socket = new WebSocket(`${address.url.replace('http', 'ws')}/v1/ws`, protocols);
      socket.once('error', failed);
      socket.once('open', () => {
        const frame = { id: 1, type: 'start', agent, input, ...inSession(session) };
        socket.send(JSON.stringify(frame));
      });
      socket.once('message', (text: Buffer) => {
        const frame: unknown = JSON.parse(text.toString('utf8'));
        const read = z.looseObject({ result: started }).safeParse(frame);
        const close = (): void => {
          socket.close();
        };
        if (read.success) done({ kind: 'turn', ...read.data.result, close });
        else failed(new Error(`the socket answered ${text.toString('utf8')}`));
      });
    }),
};

export const openAi: Way = {
  path: 'gateway',
  trigger: 'openai',
  keepsSession: false,
  start: async ({ address }, { agent, input }) => {
    const response = await fetch(new URL('/v1/chat/completions', address.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${address.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: agent,
        messages: [{ role: 'user', content: input }],
        stream: true,
      }),
    });
    const id = response.headers.get('lockstep-turn');
    const text = response.text();
    if (id === null) throw new Error(`a chat completion was answered ${await text}`);
    text.catch(() => undefined);
    return { kind: 'turn', id, session: null };
  },
};

export const jsonRpc: Way = {
  path: 'rpc',
  trigger: 'json-rpc',
  keepsSession: true,
  start: async ({ data }, { agent, input }, session) => {
    const line = await LineClient.open(join(data, 'lockstep.sock'));
    await line.call('initialize', {});
    const asked = { agent, input, ...inSession(session) };
    const { result, error } = await line.call('turns.start', asked);
    if (result === undefined) throw new Error(error?.message ?? 'the socket did not answer');
    const close = (): void => {
      line.close();
    };
    return { kind: 'turn', ...started.parse(result), close };
  },
};

const byAcp = z.looseObject({ turn: z.string() });

/** An editor that opens the agent's workspace. Its prompt is answered when the turn is over. */
export const acp: Way = {
  path: 'rpc',
  trigger: 'acp',
  keepsSession: false,
  start: async ({ data }, { agent, input }) => {
    const cwd = join(data, 'workspaces', agent);
    await mkdir(cwd, { recursive: true });
    const line = await LineClient.open(join(data, 'acp.sock'));
    line.write({ agent });
    await line.call('initialize', { protocolVersion: 1 });
    const { result: opened } = await line.call('session/new', { cwd, mcpServers: [] });
    const { result, error } = await line.call('session/prompt', {
      sessionId: opened?.['sessionId'],
      prompt: [{ type: 'text', text: input }],
    });
    line.close();
    const meta = z.looseObject({ lockstep: byAcp }).safeParse(result?.['_meta']);
    const { turn } = meta.success ? meta.data.lockstep : byAcp.parse(error?.data);
    return { kind: 'turn', id: turn, session: null };
  },
};

let messages = 0;

/** A message of somebody outside, signed as a sender with the key would sign it. */
export const webhook: Way = {
  path: 'channel',
  trigger: 'webhook',
  keepsSession: true,
  start: async ({ address }, { agent, input, session: name }) => {
    messages += 1;
    const id = `message-${messages}`;
    const conversation = name ?? id;
    const body = encodeWebhook({
      binding: `webhook.${agent}`,
      conversation,
      thread: null,
      sender: 'visitor',
      id,
      text: input,
      address: id,
    });
    const signed = sign(process.env['DEMO_KEY'] ?? '', body, Date.now());
    const response = await fetch(new URL(`/v1/channels/${agent}/webhook`, address.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [timestampHeader]: signed.timestamp,
        [signatureHeader]: signed.signature,
      },
      body,
    });
    const text = await response.text();
    if (response.status !== 202) throw new Error(`the webhook answered ${text}`);
    const { turn, session } = z
      .looseObject({ turn: z.string(), session: z.string() })
      .parse(JSON.parse(text));
    return { kind: 'turn', id: turn, session };
  },
};

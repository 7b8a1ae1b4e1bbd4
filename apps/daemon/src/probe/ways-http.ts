import { WebSocket } from 'ws';
import type { FindWays, Way, WayParts } from './way.ts';

const post = async ({ url, token }: WayParts, path: string, body: object, headers = {}) => {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  // The stream is read to its end, so that somebody listens for text while it is made.
  void response.text().catch(() => undefined);
};

const plain = { keepsSession: true, close: () => Promise.resolve() } as const;

const named = (session: string | null): object => (session === null ? {} : { session });

const byRoute =
  (trigger: 'rest' | 'run', route: string): FindWays =>
  (parts, agent) => [
    {
      ...plain,
      trigger,
      start: (input, session) =>
        post(parts, `/v1/agents/${agent}/${route}`, { input, ...named(session) }),
    },
  ];

export const restWays = byRoute('rest', 'turns');
export const runWays = byRoute('run', 'runs');

export const openAiWays: FindWays = (parts, agent) => [
  {
    ...plain,
    trigger: 'openai',
    start: (input, session) =>
      post(
        parts,
        '/v1/chat/completions',
        { model: agent, messages: [{ role: 'user', content: input }], stream: true },
        session === null ? {} : { 'lockstep-session': session },
      ),
  },
];

export const webSocketWays: FindWays = (parts, agent) => {
  let opened: Promise<WebSocket> | null = null;
  const open = (): Promise<WebSocket> => {
    opened ??= new Promise((done, failed) => {
      const socket = new WebSocket(`${parts.url.replace('http', 'ws')}/v1/ws`, [
        'lockstep.v1',
        `bearer.${parts.token}`,
      ]);
      socket.once('error', failed);
      socket.once('open', () => {
        done(socket);
      });
    });
    return opened;
  };
  let frames = 0;
  const way: Way = {
    ...plain,
    trigger: 'websocket',
    start: async (input, session) => {
      const socket = await open();
      frames += 1;
      socket.send(JSON.stringify({ id: frames, type: 'start', agent, input, ...named(session) }));
    },
    close: async () => {
      (await opened)?.close();
    },
  };
  return [way];
};

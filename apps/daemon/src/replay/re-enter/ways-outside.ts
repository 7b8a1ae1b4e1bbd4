import { resolve } from '@lockstep/policy';
import { encodeOpenAi, parseOpenAi } from '../../paths/gateway/openai.path.ts';
import { encodeRest, parseRest } from '../../paths/gateway/rest.path.ts';
import { encodeWebSocket, parseWebSocket } from '../../paths/gateway/websocket.path.ts';
import { acpTakes, encodeAcp, parseAcp } from '../../paths/rpc/acp.path.ts';
import { encodeJsonRpc, parseJsonRpc } from '../../paths/rpc/json-rpc.path.ts';
import type { TurnRequest } from '../../turns/turns.port.ts';
import {
  keptSession,
  known,
  localOf,
  localToken,
  resolvable,
  type Asking,
  type FindCandidates,
} from './candidate.ts';

/** What goes through an adapter: said in its wire form, and read again. Null = the wire has no form for it. */
const through = <Wire>(
  request: TurnRequest,
  encode: (request: TurnRequest) => Wire | null,
  parse: (wire: Wire) => TurnRequest,
): TurnRequest | null => {
  const wire = encode(request);
  return wire === null ? null : parse(wire);
};

const plain = (
  asking: Asking,
  rest: Pick<TurnRequest, 'principal' | 'origin' | 'client'>,
): TurnRequest => ({
  ...rest,
  agent: asking.requested.request.agent,
  session: keptSession(asking),
  input: asking.input,
  idempotency: null,
  listening: true,
});

const gateway =
  (
    kind: 'rest' | 'websocket' | 'openai',
    pass: (request: TurnRequest) => TurnRequest | null,
  ): FindCandidates =>
  (asking) => {
    const record = asking.requested.records.token ?? localToken;
    const isLocal = record.name === 'local';
    const principal = isLocal
      ? localOf(asking)
      : known('token', record.id, { asking, identity: `token:${record.name}` });
    const origin = { kind, token: record.id } as const;
    const request = pass(plain(asking, { principal, origin, client: 'none' }));
    if (request === null) return 'the message has no form there';
    const notes =
      asking.requested.records.token === undefined
        ? ['the request was taken to come with the local token, which takes nothing away']
        : [];
    return [{ request, records: { token: record }, notes }];
  };

export const restCandidates = gateway('rest', (one) => through(one, encodeRest, parseRest));
export const webSocketCandidates = gateway('websocket', (one) =>
  through(one, encodeWebSocket, parseWebSocket),
);
export const openAiCandidates = gateway('openai', (one) => through(one, encodeOpenAi, parseOpenAi));

const connectionId = 'replayed';

export const jsonRpcCandidates: FindCandidates = (asking) => {
  const recorded = asking.requested.records.connection;
  const id = recorded?.id ?? connectionId;
  const origin = { kind: 'json_rpc', connection: id } as const;
  const principal = localOf(asking);
  const asked = plain(asking, { principal, origin, client: 'none' });
  const request = through(asked, encodeJsonRpc, parseJsonRpc);
  if (request === null) return 'the message has no form there';
  const narrowing = recorded?.narrowing ?? {};
  const notes =
    recorded === undefined
      ? ['the client was taken to have taken nothing away as it connected']
      : [];
  return [{ request, records: { connection: { id, narrowing } }, notes }];
};

/** A client of ACP names the folder that it works in: the recorded one, else the agent's own. */
export const acpCandidates: FindCandidates = (asking) => {
  const { client } = asking.requested.request;
  const named = client === 'none' ? undefined : client['workspace.root'];
  const cwd = typeof named === 'string' ? named : ownRoot(asking);
  if (cwd === null) return 'the agent has no policy, so it has no folder to work in';
  const origin = { kind: 'acp', connection: connectionId } as const;
  const principal = localOf(asking);
  const session = keptSession(asking) ?? asking.turn;
  const asked = {
    ...plain(asking, { principal, origin, client: { 'workspace.root': cwd } }),
    session,
  };
  const request = through(asked, encodeAcp, parseAcp);
  if (request === null) return 'the message has no form there';
  const notes = typeof named === 'string' ? [] : [`the client was taken to work in \`${cwd}\``];
  const connection = { id: connectionId, narrowing: acpTakes };
  return [{ request, records: { connection }, notes }];
};

const ownRoot = (asking: Asking): string | null => {
  const { agent } = asking.requested.request;
  const principal = localOf(asking);
  const origin = { kind: 'run' } as const;
  const request = plain(asking, { principal, origin, client: 'none' });
  const found = resolve(asking.applied, resolvable({ ...request, agent }, asking.turn), {});
  return found.ok ? found.policy.parts.snapshot.workspace.root : null;
};

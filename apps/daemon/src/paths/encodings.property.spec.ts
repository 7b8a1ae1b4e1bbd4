import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Principal } from '@lockstep/policy';
import type { TurnRequest } from '../turns/turns.port.ts';
import { encodeOpenAi, parseOpenAi } from './gateway/openai.path.ts';
import { encodeWebSocket, parseWebSocket } from './gateway/websocket.path.ts';
import { encodeAcp, parseAcp } from './rpc/acp.path.ts';
import { encodeJsonRpc, parseJsonRpc } from './rpc/json-rpc.path.ts';
import { readLine, requestLine, type RpcRequest } from './rpc/json-rpc-message.ts';

const words = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => text.isWellFormed());
const alias = fc.stringMatching(/^[a-z][a-z0-9_-]{0,31}$/);
const principal: fc.Arbitrary<Principal> = fc.record({
  kind: fc.constantFrom('token' as const, 'local' as const),
  id: words,
  person: fc.option(alias),
});
const session = fc.option(words);

const requestOf = (origin: fc.Arbitrary<TurnRequest['origin']>): fc.Arbitrary<TurnRequest> =>
  fc.record({
    agent: alias,
    principal,
    session,
    origin,
    client: fc.constant('none' as const),
    input: words,
    idempotency: fc.constant(null),
    listening: fc.boolean(),
  });

/** Encoding answers a wire form, and parsing that gives the same request. */
const holds = <W>(
  requests: fc.Arbitrary<TurnRequest>,
  encode: (request: TurnRequest) => W | null,
  parse: (wire: W) => TurnRequest,
): void => {
  fc.assert(
    fc.property(requests, (request) => {
      const wire = encode(request);
      expect(wire).not.toBeNull();
      expect(wire === null ? null : parse(wire)).toEqual(request);
    }),
  );
};

describe('given any request of a path', () => {
  it('comes back from a line of the socket', () => {
    const origin = words.map((connection) => ({ kind: 'json_rpc' as const, connection }));
    holds(requestOf(origin), encodeJsonRpc, parseJsonRpc);
  });

  it('comes back from a prompt of ACP', () => {
    const origin = words.map((connection) => ({ kind: 'acp' as const, connection }));
    const requests = fc.tuple(requestOf(origin), words, words).map(([request, cwd, named]) => ({
      ...request,
      client: { 'workspace.root': `/${cwd}` },
      session: named,
      listening: true,
    }));
    holds(requests, encodeAcp, parseAcp);
  });

  it('comes back from a frame', () => {
    const origin = words.map((token) => ({ kind: 'websocket' as const, token }));
    holds(requestOf(origin), encodeWebSocket, parseWebSocket);
  });

  it('comes back from a completion, with what the client says came earlier', () => {
    const origin = words.map((token) => ({ kind: 'openai' as const, token }));
    const said = fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const),
      text: words,
    });
    const requests = fc
      .tuple(requestOf(origin), fc.array(said, { minLength: 1, maxLength: 4 }))
      .map(([request, earlier]) => (request.session === null ? { ...request, earlier } : request));
    holds(requests, encodeOpenAi, parseOpenAi);
  });

  it('has no wire form on a path that it did not come by', () => {
    const request = requestOf(fc.constant({ kind: 'run' as const }));
    fc.assert(
      fc.property(request, (given) => {
        const forms = [encodeJsonRpc, encodeAcp, encodeWebSocket, encodeOpenAi];
        expect(forms.map((encode) => encode(given))).toEqual([null, null, null, null]);
      }),
    );
  });
});

describe('given any message of JSON-RPC', () => {
  it('is read as it was written', () => {
    const id = fc.oneof(
      words.map((text) => text.slice(0, 100)),
      fc.integer(),
      fc.constant(null),
    );
    const request: fc.Arbitrary<RpcRequest> = fc
      .record({
        id: fc.option(id, { nil: undefined }),
        method: alias,
        params: fc.constant({ a: [1] }),
      })
      .map(({ id: given, ...rest }) => (given === undefined ? rest : { ...rest, id: given }));
    fc.assert(
      fc.property(request, (given) => {
        const line = requestLine(given);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(readLine(Buffer.from(line))).toEqual({ ok: true, request: given });
      }),
    );
  });
});

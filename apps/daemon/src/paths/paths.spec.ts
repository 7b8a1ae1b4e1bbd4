import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TurnRequest } from '../turns/turns.port.ts';
import { encodeRest, parseRest } from './gateway/rest.path.ts';
import { encodeRun, parseRun } from './loop/run.path.ts';

const text = fc.string({ minLength: 1, unit: 'grapheme' });
const requests = (origin: fc.Arbitrary<TurnRequest['origin']>): fc.Arbitrary<TurnRequest> =>
  fc.record({
    agent: text,
    principal: fc.record({
      kind: fc.constantFrom('token' as const, 'local' as const),
      id: text,
      person: fc.option(fc.constantFrom('ana', 'bob'), { nil: null }),
    }),
    session: fc.option(text, { nil: null }),
    origin,
    client: fc.constant('none' as const),
    input: text,
    idempotency: fc.constant(null),
    listening: fc.boolean(),
  });

describe('given a request of a path', () => {
  it('is the same after the wire form of REST', () => {
    const origin = fc.record({ kind: fc.constant('rest' as const), token: text });
    fc.assert(
      fc.property(requests(origin), (request) => {
        const wire = encodeRest(request);
        expect(wire === null ? null : parseRest(wire)).toEqual(request);
      }),
    );
  });

  it('is the same after the wire form of a run', () => {
    const origin = fc.constant({ kind: 'run' as const });
    fc.assert(
      fc.property(requests(origin), (request) => {
        const wire = encodeRun(request);
        expect(wire === null ? null : parseRun(wire)).toEqual(request);
      }),
    );
  });
});

describe('given an Idempotency-Key', () => {
  const wire = {
    agent: 'alpha',
    caller: { principal: { kind: 'token' as const, id: 't1', person: null }, token: 't1' },
    body: { input: 'hello' },
    idempotencyKey: 'k',
    streaming: false,
  };

  it('is one caller’s own, and bound to the agent, the input and the session', () => {
    const first = parseRest(wire).idempotency;
    const other = { ...wire.caller.principal, id: 't2' };
    const theirs = parseRest({ ...wire, caller: { principal: other, token: 't2' } }).idempotency;
    expect(theirs?.key).not.toBe(first?.key);
    const changed = [
      { ...wire, agent: 'beta' },
      { ...wire, body: { input: 'hello!' } },
      { ...wire, body: { input: 'hello', session: 's' } },
    ].map((one) => parseRest(one).idempotency);
    expect(changed.map((one) => one?.key)).toEqual([first?.key, first?.key, first?.key]);
    expect(new Set([first?.body, ...changed.map((one) => one?.body)]).size).toBe(4);
  });
});

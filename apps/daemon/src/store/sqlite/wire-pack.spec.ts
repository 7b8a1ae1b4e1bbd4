import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireAppend, WireResult } from './wire.ts';
import { packAppends, packResults, unpackAppends, unpackResults } from './wire-pack.ts';

const number = fc.nat();
const event = fc.record({
  id: fc.string(),
  type: fc.string(),
  schema: number,
  agent: fc.option(fc.string()),
  raisesTo: number,
  data: fc.string(),
  meta: fc.string(),
});
const append: fc.Arbitrary<WireAppend> = fc.record({
  stream: fc.string(),
  expected: fc.integer({ min: -1 }),
  now: number,
  events: fc.array(event, { maxLength: 4 }),
});
const stamp = fc.record({
  position: number,
  revision: number,
  time: number,
  agentSeq: fc.option(number),
  epoch: number,
});
const result: fc.Arbitrary<WireResult> = fc.oneof(
  fc.record({ kind: fc.constant('written' as const), stamps: fc.array(stamp, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant('repeat' as const), firstRevision: number }),
  fc.record({ kind: fc.constant('conflict' as const), actual: fc.integer({ min: -1 }) }),
  fc.record({ kind: fc.constant('unavailable' as const), code: fc.string() }),
);
const copied = <T>(value: T): T => structuredClone(value);

describe('the flat form between the threads', () => {
  it('gives back the appends that went in', () => {
    fc.assert(
      fc.property(fc.array(append, { maxLength: 5 }), (appends) => {
        expect(unpackAppends(copied(packAppends(appends)))).toEqual(appends);
      }),
    );
  });

  it('gives back the results that went in', () => {
    fc.assert(
      fc.property(fc.array(result, { maxLength: 5 }), (results) => {
        expect(unpackResults(copied(packResults(results)))).toEqual(results);
      }),
    );
  });

  it('refuses a list that was cut short', () => {
    const packed = packAppends([{ stream: 's', expected: -1, now: 1, events: [] }]);
    expect(() => unpackAppends(packed.slice(0, 3))).toThrow(TypeError);
  });
});

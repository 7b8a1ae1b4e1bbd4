import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeCron, parseCron } from '../paths/loop/cron.path.ts';
import { encodeHeartbeat, parseHeartbeat } from '../paths/loop/heartbeat.path.ts';
import { encodeStep, parseStep } from '../paths/sop/step.path.ts';
import type { TurnRequest } from '../turns/turns.port.ts';

const text = fc.string({ minLength: 1, unit: 'grapheme' });
const same = <W>(
  wires: fc.Arbitrary<W>,
  parse: (wire: W) => TurnRequest,
  encode: (request: TurnRequest) => W | null,
): void => {
  fc.assert(
    fc.property(wires, (wire) => {
      const request = parse(wire);
      expect(encode(request)).toEqual(wire);
      // Nothing but the path's own requests has a wire form.
      expect(encode({ ...request, listening: true })).toBeNull();
      expect(encode({ ...request, origin: { kind: 'run' } })).toBeNull();
    }),
  );
};

describe('given a request that the clock or a procedure makes', () => {
  it('is the same after the wire form of a job', () => {
    const wires = fc.record({ job: text, agent: text, prompt: text, turn: text });
    same(wires, parseCron, encodeCron);
  });

  it('is the same after the wire form of a heartbeat', () => {
    same(fc.record({ agent: text, prompt: text, turn: text }), parseHeartbeat, encodeHeartbeat);
  });

  it('is the same after the wire form of a step', () => {
    const wires = fc.record({
      run: text,
      step: text,
      agent: text,
      prompt: text,
      turn: text,
      by: fc.record({
        kind: fc.constantFrom('token' as const, 'local' as const, 'agent' as const),
        id: text,
        person: fc.option(fc.constantFrom('ana', 'bob'), { nil: null }),
      }),
      parent: fc.option(fc.record({ turn: text.filter((t) => t !== 'none'), call: text }), {
        nil: null,
      }),
    });
    same(wires, parseStep, encodeStep);
  });
});

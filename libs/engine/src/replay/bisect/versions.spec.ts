import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VerdictSeen } from '../counterfactual/report.ts';
import { findFlip } from './versions.ts';

const seen = (verdict: VerdictSeen['verdict']): VerdictSeen => ({
  verdict,
  rule: 'tools.denied',
  key: 'tools.denied',
  why: '',
});
const any = fc.constantFrom(seen('allow'), seen('ask'), seen('refuse'), null);
const log = fc
  .array(any, { minLength: 1, maxLength: 40 })
  .chain((list) => fc.tuple(fc.constant(list), fc.nat({ max: list.length - 1 })));

describe('the config version that flipped a verdict', () => {
  it('gives another verdict than the version before it, for any versions, though some cannot be told', () => {
    fc.assert(
      fc.property(log, ([list, own]) => {
        const flip = findFlip((at) => list[at] ?? null, own, list.length);
        const wanted = list[own] ?? null;
        const told = list.filter((one) => one !== null);
        if (wanted === null || told.every(({ verdict }) => verdict === wanted.verdict)) {
          expect(flip).toBe(null);
          return;
        }
        expect(flip === null ? null : flip.before < flip.after).toBe(true);
        const between = list.slice((flip?.before ?? 0) + 1, flip?.after);
        expect(between.filter((one) => one !== null)).toEqual([]);
        const [before, after] = [list[flip?.before ?? 0], list[flip?.after ?? 0]];
        expect([before, after].includes(null)).toBe(false);
        expect(before?.verdict).not.toBe(after?.verdict);
      }),
    );
  });

  it('is found with few questions where the verdict flipped once', () => {
    const list = Array.from({ length: 1000 }, (_, at) => seen(at < 617 ? 'refuse' : 'allow'));
    let asked = 0;
    const flip = findFlip(
      (at) => {
        asked += 1;
        return list[at] ?? null;
      },
      999,
      1000,
    );
    expect(flip).toEqual({ before: 616, after: 617 });
    expect(asked).toBeLessThan(60);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fits, release, remainder, reserve, settle, type Account } from './account.ts';

const account = (cap: Account['cap'], used = 0, reserved = 0): Account => ({ cap, used, reserved });

describe('given a cap of 10 of which 3 are used and 4 reserved', () => {
  const ten = account(10, 3, 4);

  it('has 3 left', () => {
    expect(remainder(ten)).toBe(3);
  });

  it('reserves up to what is left and no more', () => {
    expect([fits(ten, 3), fits(ten, 4)]).toEqual([true, false]);
    expect(reserve(ten, 3)).toEqual(account(10, 3, 7));
    expect(reserve(ten, 4)).toBeNull();
  });

  it('turns a reservation into use when it is settled', () => {
    expect(settle(ten, 4, 2)).toEqual(account(10, 5, 0));
  });

  it('keeps an overrun and leaves nothing', () => {
    const over = settle(ten, 4, 9);
    expect(over).toEqual(account(10, 12, 0));
    expect([remainder(over), reserve(over, 1)]).toEqual([0, null]);
  });

  it('gives back what did not start', () => {
    expect(release(ten, 4)).toEqual(account(10, 3, 0));
  });
});

it('has no end without a cap', () => {
  expect(remainder(account('unlimited', 1e9, 1e9))).toBe('unlimited');
  expect(reserve(account('unlimited', 1, 1), 1e9)).toEqual(account('unlimited', 1, 1e9 + 1));
});

it('never passes its cap, whoever starts at once, when each uses what it reserved', () => {
  const amounts = fc.array(fc.nat({ max: 50 }), { maxLength: 20 });
  fc.assert(
    fc.property(fc.nat({ max: 100 }), amounts, (cap, wanted) => {
      const started: number[] = [];
      let now = account(cap);
      for (const amount of wanted) {
        const held = reserve(now, amount);
        if (held === null) continue;
        now = held;
        started.push(amount);
      }
      for (const amount of started) now = settle(now, amount, amount);
      expect(now.used).toBeLessThanOrEqual(cap);
      expect(now.reserved).toBe(0);
    }),
  );
});

import { describe, expect, it } from 'vitest';
import type { PolicySnapshot, PricesMicro } from '@lockstep/policy';
import type { CapUse } from '../events/parts.ts';
import { samplePolicy } from '../testing/index.ts';
import type { TurnSpending } from './cap-uses.ts';
import { judgeModelCall } from './judge-model-call.ts';

const spending = (given: {
  readonly budgets?: Partial<PolicySnapshot['budgets']>;
  readonly prices?: PricesMicro;
  readonly totals?: Partial<TurnSpending['totals']>;
}): TurnSpending => ({
  turn: 'turn-1',
  policy: samplePolicy({
    budgets: {
      max_output_tokens: 100,
      max_tokens_per_turn: 1_000,
      max_cost_usd_per_turn: 1_000,
      ...given.budgets,
    },
    provider: { prices: given.prices ?? { kind: 'free' } },
  }),
  totals: { toolCalls: 0, tokens: 0, cost: 0, ...given.totals },
});

/** One micro-dollar a token in either direction. */
const oneEach: PricesMicro = {
  kind: 'priced',
  input: 1_000_000,
  output: 1_000_000,
  cachedInput: 0,
};

describe('given room in every cap', () => {
  it('reserves the prompt and the most output', () => {
    expect(judgeModelCall(spending({ prices: oneEach }), 50)).toEqual({
      ok: true,
      reserved: { tokens: 150, cost: 150 },
      maxOutputTokens: 100,
    });
  });

  it('fills a cap to the last token', () => {
    const full = spending({ totals: { tokens: 850 } });
    expect(judgeModelCall(full, 50).ok).toBe(true);
    expect(judgeModelCall(full, 51).ok).toBe(false);
  });
});

describe('given a cap without room', () => {
  it('names the cap of tokens', () => {
    expect(judgeModelCall(spending({ totals: { tokens: 900 } }), 50)).toEqual({
      ok: false,
      exhausted: {
        key: 'budgets.max_tokens_per_turn',
        scope: 'turn-1',
        cap: 1_000,
        used: 900,
        wanted: 150,
        why: '`budgets.max_tokens_per_turn` of `turn-1` leaves 100 tokens and the model call needs 150',
      },
    });
  });

  it('names the cap of cost', () => {
    expect(judgeModelCall(spending({ prices: oneEach, totals: { cost: 900 } }), 50)).toEqual({
      ok: false,
      exhausted: {
        key: 'budgets.max_cost_usd_per_turn',
        scope: 'turn-1',
        cap: 1_000,
        used: 900,
        wanted: 150,
        why: '`budgets.max_cost_usd_per_turn` of `turn-1` leaves 100 micro-dollars and the model call needs 150',
      },
    });
  });

  it("names an ancestor's cap that is nearer than the own", () => {
    const ancestor: CapUse = {
      key: 'budgets.max_tokens_per_turn',
      scope: 'turn-0',
      cap: 500,
      used: 300,
      reserved: 100,
    };
    expect(judgeModelCall(spending({}), 50, [ancestor])).toEqual({
      ok: false,
      exhausted: {
        key: 'budgets.max_tokens_per_turn',
        scope: 'turn-0',
        cap: 500,
        used: 300,
        wanted: 150,
        why: '`budgets.max_tokens_per_turn` of `turn-0` leaves 100 tokens and the model call needs 150',
      },
    });
  });
});

describe('given an unknown price', () => {
  const unknown: PricesMicro = { kind: 'unknown' };

  it('fits no cap of cost, not even an untouched one', () => {
    expect(judgeModelCall(spending({ prices: unknown }), 1)).toEqual({
      ok: false,
      exhausted: {
        key: 'budgets.max_cost_usd_per_turn',
        scope: 'turn-1',
        cap: 1_000,
        used: 0,
        wanted: 0,
        why: 'the price of `local` is unknown, so `budgets.max_cost_usd_per_turn` of `turn-1` cannot be kept',
      },
    });
  });

  it('stays unknown in the reservation where no cost is capped', () => {
    const free = spending({ prices: unknown, budgets: { max_cost_usd_per_turn: 'unlimited' } });
    expect(judgeModelCall(free, 50)).toEqual({
      ok: true,
      reserved: { tokens: 150, cost: 'unknown' },
      maxOutputTokens: 100,
    });
  });

  it("fits no ancestor's cap of cost", () => {
    const free = spending({ prices: unknown, budgets: { max_cost_usd_per_turn: 'unlimited' } });
    const ancestor: CapUse = {
      key: 'budgets.max_cost_usd_per_turn',
      scope: 'turn-0',
      cap: 5,
      used: 0,
      reserved: 0,
    };
    const judged = judgeModelCall(free, 50, [ancestor]);
    expect(judged.ok ? null : [judged.exhausted.scope, judged.exhausted.cap]).toEqual([
      'turn-0',
      5,
    ]);
  });

  it('refuses the next call when what was spent is unknown', () => {
    expect(judgeModelCall(spending({ prices: oneEach, totals: { cost: 'unknown' } }), 1).ok).toBe(
      false,
    );
  });
});

describe('given unlimited output tokens', () => {
  const open = (given: Parameters<typeof spending>[0]): TurnSpending =>
    spending({ ...given, budgets: { max_output_tokens: 'unlimited', ...given.budgets } });

  it('bounds the output by what is left of the tokens', () => {
    expect(judgeModelCall(open({ totals: { tokens: 400 } }), 50)).toEqual({
      ok: true,
      reserved: { tokens: 600, cost: 0 },
      maxOutputTokens: 550,
    });
  });

  it('bounds the output by what is left of the money', () => {
    expect(judgeModelCall(open({ prices: oneEach, totals: { cost: 800 } }), 50)).toEqual({
      ok: true,
      reserved: { tokens: 200, cost: 200 },
      maxOutputTokens: 150,
    });
  });

  it('refuses a prompt that leaves no room for an answer', () => {
    expect(judgeModelCall(open({ totals: { tokens: 950 } }), 50).ok).toBe(false);
  });

  it('reserves the prompt alone where nothing is capped', () => {
    const budgets = {
      max_tokens_per_turn: 'unlimited',
      max_cost_usd_per_turn: 'unlimited',
    } as const;
    expect(judgeModelCall(open({ budgets }), 50)).toEqual({
      ok: true,
      reserved: { tokens: 50, cost: 0 },
      maxOutputTokens: 'unlimited',
    });
  });
});

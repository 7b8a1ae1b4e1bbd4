import type { Limit } from '@lockstep/policy';

/** A cap with what is used of it and what is held for work in flight, all in the unit of the cap. */
export interface Account {
  readonly cap: Limit;
  readonly used: number;
  readonly reserved: number;
}

/** What is left to reserve: never negative, since an overrun leaves nothing. */
export const remainder = ({ cap, used, reserved }: Account): Limit =>
  cap === 'unlimited' ? 'unlimited' : Math.max(0, cap - used - reserved);

/** Whether an amount can be reserved without passing the cap. */
export const fits = (account: Account, amount: number): boolean => {
  const left = remainder(account);
  return left === 'unlimited' || amount <= left;
};

/** Holds an amount for work that is about to start, or null when the cap has no room for it. */
export const reserve = (account: Account, amount: number): Account | null =>
  fits(account, amount) ? { ...account, reserved: account.reserved + amount } : null;

/** Turns a reservation into use. More may be used than was reserved: the overrun stands, and the next reservation fails. */
export const settle = (account: Account, reserved: number, used: number): Account => ({
  ...account,
  reserved: account.reserved - reserved,
  used: account.used + used,
});

/** Gives a reservation back when the work did not start. */
export const release = (account: Account, reserved: number): Account =>
  settle(account, reserved, 0);

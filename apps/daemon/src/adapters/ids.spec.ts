import { fixedClock } from '@lockstep/engine/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { uuidV7Ids } from './ids.ts';

describe('given a clock that stands still', () => {
  it('makes different ids in ascending order, beyond the counter of one millisecond', () => {
    const ids = uuidV7Ids(fixedClock());

    const made = Array.from({ length: 10_000 }, () => ids.next());

    expect(new Set(made).size).toBe(10_000);
    expect([...made].sort()).toEqual(made);
  });

  it('makes ids that are UUIDs of version 7 and hold the time', () => {
    const id = uuidV7Ids(fixedClock(0x0123456789ab)).next();

    expect(z.uuidv7().safeParse(id).success).toBe(true);
    expect(id.slice(0, 13)).toBe('01234567-89ab');
  });
});

describe('given a clock that goes back', () => {
  it('goes on in ascending order', () => {
    const clock = fixedClock();
    const ids = uuidV7Ids(clock);
    const before = ids.next();

    clock.advance(-60_000);

    expect(ids.next() > before).toBe(true);
  });
});

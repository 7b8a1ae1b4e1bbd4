import { decide } from './decide.ts';
import { evolve } from './evolve.ts';
import { nextEffect } from './next-effect.ts';
import { initialState } from './state.ts';

/** The turn as four pure functions: what is known, what follows from a command, what a fact changes, what is outstanding. */
export const turnDecider = { initialState, decide, evolve, nextEffect } as const;

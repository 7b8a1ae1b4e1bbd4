import { narrowPolicy, resolve, resolveAgain } from '@lockstep/policy';
import { decide } from '../turn/decide.ts';
import { evolve } from '../turn/evolve.ts';
import { nextEffect } from '../turn/next-effect.ts';
import { recoverySteps } from '../turn/recover.ts';

/** The pure functions that make the events of a turn: what a replay puts to the test. */
export interface Engine {
  readonly resolve: typeof resolve;
  readonly resolveAgain: typeof resolveAgain;
  readonly narrowPolicy: typeof narrowPolicy;
  readonly decide: typeof decide;
  readonly evolve: typeof evolve;
  readonly nextEffect: typeof nextEffect;
  readonly recoverySteps: typeof recoverySteps;
}

/** The engine of this build. */
export const thisBuild: Engine = {
  resolve,
  resolveAgain,
  narrowPolicy,
  decide,
  evolve,
  nextEffect,
  recoverySteps,
};

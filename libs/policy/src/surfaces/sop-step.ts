import type { Config } from '../config/config.schema.ts';

type Step = Config['sops'][string]['steps'][number];

/** How templates, events and requests name a step of a procedure: its own name, or `step<number>` counted from 1. */
export const sopStepName = (step: Pick<Step, 'name'>, index: number): string =>
  step.name ?? `step${index + 1}`;

/** The step of that name, or null. */
export const findSopStep = (steps: readonly Step[], name: string): Step | null =>
  steps.find((step, index) => sopStepName(step, index) === name) ?? null;

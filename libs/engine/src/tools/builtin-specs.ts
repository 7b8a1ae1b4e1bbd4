import type { ToolSpec } from '../events/parts.ts';
import { childSpecs } from './specs/child-specs.ts';
import { memorySpecs } from './specs/memory-specs.ts';
import { plainSpecs } from './specs/plain-specs.ts';
import { shellSpecs } from './specs/shell-specs.ts';
import { skillSpecs } from './specs/skill-specs.ts';
import { workSpecs } from './specs/work-specs.ts';

/** The tools of the program itself, sorted by id. */
export const builtinSpecs: readonly ToolSpec[] = [
  ...plainSpecs,
  ...memorySpecs,
  ...skillSpecs,
  ...shellSpecs,
  ...childSpecs,
  ...workSpecs,
].sort((a, b) => (a.id < b.id ? -1 : 1));

/** Tools that start other turns and wait for them: no time limit of a tool applies, and waiting for them is not active time. */
export const childTools: ReadonlySet<string> = new Set([
  'builtin:delegate',
  'builtin:message_peer',
  'builtin:sop_start',
  'builtin:spawn',
]);

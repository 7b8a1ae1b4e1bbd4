import type { ToolSpec } from '../../events/parts.ts';
import { builtin, text } from './builtin.ts';

/** Skills that an agent has. */
export const skillSpecs: readonly ToolSpec[] = [
  builtin('skill_read', 'Reads a skill. From then on the turn keeps to the tools that it names.', {
    properties: {
      skill: text('Name of the skill.', { minLength: 1, maxLength: 64 }),
      file: text('A further file of the skill; absent: its text.', {
        minLength: 1,
        maxLength: 1024,
      }),
    },
    required: ['skill'],
    effects: ['read'],
    operands: [{ kind: 'skill', at: '/skill' }],
    repeatable: true,
  }),
];

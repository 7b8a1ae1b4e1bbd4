import type { ToolSpec } from '../../events/parts.ts';
import { builtin, text } from './builtin.ts';

/** Programs of the machine. */
export const shellSpecs: readonly ToolSpec[] = [
  builtin('shell', 'Runs a line of shell in the workspace.', {
    properties: {
      command: text('The line: programs, pipes and redirections with plain words.', {
        minLength: 1,
        maxLength: 8192,
      }),
    },
    required: ['command'],
    effects: ['execute'],
    operands: [{ kind: 'command', at: '/command' }],
    repeatable: false,
  }),
];

import type { ToolSpec } from '../../events/parts.ts';
import { builtin, count, text } from './builtin.ts';

/** What an agent remembers between turns. */
export const memorySpecs: readonly ToolSpec[] = [
  builtin('memory_store', 'Keeps a text for later turns.', {
    properties: {
      text: text('What to keep.', { minLength: 1, maxLength: 8000 }),
      tags: {
        type: 'array',
        description: 'Words to find it by.',
        items: { type: 'string', minLength: 1, maxLength: 64 },
        maxItems: 20,
        uniqueItems: true,
      },
    },
    required: ['text'],
    effects: ['write'],
    operands: [{ kind: 'memory', at: '', access: 'write' }],
    repeatable: false,
  }),
  builtin('memory_recall', 'Finds what was kept before.', {
    properties: {
      query: text('Words to look for.', { minLength: 1, maxLength: 1000 }),
      limit: count('At most so many rows.', 100),
    },
    required: ['query'],
    effects: ['read'],
    operands: [{ kind: 'memory', at: '', access: 'read' }],
    repeatable: true,
  }),
  builtin('memory_forget', 'Drops one kept text.', {
    properties: { id: text('Id of the row.', { minLength: 1, maxLength: 64 }) },
    required: ['id'],
    effects: ['write'],
    operands: [{ kind: 'memory', at: '/id', access: 'write' }],
    repeatable: true,
  }),
];

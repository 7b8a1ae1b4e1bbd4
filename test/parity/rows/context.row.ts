import type { Row, RowsOf } from './row.ts';

const limit = (key: string, fallback: number, written: number | 'unlimited'): [Row, Row] => [
  { title: 'absent has a limit', agent: {}, expected: fallback },
  { title: 'a written value stands', agent: { context: { [key]: written } }, expected: written },
];

export const contextRows = {
  'context.max_history_messages': limit('max_history_messages', 50, 5),
  'context.max_context_tokens': limit('max_context_tokens', 32_000, 'unlimited'),
  'context.keep_tool_results_turns': limit('keep_tool_results_turns', 2, 0),
  'context.max_system_prompt_chars': limit('max_system_prompt_chars', 20_000, 300),
  'context.identity.files': [
    { title: 'absent is none', agent: {}, expected: [] },
    {
      title: 'a path starts at the config file',
      agent: { context: { identity: { files: ['ada.md'] } } },
      expected: ['/srv/team/ada.md'],
    },
  ],
  'context.identity.writable': [
    { title: 'absent is closed', agent: {}, expected: false },
    {
      title: 'written',
      agent: { context: { identity: { files: ['ada.md'], writable: true } } },
      expected: true,
    },
  ],
} satisfies RowsOf<'context'>;

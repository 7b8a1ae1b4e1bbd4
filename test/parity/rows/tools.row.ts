import type { RowsOf } from './row.ts';

export const toolsRows = {
  'tools.allowed': [
    { title: 'absent is none', agent: {}, expected: [[]] },
    { title: 'empty is none', agent: { tools: { allowed: [] } }, expected: [[]] },
    { title: 'a star is all', agent: { tools: { allowed: '*' } }, expected: [['*']] },
    {
      title: 'a bare name is a built-in tool',
      agent: { tools: { allowed: ['file_read', 'mcp:files/*'] }, mcp_bundles: ['files'] },
      rest: {
        mcp: { servers: { files: { transport: 'stdio', command: 'x', expose: '*' } } },
        mcp_bundles: { files: { servers: ['files'] } },
      },
      expected: [['builtin:file_read', 'mcp:files/*']],
    },
    {
      title: 'the agent replaces its profile whole',
      agent: { tools: { allowed: ['time_now'] } },
      rest: { risk_profiles: { careful: { tools: { allowed: ['file_read'] } } } },
      expected: [['builtin:time_now']],
    },
  ],
  'tools.denied': [
    { title: 'absent denies nothing', agent: {}, expected: [] },
    {
      title: 'a list denies each',
      agent: { tools: { denied: ['file_write', 'file_edit'] } },
      expected: ['builtin:file_edit', 'builtin:file_write'],
    },
  ],
} satisfies RowsOf<'tools'>;

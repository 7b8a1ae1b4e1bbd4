import type { RowsOf } from './row.ts';

const none = { memory: { backend: 'none' } };

export const memoryRows = {
  'memory.backend': [
    { title: 'absent is sqlite', agent: {}, expected: 'sqlite' },
    { title: 'none', agent: none, expected: 'none' },
  ],
  'memory.auto_recall': [
    { title: 'absent is on', agent: {}, expected: true },
    { title: 'off without rows', agent: none, expected: false },
  ],
  'memory.recall_limit': [
    { title: 'absent is five', agent: {}, expected: 5 },
    { title: 'written', agent: { memory: { recall_limit: 2 } }, expected: 2 },
  ],
  'memory.read_memory_from': [
    { title: 'absent is nobody', agent: {}, expected: [] },
    { title: 'another agent', agent: { memory: { read_memory_from: ['ben'] } }, expected: ['ben'] },
  ],
  'memory.share': [
    { title: 'absent is the person', agent: {}, expected: 'person' },
    { title: 'the whole agent', agent: { memory: { share: 'agent' } }, expected: 'agent' },
  ],
  'memory.writable': [
    { title: 'absent is open', agent: {}, expected: true },
    { title: 'closed', agent: { memory: { writable: false } }, expected: false },
  ],
  'memory.retention_days': [
    { title: 'absent is a year', agent: {}, expected: 365 },
    { title: 'written', agent: { memory: { retention_days: 30 } }, expected: 30 },
  ],
} satisfies RowsOf<'memory'>;

export const skillsRows = {
  'skills.bundles': [{ title: 'absent is none', agent: {}, expected: [] }],
  'skills.allow_scripts': [
    { title: 'absent is closed', agent: {}, expected: false },
    {
      title: 'written',
      agent: { skills: { allow_scripts: true } },
      expected: true,
      refused: /cannot act without/,
    },
  ],
  'skills.prompt_mode': [
    { title: 'absent is compact', agent: {}, expected: 'compact' },
    {
      title: 'written',
      agent: { skills: { prompt_mode: 'full' } },
      expected: 'full',
      refused: /cannot act without/,
    },
  ],
} satisfies RowsOf<'skills'>;

export const shellRows = {
  'shell.allowed_commands': [
    { title: 'absent is none', agent: {}, expected: [[]] },
    {
      title: 'word prefixes, sorted',
      agent: { tools: { allowed: ['shell'] }, shell: { allowed_commands: ['ls', 'git log'] } },
      expected: [['git log', 'ls']],
    },
  ],
  'shell.env_passthrough': [
    { title: 'absent is nothing', agent: {}, expected: [] },
    { title: 'a name', agent: { shell: { env_passthrough: ['LANG'] } }, expected: ['LANG'] },
  ],
  'shell.block_high_risk': [
    { title: 'absent is on', agent: {}, expected: true },
    { title: 'off', agent: { shell: { block_high_risk: false } }, expected: false },
  ],
  'shell.sandbox': [
    { title: 'absent is required', agent: {}, expected: 'required' },
    { title: 'preferred', agent: { shell: { sandbox: 'preferred' } }, expected: 'preferred' },
  ],
} satisfies RowsOf<'shell'>;

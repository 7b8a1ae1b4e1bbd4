import { expect, it } from 'vitest';
import { samplePolicy, sampleTool } from '../testing/index.ts';
import { whyWithheld } from './advertise.ts';

type Change = NonNullable<Parameters<typeof samplePolicy>[0]>;

const open: Change = {
  tools: { allowed: [['*']], denied: [] },
  approval: { autonomy: 'full' },
  memory: { backend: 'sqlite', writable: true },
  delegation: {
    mode: 'allow',
    max_depth: 3,
    spawn: true,
    delegates: { reviewer: 'bounded' },
    sops: ['release'],
  },
  channels: { peers: { 'webhook.support': { inbound: [], ignore: [], agents: ['reviewer'] } } },
  skills: { bundles: ['writing'] },
  shell: { allowed_commands: [['git']] },
};

const tools = [
  'memory_store',
  'memory_recall',
  'memory_forget',
  'delegate',
  'spawn',
  'sop_start',
  'message_peer',
  'skill_read',
  'shell',
];

it.each(tools)('offers %s where its surface is open', (name) => {
  expect(whyWithheld(samplePolicy(open), sampleTool(name))).toBeNull();
});

it.each<[tool: string, change: Change, rule: string]>([
  ['memory_store', { memory: { backend: 'none' } }, 'memory.backend'],
  ['memory_recall', { memory: { backend: 'none' } }, 'memory.backend'],
  ['memory_forget', { memory: { backend: 'sqlite', writable: false } }, 'memory.writable'],
  ['memory_store', { memory: { backend: 'sqlite', writable: false } }, 'memory.writable'],
  ['delegate', { delegation: { mode: 'forbidden' } }, 'delegation.mode'],
  [
    'delegate',
    { delegation: { mode: 'allow', max_depth: 3, delegates: {} } },
    'delegation.delegates',
  ],
  ['spawn', { delegation: { mode: 'allow', max_depth: 3, spawn: false } }, 'delegation.spawn'],
  ['spawn', { delegation: { mode: 'allow', spawn: true, max_depth: 0 } }, 'delegation.max_depth'],
  ['sop_start', { delegation: { mode: 'allow', max_depth: 3, sops: [] } }, 'delegation.sops'],
  ['message_peer', { channels: { peers: {} } }, 'channels.peers'],
  ['skill_read', { skills: { bundles: [] } }, 'skills.bundles'],
  ['shell', { shell: { allowed_commands: [[]] } }, 'shell.allowed_commands'],
])('offers no %s under %j', (name, change, rule) => {
  expect(whyWithheld(samplePolicy({ ...open, ...change }), sampleTool(name))?.rule).toBe(rule);
});

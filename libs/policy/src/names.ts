import { z } from 'zod';

/** The six construction paths: every way a turn can start. */
export const pathNames = ['channel', 'rpc', 'gateway', 'loop', 'delegate', 'sop'] as const;
export const pathNameSchema = z.enum(pathNames);
export type PathName = z.infer<typeof pathNameSchema>;

/** The kind of start within a path, as it stands in an event's `meta.trigger`. */
export const triggersByPath = {
  channel: ['telegram', 'slack', 'discord', 'mqtt', 'webhook', 'peer'],
  rpc: ['json-rpc', 'acp'],
  gateway: ['rest', 'websocket', 'openai'],
  loop: ['cron', 'heartbeat', 'subagent', 'run'],
  delegate: ['bounded', 'independent'],
  sop: ['live', 'headless'],
} as const satisfies Record<PathName, readonly string[]>;
export const triggerSchema = z.enum([
  ...triggersByPath.channel,
  ...triggersByPath.rpc,
  ...triggersByPath.gateway,
  ...triggersByPath.loop,
  ...triggersByPath.delegate,
  ...triggersByPath.sop,
]);
export type Trigger = z.infer<typeof triggerSchema>;

/** What a config entry may be called: starts with a letter, at most 32 of `a-z 0-9 _ -`. */
export const aliasSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must match [a-z][a-z0-9_-]{0,31}');
export type Alias = string;

/** What a tool call can do to the world. An unknown tool has all of them. */
export const effectNames = ['read', 'write', 'execute', 'network', 'delegate', 'message'] as const;
export const effectSchema = z.enum(effectNames);
export type Effect = z.infer<typeof effectSchema>;

/** Roles of tokens and people; `admin` includes all others. */
export const roleNames = ['viewer', 'auditor', 'operator', 'approver', 'admin'] as const;
export const roleSchema = z.enum(roleNames);
export type Role = z.infer<typeof roleSchema>;

export const surfaceNames = [
  'tools',
  'approval',
  'budgets',
  'context',
  'memory',
  'skills',
  'workspace',
  'shell',
  'network',
  'mcp',
  'delegation',
  'channels',
  'secrets',
  'output',
] as const;
export type SurfaceName = (typeof surfaceNames)[number];

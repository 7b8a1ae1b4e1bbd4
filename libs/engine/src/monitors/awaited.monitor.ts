import { never, type Monitor, type Witness } from './monitor.ts';

/** Settings whose checks are being written. */
const awaited = [
  'approval.approvers_required',
  'approval.four_eyes',
  'approval.route.approver',
  'budgets.max_actions_per_hour',
  'budgets.max_cost_usd_per_day',
  'budgets.warn_at_percent',
  'context.identity.files',
  'context.identity.writable',
  'memory.backend',
  'memory.auto_recall',
  'memory.recall_limit',
  'memory.read_memory_from',
  'memory.share',
  'memory.writable',
  'memory.retention_days',
  'skills.bundles',
  'skills.allow_scripts',
  'skills.prompt_mode',
  'shell.allowed_commands',
  'shell.env_passthrough',
  'shell.block_high_risk',
  'shell.sandbox',
  'delegation.mode',
  'delegation.delegates',
  'delegation.max_depth',
  'delegation.spawn',
  'delegation.sops',
  'channels.bindings',
  'channels.peers',
] as const;

type Awaited = (typeof awaited)[number];

const silent: Monitor = () => [];
export const awaitedMonitors = Object.fromEntries(awaited.map((key) => [key, silent])) as Record<
  Awaited,
  Monitor
>;
export const awaitedWitnesses = Object.fromEntries(awaited.map((key) => [key, never])) as Record<
  Awaited,
  Witness
>;

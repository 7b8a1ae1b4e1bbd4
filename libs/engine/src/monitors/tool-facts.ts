import { effectNames, type Effect, type PolicySnapshot } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';

/** An MCP tool's canonical id, taken apart. */
export interface McpTool {
  readonly server: string;
  readonly name: string;
}

/** Server and own name of an MCP tool, or null for a tool of another source. */
export const mcpTool = (id: string): McpTool | null => {
  const found = /^mcp:([^/]+)\/(.+)$/.exec(id);
  return found?.[1] === undefined || found[2] === undefined
    ? null
    : { server: found[1], name: found[2] };
};

const builtin: Readonly<Record<string, readonly Effect[]>> = {
  file_read: ['read'],
  file_list: ['read'],
  file_search: ['read'],
  memory_recall: ['read'],
  cron_list: ['read'],
  time_now: ['read'],
  skill_read: ['read'],
  file_write: ['write'],
  file_edit: ['write'],
  memory_store: ['write'],
  memory_forget: ['write'],
  cron_add: ['write', 'delegate'],
  cron_remove: ['write', 'delegate'],
  shell: ['execute'],
  http_fetch: ['network'],
  delegate: ['delegate'],
  spawn: ['delegate'],
  sop_start: ['delegate'],
  message_peer: ['message'],
  ask_user: [],
};

/** What a call can do by the policy's own words: the table of built-in tools, or what config declares of an MCP tool. A tool that
 * neither names can do everything. */
export const effectsOf = (
  policy: PolicySnapshot,
  tool: string,
  operands: readonly Operand[],
): readonly Effect[] => {
  const mcp = mcpTool(tool);
  if (mcp !== null) return own(own(policy.mcp.effects, mcp.server), mcp.name) ?? effectNames;
  const known = own(builtin, tool.replace(/^builtin:/, ''));
  if (!tool.startsWith('builtin:') || known === undefined) return effectNames;
  const sends = operands.some((o) => o.kind === 'url' && !/^(get|head)$/i.test(o.method));
  return tool === 'builtin:http_fetch' && sends ? ['network', 'write'] : known;
};

/** Whether a set of effects lies within {read}: what needs no question under `supervised` and no wider ceiling. */
export const onlyReads = (effects: readonly Effect[]): boolean =>
  effects.every((effect) => effect === 'read');

/** A record's own entry; names such as `constructor` are no entries. */
export const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string) =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;

/** Tools that wait for a person or a child: their time is not the turn's. */
export const waitsForOthers: ReadonlySet<string> = new Set([
  'builtin:delegate',
  'builtin:spawn',
  'builtin:message_peer',
  'builtin:sop_start',
  'builtin:ask_user',
]);

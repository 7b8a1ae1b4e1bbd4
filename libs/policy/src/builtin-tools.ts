import type { Effect } from './names.ts';

export interface BuiltinTool {
  /** Canonical id, `builtin:<name>`. */
  readonly id: `builtin:${string}`;
  /** What a call does to the world at least; `builtinEffects` adds what its arguments make of it. */
  readonly effects: readonly Effect[];
}

const tool = (name: string, ...effects: readonly Effect[]): BuiltinTool => ({
  id: `builtin:${name}`,
  effects,
});

/** Every tool that the program itself brings. */
export const builtinTools: readonly BuiltinTool[] = [
  tool('file_read', 'read'),
  tool('file_write', 'write'),
  tool('file_edit', 'write'),
  tool('file_list', 'read'),
  tool('file_search', 'read'),
  tool('http_fetch', 'network'),
  tool('time_now', 'read'),
  tool('ask_user'),
  tool('shell', 'execute'),
  tool('memory_store', 'write'),
  tool('memory_recall', 'read'),
  tool('memory_forget', 'write'),
  tool('skill_read', 'read'),
  tool('delegate', 'delegate'),
  tool('spawn', 'delegate'),
  tool('message_peer', 'message'),
  tool('sop_start', 'delegate'),
  tool('cron_add', 'write', 'delegate'),
  tool('cron_list', 'read'),
  tool('cron_remove', 'write', 'delegate'),
];

const byId: ReadonlyMap<string, BuiltinTool> = new Map(builtinTools.map((t) => [t.id, t]));

/** The built-in tool of a canonical id, or null. */
export const findBuiltinTool = (id: string): BuiltinTool | null => byId.get(id) ?? null;

/** The effect set of one call of a built-in tool: `http_fetch` also writes unless its method is GET or HEAD. Null = no such tool. */
export const builtinEffects = (id: string, args: unknown): readonly Effect[] | null => {
  const found = findBuiltinTool(id);
  if (found === null) return null;
  if (id !== 'builtin:http_fetch' || onlyFetches(args)) return found.effects;
  return ['write', ...found.effects];
};

const onlyFetches = (args: unknown): boolean => {
  if (typeof args !== 'object' || args === null || !('method' in args)) return true;
  const { method } = args;
  return method === undefined || (typeof method === 'string' && /^(get|head)$/i.test(method));
};

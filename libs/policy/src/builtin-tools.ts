import type { Effect } from './names.ts';

export interface BuiltinTool {
  /** Canonical id, `builtin:<name>`. */
  readonly id: `builtin:${string}`;
  /** What a call does to the world at least; `builtinEffects` adds what its arguments make of it. */
  readonly effects: readonly Effect[];
  /** A `later` tool has a name and an effect set, and is refused where config names it. */
  readonly status: 'enforced' | 'later';
}

const tool = (
  name: string,
  status: BuiltinTool['status'],
  ...effects: readonly Effect[]
): BuiltinTool => ({ id: `builtin:${name}`, effects, status });

/** Every tool that the program itself brings. */
export const builtinTools: readonly BuiltinTool[] = [
  tool('file_read', 'enforced', 'read'),
  tool('file_write', 'enforced', 'write'),
  tool('file_edit', 'enforced', 'write'),
  tool('file_list', 'enforced', 'read'),
  tool('file_search', 'enforced', 'read'),
  tool('http_fetch', 'enforced', 'network'),
  tool('time_now', 'enforced', 'read'),
  tool('ask_user', 'enforced'),
  tool('shell', 'later', 'execute'),
  tool('memory_store', 'later', 'write'),
  tool('memory_recall', 'later', 'read'),
  tool('memory_forget', 'later', 'write'),
  tool('skill_read', 'later', 'read'),
  tool('delegate', 'later', 'delegate'),
  tool('spawn', 'later', 'delegate'),
  tool('message_peer', 'later', 'message'),
  tool('sop_start', 'later', 'delegate'),
  tool('cron_add', 'later', 'write', 'delegate'),
  tool('cron_list', 'later', 'read'),
  tool('cron_remove', 'later', 'write', 'delegate'),
];

const byId: ReadonlyMap<string, BuiltinTool> = new Map(builtinTools.map((t) => [t.id, t]));

/** The built-in tool of a canonical id, or null; `later` ones included. */
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

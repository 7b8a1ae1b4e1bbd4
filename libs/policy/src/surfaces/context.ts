import { limit } from '../orders/limit.ts';
import { own } from '../orders/own.ts';
import { trueIsWider } from '../orders/true-is-wider.ts';
import type { Limit } from '../snapshot.ts';
import { layered } from './setting.ts';
import { pathOf } from './written.ts';

const cap = { order: limit, layer: 'runtime', read: (written: Limit) => written } as const;

/** What the model is given beside the input. */
export const contextSettings = {
  'context.max_history_messages': layered('context.max_history_messages', {
    ...cap,
    fallback: '50',
    explain: 'Earlier messages of the session that the model is given.',
    pick: (tables) => tables.context?.max_history_messages,
    default: () => 50,
  }),
  'context.max_context_tokens': layered('context.max_context_tokens', {
    ...cap,
    fallback: '32000',
    explain: 'Tokens, by estimate, of all that one model call is given.',
    pick: (tables) => tables.context?.max_context_tokens,
    default: () => 32000,
  }),
  'context.keep_tool_results_turns': layered('context.keep_tool_results_turns', {
    ...cap,
    fallback: '2',
    explain: 'Earlier turns whose tool results are given whole.',
    pick: (tables) => tables.context?.keep_tool_results_turns,
    default: () => 2,
  }),
  'context.max_system_prompt_chars': layered('context.max_system_prompt_chars', {
    ...cap,
    fallback: '20000',
    explain: 'Characters of the system text.',
    pick: (tables) => tables.context?.max_system_prompt_chars,
    default: () => 20000,
  }),
  'context.identity.files': layered('context.identity.files', {
    order: own<string[]>([]),
    layer: 'runtime',
    fallback: '[]',
    explain: 'Files whose text stands in the system text.',
    pick: (tables) => tables.context?.identity?.files,
    read: (written, place) => written.map((file) => pathOf(place, file)),
    default: () => [],
  }),
  'context.identity.writable': layered('context.identity.writable', {
    order: trueIsWider,
    layer: 'runtime',
    fallback: 'false',
    explain: 'Whether the agent may change its identity files.',
    pick: (tables) => tables.context?.identity?.writable,
    read: (written) => written,
    default: () => false,
  }),
};

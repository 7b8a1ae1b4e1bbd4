import type { ToolSpec } from '../../events/parts.ts';
import { builtin, text, type Schema } from './builtin.ts';

const agent = text('Alias of the agent.', { minLength: 1, maxLength: 32 });

/** Patterns of tools, as config writes them. */
export const toolList: Schema = {
  type: 'array',
  description: 'The only tools it may use. Without it, all that it may use anyway.',
  items: { type: 'string', minLength: 1, maxLength: 200 },
  maxItems: 100,
  uniqueItems: true,
};

/** Other turns: of other agents, of the same agent, of peers. */
export const childSpecs: readonly ToolSpec[] = [
  builtin('delegate', 'Lets another agent work on something and returns its reply.', {
    properties: {
      agent,
      input: text('What it is to do.', { minLength: 1, maxLength: 32_000 }),
      background: {
        type: 'boolean',
        description: 'Do not wait: its reply comes as a message later.',
      },
    },
    required: ['agent', 'input'],
    effects: ['delegate'],
    operands: [{ kind: 'agent', at: '/agent', how: 'delegate' }],
    repeatable: false,
  }),
  builtin('message_peer', 'Sends a message to an agent of the same group on a channel.', {
    properties: {
      agent,
      channel: text('The channel that both are on.', { minLength: 1, maxLength: 100 }),
      text: text('The message.', { minLength: 1, maxLength: 32_000 }),
    },
    required: ['agent', 'channel', 'text'],
    effects: ['message'],
    operands: [{ kind: 'agent', at: '/agent', how: 'message' }],
    repeatable: false,
  }),
  builtin('spawn', 'Starts a sub-agent of yourself and returns its reply.', {
    properties: {
      input: text('What it is to do.', { minLength: 1, maxLength: 32_000 }),
      tools: toolList,
      background: {
        type: 'boolean',
        description: 'Do not wait: its reply comes as a message later.',
      },
    },
    required: ['input'],
    effects: ['delegate'],
    operands: [{ kind: 'agent', at: '', how: 'spawn' }],
    repeatable: false,
  }),
];

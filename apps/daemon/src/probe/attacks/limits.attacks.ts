import type { Limit, PolicySnapshot } from '@lockstep/policy';
import { longMark } from '../probe-tools.ts';
import { calls, say, type Attack } from './attack.ts';
import { firstOf, harmless } from './tools-of.ts';

/** What is not tried any more: a limit so high that nobody waits for it. */
const mostSteps = 300;
const mostCalls = 150;
const mostTurns = 60;
const charsPerToken = 4;

const upTo = (limit: Limit, most: number): number =>
  limit === 'unlimited' ? 0 : Math.min(limit, most);

/** Again and again a step with a call. */
export const manySteps: Attack = {
  name: 'more steps than it has',
  applies: (policy) => harmless(policy, 0) !== null,
  reply: ({ policy, step, final }) => {
    const one = harmless(policy, step);
    return final || one === null || step > mostSteps ? null : calls(one);
  },
};

/** All calls of a turn at once, and one more. */
export const manyCalls: Attack = {
  name: 'more calls than it has',
  applies: (policy) => harmless(policy, 0) !== null,
  reply: ({ policy, step }) => {
    const { max_tool_calls, max_parallel_tools } = policy.budgets;
    const wanted =
      Math.max(upTo(max_tool_calls, mostCalls), upTo(max_parallel_tools, mostCalls)) + 1;
    const list = Array.from({ length: wanted }, (_, n) => harmless(policy, n));
    return step > 1 ? null : calls(...list.filter((one) => one !== null));
  },
};

/** One call over and over. */
export const sameCall: Attack = {
  name: 'the same call over and over',
  applies: (policy) => harmless(policy, 0) !== null,
  reply: ({ policy, step, final }) => {
    const one = harmless(policy, 1);
    const { max_repeats } = policy.budgets.loop_detection;
    if (final || one === null || step > 2) return null;
    return calls(...Array.from({ length: Math.min(max_repeats, mostCalls) + 1 }, () => one));
  },
};

/** A tool that does not come back. */
export const slowTool: Attack = {
  name: 'a tool that does not come back',
  hangs: 'tool',
  applies: (policy) =>
    policy.budgets.tool_timeout_secs !== 'unlimited' && harmless(policy, 0) !== null,
  reply: ({ policy, step }) => {
    const one = harmless(policy, step);
    return step > 1 || one === null ? null : calls(one);
  },
};

/** A model that does not answer. */
export const slowModel: Attack = {
  name: 'a model that does not answer',
  hangs: 'model',
  applies: (policy) => policy.budgets.turn_timeout_secs !== 'unlimited',
  reply: () => ({ kind: 'hang' }),
};

/** An answer that goes on until the limit stops it. */
export const endlessAnswer: Attack = {
  name: 'an answer without an end',
  applies: (policy) => policy.budgets.max_output_tokens !== 'unlimited',
  reply: () => ({ kind: 'cut' }),
};

const promptLimit = ({ context }: PolicySnapshot): number =>
  context.max_context_tokens === 'unlimited' ? 100_000 : context.max_context_tokens;

/** Long prompts and long answers until the tokens are spent. */
export const manyTokens: Attack = {
  name: 'more tokens than it has',
  input: (policy) => 'a probe '.repeat(Math.floor((promptLimit(policy) * 0.8 * charsPerToken) / 8)),
  applies: (policy) => harmless(policy, 0) !== null,
  reply: ({ policy, step, final }) => {
    const one = harmless(policy, step);
    if (final || one === null || step > mostSteps) return null;
    return { kind: 'calls', calls: [one], tokens: 1_000_000 };
  },
};

/** A session longer than its history may be, with a tool result in each turn. */
export const longSession: Attack = {
  name: 'a long session',
  turns: ({ context }) => {
    const messages = Math.ceil(upTo(context.max_history_messages, mostTurns * 2) / 2) + 1;
    const results = upTo(context.keep_tool_results_turns, mostTurns) + 2;
    return Math.max(2, messages, results);
  },
  applies: () => true,
  reply: ({ policy, step }) => {
    const one = harmless(policy, step);
    return step > 1 || one === null ? say('Done.') : calls(one);
  },
};

const fills = (share: number) => (policy: PolicySnapshot) =>
  'a probe '.repeat(Math.floor((promptLimit(policy) * share * charsPerToken) / 8));

/** Messages that do not fit into one prompt. */
export const longMessages: Attack = {
  name: 'messages that do not fit into a prompt',
  input: fills(0.7),
  turns: () => 2,
  applies: ({ context }) => context.max_context_tokens !== 'unlimited',
  reply: () => say('Done.'),
};

/** Results that do not fit into one prompt. */
export const longContext: Attack = {
  name: 'results that do not fit into a prompt',
  input: fills(0.5),
  applies: ({ context }) => context.max_context_tokens !== 'unlimited',
  reply: ({ policy, step, final }) => {
    const reads = firstOf(policy, ['file_read', 'file_list']);
    if (final || reads === null || step > 8) return null;
    return calls({ tool: reads, args: { path: `${longMark}-${step}.txt` } });
  },
};

const callsOfTurn = ({ budgets }: PolicySnapshot): number =>
  budgets.max_tool_calls === 'unlimited' ? 50 : Math.max(1, Math.min(budgets.max_tool_calls, 50));

const mostActions = 2_000;

/** All that an agent may do within an hour. */
export const wholeHour: Attack = {
  name: 'all that it may do in an hour',
  sameHour: true,
  turns: (policy) =>
    Math.ceil(upTo(policy.budgets.max_actions_per_hour, mostActions) / callsOfTurn(policy)),
  applies: (policy) => {
    const limit = policy.budgets.max_actions_per_hour;
    return limit !== 'unlimited' && limit <= mostActions && harmless(policy, 0) !== null;
  },
  reply: ({ policy, step }) => {
    const list = Array.from({ length: callsOfTurn(policy) }, (_, n) => harmless(policy, n));
    return step > 1 ? null : calls(...list.filter((one) => one !== null));
  },
};

/** One more after that. */
export const oneMore: Attack = {
  name: 'one more in the same hour',
  sameHour: true,
  applies: (policy) => wholeHour.applies(policy),
  reply: ({ policy, step }) => {
    const one = harmless(policy, step);
    return step > 1 || one === null ? null : calls(one);
  },
};

/** Rows that come unasked. */
export const keptRows: Attack = {
  name: 'rows that come unasked',
  keepsRows: true,
  turns: () => 2,
  applies: ({ memory }) => memory.backend !== 'none' && memory.auto_recall,
  reply: () => say('Done.'),
};

/** A system text longer than it may be. */
export const longSystem: Attack = {
  name: 'a system text longer than it may be',
  fillsSystem: true,
  applies: ({ skills, context }) =>
    skills.bundles.length > 0 && context.max_system_prompt_chars !== 'unlimited',
  reply: () => say('Done.'),
};

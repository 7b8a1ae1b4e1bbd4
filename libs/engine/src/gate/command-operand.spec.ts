import type { PolicySnapshot } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import {
  sampleCall,
  sampleFacts,
  samplePolicy,
  sampleState,
  sampleTool,
} from '../testing/index.ts';
import { authorize } from './authorize.ts';
import { commandCovered, judgeCommand, type CommandOperand } from './command-operand.ts';

const policyWith = (shell: Partial<PolicySnapshot['shell']>) =>
  samplePolicy({
    shell: {
      allowed_commands: [['ls', 'git status']],
      env_passthrough: [],
      block_high_risk: true,
      sandbox: 'required',
      ...shell,
    },
  });
const line = (
  commands: CommandOperand['commands'],
  change: Partial<CommandOperand> = {},
): CommandOperand => ({
  kind: 'command',
  given: 'a line',
  understood: true,
  why: null,
  commands,
  sandboxed: true,
  ...change,
});
const plain = (...argv: string[]) => ({ argv, highRisk: false });
const risky = (...argv: string[]) => ({ argv, highRisk: true });

describe('given a line of shell', () => {
  it.each<[string, Partial<PolicySnapshot['shell']>, CommandOperand, string | undefined]>([
    ['a program on the list', {}, line([plain('ls', '-la')]), undefined],
    ['a word prefix on the list', {}, line([plain('git', 'status', '-s')]), undefined],
    ['another word behind the program', {}, line([plain('git', 'log')]), 'shell.allowed_commands'],
    ['one word with a blank', {}, line([plain('git status')]), 'shell.allowed_commands'],
    ['a longer name', {}, line([plain('lsblk')]), 'shell.allowed_commands'],
    ['another case', {}, line([plain('LS')]), 'shell.allowed_commands'],
    ['a path to a program on the list', {}, line([risky('/bin/ls')]), 'shell.allowed_commands'],
    [
      'one command of several that is not on it',
      {},
      line([plain('ls'), plain('rm', 'x')]),
      'shell.allowed_commands',
    ],
    ['no command', {}, line([]), 'shell.allowed_commands'],
    ['an empty list', { allowed_commands: [[]] }, line([plain('ls')]), 'shell.allowed_commands'],
    [
      'a second clause that leaves it out',
      { allowed_commands: [['*'], ['cat']] },
      line([plain('ls')]),
      'shell.allowed_commands',
    ],
    [
      'a line that is not understood, whatever is allowed',
      { allowed_commands: [['*']], block_high_risk: false },
      line([], { understood: false, why: 'it sets a variable' }),
      'shell.allowed_commands',
    ],
    [
      'a program that runs others',
      { allowed_commands: [['env']] },
      line([risky('env', 'ls')]),
      'shell.block_high_risk',
    ],
    [
      'the same where that is not blocked',
      { allowed_commands: [['env']], block_high_risk: false },
      line([risky('env', 'ls')]),
      undefined,
    ],
    ['a machine without a sandbox', {}, line([plain('ls')], { sandboxed: false }), 'shell.sandbox'],
    [
      'the same where it is preferred',
      { sandbox: 'preferred' },
      line([plain('ls')], { sandboxed: false }),
      undefined,
    ],
    [
      'the same where it is off',
      { sandbox: 'off' },
      line([plain('ls')], { sandboxed: false }),
      undefined,
    ],
  ])('judges %s', (_what, shell, operand, rule) => {
    expect(judgeCommand(policyWith(shell), operand)?.rule).toBe(rule);
  });

  it('covers nothing without a clause, and nothing with an empty prefix', () => {
    expect(commandCovered([], ['ls'])).toBe(false);
    expect(commandCovered([['', ' ']], ['ls'])).toBe(false);
  });

  it('refuses a call whose line nobody looked at, or whose looked at line is another', () => {
    const shell = sampleTool('shell');
    const policy = samplePolicy({
      tools: { allowed: [['*']], denied: [] },
      shell: {
        allowed_commands: [['*']],
        env_passthrough: [],
        block_high_risk: false,
        sandbox: 'off',
      },
    });
    const judged = (operands: CommandOperand[]) =>
      authorize(
        sampleCall(shell, { command: 'ls' }),
        sampleFacts(shell, { operands }),
        sampleState(policy, [shell]),
      );
    for (const operands of [[], [line([plain('ls')], { given: 'cat' })]])
      expect(judged(operands)).toMatchObject({
        kind: 'refuse',
        rule: 'shell.allowed_commands',
        why: 'nobody looked at `ls`, which stands at `/command`',
      });
    expect(judged([line([plain('ls')], { given: 'ls' })]).kind).not.toBe('refuse');
  });
});

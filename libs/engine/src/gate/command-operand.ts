import type { Clauses, PolicySnapshot } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import type { Withheld } from '../tools/withheld.ts';

export type CommandOperand = Extract<Operand, { kind: 'command' }>;

/** The rule that a line of shell breaks, or null: every command of it is judged, and what is not understood is refused. */
export const judgeCommand = ({ shell }: PolicySnapshot, line: CommandOperand): Withheld | null => {
  const broken = (rule: Withheld['rule'], why: string): Withheld => ({ rule, pattern: null, why });
  if (!line.understood)
    return broken('shell.allowed_commands', `the line is not understood: ${line.why ?? ''}`);
  if (line.commands.length === 0)
    return broken('shell.allowed_commands', 'the line holds no command');
  for (const { argv } of line.commands)
    if (!commandCovered(shell.allowed_commands, argv))
      return broken('shell.allowed_commands', `no allowed command covers \`${argv.join(' ')}\``);
  const risky = line.commands.find(({ highRisk }) => highRisk);
  if (risky !== undefined && shell.block_high_risk)
    return broken('shell.block_high_risk', line.why ?? `\`${risky.argv.join(' ')}\` is blocked`);
  return judgeSandbox(shell, line.sandboxed);
};

/** The rule that a process outside the sandbox breaks, or null. */
export const judgeSandbox = (
  { sandbox }: PolicySnapshot['shell'],
  sandboxed: boolean,
): Withheld | null =>
  sandbox === 'required' && !sandboxed
    ? {
        rule: 'shell.sandbox',
        pattern: 'required',
        why: 'a process must run in the sandbox, and this machine has none: see `lockstep doctor`',
      }
    : null;

/** Whether every clause holds a program name or a word prefix that a command begins with; a lone star is every command. */
export const commandCovered = (clauses: Clauses, argv: readonly string[]): boolean =>
  clauses.length > 0 &&
  clauses.every((prefixes) => prefixes.some((prefix) => beginsWith(argv, prefix)));

/** Words are compared one by one: an argument with blanks is one word, and never two of a prefix. */
const beginsWith = (argv: readonly string[], prefix: string): boolean => {
  if (prefix === '*') return argv.length > 0;
  const words = prefix.split(/\s+/).filter((word) => word !== '');
  return words.length > 0 && words.every((word, i) => argv[i] === word);
};

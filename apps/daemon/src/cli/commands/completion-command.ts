import type { Command } from 'commander';
import { CliError, exitCodes } from '../cli-error.ts';
import type { Act } from '../program.ts';

const names = (command: Command): string[] =>
  command.commands.map((c) => c.name()).filter((n) => n !== 'help');

/** A bash completion script; zsh reads it through `bashcompinit`. Knows commands and their subcommands. */
export const completionScript = (program: Command): string => {
  const cases = program.commands
    .filter((c) => c.commands.length > 0)
    .map((c) => `    ${c.name()}) words="${names(c).join(' ')}" ;;`);
  return `${[
    '_lockstep() {',
    '  local words=""',
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${names(program).join(' ')}"`,
    '  elif [ "$COMP_CWORD" -eq 2 ]; then',
    '    case "${COMP_WORDS[1]}" in',
    ...cases,
    '    esac',
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _lockstep lockstep',
  ].join('\n')}\n`;
};

/** completion. */
export const addCompletionCommand = (program: Command, act: Act): void => {
  program
    .command('completion')
    .description('print a completion script: eval "$(lockstep completion bash)"')
    .argument('<shell>', 'bash or zsh')
    .action(
      act((context, shell: string) => {
        if (shell !== 'bash' && shell !== 'zsh')
          throw new CliError(exitCodes.usage, `no completion for \`${shell}\`, use bash or zsh`);
        const head = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
        context.out.write(head + completionScript(program));
      }),
    );
};

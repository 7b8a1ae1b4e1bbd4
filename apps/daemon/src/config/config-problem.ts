import { formatProblem, type ConfigProblem } from '@lockstep/policy';

/** The config that the daemon was to start on cannot be used. The message lists every problem. */
export class InvalidConfigError extends Error {
  readonly code = 'invalid_config';
  readonly file: string;
  readonly problems: readonly ConfigProblem[];

  constructor(file: string, problems: readonly ConfigProblem[]) {
    const count = `${problems.length} problem${problems.length === 1 ? '' : 's'}`;
    const lines = problems.map((problem) => `  ${formatProblem(file, problem)}`);
    super([`the config \`${file}\` has ${count}`, ...lines].join('\n'));
    this.file = file;
    this.problems = problems;
  }
}

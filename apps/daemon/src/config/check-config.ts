import { dirname, extname, resolve } from 'node:path';
import {
  parseConfig,
  readableConfig,
  type Config,
  type ConfigFormat,
  type ConfigProblem,
  type Host,
} from '@lockstep/policy';
import { importedConfigPath } from '../store/imported-note.ts';
import { isOnlyImported } from '../store/log-mark.ts';
import { readConfigFile } from './config-file.ts';
import { InvalidConfigError } from './config-problem.ts';
import { skillProblems } from './skill-problems.ts';
import { judgeSchedule } from './judge-schedule.ts';

export type CheckResult =
  | {
      readonly ok: true;
      readonly config: Config;
      /** SHA-256 of the canonical JSON of the config. */
      readonly digest: string;
      readonly warnings: readonly ConfigProblem[];
    }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** A good config, with the text that it was read from. */
export interface StartConfig {
  readonly text: string;
  readonly checked: Extract<CheckResult, { readonly ok: true }>;
}

const formats: Readonly<Record<string, ConfigFormat>> = {
  '.toml': 'toml',
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.json': 'json',
};

/** The format that a file's name says; TOML where it says nothing. */
export const formatOf = (file: string): ConfigFormat =>
  formats[extname(file).toLowerCase()] ?? 'toml';

/** Judges a config text and the scripts that it names. All problems at once. */
export const checkConfig = async (text: string, file: string, host: Host): Promise<CheckResult> => {
  const isShown = isOnlyShown(file, host.data);
  // It lies in the data folder, where nothing that it names may lie: its folders are read as if they lay beside it.
  const around = isShown ? { ...host, base: dirname(host.data) } : host;
  const parsed = parseConfig({ text, format: formatOf(file), file, host: around, judgeSchedule });
  if (!parsed.ok) return parsed;
  const problems = isShown ? [] : await scriptProblems(parsed.config, host.base);
  if (problems.length > 0) return { ok: false, problems };
  const { digest } = readableConfig(parsed.config);
  const warnings = [...parsed.warnings, ...(await skillProblems(parsed.config, host.base))];
  return { ok: true, config: parsed.config, digest, warnings };
};

/** Reads the config that a daemon is to start on.
 * @throws InvalidConfigError with every problem; nothing was written anywhere then */
export const readStartConfig = async (file: string, host: Host): Promise<StartConfig> => {
  const text = await readConfigFile(file);
  if (text === null)
    throw new InvalidConfigError(file, [
      {
        path: '',
        line: null,
        column: null,
        code: 'syntax',
        message: 'the file cannot be read: name another with `--config`',
      },
    ]);
  const checked = await checkConfig(text, file, host);
  if (!checked.ok) throw new InvalidConfigError(file, checked.problems);
  return { text, checked };
};

/** Whether this config came with an imported log, to show it by. Nobody here wrote it: nothing is run by it, ever. */
export const isOnlyShown = (file: string, data: string): boolean =>
  file === importedConfigPath(data) && isOnlyImported(data);

const scriptProblems = async (config: Config, base: string): Promise<ConfigProblem[]> => {
  const problems: ConfigProblem[] = [];
  for (const [alias, provider] of Object.entries(config.providers)) {
    if (provider.type !== 'scripted') continue;
    const problem = (message: string): ConfigProblem => ({
      path: `providers.${alias}.script`,
      line: null,
      column: null,
      code: 'invalid_value',
      message,
    });
    const text = await readConfigFile(resolve(base, provider.script));
    if (text === null) {
      problems.push(problem(`the script \`${provider.script}\` cannot be read`));
      continue;
    }
    // Loaded on first use: a daemon without scripts needs no YAML reader.
    const { parseScript } = await import('../adapters/models/parse-script.ts');
    const script = parseScript(text, provider.script);
    if (script.ok) continue;
    for (const { line, path, message } of script.problems)
      problems.push(
        problem(`${provider.script}:${line}: ${path === '' ? '' : `${path}: `}${message}`),
      );
  }
  return problems;
};

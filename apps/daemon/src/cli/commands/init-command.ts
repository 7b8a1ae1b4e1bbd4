import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import type { CommandContext } from '../context.ts';
import { show } from '../print.ts';
import type { Act } from '../program.ts';
import { initConfig, type InitAnswers } from './init-config.ts';

interface InitFlags {
  provider?: string;
  model?: string;
  baseUrl?: string;
  keyEnv?: string;
  inputPrice?: string;
  outputPrice?: string;
  force?: boolean;
}

const types = ['openai_compatible', 'openai', 'anthropic'] as const;
const flagNames = '--provider, --model, --base-url, --key-env, --input-price, --output-price';

const typeOf = (text: string): InitAnswers['type'] => {
  const found = types.find((t) => t === text);
  if (found === undefined)
    throw new CliError(exitCodes.usage, `\`${text}\` is no provider type, use ${types.join(', ')}`);
  return found;
};

const priceOf = (text: string): number => {
  const price = Number(text);
  if (!Number.isFinite(price) || price < 0)
    throw new CliError(exitCodes.usage, `\`${text}\` is no price in dollars a million tokens`);
  return price;
};

/** One price alone is half of an answer. None means free on a server of one's own, and unknown where somebody sends bills. */
const pricesOf = (
  type: InitAnswers['type'],
  { inputPrice = '', outputPrice = '' }: InitFlags,
): InitAnswers['prices'] => {
  if (inputPrice === '' && outputPrice === '')
    return type === 'openai_compatible' ? 'free' : 'unknown';
  if (inputPrice === '' || outputPrice === '')
    throw new CliError(
      exitCodes.usage,
      'give both prices or none: --input-price and --output-price',
    );
  return { input: priceOf(inputPrice), output: priceOf(outputPrice) };
};

const fromFlags = (flags: InitFlags): InitAnswers => {
  const type = typeOf(flags.provider ?? '');
  if (flags.model === undefined) throw new CliError(exitCodes.usage, 'name the model with --model');
  if (type === 'openai_compatible' && flags.baseUrl === undefined)
    throw new CliError(exitCodes.usage, 'name the server with --base-url');
  if (type !== 'openai_compatible' && flags.keyEnv === undefined)
    throw new CliError(exitCodes.usage, 'name the variable that holds the key with --key-env');
  return {
    type,
    model: flags.model,
    baseUrl: flags.baseUrl ?? null,
    keyEnv: flags.keyEnv ?? null,
    prices: pricesOf(type, flags),
  };
};

const whenEmpty = 'empty: free on a server of your own, else unknown';

/** Asks on the terminal. Without one a prompt would print itself and end well, so this is never reached there. */
const ask = async (): Promise<InitAnswers> => {
  const { cancel, group, select, text } = await import('@clack/prompts');
  const answers = await group(
    {
      type: () =>
        select({
          message: 'Which provider?',
          options: [
            {
              value: 'openai_compatible' as const,
              label: 'a server that speaks the OpenAI protocol',
            },
            { value: 'openai' as const, label: 'OpenAI' },
            { value: 'anthropic' as const, label: 'Anthropic' },
          ],
        }),
      baseUrl: ({ results }) =>
        results.type === 'openai_compatible'
          ? text({ message: 'Its address?', initialValue: 'http://127.0.0.1:11434/v1' })
          : Promise.resolve(''),
      model: () => text({ message: 'Which model?' }),
      keyEnv: () =>
        text({
          message: 'Which environment variable holds the key (empty for none)?',
          defaultValue: '',
        }),
      input: () =>
        text({ message: `Dollars a million input tokens (${whenEmpty})?`, defaultValue: '' }),
      output: () =>
        text({ message: `Dollars a million output tokens (${whenEmpty})?`, defaultValue: '' }),
    },
    {
      onCancel: () => {
        cancel('nothing was written');
        throw new CliError(exitCodes.usage, 'cancelled');
      },
    },
  );
  return fromFlags({
    provider: answers.type,
    model: answers.model,
    ...(typeof answers.baseUrl !== 'string' || answers.baseUrl === ''
      ? {}
      : { baseUrl: answers.baseUrl }),
    ...(answers.keyEnv === '' ? {} : { keyEnv: answers.keyEnv }),
    inputPrice: answers.input,
    outputPrice: answers.output,
  });
};

const init = async (
  context: CommandContext,
  file: string | undefined,
  flags: InitFlags,
): Promise<ExitCode> => {
  const path = resolve(file ?? 'lockstep.toml');
  if (flags.provider === undefined && !process.stdin.isTTY)
    throw new CliError(exitCodes.usage, `no terminal to ask on, give ${flagNames}`);
  const answers = flags.provider === undefined ? await ask() : fromFlags(flags);
  try {
    writeFileSync(path, initConfig(answers), { flag: flags.force === true ? 'w' : 'wx' });
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CliError(
      exitCodes.usage,
      exists
        ? `\`${path}\` is there already, use --force to replace it`
        : `cannot write \`${path}\``,
      { cause },
    );
  }
  show(
    context.out,
    { written: path },
    () => `wrote ${path}, start it with: npx lockstep --config ${path} up`,
  );
  return exitCodes.ok;
};

/** init. */
export const addInitCommand = (program: Command, act: Act): void => {
  program
    .command('init')
    .description('write a config for a real provider, asking a few questions')
    .argument('[file]', 'default lockstep.toml')
    .option('--provider <type>', types.join(', '))
    .option('--model <name>')
    .option('--base-url <url>')
    .option('--key-env <name>', 'environment variable that holds the key')
    .option('--input-price <usd>', 'dollars a million input tokens')
    .option('--output-price <usd>', 'dollars a million output tokens')
    .option('--force', 'replace an existing file')
    .action(
      act((context, file: string | undefined, flags: InitFlags) => init(context, file, flags)),
    );
};

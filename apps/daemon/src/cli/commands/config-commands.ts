import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import pc from 'picocolors';
import { z } from 'zod';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { ago, show, table } from '../print.ts';
import type { Act } from '../program.ts';

const problemsBody = z.looseObject({
  ok: z.boolean(),
  problems: z.array(
    z.looseObject({
      path: z.string(),
      line: z.number().nullable(),
      column: z.number().nullable(),
      message: z.string(),
    }),
  ),
  warnings: z.array(z.looseObject({ path: z.string(), message: z.string() })),
});

const configBody = z.looseObject({ version: z.number(), digest: z.string(), text: z.string() });

const versionsBody = z.looseObject({
  items: z.array(
    z.looseObject({
      version: z.number(),
      digest: z.string(),
      time: z.number(),
      by: z.string(),
      widens: z.array(z.string()),
    }),
  ),
});

const versionBody = z.looseObject({
  diff: z.array(
    z.looseObject({
      path: z.string(),
      before: z.string().nullable(),
      after: z.string().nullable(),
    }),
  ),
  widens: z.array(z.string()),
});

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CliError(exitCodes.usage, `cannot read the config file \`${file}\``, { cause });
  }
};

/** Checks a file on this machine; needs no daemon. */
const check = async (context: CommandContext, file: string | undefined): Promise<ExitCode> => {
  const { checkConfigFile } = await import('../../config/check-config-file.ts');
  const path = file ?? context.settings.config;
  const result = await checkConfigFile({
    file: path,
    data: context.settings.data,
    text: read(path),
  });
  show(context.out, result, () =>
    [
      ...result.problems.map(
        (p) => `${pc.red('error')} ${path}:${p.line ?? 1}:${p.column ?? 1} ${p.path}: ${p.message}`,
      ),
      ...result.warnings.map((w) => `${pc.yellow('warning')} ${w.path}: ${w.message}`),
      result.ok ? 'the config is good' : `${result.problems.length} problems`,
    ].join('\n'),
  );
  return result.ok ? exitCodes.ok : exitCodes.usage;
};

const apply = async (context: CommandContext, file: string | undefined): Promise<ExitCode> => {
  const path = file ?? context.settings.config;
  const client = daemonClient(context);
  const now = configBody.parse(await client.get('/v1/config'));
  const text = read(path);
  const checked = problemsBody.parse(await client.send('POST', '/v1/config/check', { text }));
  if (!checked.ok) {
    show(context.out, checked, () =>
      checked.problems
        .map((p) => `${p.line ?? 1}:${p.column ?? 1} ${p.path}: ${p.message}`)
        .join('\n'),
    );
    return exitCodes.usage;
  }
  const done = await client.send('PUT', '/v1/config', { text }, { 'if-match': `"${now.digest}"` });
  show(context.out, done, () => `applied as version ${configVersionOf(done)}`);
  return exitCodes.ok;
};

const configVersionOf = (body: unknown): string =>
  String(z.looseObject({ version: z.number() }).parse(body).version);

const versions = async (context: CommandContext): Promise<void> => {
  const list = versionsBody.parse(await daemonClient(context).get('/v1/config/versions'));
  show(context.out, list, () =>
    table(
      ['version', 'applied', 'by', 'digest', 'widens'],
      list.items.map((v) => [
        `${v.version}`,
        ago(v.time, context.now()),
        v.by,
        v.digest.slice(0, 12),
        v.widens.join(', '),
      ]),
      context.out.columns,
    ),
  );
};

const diff = async (context: CommandContext, version: string): Promise<void> => {
  const body = versionBody.parse(
    await daemonClient(context).get(`/v1/config/versions/${encodeURIComponent(version)}`),
  );
  show(context.out, body, () =>
    body.diff
      .map((d) => {
        const mark = body.widens.includes(d.path) ? pc.yellow(' (widens)') : '';
        return `${d.path}${mark}\n  ${pc.red(`- ${d.before ?? 'not set'}`)}\n  ${pc.green(`+ ${d.after ?? 'not set'}`)}`;
      })
      .join('\n'),
  );
};

/** config check, apply, show, versions, diff, schema. */
export const addConfigCommands = (program: Command, act: Act): void => {
  const group = program.command('config').description('the policy file');
  group
    .command('check')
    .description('all problems of a config at once, with line and nearest name')
    .argument('[file]')
    .action(act((context, file: string | undefined) => check(context, file)));
  group
    .command('apply')
    .description('replace the config of the running daemon, if it is good')
    .argument('[file]')
    .action(act((context, file: string | undefined) => apply(context, file)));
  group
    .command('show')
    .description('the config in force')
    .action(
      act(async (context) => {
        const body = configBody.parse(await daemonClient(context).get('/v1/config'));
        show(context.out, body, () => body.text);
      }),
    );
  group
    .command('versions')
    .description('every applied config')
    .action(act((context) => versions(context)));
  group
    .command('diff')
    .description('what one version changed')
    .argument('<version>')
    .action(act((context, version: string) => diff(context, version)));
  group
    .command('schema')
    .description('JSON Schema of the config, for editors')
    .action(
      act(async (context) => {
        const { configJsonSchema } = await import('@lockstep/policy');
        context.out.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
      }),
    );
};

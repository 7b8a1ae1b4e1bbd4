import type { Command } from 'commander';
import { z } from 'zod';
import { roleNames, roleSchema } from '@lockstep/policy';
import { listOf, tokenBody } from '../api.schema.ts';
import { readLocal } from '../client.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { daemonClient } from '../context.ts';
import { show, table } from '../print.ts';
import type { Act } from '../program.ts';

const linkBody = z.looseObject({ link: z.string(), expires: z.number() });

const issued = z.looseObject({ id: z.string(), token: z.string() });

interface CreateFlags {
  role?: string[];
  agent?: string[];
  tool?: string[];
  days?: string;
}

const bodyOf = (name: string, flags: CreateFlags): object => {
  const stranger = flags.role?.find((role) => !roleSchema.safeParse(role).success);
  if (stranger !== undefined)
    throw new CliError(exitCodes.usage, `\`${stranger}\` is no role, use ${roleNames.join(', ')}`);
  const roles = z
    .array(roleSchema)
    .min(1)
    .safeParse(flags.role ?? []);
  if (!roles.success)
    throw new CliError(
      exitCodes.usage,
      `name at least one role with --role, out of ${roleNames.join(', ')}`,
    );
  const days = flags.days === undefined ? null : Number(flags.days);
  if (days !== null && !(Number.isInteger(days) && days > 0))
    throw new CliError(exitCodes.usage, `\`${flags.days ?? ''}\` is no number of days`);
  return {
    name,
    roles: roles.data,
    scopes: { agents: flags.agent ?? ['*'], tools: flags.tool ?? ['*'] },
    expiresInDays: days,
  };
};

/** token create, list, revoke, local, link. */
export const addTokenCommands = (program: Command, act: Act): void => {
  const group = program.command('token').description('who may speak to the daemon');
  group
    .command('create')
    .description('issue a token; it is shown once')
    .argument('<name>')
    .option('--role <role...>', roleNames.join(', '))
    .option('--agent <pattern...>', 'only these agents')
    .option('--tool <pattern...>', 'turns of this token use only these tools')
    .option('--days <n>', 'expires after so many days')
    .action(
      act(async (context, name: string, flags: CreateFlags) => {
        const body = issued.parse(
          await daemonClient(context).send('POST', '/v1/tokens', bodyOf(name, flags)),
        );
        show(context.out, body, () => body.token);
        if (!context.settings.json) context.note(`token \`${body.id}\`, not shown again`);
      }),
    );
  group
    .command('list')
    .description('tokens that are in force')
    .action(
      act(async (context) => {
        const list = listOf(tokenBody).parse(await daemonClient(context).get('/v1/tokens'));
        show(context.out, list, () =>
          table(
            ['id', 'name', 'roles', 'expires'],
            list.items.map((t) => [
              t.id,
              t.name,
              t.roles.join(', '),
              t.expires === 'never' ? 'never' : new Date(t.expires).toISOString(),
            ]),
            context.out.columns,
          ),
        );
      }),
    );
  addOthers(group, act);
};

const addOthers = (group: Command, act: Act): void => {
  group
    .command('revoke')
    .description('end a token; open streams of it end too')
    .argument('<id>')
    .action(
      act(async (context, id: string) => {
        await daemonClient(context).send('DELETE', `/v1/tokens/${encodeURIComponent(id)}`);
        show(context.out, { revoked: id }, () => 'revoked');
      }),
    );
  group
    .command('local')
    .description('the token of this machine, for `curl`')
    .action(
      act((context) => {
        const local = readLocal(context.settings.data);
        if (local === null)
          throw new CliError(
            exitCodes.unreachable,
            `no daemon runs on \`${context.settings.data}\`, start one with \`lockstep up\``,
          );
        context.out.write(`${local.token}\n`);
      }),
    );
  group
    .command('link')
    .description('a new sign-in link for the console, for one sign-in within ten minutes')
    .option('--console <url>', 'where the console is (LOCKSTEP_CONSOLE_URL)')
    .action(
      act(async (context, flags: { console?: string }) => {
        const console =
          flags.console ??
          process.env['LOCKSTEP_CONSOLE_URL'] ??
          readLocal(context.settings.data)?.console ??
          'http://127.0.0.1:7421';
        const body = linkBody.parse(await daemonClient(context).send('POST', '/v1/session/links'));
        const link = `${console}/signin?link=${body.link}`;
        show(context.out, { link, expires: body.expires }, () => link);
      }),
    );
};

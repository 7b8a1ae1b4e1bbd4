import type { Command } from 'commander';
import pc from 'picocolors';
import { flagsBody, grantBody, listOf, unknownOutcomeBody } from '../api.schema.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { ago, show, table } from '../print.ts';
import type { Act } from '../program.ts';

interface StopFlags {
  agent?: string;
  why?: string;
}

const query = ({ agent }: StopFlags): string =>
  agent === undefined ? '' : `?agent=${encodeURIComponent(agent)}`;

const inForce = (context: CommandContext, body: unknown): void => {
  const { stops, pauses } = flagsBody.parse(body);
  const row = (kind: string, flag: (typeof stops)[number]): string[] => [
    kind,
    flag.agent ?? 'every agent',
    flag.by,
    ago(flag.since, context.now()),
    flag.why,
  ];
  show(context.out, { stops, pauses }, () =>
    stops.length + pauses.length === 0
      ? 'nothing is stopped'
      : table(
          ['', 'agent', 'by', 'since', 'why'],
          [...stops.map((one) => row('stop', one)), ...pauses.map((one) => row('pause', one))],
          context.out.columns,
        ),
  );
};

const stop = async (context: CommandContext, flags: StopFlags): Promise<void> => {
  const body = {
    ...(flags.agent === undefined ? {} : { agent: flags.agent }),
    ...(flags.why === undefined ? {} : { why: flags.why }),
  };
  inForce(context, await daemonClient(context).send('POST', '/v1/stop', body));
};

const resume = async (context: CommandContext, flags: StopFlags): Promise<void> => {
  inForce(context, await daemonClient(context).send('DELETE', `/v1/stop${query(flags)}`));
};

const listGrants = async (context: CommandContext, flags: StopFlags): Promise<void> => {
  const { items } = listOf(grantBody).parse(
    await daemonClient(context).get(`/v1/grants${query(flags)}`),
  );
  show(context.out, { items }, () =>
    items.length === 0
      ? 'no standing approvals'
      : table(
          ['id', 'agent', 'tool', 'for', 'arguments', 'until'],
          items.map((one) => [
            one.grant,
            one.agent,
            one.tool,
            one.person ?? 'anyone',
            one.arguments.kind,
            one.expires === 'never' ? 'for ever' : new Date(one.expires).toISOString(),
          ]),
          context.out.columns,
        ),
  );
};

const revokeGrant = async (context: CommandContext, id: string): Promise<void> => {
  const { items } = listOf(grantBody).parse(await daemonClient(context).get('/v1/grants'));
  const hits = items.filter(({ grant }) => grant.startsWith(id));
  const [hit] = hits;
  if (hit === undefined || hits.length > 1)
    throw new CliError(
      exitCodes.usage,
      hit === undefined
        ? `no standing approval \`${id}\`, list them with \`lockstep grants\``
        : `\`${id}\` fits ${hits.length} standing approvals, give more of the id`,
    );
  await daemonClient(context).send('DELETE', `/v1/grants/${encodeURIComponent(hit.grant)}`);
  show(context.out, { revoked: hit.grant }, () => `revoked ${hit.grant}: ${hit.tool}`);
};

const listOutcomes = async (context: CommandContext): Promise<void> => {
  const { items } = listOf(unknownOutcomeBody).parse(
    await daemonClient(context).get('/v1/unknown-outcomes'),
  );
  show(context.out, { items }, () =>
    items.length === 0
      ? 'every outcome is known'
      : table(
          ['turn', 'call', 'agent', 'tool', 'since', 'why'],
          items.map((one) => [
            one.turn,
            one.call,
            one.agent,
            one.tool,
            ago(one.since, context.now()),
            one.why,
          ]),
          context.out.columns,
        ),
  );
};

const settle = async (
  context: CommandContext,
  turn: string,
  call: string,
  as: string,
): Promise<void> => {
  if (as !== 'retry' && as !== 'done' && as !== 'failed')
    throw new CliError(exitCodes.usage, `\`${as}\` is no outcome, use retry, done or failed`);
  const path = `/v1/turns/${encodeURIComponent(turn)}/calls/${encodeURIComponent(call)}/settle`;
  const headers = { 'lockstep-surface': 'cli' };
  const result = await daemonClient(context).send('POST', path, { as }, headers);
  show(context.out, result, () => `${pc.bold(call)} counts as ${as}`);
};

/** stop, resume, grants and outcomes. */
export const addControlCommands = (program: Command, act: Act): void => {
  program
    .command('stop')
    .description('emergency stop: nothing new begins, what runs is cancelled')
    .option('--agent <alias>', 'this agent and what it started; absent = every agent')
    .option('--why <text>', 'the reason, for the record')
    .action(act((context, flags: StopFlags) => stop(context, flags)));
  program
    .command('resume')
    .description('take an emergency stop back')
    .option('--agent <alias>', 'the stop of this agent; absent = that of every agent')
    .action(act((context, flags: StopFlags) => resume(context, flags)));
  const grants = program.command('grants').description('standing approvals');
  grants
    .command('list', { isDefault: true })
    .description('list those in force')
    .option('--agent <alias>')
    .action(act((context, flags: StopFlags) => listGrants(context, flags)));
  grants
    .command('revoke')
    .description('take one back: the call is asked for again')
    .argument('<id>')
    .action(act((context, id: string) => revokeGrant(context, id)));
  const outcomes = program
    .command('outcomes')
    .description('calls of which nobody knows whether they took effect');
  outcomes
    .command('list', { isDefault: true })
    .description('list them, oldest first')
    .action(act((context) => listOutcomes(context)));
  outcomes
    .command('settle')
    .description('say what became of one: the same call may run again')
    .argument('<turn>')
    .argument('<call>')
    .argument('<as>', 'retry, done or failed')
    .action(
      act((context, turn: string, call: string, as: string) => settle(context, turn, call, as)),
    );
};

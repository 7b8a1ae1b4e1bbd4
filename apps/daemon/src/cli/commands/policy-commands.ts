import type { Command } from 'commander';
import pc from 'picocolors';
import { z } from 'zod';
import { pathNames } from '@lockstep/policy';
import { agentBody, listOf } from '../api.schema.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { safeLine, show, table } from '../print.ts';
import type { Act } from '../program.ts';

const policyBody = z.looseObject({
  agent: z.string(),
  digest: z.string(),
  rows: z.array(
    z.looseObject({
      key: z.string(),
      value: z.string(),
      source: z.string(),
      name: z.string().nullable(),
      explain: z.string(),
    }),
  ),
});

const explainBody = z.looseObject({
  verdict: z.string(),
  rule: z.string(),
  pattern: z.string().nullable(),
  why: z.string(),
});

const showPolicy = async (
  context: CommandContext,
  agent: string,
  flags: { path?: string },
): Promise<void> => {
  const query = flags.path === undefined ? '' : `?path=${encodeURIComponent(flags.path)}`;
  const body = policyBody.parse(
    await daemonClient(context).get(`/v1/agents/${encodeURIComponent(agent)}/policy${query}`),
  );
  show(context.out, body, () =>
    [
      `${pc.bold(body.agent)} policy ${body.digest.slice(0, 12)}`,
      table(
        ['setting', 'value', 'from'],
        body.rows.map((r) => [
          r.key,
          r.value,
          r.name === null ? r.source : `${r.source} ${r.name}`,
        ]),
        context.out.columns,
      ),
    ].join('\n'),
  );
};

const explain = async (
  context: CommandContext,
  agent: string,
  tool: string,
  args: string | undefined,
): Promise<ExitCode> => {
  let value: unknown = {};
  try {
    value = args === undefined ? {} : JSON.parse(args);
  } catch (cause) {
    throw new CliError(exitCodes.usage, `the arguments \`${args ?? ''}\` are no JSON`, { cause });
  }
  const body = explainBody.parse(
    await daemonClient(context).send('POST', `/v1/agents/${encodeURIComponent(agent)}/explain`, {
      tool,
      args: value,
    }),
  );
  show(context.out, body, () => {
    const paint = body.verdict === 'allow' ? pc.green : body.verdict === 'ask' ? pc.yellow : pc.red;
    const pattern = body.pattern === null ? '' : ` ${safeLine(body.pattern)}`;
    return `${paint(body.verdict)} by ${body.rule}${pattern}: ${safeLine(body.why)}`;
  });
  return body.verdict === 'refuse' ? exitCodes.finding : exitCodes.ok;
};

/** agents, policy show, policy explain. */
export const addPolicyCommands = (program: Command, act: Act): void => {
  program
    .command('agents')
    .description('the agents of this daemon')
    .action(
      act(async (context) => {
        const list = listOf(agentBody).parse(await daemonClient(context).get('/v1/agents'));
        show(context.out, list, () =>
          table(
            ['agent', 'state'],
            list.items.map((a) => [a.alias, stateOf(a)]),
          ),
        );
      }),
    );
  const group = program.command('policy').description('what an agent may do');
  group
    .command('show')
    .description('the effective policy of an agent, and where each value comes from')
    .argument('<agent>')
    .option('--path <path>', `one of ${pathNames.join(', ')}`)
    .action(
      act((context, agent: string, flags: { path?: string }) => showPolicy(context, agent, flags)),
    );
  group
    .command('explain')
    .description('what would happen to one call, and by which rule')
    .argument('<agent>')
    .argument('<tool>')
    .argument('[args]', 'JSON')
    .action(
      act((context, agent: string, tool: string, args: string | undefined) =>
        explain(context, agent, tool, args),
      ),
    );
};

const stateOf = (agent: z.infer<typeof agentBody>): string => {
  if (!agent.enabled) return 'disabled';
  if (!agent.complete) return pc.yellow('incomplete');
  return agent.paused ? pc.yellow('paused') : pc.green('ready');
};

import type { Command } from 'commander';
import pc from 'picocolors';
import {
  jobBody,
  listOf,
  sopRunBody,
  sopStarted,
  type JobBody,
  type SopRunBody,
} from '../api.schema.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { ago, oneLine, safe, safeLine, show, table } from '../print.ts';
import type { Act } from '../program.ts';

const at = (time: number | undefined): string =>
  time === undefined ? '' : new Date(time).toISOString().replace('.000Z', 'Z');

const lastOf = (job: JobBody, now: number): string => {
  const [run] = job.runs;
  return run === undefined ? 'never' : `${run.state} ${ago(run.at, now)}`;
};

const listJobs = async (context: CommandContext, flags: { agent?: string }): Promise<void> => {
  const query = flags.agent === undefined ? '' : `?agent=${encodeURIComponent(flags.agent)}`;
  const list = listOf(jobBody).parse(await daemonClient(context).get(`/v1/jobs${query}`));
  show(context.out, list, () =>
    list.items.length === 0
      ? 'no jobs'
      : table(
          ['job', 'agent', 'made by', 'schedule', 'next', 'last'],
          list.items.map((job) => [
            job.name,
            job.agent,
            job.madeBy ?? 'config',
            safe(`${job.schedule} ${job.timezone}`),
            job.enabled ? at(job.next[0]) : 'switched off',
            lastOf(job, context.now()),
          ]),
          context.out.columns,
        ),
  );
};

const runJob = async (context: CommandContext, name: string): Promise<void> => {
  const path = `/v1/jobs/${encodeURIComponent(name)}/run`;
  const started = await daemonClient(context).send('POST', path, undefined);
  show(context.out, started, () => `started job ${name}, look at it with \`lockstep jobs\``);
};

const removeJob = async (context: CommandContext, name: string): Promise<void> => {
  await daemonClient(context).send('DELETE', `/v1/jobs/${encodeURIComponent(name)}`, undefined);
  show(context.out, { name, status: 'ended' }, () => `ended job ${name}`);
};

/** jobs, with run and remove below it. */
const addJobCommands = (program: Command, act: Act): void => {
  const group = program.command('jobs').description('what agents do at set times');
  group
    .command('list', { isDefault: true })
    .description('list jobs and heartbeats with their times')
    .option('--agent <agent>', 'of one agent only')
    .action(act(listJobs));
  group.command('run').description('start a job now').argument('<name>').action(act(runJob));
  group
    .command('remove')
    .description('end a job that an agent made')
    .argument('<name>')
    .action(act(removeJob));
};

const findRun = async (context: CommandContext, id: string): Promise<SopRunBody> => {
  const client = daemonClient(context);
  const list = listOf(sopRunBody).parse(await client.get('/v1/sops/runs?limit=500'));
  const hits = list.items.filter((run) => run.id.startsWith(id));
  const [hit] = hits;
  if (hits.length > 1)
    throw new CliError(exitCodes.usage, `\`${id}\` fits ${hits.length} runs, give more of the id`);
  return sopRunBody.parse(await client.get(`/v1/sops/runs/${encodeURIComponent(hit?.id ?? id)}`));
};

const stepLine = (step: SopRunBody['steps'][number]): string => {
  const gate =
    step.state === 'gate' && step.gate !== null
      ? ` (waits: lockstep approvals show ${step.gate})`
      : '';
  const turns = step.turns.map((turn) => `turn ${safeLine(turn)}`).join(', ');
  const why = step.why === null ? '' : `: ${oneLine(step.why, 200)}`;
  return `  ${safeLine(step.name)} · ${step.agent} · ${step.state.replaceAll('_', ' ')}${gate}${why}${turns === '' ? '' : pc.dim(`  ${turns}`)}`;
};

const full = (run: SopRunBody, now: number): string =>
  [
    `${pc.bold(run.sop)} ${run.id}`,
    `${run.status}, started ${ago(run.startedAt, now)} by ${safeLine(run.by)} (${run.trigger})`,
    ...run.steps.map(stepLine),
    ...(run.failure === null ? [] : [`failed: ${safeLine(run.failure.message)}`]),
    ...(run.output === null ? [] : ['', safe(run.output)]),
  ].join('\n');

const startSop = async (context: CommandContext, name: string, input: string): Promise<void> => {
  const path = `/v1/sops/${encodeURIComponent(name)}/runs`;
  const body = await daemonClient(context).send('POST', path, { input });
  const { id } = sopStarted.parse(body);
  show(context.out, body, () => `started run ${id}, look at it with \`lockstep sop show ${id}\``);
};

const listRuns = async (
  context: CommandContext,
  flags: { sop?: string; status?: string; limit?: string },
): Promise<void> => {
  const query = new URLSearchParams({ limit: flags.limit ?? '30' });
  if (flags.sop !== undefined) query.set('sop', flags.sop);
  if (flags.status !== undefined) query.set('status', flags.status);
  const list = listOf(sopRunBody).parse(
    await daemonClient(context).get(`/v1/sops/runs?${query.toString()}`),
  );
  show(context.out, list, () =>
    list.items.length === 0
      ? 'no runs'
      : table(
          ['run', 'procedure', 'status', 'steps', 'by', 'started', 'input'],
          list.items.map((run) => [
            run.id,
            run.sop,
            run.status,
            `${run.steps.filter(({ state }) => state === 'completed').length}/${run.steps.length}`,
            safe(run.by),
            ago(run.startedAt, context.now()),
            oneLine(run.input ?? '', 200),
          ]),
          context.out.columns,
        ),
  );
};

const cancelRun = async (
  context: CommandContext,
  id: string,
  why: string | undefined,
): Promise<void> => {
  const run = await findRun(context, id);
  const path = `/v1/sops/runs/${encodeURIComponent(run.id)}/cancel`;
  const body = await daemonClient(context).send('POST', path, why === undefined ? {} : { why });
  show(context.out, body, () => `cancelled run ${run.id}`);
};

/** sop, with start, runs, show and cancel below it. */
const addSopCommands = (program: Command, act: Act): void => {
  const group = program.command('sop').description('standing procedures and their runs');
  group
    .command('start')
    .description('start a procedure')
    .argument('<name>')
    .argument('<input>')
    .action(act(startSop));
  group
    .command('runs')
    .description('list runs, newest first')
    .option('--sop <name>', 'of one procedure only')
    .option('--status <status>', 'running, waiting, completed or failed')
    .option('--limit <n>', 'how many', '30')
    .action(act(listRuns));
  group
    .command('show')
    .description('show one run with its steps')
    .argument('<run>')
    .action(
      act(async (context, id: string) => {
        const run = await findRun(context, id);
        show(context.out, run, () => full(run, context.now()));
      }),
    );
  group
    .command('cancel')
    .description('cancel a run and its running step')
    .argument('<run>')
    .argument('[why]')
    .action(act(cancelRun));
};

/** Jobs and procedures. */
export const addWorkCommands = (program: Command, act: Act): void => {
  addJobCommands(program, act);
  addSopCommands(program, act);
};

import type { Command } from 'commander';
import { z } from 'zod';
import { listOf } from '../api.schema.ts';
import { exitCodes, type ExitCode } from '../cli-error.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { jsonText, oneLine, safeLine, show, table } from '../print.ts';
import type { Act } from '../program.ts';

const eventBody = z.looseObject({
  id: z.string(),
  stream: z.string(),
  revision: z.number(),
  position: z.string(),
  type: z.string(),
  time: z.number(),
  data: z.unknown(),
});

const eventLine = (context: CommandContext, event: z.infer<typeof eventBody>): string =>
  context.settings.json
    ? jsonText(event)
    : `${new Date(event.time).toISOString()} ${safeLine(event.type)} ${safeLine(event.stream)}@${event.revision} ${oneLine(JSON.stringify(event.data), 100)}`;

interface EventFlags {
  agent?: string;
  types?: string;
  after?: string;
}

const queryOf = (flags: EventFlags): URLSearchParams => {
  const query = new URLSearchParams();
  if (flags.agent !== undefined) query.set('agent', flags.agent);
  if (flags.types !== undefined) query.set('types', flags.types);
  return query;
};

const tail = async (context: CommandContext, flags: EventFlags): Promise<void> => {
  const stop = new AbortController();
  process.once('SIGINT', () => {
    stop.abort();
  });
  const query = queryOf(flags);
  query.set('after', flags.after ?? 'end');
  try {
    const path = `/v1/events/stream?${query.toString()}`;
    const signal = AbortSignal.any([stop.signal, context.readerGone]);
    for await (const message of daemonClient(context).stream(path, { signal }))
      if (message.event === 'event')
        context.out.write(`${eventLine(context, eventBody.parse(message.data))}\n`);
  } catch (error) {
    if (!stop.signal.aborted && !context.readerGone.aborted) throw error;
  }
};

/** JSON lines of the whole log, or of one agent, in order. */
const exportEvents = async (context: CommandContext, flags: EventFlags): Promise<void> => {
  const client = daemonClient(context);
  let after = flags.after ?? 'start';
  for (;;) {
    const query = queryOf(flags);
    query.set('after', after);
    query.set('limit', '1000');
    const page = listOf(eventBody).parse(await client.get(`/v1/events?${query.toString()}`));
    for (const event of page.items) context.out.write(`${jsonText(event)}\n`);
    if (page.next === null || context.readerGone.aborted) return;
    after = page.next;
  }
};

const status = z.looseObject({
  items: z.array(
    z.looseObject({
      name: z.string(),
      version: z.number(),
      position: z.string(),
      lag: z.number(),
      state: z.string(),
    }),
  ),
});

const projectionStatus = async (context: CommandContext): Promise<ExitCode> => {
  const body = status.parse(await daemonClient(context).get('/v1/projections'));
  show(context.out, body, () =>
    table(
      ['projection', 'version', 'position', 'behind', 'state'],
      body.items.map((p) => [p.name, `${p.version}`, p.position, `${p.lag}`, p.state]),
      context.out.columns,
    ),
  );
  return body.items.some((p) => p.state === 'failed') ? exitCodes.finding : exitCodes.ok;
};

/** events tail, events export, projections status, projections rebuild. */
export const addLogCommands = (program: Command, act: Act): void => {
  const events = program.command('events').description('the event log');
  events
    .command('tail')
    .description('events as they come')
    .option('--agent <alias>')
    .option('--types <types>', 'comma-separated')
    .option('--after <position>', 'a position, or start')
    .action(act((context, flags: EventFlags) => tail(context, flags)));
  events
    .command('export')
    .description('the log as JSON lines')
    .option('--agent <alias>')
    .option('--types <types>', 'comma-separated')
    .option('--after <position>')
    .action(act((context, flags: EventFlags) => exportEvents(context, flags)));
  const projections = program.command('projections').description('the read models');
  projections
    .command('status', { isDefault: true })
    .description('how far each read model is')
    .action(act((context) => projectionStatus(context)));
  projections
    .command('rebuild')
    .description('fold one read model, or all, again from the log')
    .argument('[name]')
    .action(
      act(async (context, name: string | undefined) => {
        const body = await daemonClient(context).send(
          'POST',
          '/v1/projections/rebuild',
          name === undefined ? {} : { name },
        );
        show(
          context.out,
          body,
          () =>
            `rebuilding ${name ?? 'all read models'}, see how far with \`lockstep projections status\``,
        );
      }),
    );
};

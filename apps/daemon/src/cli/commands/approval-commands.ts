import type { Command } from 'commander';
import pc from 'picocolors';
import { decidedBody, inboxRow, listOf, type InboxBody } from '../api.schema.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { daemonClient, type CommandContext } from '../context.ts';
import { ago, safe, safeLine, show, table } from '../print.ts';
import type { Act } from '../program.ts';

const inbox = async (context: CommandContext, state: string): Promise<InboxBody[]> =>
  listOf(inboxRow).parse(await daemonClient(context).get(`/v1/approvals?state=${state}`)).items;

const find = async (context: CommandContext, id: string): Promise<InboxBody> => {
  const rows = await inbox(context, 'all');
  const hits = rows.filter((r) => r.id === id || r.id.startsWith(id));
  const [hit] = hits;
  if (hit === undefined || hits.length > 1)
    throw new CliError(
      exitCodes.usage,
      hit === undefined
        ? `no approval or question \`${id}\`, list them with \`lockstep approvals\``
        : `\`${id}\` fits ${hits.length} requests, give more of the id`,
    );
  return hit;
};

const full = (row: InboxBody, now: number): string =>
  [
    `${pc.bold(row.kind)} ${row.id}`,
    `agent ${row.agent}, turn ${safeLine(row.turn)}, asked ${ago(row.askedAt, now)}, ${row.state}`,
    ...(row.why === null ? [] : [`why: ${safeLine(row.why)}`]),
    '',
    safe(row.view ?? '(not for this role)'),
    ...(row.choices.length === 0 ? [] : ['', `choices: ${row.choices.map(safeLine).join(' · ')}`]),
  ].join('\n');

const decide = async (
  context: CommandContext,
  id: string,
  answer: {
    choice: 'once' | 'always' | 'deny';
    guidance?: string;
    scope?: object;
    arguments?: object;
  },
): Promise<void> => {
  const row = await find(context, id);
  if (row.kind === 'question')
    throw new CliError(
      exitCodes.usage,
      `\`${id}\` is a question, answer it with \`lockstep approvals answer\``,
    );
  const result = await daemonClient(context).send(
    'POST',
    `/v1/approvals/${encodeURIComponent(row.id)}/decision`,
    { ...answer, revision: row.revision, shown: row.shown },
    { 'lockstep-surface': 'cli' },
  );
  show(context.out, result, () => said(answer.choice, row.tool ?? row.id, result));
};

const said = (choice: string, what: string, result: unknown): string => {
  const { votes } = decidedBody.parse(result);
  if (votes !== undefined)
    return `your vote counts for ${safeLine(what)}: ${votes.given} of ${votes.required}`;
  return `${choice === 'deny' ? 'denied' : 'approved'} ${safeLine(what)}`;
};

/** `/path=value` of an option: where in the arguments, and what must stand there. */
const fieldOf = (text: string): { at: string; value: string } => {
  const cut = text.indexOf('=');
  if (text.startsWith('/') && cut > 0)
    return { at: text.slice(0, cut), value: text.slice(cut + 1) };
  throw new CliError(exitCodes.usage, `\`${text}\` is no field, write it as \`/path=value\``);
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const objectOf = (text: string): object => {
  const value = jsonOf(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new CliError(exitCodes.usage, 'the arguments are no JSON object, write {"name": "value"}');
};

interface ApproveFlags {
  always?: boolean;
  arguments?: string;
  where?: string[];
  below?: string[];
  scope?: string;
  anyArguments?: boolean;
  anyone?: boolean;
}

const approve = (context: CommandContext, id: string, flags: ApproveFlags): Promise<void> => {
  const edited = flags.arguments === undefined ? {} : { arguments: objectOf(flags.arguments) };
  if (flags.always !== true) return decide(context, id, { choice: 'once', ...edited });
  const kind = flags.scope ?? 'session';
  if (kind !== 'session' && kind !== 'agent')
    throw new CliError(exitCodes.usage, `\`${kind}\` is no scope, use session or agent`);
  const fields = [
    ...(flags.where ?? []).map(fieldOf).map(({ at, value }) => ({ at, equals: jsonOf(value) })),
    ...(flags.below ?? []).map(fieldOf).map(({ at, value }) => ({ at, below: value })),
  ];
  const plain = flags.anyArguments === true ? 'any' : 'exact';
  return decide(context, id, {
    choice: 'always',
    ...edited,
    scope: {
      kind,
      ...(fields.length === 0 ? { arguments: plain } : { arguments: 'fields', fields }),
      anyone: flags.anyone === true,
    },
  });
};

/** approvals, with approve, deny, show and answer below it. */
export const addApprovalCommands = (program: Command, act: Act): void => {
  const group = program.command('approvals').description('what waits for a person');
  group
    .command('list', { isDefault: true })
    .description('list what waits, oldest first')
    .option('--all', 'decided ones too')
    .action(
      act(async (context, flags: { all?: boolean }) => {
        const rows = await inbox(context, flags.all === true ? 'all' : 'pending');
        show(context.out, { items: rows }, () =>
          rows.length === 0
            ? 'nothing waits'
            : table(
                ['id', 'kind', 'agent', 'tool', 'state', 'asked', 'why'],
                rows.map((r) => [
                  r.id,
                  r.kind,
                  r.agent,
                  r.tool ?? '',
                  r.state,
                  ago(r.askedAt, context.now()),
                  r.why ?? '',
                ]),
                context.out.columns,
              ),
        );
      }),
    );
  group
    .command('show')
    .description('show one request as it would run')
    .argument('<id>')
    .action(
      act(async (context, id: string) => {
        const row = await find(context, id);
        show(context.out, row, () => full(row, context.now()));
      }),
    );
  addDecisions(group, act);
};

const addDecisions = (group: Command, act: Act): void => {
  group
    .command('approve')
    .description('let the call run, once or from now on')
    .argument('<id>')
    .option('--always', 'issue a standing grant')
    .option('--scope <scope>', 'with --always: session or agent', 'session')
    .option('--any-arguments', 'with --always: not only these arguments')
    .option('--where <field...>', 'with --always: /pointer=value that an argument must be')
    .option('--below <field...>', 'with --always: /pointer=folder that a path must be below')
    .option('--anyone', 'with --always: for turns of any person')
    .option('--arguments <json>', 'arguments in place of those asked for; they are judged again')
    .action(act((context, id: string, flags: ApproveFlags) => approve(context, id, flags)));
  group
    .command('deny')
    .description('refuse the call; guidance becomes its result')
    .argument('<id>')
    .argument('[guidance]')
    .action(
      act((context, id: string, guidance: string | undefined) =>
        decide(context, id, { choice: 'deny', ...(guidance === undefined ? {} : { guidance }) }),
      ),
    );
  group
    .command('answer')
    .description('answer a question of an agent')
    .argument('<id>')
    .argument('<text>')
    .action(
      act(async (context, id: string, text: string) => {
        const row = await find(context, id);
        const result = await daemonClient(context).send(
          'POST',
          `/v1/questions/${encodeURIComponent(row.id)}/answer`,
          { text, revision: row.revision },
          { 'lockstep-surface': 'cli' },
        );
        show(context.out, result, () => 'answered');
      }),
    );
};

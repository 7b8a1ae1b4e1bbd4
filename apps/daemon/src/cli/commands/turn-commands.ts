import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import pc from 'picocolors';
import { listOf, turnAnswer, turnDetail, turnRow, type TurnAnswerBody } from '../api.schema.ts';
import type { ApiClient } from '../client.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import { daemonClient, withDaemon, type CommandContext } from '../context.ts';
import { ago, oneLine, safe, safeLine, show, table } from '../print.ts';
import type { Act } from '../program.ts';

const runPath = (agent: string): string => `/v1/agents/${encodeURIComponent(agent)}/runs`;

/** Plays one turn, writing text as it is made; answers the turn as it ended or waits. */
const playTurn = async (
  client: ApiClient,
  context: CommandContext,
  turn: { readonly agent: string; readonly input: string; readonly session: string | null },
): Promise<TurnAnswerBody> => {
  let streamed = '';
  const body = {
    input: turn.input,
    ...(turn.session === null ? {} : { session: turn.session }),
  };
  for await (const message of client.stream(runPath(turn.agent), { body })) {
    if (message.event === 'delta' && !context.settings.json) {
      const text = (message.data as { text?: unknown }).text;
      if (typeof text !== 'string') continue;
      streamed += text;
      context.out.write(safe(text));
    } else if (message.event === 'end') {
      const answer = turnAnswer.parse(message.data);
      if (!context.settings.json) finishLine(context, streamed, answer);
      return answer;
    }
  }
  throw new CliError(
    exitCodes.unreachable,
    'the daemon ended the stream before the turn ended, look at it with `lockstep turns`',
  );
};

const finishLine = (context: CommandContext, streamed: string, answer: TurnAnswerBody): void => {
  const reply = answer.reply ?? '';
  const last = streamed.endsWith(reply) && reply !== '' ? '' : safe(reply);
  if (streamed === '' && last === '') return;
  context.out.write(`${streamed !== '' && last !== '' ? '\n' : ''}${last}\n`);
};

const verdictLine = (answer: TurnAnswerBody): string => {
  if (answer.status === 'waiting')
    return answer.approvals
      .map((id) => `waits for a person: lockstep approvals show ${safeLine(id)}`)
      .join('\n');
  const why = answer.reason === null ? '' : `: ${safeLine(answer.reason)}`;
  return `${answer.status}${why} (turn ${safeLine(answer.id)})`;
};

const exitOf = (answer: TurnAnswerBody): ExitCode =>
  answer.status === 'completed' || answer.status === 'waiting' ? exitCodes.ok : exitCodes.finding;

const runOnce = async (
  context: CommandContext,
  agent: string,
  input: string,
  session: string | null,
): Promise<ExitCode> =>
  withDaemon(context, async (client) => {
    const answer = await playTurn(client, context, { agent, input, session });
    if (context.settings.json) show(context.out, answer, () => '');
    else context.note(pc.dim(verdictLine(answer)));
    return exitOf(answer);
  });

const chat = async (context: CommandContext, agent: string): Promise<ExitCode> =>
  withDaemon(context, async (client) => {
    const lines = createInterface({ input: process.stdin, terminal: false });
    const prompt = (): void => {
      if (process.stdin.isTTY) context.note(pc.dim(`${agent}> (empty line or ctrl-d ends)`));
    };
    let session: string | null = null;
    prompt();
    for await (const line of lines) {
      if (line.trim() === '') break;
      const answer = await playTurn(client, context, { agent, input: line, session });
      session = answer.session;
      context.note(pc.dim(verdictLine(answer)));
      prompt();
    }
    lines.close();
    return exitCodes.ok;
  });

const listTurns = async (
  context: CommandContext,
  flags: { agent?: string; status?: string; limit?: string },
): Promise<void> => {
  const query = new URLSearchParams({ limit: flags.limit ?? '30' });
  if (flags.agent !== undefined) query.set('agent', flags.agent);
  if (flags.status !== undefined) query.set('status', flags.status);
  const list = listOf(turnRow).parse(
    await daemonClient(context).get(`/v1/turns?${query.toString()}`),
  );
  show(context.out, list, () =>
    list.items.length === 0
      ? 'no turns'
      : table(
          ['turn', 'agent', 'path', 'status', 'allowed', 'refused', 'asked', 'started', 'input'],
          list.items.map((t) => [
            t.id,
            t.agent,
            `${t.path}/${t.trigger}`,
            t.status,
            `${t.allowed}`,
            `${t.refused}`,
            `${t.asked}`,
            ago(t.startedAt, context.now()),
            oneLine(t.input ?? '', 40),
          ]),
          context.out.columns,
        ),
  );
};

const showTurn = async (context: CommandContext, id: string): Promise<void> => {
  const detail = turnDetail.parse(
    await daemonClient(context).get(`/v1/turns/${encodeURIComponent(id)}`),
  );
  show(context.out, detail, () => {
    const { row, policy } = detail;
    const head = [
      `${pc.bold(safeLine(row.agent))} ${row.path}/${row.trigger} ${row.status}`,
      policy === null
        ? 'no policy was resolved'
        : `policy ${policy.digest.slice(0, 12)} of config version ${policy.config.version}`,
      ...(row.input === null ? [] : [`input: ${oneLine(row.input, 200)}`]),
      ...(row.reply === null ? [] : [`reply: ${oneLine(row.reply, 200)}`]),
      '',
    ];
    const steps = detail.steps.map((s) => {
      const rule =
        s.rule === null
          ? ''
          : pc.dim(` [${safeLine(`${s.rule}${s.pattern === null ? '' : ` ${s.pattern}`}`)}]`);
      const line = `+${((s.at - row.startedAt) / 1000).toFixed(2)} s  ${oneLine(s.title, 120)}${rule}`;
      return s.tone === 'refused' || s.tone === 'bad' ? pc.red(line) : line;
    });
    return [...head, ...steps].join('\n');
  });
};

/** run, chat, turns, turn. */
export const addTurnCommands = (program: Command, act: Act): void => {
  program
    .command('run')
    .description('start one turn of an agent and show how it ends')
    .argument('<agent>')
    .argument('<input>')
    .option('--session <id>', 'go on with this session')
    .action(
      act((context, agent: string, input: string, flags: { session?: string }) =>
        runOnce(context, agent, input, flags.session ?? null),
      ),
    );
  program
    .command('chat')
    .description('talk to an agent, one line a turn')
    .argument('<agent>')
    .action(act((context, agent: string) => chat(context, agent)));
  program
    .command('turns')
    .description('list turns, newest first')
    .option('--agent <alias>')
    .option('--status <status>')
    .option('--limit <n>')
    .action(
      act((context, flags: { agent?: string; status?: string; limit?: string }) =>
        listTurns(context, flags),
      ),
    );
  program
    .command('turn')
    .description('show one turn step by step, with the rule of each verdict')
    .argument('<id>')
    .action(act((context, id: string) => showTurn(context, id)));
};

// Records the histories in `fixtures`, one of each path and of each kind of turn. It writes only files that are not there yet: what was
// recorded once stays as it is. Run with `npx tsx test/replay/record-fixtures.ts` after `npx tsc -b`.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCli } from '@lockstep/daemon';
import { rpcClient } from '../support/rpc-client.ts';
import { postWebhook } from '../support/signed-webhook.ts';
import { RecordedDaemon, untilThere } from './recorder/daemon.ts';
import { deskSecret, recordedConfig, recordedScript, skill } from './recorder/team.ts';

const out = fileURLToPath(new URL('fixtures', import.meta.url));
const server = new URL('../support/counting-mcp-server.mjs', import.meta.url);
process.env['RECORDED_DESK_SECRET'] = deskSecret;

interface Id {
  readonly id: string;
}
interface Items<T> {
  readonly items: readonly T[];
}
interface Asked extends Id {
  readonly turn: string;
  readonly revision: number;
  readonly shown: string;
}
type Turn = Id & { readonly path: string; readonly trigger: string; readonly status: string };

const folder = mkdtempSync(join(tmpdir(), 'lockstep-recorded-'));
const daemon = new RecordedDaemon(folder);
const counting = join(folder, 'counting-server.mjs');
/** Names of the files to be, and the turns that they are to hold. */
const recorded: [name: string, turns: readonly string[]][] = [];

const layTeam = (): void => {
  mkdirSync(join(folder, 'skills', 'minutes'), { recursive: true });
  writeFileSync(join(folder, 'skills', 'minutes', 'SKILL.md'), skill);
  writeFileSync(join(folder, 'lockstep.toml'), recordedConfig(counting));
  writeFileSync(join(folder, 'script.yaml'), recordedScript);
  copyFileSync(server, counting);
};

const begin = async (input: string, route: 'turns' | 'runs' = 'turns'): Promise<string> =>
  (await daemon.call<Id>(`/v1/agents/lead/${route}`, { input })).id;

const ended = async (turn: string): Promise<string> => {
  await untilThere(`the end of ${turn}`, async () => {
    const { row } = await daemon.call<{ readonly row: Turn }>(`/v1/turns/${turn}`);
    return ['completed', 'failed', 'cancelled', 'refused'].includes(row.status) ? row : null;
  });
  return turn;
};

/** Answers what a turn or a run asks for next. */
const answer = async (of: string, more: object = {}): Promise<void> => {
  const asked = await untilThere(`a question of ${of}`, async () => {
    const { items } = await daemon.call<Items<Asked>>('/v1/approvals');
    return items.find(({ turn }) => turn === of) ?? null;
  });
  const { id, revision, shown } = asked;
  await daemon.call(`/v1/approvals/${id}/decision`, { choice: 'once', revision, shown, ...more });
};

const newest = async (trigger: string): Promise<string> =>
  untilThere(`a turn by ${trigger}`, async () => {
    const { items } = await daemon.call<Items<Turn>>('/v1/turns?limit=100');
    return items.find((turn) => turn.trigger === trigger)?.id ?? null;
  });

/** One turn on each path: it looks, writes once a person let it, and is refused what it may not read. */
const recordPaths = async (): Promise<void> => {
  const gateway = await begin('look around');
  await answer(gateway);
  recorded.push(['path-gateway', [await ended(gateway)]]);
  const loop = await begin('look around', 'runs');
  await answer(loop, { choice: 'deny', guidance: 'not today' });
  recorded.push(['path-loop', [await ended(loop)]]);
  const at = { url: daemon.url, alias: 'desk', secret: deskSecret };
  await postWebhook(at, { id: 'm1', conversation: 'c1', sender: 'ana', text: 'look around' });
  const channel = await newest('webhook');
  await answer(channel);
  recorded.push(['path-channel', [await ended(channel)]]);
  const rpc = await rpcClient(daemon.data);
  await rpc.call('initialize', {});
  await rpc.call('turns.start', { agent: 'lead', input: 'look around' });
  const overRpc = await newest('json-rpc');
  await answer(overRpc);
  recorded.push(['path-rpc', [await ended(overRpc)]]);
  rpc.close();
  recorded.push(['path-delegate', [await ended(await begin('share the work'))]]);
  await recordProcedure();
};

/** A procedure with a gate before its second step. */
const recordProcedure = async (): Promise<void> => {
  const { id: run } = await daemon.call<Id>('/v1/sops/release/runs', { input: 'notes' });
  await answer(run);
  const steps = await untilThere('the second step', async () => {
    type Run = { readonly steps: readonly { readonly turns: readonly string[] }[] };
    const found = await daemon.call<Run>(`/v1/sops/runs/${run}`);
    const turns = found.steps.flatMap((step) => step.turns);
    return turns.length === 2 ? turns : null;
  });
  await answer(steps[1] ?? '');
  for (const step of steps) await ended(step);
  recorded.push(['path-sop', steps]);
};

/** What happens to a turn on its way. */
const recordKinds = async (): Promise<void> => {
  const edited = await begin('write the note');
  await answer(edited, { arguments: { path: 'other.md', content: 'one' } });
  await ended(await begin('keep the plum'));
  const kept = [await begin('find the plum'), await begin('write the minutes')];
  for (const turn of kept) await ended(turn);
  recorded.push(['memory-and-skills', kept]);
  const steered = await begin('write the note');
  await daemon.until(steered, 'ApprovalRequested');
  await daemon.call(`/v1/turns/${steered}/steer`, { text: 'and be brief' });
  await answer(steered);
  const cancelled = await begin('think for long');
  await daemon.until(cancelled, 'ModelCallStarted', 2);
  await daemon.call(`/v1/turns/${cancelled}/cancel`, { why: 'it takes too long' });
  const turns = [edited, steered, cancelled];
  for (const turn of turns) await ended(turn);
  recorded.push(['edited-steered-cancelled', turns]);
};

/** The daemon is killed while a call runs that must not run twice and while a person is asked, and both turns go on. */
const recordCrash = async (): Promise<void> => {
  const [held, asked] = [await begin('hold on'), await begin('write and mend')];
  await daemon.until(held, 'ToolCallStarted');
  await daemon.until(asked, 'ApprovalRequested');
  await daemon.end('SIGKILL');
  await daemon.start();
  await answer(asked);
  recorded.push(['crashed', [await ended(held), await ended(asked)]]);
};

/** A newer config takes a tool away while the turn waits. */
const recordNarrowing = async (): Promise<void> => {
  const turn = await begin('write and mend');
  await daemon.until(turn, 'ApprovalRequested');
  let etag = '';
  await daemon.call('/v1/config', undefined, {
    seen: (headers) => (etag = headers.get('etag') ?? ''),
  });
  const text = recordedConfig(counting, ['file_edit']);
  await daemon.call('/v1/config', { text }, { method: 'PUT', headers: { 'if-match': etag } });
  await answer(turn);
  recorded.push(['narrowed', [await ended(turn)]]);
};

/** Writes what is not there yet. */
const write = async (name: string, turns: readonly string[]): Promise<void> => {
  const file = join(out, `${name}.jsonl`);
  if (existsSync(file)) return;
  const named = turns.flatMap((turn) => ['--turn', turn]);
  const code = await runCli(
    ['--data', daemon.data, 'histories', 'export', ...named, '--out', file],
    {
      env: {},
      cwd: folder,
      write: (text) => process.stdout.write(text),
      note: (text) => process.stderr.write(`${text}\n`),
      now: () => Date.now(),
      version: '0.1.0',
    },
  );
  if (code !== 0) throw new Error(`${name} was not written`);
};

try {
  layTeam();
  await daemon.start();
  await recordPaths();
  await recordKinds();
  await recordCrash();
  await recordNarrowing();
  await daemon.end('SIGTERM');
  for (const [name, turns] of recorded) await write(name, turns);
} finally {
  await daemon.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

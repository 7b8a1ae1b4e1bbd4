import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runDaemon, type Caller, type RunningDaemon } from '../support/running-daemon.ts';

const agent = (alias: string, memory: string): string => `
[agents.${alias}]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[agents.${alias}.memory]
${memory}
`;

const config = `
${agent('ada', 'backend = "sqlite"')}
[agents.ada.context.identity]
files = ["SOUL.md"]
${agent('bob', 'backend = "sqlite"\nread_memory_from = ["ada"]\nwritable = false\nshare = "agent"')}
${agent('cleo', 'backend = "sqlite"')}
${agent('dora', 'backend = "markdown"')}
[risk_profiles.careful]
autonomy = "full"
[risk_profiles.careful.tools]
allowed = ["memory_*"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;

const script = `
scenarios:
  - when: "keep the plum"
    steps:
      - calls: [{ tool: memory_store, args: { text: "plum jam is on the top shelf", tags: ["kitchen"] } }]
      - say: "{{results.0}}"
  - when: "find the plum"
    steps:
      - calls: [{ tool: memory_recall, args: { query: "plum jam" } }]
      - say: "{{results.0}}"
default: [{ say: "Plain answer." }]
`;

let run: RunningDaemon;
let ana: Caller;
let ben: Caller;

beforeEach(async () => {
  run = await runDaemon(config, script);
  await writeFile(join(run.folder, 'SOUL.md'), 'I keep the kitchen.');
  ana = await run.issue({ name: 'ana', roles: ['operator'] });
  ben = await run.issue({ name: 'ben', roles: ['operator'] });
});
afterEach(() => run.remove());

interface Event {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}
interface Seen {
  readonly reply: string | null;
  readonly events: readonly Event[];
}

const turnOf = async (caller: Caller, alias: string, input: string): Promise<Seen> => {
  const { body } = await caller.post(`/v1/agents/${alias}/turns`, { input, wait: true });
  const { id, reply } = body as { readonly id: string; readonly reply: string | null };
  const read = await run.admin().get(`/v1/turns/${id}/events`);
  return { reply, events: (read.body as { readonly items: readonly Event[] }).items };
};

const of = ({ events }: Seen, type: string): readonly Event[] =>
  events.filter((event) => event.type === type);

/** Texts of the rows that a turn was given unasked. */
const unasked = (seen: Seen): readonly unknown[] =>
  of(seen, 'MemoryRecalled')
    .filter(({ data }) => data['by'] === 'auto')
    .flatMap(({ data }) => data['rows'] as readonly { readonly text: { inline: string } }[])
    .map(({ text }) => text.inline);

const jam = 'plum jam is on the top shelf';

describe('memory in a running daemon', () => {
  it('gives a person what was kept for them, over restarts and without the rows, and nobody else', async () => {
    expect((await turnOf(ana, 'ada', 'keep the plum')).reply).toMatch(/^kept as `\w{32}`$/);
    expect(unasked(await turnOf(ana, 'ada', 'where is the jam?'))).toEqual([jam]);
    expect(unasked(await turnOf(ben, 'ada', 'where is the jam?'))).toEqual([]);
    expect((await turnOf(ben, 'ada', 'find the plum')).reply).toContain('nothing that was kept');
    expect(unasked(await turnOf(ana, 'cleo', 'where is the jam?'))).toEqual([]);
    expect((await turnOf(ana, 'cleo', 'find the plum')).reply).not.toContain(jam);
    await run.stop();
    for (const file of ['memory.db', 'memory.db-wal', 'memory.db-shm'])
      await rm(join(run.data, file), { force: true });
    await run.start();
    expect(unasked(await turnOf(run.as(ana.token), 'ada', 'where is the jam?'))).toEqual([jam]);
    expect(unasked(await turnOf(run.as(ben.token), 'ada', 'where is the jam?'))).toEqual([]);
  });

  it('lets an agent read where the policy says so, and keep nothing where it may not', async () => {
    await turnOf(ana, 'ada', 'keep the plum');
    expect(unasked(await turnOf(ben, 'bob', 'where is the jam?'))).toEqual([jam]);
    expect((await turnOf(ben, 'bob', 'find the plum')).reply).toContain(jam);
    const refused = await turnOf(ana, 'bob', 'keep the plum');
    expect(of(refused, 'ToolCallRefused').map(({ data }) => data['rule'])).toEqual([
      'memory.writable',
    ]);
    expect(of(refused, 'ToolCallStarted')).toEqual([]);
  });

  it('keeps rows as files that their owner may change, and says so before it uses them', async () => {
    await turnOf(ana, 'dora', 'keep the plum');
    const folder = join(run.data, 'memory', 'dora');
    const [file = ''] = await readdir(folder);
    expect(await readFile(join(folder, file), 'utf8')).toBe(`---\ntags: ["kitchen"]\n---\n${jam}`);
    await writeFile(join(folder, file), 'plum jam is all gone');
    expect(unasked(await turnOf(ana, 'dora', 'where is the jam?'))).toEqual([
      'plum jam is all gone',
    ]);
    await rm(join(folder, file));
    expect(unasked(await turnOf(ana, 'dora', 'where is the jam?'))).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('gives an agent its identity files, and no turn when they are gone', async () => {
    const said = await turnOf(ana, 'ada', 'hello');
    const [call] = of(said, 'ModelCallStarted');
    expect(call?.data['made']).toMatchObject({
      identity: [{ path: join(run.folder, 'SOUL.md') }],
    });
    await rm(join(run.folder, 'SOUL.md'));
    const [failed] = of(await turnOf(ana, 'ada', 'hello'), 'TurnFailed');
    expect(failed?.data['key']).toBe('context.identity.files');
    expect(failed?.data['message']).toContain('SOUL.md');
  });
});

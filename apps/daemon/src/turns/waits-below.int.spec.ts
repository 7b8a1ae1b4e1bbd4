import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type Daemon } from '../daemon.ts';

const config = `[agents.alpha]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
[risk_profiles.careful.tools]
allowed = ["file_write", "spawn", "sop_start"]
[risk_profiles.careful.approval]
auto_approve = ["spawn", "sop_start"]
[risk_profiles.careful.delegation]
mode = "allow"
spawn = true
sops = ["ship"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
[sops.ship]
triggers = ["manual", "tool"]
[[sops.ship.steps]]
agent = "alpha"
prompt = "look at {{input}}"
gate = "approval"
`;
const script = `scenarios:
  - when: begin the procedure
    steps:
      - calls: [{ tool: sop_start, args: { name: ship, input: it } }]
      - say: 'shipped'
  - when: begin another
    steps:
      - calls: [{ tool: spawn, args: { input: put it down } }]
      - say: 'put down'
  - when: put it down
    steps:
      - calls: [{ tool: file_write, args: { path: a.md, content: it } }]
      - say: 'done'
  - when: look at
    steps:
      - say: 'seen'
`;

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly approvals: readonly string[];
}

let folder: string;
let daemon: Daemon;
let token: string;

const ask = async (path: string, body?: object): Promise<unknown> => {
  const response = await fetch(`${daemon.url}/v1/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
};

const answerOf = async (turn: string): Promise<Shown> =>
  ((await ask(`turns/${turn}`)) as { readonly answer: Shown }).answer;

const listed = async (status: string): Promise<readonly string[]> => {
  const { items } = (await ask(`turns?status=${status}`)) as { readonly items: readonly Shown[] };
  return items.map(({ id }) => id);
};

const inbox = async (): Promise<readonly { readonly id: string }[]> =>
  ((await ask('approvals?state=pending')) as { readonly items: readonly { readonly id: string }[] })
    .items;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-below-'));
  writeFileSync(join(folder, 'lockstep.toml'), config);
  writeFileSync(join(folder, 'script.yaml'), script);
  const data = join(folder, 'data');
  daemon = await startDaemon({
    config: join(folder, 'lockstep.toml'),
    data,
    port: 0,
    log: 'silent',
  });
  ({ token } = JSON.parse(readFileSync(join(data, 'local.json'), 'utf8')) as { token: string });
});
afterAll(async () => {
  await daemon.close('the spec is done with it');
  rmSync(folder, { recursive: true, force: true });
});

describe('given a turn whose work below it waits for a person', () => {
  it.each(['begin the procedure', 'begin another'])(
    'waits too, in its answer and in the list, and names what it waits for: %s',
    async (input) => {
      const known = new Set((await inbox()).map(({ id }) => id));
      const { id } = (await ask('agents/alpha/turns', { input })) as Shown;
      await expect
        .poll(async () => (await answerOf(id)).status, { timeout: 30_000 })
        .toBe('waiting');
      const asked = (await inbox()).map((item) => item.id).filter((one) => !known.has(one));
      expect(asked).toHaveLength(1);
      expect((await answerOf(id)).approvals).toEqual(asked);
      expect(await listed('waiting')).toContain(id);
      expect(await listed('running')).not.toContain(id);
    },
    60_000,
  );

  it.each(['begin the procedure', 'begin another'])(
    'answers who waits for it, with what it waits for: %s',
    async (input) => {
      const known = new Set((await inbox()).map(({ id }) => id));
      const shown = (await ask('agents/alpha/turns', { input, wait: true })) as Shown;
      const asked = (await inbox()).map((item) => item.id).filter((one) => !known.has(one));
      expect([shown.status, shown.approvals]).toEqual(['waiting', asked]);
      expect(asked).toHaveLength(1);
    },
    60_000,
  );
});

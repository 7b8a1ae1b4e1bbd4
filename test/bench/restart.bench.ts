import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { processFolder, type DaemonProcess } from '../support/lockstep-process.ts';
import { callerOf, type Caller } from '../support/running-daemon.ts';
import { quick, report } from './figures.ts';

// The daemon as it is built, killed while so many turns wait for a person and so many others work, and started again.
const waiting = quick ? 100 : 1_000;
const working = quick ? 10 : 100;
const atOnce = 16;

const config = `
[providers.local]
type = "scripted"
script = "script.yaml"
[risk_profiles.careful]
autonomy = "supervised"
[risk_profiles.careful.tools]
allowed = ["file_write"]
[risk_profiles.careful.approval]
timeout_secs = 86400
[runtime_profiles.short]
[agents.ada]
provider = "local"
risk_profile = "careful"
runtime_profile = "short"
`;
const script = `
scenarios:
  - when: write
    steps:
      - calls: [{ tool: file_write, args: { path: a.md, content: x } }]
      - say: written
  - when: think
    steps: [{ say: late, wait_ms: 3600000 }]
default: [{ say: plain }]
`;

const place = await processFolder(config, script);
const adminOf = async ({ url }: DaemonProcess): Promise<Caller> => {
  const { token } = JSON.parse(await readFile(join(place.data, 'local.json'), 'utf8')) as {
    readonly token: string;
  };
  return callerOf(url, token);
};
const open = async (
  admin: Caller,
): Promise<{ readonly turns: number; readonly waiting: number }> => {
  const { body } = await admin.get('/v1/adopt');
  return (body as { readonly open: { readonly turns: number; readonly waiting: number } }).open;
};
const allThere = (admin: Caller): Promise<true> =>
  eventually(
    'every turn',
    async () => {
      const found = await open(admin);
      return found.turns === waiting + working && found.waiting === waiting ? true : null;
    },
    600_000,
  );

try {
  const first = await place.up();
  const admin = await adminOf(first);
  let left = waiting + working;
  const loop = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await admin.post('/v1/agents/ada/turns', { input: left < waiting ? 'write' : 'think' });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  await allThere(admin);
  await first.kill();

  const begin = performance.now();
  const second = await place.up();
  await eventually(
    'a daemon that takes work',
    async () => ((await fetch(`${second.url}/readyz`)).ok ? true : null),
    600_000,
  );
  const seconds = (performance.now() - begin) / 1_000;
  const after = await adminOf(second);
  await allThere(after);
  report(
    `restart with ${waiting} requests and ${working} turns at work, until ready`,
    seconds,
    's',
    {
      atMost: 5,
    },
  );
  const { body } = await after.get('/v1/approvals?limit=500');
  report(
    'requests on the first page of the inbox',
    (body as { items: unknown[] }).items.length,
    'requests',
  );
  await second.kill();
} finally {
  await place.remove();
}

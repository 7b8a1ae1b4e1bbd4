import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logPath } from '@lockstep/daemon';
import { eventually } from '../support/eventually.ts';
import { eventsIn } from '../replay/fixture-events.ts';
import {
  processFolder,
  type DaemonProcess,
  type Ended,
  type ProcessFolder,
} from '../support/lockstep-process.ts';

const example = new URL('../../examples/divergence/history.jsonl', import.meta.url);
/** The config of the machine that takes the log over. */
const own = fileURLToPath(new URL('../../examples/divergence/lockstep.toml', import.meta.url));
const part = fileURLToPath(new URL('../replay/fixtures/path-sop.jsonl', import.meta.url));
/** The turn of the example that a bypass let write. */
const widened = '01a22d95-ffee-7002-adda-45d73336a80c';

let place: ProcessFolder;
let daemon: DaemonProcess;
let imported: Ended;
/** The log as it was laid. */
let laid: Buffer;

beforeAll(async () => {
  place = await processFolder('', '');
  imported = await place.lockstep(['--json', 'import', fileURLToPath(example)]);
  laid = readFileSync(logPath(place.data));
  daemon = await place.up();
}, 300_000);
// The example diverges on purpose: its log is not held to a replay.
afterAll(() => place.remove({ replayed: false }), 300_000);

const call = async (path: string, body?: object): Promise<{ status: number; body: unknown }> => {
  const { token } = JSON.parse(readFileSync(join(place.data, 'local.json'), 'utf8')) as {
    token: string;
  };
  const response = await fetch(`${daemon.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};
const itemsOf = async (path: string): Promise<readonly unknown[]> =>
  ((await call(path)).body as { readonly items: readonly unknown[] }).items;

interface Parity {
  readonly rows: readonly {
    readonly setting: string;
    readonly cells: Readonly<Record<string, { readonly state: string }>>;
  }[];
}

describe('given a history that was imported, and a daemon that was started without a config', () => {
  it('shows its events, its turns and the red cell of its matrix', async () => {
    expect([imported.code, JSON.parse(imported.stdout)]).toMatchObject([
      0,
      { outcome: 'imported', events: 64, gaps: 0, from: 'history.jsonl' },
    ]);
    const events = eventsIn(example);
    expect(await itemsOf('/v1/events?after=start&limit=1000')).toEqual(events);
    const own = events.filter(({ stream }) => stream === `turn-${widened}`);
    expect(await itemsOf(`/v1/turns/${widened}/events?limit=1000`)).toEqual(own);
    const gaps = await eventually('the matrix of the log', async () => {
      const { rows } = (await call('/v1/parity')).body as Parity;
      const found = rows.flatMap(({ setting, cells }) =>
        Object.entries(cells).flatMap(([path, { state }]) =>
          state === 'gap' ? [`${setting} ${path}`] : [],
        ),
      );
      return found.length > 0 ? found : null;
    });
    expect(gaps).toEqual(['tools.denied loop']);
    const turns = (await itemsOf('/v1/turns')) as readonly { id: string; status: string }[];
    expect(turns.map(({ status }) => status)).toEqual(Array(4).fill('completed'));
    expect(turns.map(({ id }) => id)).toContain(widened);
  });

  it('takes no work, says what to do, and replays what it holds', async () => {
    const refused = await call('/v1/agents/clerk/turns', { input: 'write it down' });
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 'read_only', detail: expect.stringContaining('`lockstep adopt`') as string },
    });
    const adopt = await place.lockstep(['adopt']);
    expect([adopt.code, adopt.stdout.split('\n')[0]]).toEqual([
      1,
      'the log is read-only: it was imported from the history `history.jsonl`',
    ]);
    const replayed = await place.lockstep(['replay', widened]);
    expect([replayed.code, replayed.stdout]).toEqual([
      1,
      expect.stringContaining('snapshot.inline.tools.denied[0]'),
    ]);
    expect(readFileSync(logPath(place.data)).equals(laid)).toBe(true);
  }, 300_000);

  it('goes on where it ended once a person has taken it over, under a config of their own alone', async () => {
    const shown = await place.lockstep(['adopt', '--yes']);
    expect([shown.code, shown.stderr]).toEqual([
      1,
      expect.stringContaining('under a config of your own') as string,
    ]);
    await daemon.stop();
    daemon = await place.up(['--config', own]);
    const adopt = await place.lockstep(['adopt', '--yes']);
    expect([adopt.code, adopt.stdout.split('\n')[0]]).toEqual([0, 'the log is taken over']);
    const [last] = eventsIn(example).toReversed();
    const after = (await itemsOf(`/v1/events?after=${last?.position ?? ''}&limit=1000`)) as {
      type: string;
    }[];
    expect(after.map(({ type }) => type)).toContain('LogAdopted');
  }, 300_000);
});

describe('given a history that is a part of a log', () => {
  it('is said to be a part, and not to be broken', async () => {
    const data = ['--data', join(place.folder, 'part')];
    expect((await place.lockstep(['import', part, ...data])).code).toBe(0);
    const { code, stdout } = await place.lockstep(['doctor', '--log', ...data]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^the log is good: \d+ events\nit was imported from the history `path-sop.jsonl`, a part of a log that leaves something out in \d+ places\n$/,
      ),
    ]);
  }, 300_000);
});

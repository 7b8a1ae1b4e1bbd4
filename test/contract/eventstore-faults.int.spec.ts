import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEventStoreLog, readConnection, StoreError } from '@lockstep/daemon';
import {
  positionOf,
  type ExpectedRevision,
  type LockstepEvent,
  type NewEvent,
} from '@lockstep/engine';
import { fixedClock, sequentialIds } from '@lockstep/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppendFault } from '../support/eventstore-server/faults.ts';
import {
  startEventStoreServer,
  type EventStoreServer,
} from '../support/eventstore-server/start.ts';
import { quickTimings } from '../support/eventstore-server/test-log.ts';
import { eventually } from '../support/eventually.ts';
import { dataFolders } from '../support/eventstore-server/data-folders.ts';
import { steered } from '../support/sample-events.ts';

type OpenedLog = Awaited<ReturnType<typeof openEventStoreLog>>;

const folders = dataFolders();
const ids = sequentialIds('f');
const one = (text = 'x', agent = 'ana'): NewEvent => steered(ids, agent, text);
let server: EventStoreServer;
let log: OpenedLog;
let folder: string;

const open = (
  timings: Partial<Record<keyof typeof quickTimings, number>> = {},
  at = folder,
): Promise<OpenedLog> =>
  openEventStoreLog({
    folder: at,
    connection: readConnection(server.connection, 'the connection'),
    clock: fixedClock(),
    timings: { ...quickTimings, call: 500, ...timings },
  });
const start = async (options: Parameters<typeof startEventStoreServer>[0] = {}): Promise<void> => {
  server = await startEventStoreServer(options);
  folder = folders.next();
  log = await open();
};
const whole = async (): Promise<readonly LockstepEvent[]> =>
  (await log.store.readAll({ after: 'start', limit: 10_000 })).events;
/** Appends one after the other to one stream and answers the ids that were acknowledged. */
const write = async (count: number): Promise<readonly string[]> => {
  const acknowledged: string[] = [];
  let expected: ExpectedRevision = 'no-stream';
  for (let i = 0; i < count; i++) {
    const result = await log.store.append(
      'turn-1',
      [one(String(i)), one(String(i), 'bob')],
      expected,
    );
    if (!result.ok) throw new Error(JSON.stringify(result));
    acknowledged.push(...result.events.map(({ id }) => id));
    expected = result.revision;
  }
  return acknowledged;
};
/** Whether the log holds exactly these events, in this order, numbered without a gap. */
const holds = async (acknowledged: readonly string[]): Promise<void> => {
  const events = await whole();
  expect(events.map(({ id }) => id)).toEqual(acknowledged);
  expect(events.map(({ position }) => position)).toEqual(
    acknowledged.map((_, i) => positionOf(i + 1)),
  );
  const kept = server.log.all.filter(({ stream }) => stream.startsWith('lockstep.'));
  expect(kept.map(({ id }) => id)).toEqual(acknowledged);
};

afterEach(async () => {
  await log.store.close();
  server.close();
});

describe('given a server whose answers fail', () => {
  beforeEach(() => start());

  it.each<[string, readonly AppendFault[]]>([
    ['an acknowledgement that stays out', ['silent-after-commit']],
    ['an acknowledgement that is lost with the connection', ['broken-after-commit']],
    ['appends that are not written and not answered', ['silent']],
    ['maintenance', ['unavailable', 'unavailable', 'unavailable']],
    ['a leader that hears too late from the others', ['timeout', 'timeout']],
    [
      'one fault after the other',
      ['unavailable', 'broken-after-commit', 'timeout', 'silent-after-commit'],
    ],
  ])('loses and doubles nothing through %s', async (_, faults) => {
    server.faults.nextAppends(faults, /^lockstep\.turn/);

    await holds(await write(6));
    expect(server.faults.waiting).toBe(0);
  });

  it('writes once what a slow leader writes after it was sent again', async () => {
    server.faults.nextAppends(['held'], /^lockstep\.turn/);
    const writing = log.store.append('turn-1', [one()], 'no-stream');
    const result = await writing;
    expect(server.faults.held).toBe(1);
    server.faults.release();

    expect(result).toMatchObject({ ok: true, revision: 0, repeat: false });
    await holds(result.ok ? result.events.map(({ id }) => id) : []);
  });

  it('says that it cannot write while no try succeeds, and then finds what was written late', async () => {
    await log.store.close();
    log = await open({ append: 300 });
    server.faults.nextAppends(
      Array.from({ length: 1_000 }, () => 'held' as const),
      /^lockstep\.turn/,
    );
    const event = one();
    const result = await log.store.append('turn-1', [event], 'no-stream');

    expect(result).toEqual({
      ok: false,
      reason: 'unavailable',
      message: `the event store at \`esdb://127.0.0.1:${server.ports[0] ?? 0}\` cannot be written now (no answer came in time), check the cluster`,
    });
    server.faults.release();
    await eventually('the late event', async () => ((await whole()).length === 1 ? true : null));
    expect(await log.store.append('turn-1', [event], 'no-stream')).toMatchObject({
      ok: true,
      revision: 0,
      repeat: true,
    });
  });
});

describe('given a subscription that breaks', () => {
  beforeEach(() => start());

  it.each(['unavailable', 'cancelled'] as const)(
    'goes on where it was after it was dropped as %s',
    async (why) => {
      const before = await write(3);
      const live = log.store.subscribe({ after: 'start' });
      server.faults.dropSubscriptions(why);
      const result = await log.store.append('turn-2', [one()], 'no-stream');
      const all = [...before, ...(result.ok ? result.events.map(({ id }) => id) : [])];

      await holds(all);
      const seen: string[] = [];
      for await (const message of live) {
        if (message.kind === 'event') seen.push(message.event.id);
        if (seen.length === all.length) break;
      }
      expect(seen).toEqual(all);
    },
  );

  it('is given up when it is silent about what was acknowledged', async () => {
    server.faults.silenceSubscriptions();

    await holds(await write(2));
  });

  it('passes over what is delivered twice', async () => {
    server.faults.sendTwice(8);

    await holds(await write(4));
    expect(log.ledger.openTurns()).toEqual([]);
  });

  it('shows no event to a reader that is not folded yet', async () => {
    await log.store.close();
    log = await open({ show: 60_000 });
    const head = positionOf((await write(1)).length);
    server.faults.silenceSubscriptions();
    const writing = log.store.append('turn-2', [one()], 'no-stream');
    await eventually('the event on the server', () =>
      server.log.stream('lockstep.turn-2').length === 1 ? true : null,
    );

    expect(await log.store.readStream('turn-2')).toEqual([]);
    expect(await log.store.readAll({ after: head, limit: 10 })).toEqual({
      events: [],
      next: head,
      end: true,
    });
    server.faults.dropSubscriptions();
    expect(await writing).toMatchObject({ ok: true });
    expect(await log.store.readStream('turn-2')).toHaveLength(1);
  });
});

describe('given a cluster of three', () => {
  beforeEach(() => start({ nodes: 3 }));

  it('follows the leader from node to node', async () => {
    const first = await write(2);
    const acknowledged: string[] = [...first];
    for (const leader of [1, 2, 0]) {
      server.elect(leader);
      const result = await log.store.append(`turn-on-${leader}`, [one()], 'no-stream');
      expect(result).toMatchObject({ ok: true });
      if (result.ok) acknowledged.push(...result.events.map(({ id }) => id));
    }

    await holds(acknowledged);
  });

  it('goes on when the leader dies', async () => {
    const first = await write(2);
    server.elect(1);
    server.stopNode(0);

    const result = await log.store.append('turn-2', [one()], 'no-stream');

    await holds([...first, ...(result.ok ? result.events.map(({ id }) => id) : [])]);
  });
});

describe('given a log that is opened again', () => {
  beforeEach(() => start());

  it('counts the same from the local index and without it', async () => {
    const acknowledged = await write(5);
    const before = await whole();
    await log.store.close();
    log = await open();
    expect(await whole()).toEqual(before);
    await log.store.close();

    rmSync(join(folder, 'eventstore-index.db'));
    log = await open();

    expect(await whole()).toEqual(before);
    await holds(acknowledged);
  });

  it('keeps its generation', async () => {
    const { generation } = log.store;
    await log.store.close();
    log = await open({}, folders.next());

    expect(log.store.generation).toBe(generation);
  });

  it('makes the index again when the cluster has lost what it knows', async () => {
    await write(3);
    await log.store.close();
    server.log.all.splice(server.log.all.findIndex(({ stream }) => stream === 'lockstep.turn-1'));
    log = await open();

    expect(await whole()).toEqual([]);
    expect(await log.store.head()).toBe('start');
  });

  it('refuses a second daemon while the first one lives', async () => {
    const refusal = await open({}, folders.next()).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(StoreError);
    expect(refusal).toMatchObject({
      code: 'store_in_use',
      message: expect.stringMatching(
        /^the log at `esdb:.*` is in use by process \d+ on `.*`, stop that daemon or use another cluster$/,
      ) as string,
    });
  });

  it('refuses what no daemon wrote', async () => {
    await log.store.close();
    server.log.append('lockstep.turn-9', 'any', [
      {
        id: '00000000-0000-4000-8000-000000000009',
        type: 'TurnSteered',
        contentType: 'application/json',
        data: Buffer.from('{}'),
        metadata: new Uint8Array(),
      },
    ]);

    await expect(open()).rejects.toMatchObject({
      code: 'store_damaged',
      message:
        'event 0 of stream `lockstep.turn-9` cannot be read (it was not written by a daemon), restore a backup of the cluster',
    });
  });
});

describe('given a cluster that cannot be used', () => {
  beforeEach(() => start());
  const password = 'hunter2-hunter2';
  const tryOpen = (text: string) =>
    openEventStoreLog({
      folder: folders.next(),
      connection: readConnection(text, '`ES`'),
      clock: fixedClock(),
      timings: { ...quickTimings, call: 20_000, total: 200 },
    }).catch((error: unknown) => error);

  it('says so with its hosts and without its password', async () => {
    const refusal = await tryOpen(`esdb://admin:${password}@127.0.0.1:1?tls=false`);

    expect(refusal).toMatchObject({
      code: 'store_unavailable',
      message:
        'the event store at `esdb://127.0.0.1:1` cannot be used now (a node is not ready or cannot be reached), check the cluster and its connection string',
    });
    expect(String(refusal instanceof Error ? refusal.stack : '')).not.toContain(password);
  });

  it.each([
    ['no scheme', 'localhost:2113', /^`ES` holds no connection string/],
    ['an unknown option', `esdb://a:${password}@h?tsl=false`, /an option `tsl` that does not act/],
    ['no certificate check', 'esdb://h?tlsVerifyCert=false', /`tlsVerifyCert` that does not act/],
    ['an option without a value', 'esdb://h?tls=', /`tls` without a value/],
  ])('refuses a connection string with %s and does not repeat it', (_, text, says) => {
    const refuse = (): unknown => readConnection(text, '`ES`');

    expect(refuse).toThrow(says);
    expect(refuse).not.toThrow(password);
  });

  it('refuses a certificate file that is not there', async () => {
    const refusal = await tryOpen(`esdb://a:${password}@127.0.0.1:1?tlsCAFile=/none/ca.pem`);

    expect(refusal).toMatchObject({
      message:
        'a certificate file of `esdb://127.0.0.1:1` cannot be read, check `tlsCAFile`, `userCertFile` and `userKeyFile`',
    });
  });

  it('keeps no credential in the data folder', () => {
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));

    expect(bytes.some((text) => text.includes('esdb:'))).toBe(false);
  });
});

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parityMatrix, parityView, type EventOf, type LockstepEvent } from '@lockstep/engine';
import { triggersByPath } from '@lockstep/policy';
import { runCli } from '../program.ts';

const history = fileURLToPath(
  new URL('../../../../../examples/divergence/history.jsonl', import.meta.url),
);
/** The events of a history, without the line that says what it holds. */
const eventsOf = (file: string): readonly LockstepEvent[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LockstepEvent)
    .filter((event) => 'stream' in event);
const recorded = eventsOf(history);
const fixture = (name: string): readonly LockstepEvent[] =>
  eventsOf(
    fileURLToPath(new URL(`../../../../../test/replay/fixtures/${name}.jsonl`, import.meta.url)),
  );

const isOver = (path: string) => (event: LockstepEvent) =>
  event.stream.startsWith('turn-') && event.meta.path === path;
const ofLoop = recorded.filter(isOver('loop'));
/** What was recorded but for the path whose build forgot the denied list. Its numbers of the agent are made anew. */
const honest = recorded.filter((event) => event.meta.path !== 'loop');

const numbered = (events: readonly LockstepEvent[]): readonly LockstepEvent[] => {
  let seq = 0;
  return events.map((event) =>
    event.meta.agent === null ? event : { ...event, meta: { ...event.meta, agentSeq: (seq += 1) } },
  );
};

type Change = (event: LockstepEvent) => readonly LockstepEvent[];

/** Changes the events of the first turn over the gateway. */
const changed = (change: Change): readonly LockstepEvent[] => {
  const stream = honest.find(isOver('gateway'))?.stream;
  return numbered(honest.flatMap((event) => (event.stream === stream ? change(event) : [event])));
};

const found = <T extends LockstepEvent['type']>(
  events: readonly LockstepEvent[],
  type: T,
  tool?: string,
): EventOf<T> => {
  const event = events.find(
    (one) =>
      one.type === type && (tool === undefined || ('tool' in one.data && one.data.tool === tool)),
  );
  if (event === undefined) throw new TypeError(`no ${type} was recorded`);
  return event as EventOf<T>;
};

/** An event of the same turn with other words: an id of its own, the place of the one it follows. */
const after = (event: LockstepEvent, n: number, fact: Pick<LockstepEvent, 'type' | 'data'>) =>
  ({
    ...event,
    ...fact,
    id: `${event.id.slice(0, -4)}${String(n).padStart(4, '0')}`,
  }) as LockstepEvent;

const removed: Change = (event) => (event.type === 'ToolCallAuthorized' ? [] : [event]);

/** The call that was refused runs all the same. */
const ran: Change = (event) => {
  if (event.type !== 'ToolCallRefused') return [event];
  const { call } = event.data;
  const { data } = found(ofLoop, 'ToolCallStarted', 'builtin:file_write');
  return [after(event, 1, { type: 'ToolCallStarted', data: { ...data, call } })];
};

/** Something outside every root was opened. */
const opened: Change = (event) =>
  event.type === 'ToolCallCompleted'
    ? [
        {
          ...event,
          data: {
            ...event.data,
            touched: [{ kind: 'opened', path: '/srv/elsewhere/notes.md', access: 'read' }],
          },
        },
      ]
    : [event];

/** The turn ran under the policy of the path that forgot, which refuses nothing. */
const widened: Change = (event) => {
  if (event.type === 'ToolCallRefused') return [];
  if (event.type !== 'PolicyResolved') return [event];
  const { snapshot, digest } = found(ofLoop, 'PolicyResolved').data;
  return [{ ...event, data: { ...event.data, snapshot, digest } }];
};

const unresolved: Change = (event) => (event.type === 'PolicyResolved' ? [] : [event]);

/** Six calls more, each allowed, where five are the cap. */
const overrun: Change = (event) => {
  if (event.type !== 'ToolCallCompleted') return [event];
  const [allowed, started] = [
    found(honest, 'ToolCallAuthorized', 'builtin:file_list'),
    found(honest, 'ToolCallStarted', 'builtin:file_list'),
  ];
  return [
    event,
    ...[1, 2, 3, 4, 5, 6].flatMap((n) => {
      const own = { call: `more-${n}`, argsDigest: String(n).repeat(64) };
      return [
        after(event, 3 * n, { type: 'ToolCallAuthorized', data: { ...allowed.data, ...own } }),
        after(event, 3 * n + 1, { type: 'ToolCallStarted', data: { ...started.data, ...own } }),
        after(event, 3 * n + 2, {
          type: 'ToolCallCompleted',
          data: { ...event.data, call: own.call },
        }),
      ];
    }),
  ];
};

const matrix = parityMatrix({ supportedTriggers: Object.values(triggersByPath).flat() });

/** What `lockstep parity` says of a log: the routes of a daemon over it are played by a server that answers with its matrix. */
const parityOver = async (events: readonly LockstepEvent[]) => {
  const view = parityView(
    events.reduce((state, event) => matrix.fold(state, event), matrix.initial()),
  );
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(view));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  let out = '';
  const code = await runCli(
    ['--url', `http://127.0.0.1:${port}`, '--token', 'spec', '--json', 'parity'],
    {
      env: {},
      cwd: '/',
      write: (text) => (out += text),
      note: () => undefined,
      now: () => 0,
      version: '0.0.0',
    },
  );
  await new Promise((done) => server.close(done));
  const body = JSON.parse(out) as typeof view;
  const gaps = body.rows.flatMap(({ setting, cells }) =>
    Object.entries(cells).flatMap(([path, { state, kind }]) =>
      state === 'gap' ? [`${setting} ${path} ${kind ?? ''}`] : [],
    ),
  );
  return {
    code,
    gaps,
    missing: body.missing.map(({ agent, after: seq, next }) => [agent, seq, next]),
  };
};

describe('`lockstep parity` over a log in which one thing is wrong', () => {
  it('ends with 0 while nothing is', async () => {
    expect(await parityOver(numbered(honest))).toEqual({ code: 0, gaps: [], missing: [] });
  });

  it.each<readonly [string, Change, readonly string[]]>([
    ['a start that nobody authorized', removed, ['approval.autonomy gateway violated']],
    [
      'a denied tool that ran',
      ran,
      ['tools.denied gateway violated', 'approval.autonomy gateway violated'],
    ],
    ['an effect outside the roots', opened, ['workspace.workspace_only gateway violated']],
    ['a policy that is wider than config says', widened, ['tools.denied gateway wider']],
    ['a cap that was exceeded', overrun, ['budgets.max_tool_calls gateway violated']],
  ])('ends with 1 and names exactly the cells of %s', async (_, change, gaps) => {
    expect(await parityOver(changed(change))).toEqual({ code: 1, gaps, missing: [] });
  });

  it('names every cell of a path that went past the seam', async () => {
    const { code, gaps } = await parityOver(changed(unresolved));
    expect(code).toBe(1);
    expect(gaps.length).toBeGreaterThan(60);
    expect(gaps.every((gap) => gap.endsWith(' gateway missing'))).toBe(true);
  });

  it('ends with 1 where events of an agent are missing, and says between which', async () => {
    const all = numbered(honest);
    const hole = all.filter(({ type, meta }) => type !== 'SessionOpened' || meta.agentSeq === 1);
    const { code, gaps, missing } = await parityOver(hole);
    expect([code, gaps]).toEqual([1, []]);
    expect(missing).toHaveLength(1);
  });
});

/** A call that rests on another answer than its own. */
const reused: Change = (event) =>
  event.type === 'ApprovalGranted' && event.data.edited === undefined
    ? [{ ...event, data: { ...event.data, binding: 'a'.repeat(64) } }]
    : [event];

/** A row of an agent whose memory this one may not read. */
const leaked: Change = (event) =>
  event.type === 'MemoryRecalled'
    ? [
        {
          ...event,
          data: {
            ...event.data,
            rows: event.data.rows.map((row) => ({ ...row, agent: 'stranger' })),
          },
        },
      ]
    : [event];

/** A child below an edge that has more than the edge gives. */
const grown: Change = (event) => {
  if (event.type !== 'PolicyResolved' || event.meta.trigger !== 'bounded') return [event];
  const { snapshot } = event.data;
  if (!('inline' in snapshot)) return [event];
  const { approval } = snapshot.inline;
  const inline = { ...snapshot.inline, approval: { ...approval, autonomy: 'full' as const } };
  return [{ ...event, data: { ...event.data, snapshot: { inline } } }];
};

describe('`lockstep parity` over recorded turns of every kind', () => {
  it.each<readonly [string, string, Change, readonly string[]]>([
    [
      'an answer that was given to another call',
      'edited-steered-cancelled',
      reused,
      ['approval.autonomy gateway violated'],
    ],
    [
      'a remembered row outside the scope',
      'memory-and-skills',
      leaked,
      ['memory.read_memory_from gateway violated'],
    ],
    [
      'a child beyond its edge',
      'path-delegate',
      grown,
      ['approval.autonomy delegate wider', 'delegation.delegates delegate violated'],
    ],
  ])('ends with 1 and names exactly the cells of %s', async (_, name, change, gaps) => {
    const events = fixture(name);
    const before = await parityOver(events);
    expect(before.gaps).toEqual([]);
    const { gaps: found, code } = await parityOver(events.flatMap(change));
    expect([code, found]).toEqual([1, gaps]);
  });
});

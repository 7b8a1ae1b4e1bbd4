import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backtestReport, emptyTally, type BacktestReport } from '@lockstep/engine';
import type { PreparedBacktest } from '../replay/backtest/backtest-log.ts';
import type { DraftSource } from '../replay/backtest/draft.ts';
import type { BacktestOutcome } from '../replay/backtest/run-backtest.ts';
import type { TurnFilter } from '../replay/backtest/turn-index.ts';
import { startHarness, type Harness } from './server.fixture.ts';

const verdict = {
  verdict: 'allow',
  rule: 'tools.allowed',
  key: 'tools.allowed',
  why: 'it may write `secret.txt`',
} as const;

const report: BacktestReport = {
  ...backtestReport(emptyTally(), { version: null, digest: 'd' }),
  changes: [
    {
      turn: 't1',
      call: 'c1',
      tool: 'builtin:file_write',
      agent: 'alpha',
      path: 'loop',
      person: 'ana',
      time: 1,
      position: 'p1',
      recorded: verdict,
      now: { ...verdict, verdict: 'ask' },
      change: 'newly_asked',
    },
  ],
};

interface Asked {
  readonly source: DraftSource;
  readonly filter: TurnFilter;
}

let folder: string;
let daemon: Harness;
let asked: Asked[] = [];
/** Lets the backtests that run come to their end. */
let finish: () => void = () => undefined;

const prepareBacktest = (source: DraftSource, filter: TurnFilter): PreparedBacktest => {
  asked.push({ source, filter });
  if ('text' in source && source.text.startsWith('bad')) {
    const problem = {
      path: 'agents',
      line: 1,
      column: 2,
      code: 'syntax',
      message: 'no TOML',
    } as const;
    return { kind: 'invalid', problems: [problem] };
  }
  if ('version' in source && source.version > 1)
    return { kind: 'missing', message: 'the log holds no config version 2, the newest is 1' };
  const end = new Promise<void>((resolve) => (finish = resolve));
  return {
    kind: 'ready',
    run: async ({ onProgress, signal } = {}): Promise<BacktestOutcome> => {
      onProgress?.({ done: 1, all: 2 });
      signal?.addEventListener('abort', finish);
      await end;
      return signal?.aborted === true ? { kind: 'cancelled' } : { kind: 'done', report };
    },
  };
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-http-'));
  asked = [];
  daemon = await startHarness(folder, undefined, undefined, { prepareBacktest });
});
afterEach(async () => {
  finish();
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

const as = (token: string) => ({
  start: (body: object) =>
    request(daemon.http).post('/v1/backtests').set('authorization', `Bearer ${token}`).send(body),
  get: (path: string) =>
    request(daemon.http).get(`/v1/backtests/${path}`).set('authorization', `Bearer ${token}`),
  cancel: (id: string) =>
    request(daemon.http).delete(`/v1/backtests/${id}`).set('authorization', `Bearer ${token}`),
});

const idOf = ({ body }: { readonly body: unknown }): string => (body as { id: string }).id;

describe('given an operator with a draft', () => {
  it('answers at once, sends progress, and ends the stream with how it stands', async () => {
    const operator = as(await daemon.token(['operator', 'auditor']));
    const id = idOf(await operator.start({ config: { text: 'draft' }, limit: 5 }).expect(202));
    const running = await operator.get(id).expect(200);
    expect(running.body).toMatchObject({ id, state: 'running', progress: { done: 1, all: 2 } });
    const stream = operator.get(`${id}/stream`).expect(200);
    const told = stream.then(({ text }) => text);
    finish();
    const messages = (await told).split('\n\n').filter((message) => message.includes('event:'));
    expect(messages.at(-1)).toMatch(/^event: end\ndata: \{.*"state":"done".*"report":null/);
    expect(messages.at(-2)).toBe('event: progress\ndata: {"done":1,"all":2}');
    const done = await operator.get(id).expect(200);
    expect(done.body).toMatchObject({
      state: 'done',
      report: JSON.parse(JSON.stringify(report)),
      error: null,
    });
    expect(asked.map(({ source, filter }) => [source, filter.limit])).toEqual([
      [{ text: 'draft', file: join(folder, 'lockstep.toml') }, 5],
    ]);
  });

  it('runs one at a time and stops it on request', async () => {
    const operator = as(await daemon.token(['operator']));
    const id = idOf(await operator.start({ config: { version: 1 } }).expect(202));
    const second = await operator.start({ config: { version: 1 } }).expect(409);
    expect(second.body).toMatchObject({ code: 'busy' });
    const stopped = await operator.cancel(id).expect(200);
    expect(stopped.body).toMatchObject({ id, state: 'cancelled', report: null });
    await operator.start({ config: { version: 1 } }).expect(202);
  });

  it('shows the reasons of verdicts to those alone who may read content', async () => {
    const operator = as(await daemon.token(['operator']));
    const id = idOf(await operator.start({ config: { version: 1 } }).expect(202));
    finish();
    await operator.get(`${id}/stream`).expect(200);
    const { body } = await operator.get(id).expect(200);
    const [change] = (body as { report: BacktestReport }).report.changes;
    expect([change?.recorded.why, change?.now.why]).toEqual(['«hidden»', '«hidden»']);
  });

  it('looks at agents of the scope alone', async () => {
    const operator = as(await daemon.token(['operator'], ['alpha']));
    await operator.start({ config: { version: 1 }, agent: 'beta' }).expect(403);
    await operator.start({ config: { version: 1 } }).expect(202);
    const sees = asked[0]?.filter.sees;
    expect([sees?.('alpha'), sees?.('beta')]).toEqual([true, false]);
  });

  it('names what is wrong with the request', async () => {
    const operator = as(await daemon.token(['operator']));
    const bad = await operator.start({ config: { text: 'bad' } }).expect(400);
    expect(bad.body).toMatchObject({
      code: 'invalid_config',
      errors: [{ path: 'agents', line: 1, column: 2, message: 'no TOML' }],
    });
    await operator.start({ config: { version: 2 } }).expect(404);
    const since = await operator.start({ config: { version: 1 }, since: 'soon' }).expect(400);
    expect(since.body).toMatchObject({ code: 'invalid_body', errors: [{ path: 'since' }] });
    await operator.start({ config: {} }).expect(400);
  });
});

describe('given somebody else', () => {
  it('shows a backtest to nobody but who started it', async () => {
    const operator = as(await daemon.token(['operator']));
    const id = idOf(await operator.start({ config: { version: 1 } }).expect(202));
    const other = as(await daemon.token(['operator']));
    await other.get(id).expect(404);
    await other.get(`${id}/stream`).expect(404);
    await other.cancel(id).expect(404);
    const auditor = as(await daemon.token(['auditor']));
    await auditor.start({ config: { version: 1 } }).expect(403);
  });
});

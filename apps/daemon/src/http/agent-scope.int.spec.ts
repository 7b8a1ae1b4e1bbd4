import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHistory, type EventOf, type LockstepEvent, type TurnAnswer } from '@lockstep/engine';
import { digestOf } from '@lockstep/policy';
import { config, startHarness, type Harness } from './server.fixture.ts';

const history = ((): readonly LockstepEvent[] => {
  const file = '../../../../test/replay/fixtures/path-delegate.jsonl';
  const read = readHistory(readFileSync(new URL(file, import.meta.url), 'utf8'));
  if (!read.ok) throw new Error(read.problems[0]?.message);
  return read.events;
})();

const requested = history.filter(
  (event): event is EventOf<'TurnRequested'> => event.type === 'TurnRequested',
);
const child = requested.find(
  ({ data }) => (data.records.parent?.snapshot.agent ?? data.request.agent) !== data.request.agent,
);
const above = child?.data.records.parent;
if (child === undefined || above === undefined) throw new Error('the history holds a child');
const childAgent = child.data.request.agent;
const childTurn = child.stream.slice('turn-'.length);
const parentAgent = above.snapshot.agent;

const answerOf = (id: string): TurnAnswer | null => {
  const first = requested.find(({ stream }) => stream === `turn-${id}`);
  if (first === undefined) return null;
  return {
    id,
    status: 'completed',
    session: first.data.request.session,
    agent: first.data.request.agent,
    path: first.data.path,
    reply: null,
    reason: null,
    usage: { inputTokens: 0, outputTokens: 0, tokens: 0, cost: 0, modelCalls: 0, toolCalls: 0 },
    approvals: [],
    position: first.position,
  };
};

let folder: string;
let daemon: Harness;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-http-'));
  daemon = await startHarness(folder, config, undefined, {
    before: history,
    turns: { answer: (id) => Promise.resolve(answerOf(id)) },
  });
});
afterAll(async () => {
  await daemon.close();
  await rm(folder, { recursive: true, force: true });
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const get = (token: string, path: string) => request(daemon.http).get(path).set(bearer(token));
const post = (token: string, path: string, body: object) =>
  request(daemon.http).post(path).set(bearer(token)).send(body);

const policyAbove = async (token: string): Promise<unknown> => {
  const { body } = await get(token, `/v1/turns/${childTurn}/events`);
  const [first] = (body as { readonly items: readonly LockstepEvent[] }).items;
  return first?.type === 'TurnRequested' ? first.data.records.parent?.snapshot : first;
};

describe('given a token for some agents alone', () => {
  it('shows of the policy above a turn its digest, unless the agent above is seen too', async () => {
    const own = await daemon.token(['auditor'], [childAgent]);
    const digest = digestOf(above.snapshot);
    expect(await policyAbove(own)).toEqual({ hidden: '«hidden»', digest });
    const both = await daemon.token(['auditor'], [childAgent, parentAgent]);
    expect(await policyAbove(both)).toEqual(above.snapshot);
  });

  it('leaves turns below out of a replay when it does not see their agents, and counts them', async () => {
    const asked = async (agents: readonly string[]) => {
      const token = await daemon.token(['auditor'], agents);
      const { body } = await post(token, '/v1/replays', { turn: above.turn });
      const { below, hidden } = body as {
        readonly below?: readonly { readonly turn: string }[];
        readonly hidden?: number;
      };
      return { below: below?.map(({ turn }) => turn), hidden };
    };
    const all = await asked(['*']);
    expect(all.hidden).toBeUndefined();
    expect(all.below).toContain(childTurn);
    const own = await asked([parentAgent]);
    expect(own.below ?? []).not.toContain(childTurn);
    expect((own.below ?? []).length + (own.hidden ?? 0)).toBe(all.below?.length);
  });

  it('shows in the timeline of a replay nothing of the policy above', async () => {
    const begun = async (agents: readonly string[]): Promise<unknown> => {
      const token = await daemon.token(['auditor'], agents);
      const { body } = await post(token, '/v1/replays', { turn: childTurn, timeline: true });
      return (body as { readonly steps: readonly unknown[] }).steps[0];
    };
    const under = (snapshot: unknown) => {
      const fact = { data: { records: { parent: { turn: above.turn, snapshot } } } };
      return { recorded: { fact }, now: fact };
    };
    const digest = digestOf(above.snapshot);
    expect(await begun([childAgent])).toMatchObject(under({ hidden: '«hidden»', digest }));
    expect(await begun(['*'])).toMatchObject(under(above.snapshot));
  });

  it('tells nothing that the config says, and its versions with their digests', async () => {
    const token = await daemon.token(['auditor', 'operator'], [childAgent]);
    const answers = [
      await get(token, '/v1/config'),
      await get(token, '/v1/config/versions/1'),
      await post(token, '/v1/config/check', { text: config }),
      await post(token, '/v1/bisects', { turn: childTurn }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(answers[0]?.body).toMatchObject({
      code: 'forbidden',
      detail:
        "the config speaks of every agent, and the token's scope leaves some out: use a token for all agents",
    });
    const versions = await get(token, '/v1/config/versions');
    const { digest } = daemon.config.current();
    expect(versions.body).toMatchObject({ items: [{ digest }, {}] });
    const all = await daemon.token(['auditor']);
    expect((await get(all, '/v1/config')).status).toBe(200);
    expect((await post(all, '/v1/bisects', { turn: childTurn })).status).toBe(200);
  });
});

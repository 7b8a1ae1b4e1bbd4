import { enforcedKeys, type EnforcedKey } from '@lockstep/policy';
import { z } from 'zod';
import { inboxRow, listOf, turnAnswer, type TurnAnswerBody } from '../api.schema.ts';
import type { ApiClient } from '../client.ts';
import { scenarios, type Scenario } from './scenarios.ts';

/** The paths that this build can start a turn on, with the route of each. */
export const demoPaths = { gateway: 'turns', loop: 'runs' } as const;
export type DemoPath = keyof typeof demoPaths;

/** Plays every scenario on one path. Turns run one after another, so that a person can follow the matrix. */
export const playPath = async (
  client: ApiClient,
  path: DemoPath,
  onTurn: (scenario: Scenario, answer: TurnAnswerBody) => void,
): Promise<void> => {
  const sessions = new Map<string, string>();
  for (const scenario of scenarios) {
    const known = scenario.session === null ? undefined : sessions.get(scenario.session);
    const started = await playOne(client, `/v1/agents/${scenario.agent}/${demoPaths[path]}`, {
      input: scenario.input,
      ...(known === undefined ? {} : { session: known }),
    });
    if (scenario.session !== null) sessions.set(scenario.session, started.session);
    const answer =
      started.status === 'waiting' && scenario.answer !== null
        ? await answerAndWait(client, started, scenario.answer)
        : await untilEnded(client, started.id);
    onTurn(scenario, answer);
  }
};

/** Streams the turn, so that `output.stream` has somebody to stream to. */
const playOne = async (client: ApiClient, path: string, body: object): Promise<TurnAnswerBody> => {
  for await (const message of client.stream(path, { body }))
    if (message.event === 'end') return turnAnswer.parse(message.data);
  throw new Error('the stream ended before the turn');
};

const answerAndWait = async (
  client: ApiClient,
  turn: TurnAnswerBody,
  choice: 'once' | 'always' | 'deny',
): Promise<TurnAnswerBody> => {
  const rows = listOf(inboxRow).parse(await client.get('/v1/approvals')).items;
  for (const row of rows.filter((r) => r.turn === turn.id))
    await client.send('POST', `/v1/approvals/${row.id}/decision`, {
      choice,
      revision: row.revision,
      shown: row.shown,
      ...(choice === 'always'
        ? { scope: { kind: 'session', arguments: 'exact', anyone: false } }
        : {}),
      ...(choice === 'deny' ? { guidance: 'not today' } : {}),
    });
  return untilEnded(client, turn.id);
};

const ended = new Set(['completed', 'failed', 'cancelled', 'refused']);

/** Follows the turn's own stream to its end. */
const untilEnded = async (client: ApiClient, id: string): Promise<TurnAnswerBody> => {
  for await (const message of client.stream(`/v1/turns/${id}/events/stream?after=start`)) {
    if (message.event !== 'end') continue;
    const answer = turnAnswer.parse(message.data);
    if (ended.has(answer.status)) return answer;
  }
  return turnAnswer.parse(
    z.looseObject({ answer: z.unknown() }).parse(await client.get(`/v1/turns/${id}`)).answer,
  );
};

const cellDetail = z.looseObject({
  evidence: z.array(z.looseObject({ agent: z.string(), bites: z.number() })),
});

/** How often each enforced setting acted on a path, over all agents, as the matrix itself counts it. */
export const bitesOn = async (
  client: ApiClient,
  path: DemoPath,
): Promise<Readonly<Record<EnforcedKey, number>>> => {
  const counted: Partial<Record<EnforcedKey, number>> = {};
  for (const key of enforcedKeys) {
    const cell = cellDetail.parse(await client.get(`/v1/parity/cells/${key}/${path}`));
    counted[key] = cell.evidence.reduce((sum, e) => sum + e.bites, 0);
  }
  return counted as Record<EnforcedKey, number>;
};

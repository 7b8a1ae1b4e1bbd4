import { setTimeout as later } from 'node:timers/promises';
import { pathNames, type PathName, type Trigger } from '@lockstep/policy';
import { z } from 'zod';
import {
  inboxRow,
  jobBody,
  listOf,
  sopRunBody,
  turnAnswer,
  turnDetail,
  turnRow,
} from '../api.schema.ts';
import type { ApiClient } from '../client.ts';
import type { Scenario } from './scenarios.ts';
import type { Started, Way, WayParts } from './way.ts';
import { Rota } from './ways.ts';

/** How a scenario came out on one path. */
export interface Played {
  readonly path: PathName;
  readonly trigger: Trigger;
  readonly status: string;
  readonly reason: string | null;
  /** Why there was no turn to be seen; null = it was played. */
  readonly problem: string | null;
}

const pollMs = 60;

/** Plays the work of the demo: every scenario on all six paths at once, one scenario after the other, so that a person can follow the matrix. */
export class Player {
  readonly #parts: WayParts;
  readonly #rota = new Rota();
  readonly #sessions = new Map<string, string>();

  constructor(parts: WayParts) {
    this.#parts = parts;
  }

  async play(scenario: Scenario): Promise<readonly Played[]> {
    const ways = pathNames
      .map((path) => this.#rota.next(path, scenario))
      .filter((way) => way !== null);
    const over = new AbortController();
    const answering = this.#answer(scenario, over.signal);
    const played = await Promise.all(ways.map((way) => this.#playOn(way, scenario)));
    over.abort();
    await answering;
    return played;
  }

  /** Starts every job and heartbeat of the config now, as its schedule would. */
  async playJobs(): Promise<readonly (Played & { readonly job: string })[]> {
    const { client } = this.#parts;
    const jobs = listOf(jobBody).parse(await client.get('/v1/jobs')).items;
    return Promise.all(
      jobs.map(async ({ name }) => {
        const trigger = name.startsWith('heartbeat-') ? 'heartbeat' : 'cron';
        const start = async (): Promise<Started> => {
          const asked = await client.send('POST', `/v1/jobs/${name}/run`);
          const { turn } = z.looseObject({ turn: z.string() }).parse(asked);
          return { kind: 'turn', id: turn, session: null };
        };
        return { job: name, ...(await this.#follow({ path: 'loop', trigger }, start)) };
      }),
    );
  }

  #playOn(way: Way, scenario: Scenario): Promise<Played> {
    const key = `${way.path} ${scenario.session ?? ''}`;
    return this.#follow(way, async () => {
      const known = scenario.session === null ? null : (this.#sessions.get(key) ?? null);
      const started = await way.start(this.#parts, scenario, known);
      if (scenario.session !== null && started.session !== null)
        this.#sessions.set(key, started.session);
      return started;
    });
  }

  async #follow(
    { path, trigger }: Pick<Way, 'path' | 'trigger'>,
    start: () => Promise<Started>,
  ): Promise<Played> {
    try {
      const started = await start();
      const turn = await turnOf(this.#parts.client, started);
      if (turn !== null) await untilEnded(this.#parts.client, turn);
      started.close?.();
      if (turn === null)
        return { path, trigger, status: 'none', reason: null, problem: 'no turn came of it' };
      const { row, answer } = turnDetail
        .extend({ answer: turnAnswer })
        .parse(await this.#parts.client.get(`/v1/turns/${turn}`));
      const problem = row.trigger === trigger ? null : `it came over \`${row.trigger}\``;
      return { path, trigger, status: answer.status, reason: answer.reason, problem };
    } catch (thrown) {
      const problem = thrown instanceof Error ? thrown.message : String(thrown);
      return { path, trigger, status: 'none', reason: null, problem };
    }
  }

  /** Answers whatever the scenario's turns ask for, until they are over. */
  async #answer({ agent, answer }: Scenario, over: AbortSignal): Promise<void> {
    while (answer !== null && !over.aborted) {
      const { items } = listOf(inboxRow).parse(await this.#parts.client.get('/v1/approvals'));
      for (const row of items.filter((one) => one.agent === agent && one.kind === 'approval'))
        await decide(this.#parts.client, row, answer);
      await later(pollMs);
    }
  }
}

const decide = (
  client: ApiClient,
  { id, revision, shown }: z.infer<typeof inboxRow>,
  choice: NonNullable<Scenario['answer']>,
): Promise<unknown> =>
  client.send('POST', `/v1/approvals/${id}/decision`, {
    choice,
    revision,
    shown,
    ...(choice === 'always'
      ? { scope: { kind: 'session', arguments: 'exact', anyone: false } }
      : {}),
    ...(choice === 'deny' ? { guidance: 'not today' } : {}),
  });

/** The turn that was played: the one that was started, the one below it, or the step of the run; null = there is none. */
const turnOf = async (client: ApiClient, { kind, id }: Started): Promise<string | null> => {
  switch (kind) {
    case 'turn':
      return id;
    case 'above': {
      await untilEnded(client, id);
      const below = listOf(turnRow).parse(await client.get(`/v1/turns?parent=${id}`)).items;
      return below[0]?.id ?? null;
    }
    case 'run':
      return stepOf(client, id);
  }
};

const stepRun = sopRunBody.extend({
  steps: z.array(z.looseObject({ turns: z.array(z.string()) })),
});

const stepOf = async (client: ApiClient, run: string): Promise<string | null> => {
  for (;;) {
    const { status, steps } = stepRun.parse(await client.get(`/v1/sops/runs/${run}`));
    const turn = steps[0]?.turns.at(-1);
    if (turn !== undefined) return turn;
    if (status === 'completed' || status === 'failed') return null;
    await later(pollMs);
  }
};

const ended = new Set(['completed', 'failed', 'cancelled', 'refused']);

/** Follows the turn's own stream to its end. */
const untilEnded = async (client: ApiClient, id: string): Promise<void> => {
  for await (const { event, data } of client.stream(`/v1/turns/${id}/events/stream?after=start`))
    if (event === 'end' && ended.has(turnAnswer.parse(data).status)) return;
};

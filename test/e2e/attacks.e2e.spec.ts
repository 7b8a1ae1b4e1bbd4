import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

const config = `
[agents.alpha]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
[risk_profiles.open]
autonomy = "full"
[risk_profiles.open.tools]
allowed = ["file_*", "ask_user"]
[runtime_profiles.short]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;
const script = `
scenarios:
  - when: slow
    steps: [{ say: late, wait_ms: 60000 }]
  - when: question
    steps:
      - calls: [{ tool: ask_user, args: { question: 'which?' } }]
      - { say: asked }
default: [{ say: hello }]
`;

let daemon: RunningDaemon;
beforeEach(async () => {
  daemon = await runDaemon(config, script);
});
afterEach(() => daemon.remove());

const launch = async (input: string, more: object = {}): Promise<Record<string, string>> =>
  (await daemon.admin().post('/v1/agents/alpha/turns', { input, ...more })).body as Record<
    string,
    string
  >;

/** The whole text of a stream, which must come to its end. */
const streamed = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
  const answer = await fetch(`${daemon.url()}${path}`, {
    headers: { authorization: `Bearer ${daemon.local()}`, ...headers },
    signal: AbortSignal.timeout(60_000),
  });
  return answer.text();
};

describe('the stream of one turn', () => {
  it('ends at once for a client that saw the end of the turn', async () => {
    // Given a turn that has ended and a client that saw all of it
    const turn = await launch('hello', { wait: true });
    const path = `/v1/turns/${turn['id']}/events/stream`;
    const seen = await streamed(path);
    const last = [...seen.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '';
    // When it comes back with what it saw last
    const again = await streamed(path, { 'last-event-id': last });
    // Then the answer comes and nothing is waited for
    expect(again).toContain('event: end');
    expect(again).not.toContain('event: event');
  });

  it('ends when the turn is taken back before it begins', async () => {
    // Given a turn that waits behind a slow one, and somebody who follows it
    const first = await launch('slow', { session: 's1' });
    const second = await launch('hello', { session: 's1' });
    expect(second['status']).toBe('queued');
    const following = streamed(`/v1/turns/${second['id']}/events/stream`);
    // When it is cancelled
    await daemon.admin().post(`/v1/turns/${second['id']}/cancel`);
    // Then the stream ends with how it stands, and the turn is known from then on
    expect(await following).toMatch(/event: end\ndata: .*"status":"cancelled"/);
    const listed = await daemon.admin().get(`/v1/turns?status=cancelled`);
    expect((listed.body as { items: { id: string }[] }).items.map((row) => row.id)).toEqual([
      second['id'],
    ]);
    await daemon.admin().post(`/v1/turns/${first['id']}/cancel`);
  });
});

describe('a message that was accepted', () => {
  it('gets its turn after a restart, although the local token it came with is another by then', async () => {
    // Given a message behind a turn that waits for a person, both sent with the local token
    const first = await launch('question', { session: 's1', wait: true });
    expect(first['status']).toBe('waiting');
    const second = await launch('hello', { session: 's1' });
    // When the daemon is started anew and the first turn goes away
    await daemon.stop();
    await daemon.start();
    await daemon.admin().post(`/v1/turns/${first['id']}/cancel`);
    await streamed(`/v1/turns/${second['id']}/events/stream`);
    // Then the second has run
    const turn = (await daemon.admin().get(`/v1/turns/${second['id']}`)).body as {
      answer: { status: string; reply: string };
    };
    expect([turn.answer.status, turn.answer.reply]).toEqual(['completed', 'hello']);
  });
});

import { afterEach, expect, it } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { runDaemon, type RunningDaemon } from '../support/running-daemon.ts';

const config = `
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"

[risk_profiles.open]
autonomy = "full"
[risk_profiles.open.tools]
allowed = ["delegate", "spawn", "message_peer", "time_now"]
[risk_profiles.open.delegation]
mode = "allow"
spawn = true

[runtime_profiles.short]

[channels.webhook.desk]
secret = { env = "DESK_SECRET" }

[peer_groups.desk]
channel = "webhook.desk"
agents = ["lead", "helper"]

[agents.lead]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
delegates = [{ agent = "helper", mode = "bounded" }]

[agents.helper]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
`;

const script = `
scenarios:
  - when: "work"
    steps:
      - calls:
          - { tool: delegate, args: { agent: helper, input: count } }
          - { tool: spawn, args: { input: look, tools: [time_now] } }
          - { tool: message_peer, args: { agent: helper, channel: webhook.desk, text: hello } }
      - say: done
  - when: "count"
    steps: [{ say: forty-two }]
  - when: "look"
    steps: [{ say: seen }]
default: [{ say: noted }]
`;

let running: RunningDaemon | null = null;
afterEach(() => running?.remove());

it('starts turns of other agents, of the same agent and of peers in the daemon itself', async () => {
  running = await runDaemon(config, script);
  const admin = running.admin();
  const begun = await admin.post('/v1/agents/lead/turns', { input: 'work', wait: true });
  const turn = begun.body as { readonly id: string; readonly status: string };
  expect(turn.status).toBe('completed');
  const read = await admin.get(`/v1/turns/${turn.id}/events`);
  const { items } = read.body as { readonly items: readonly LockstepEvent[] };
  const results = items.flatMap((event) =>
    event.type === 'ToolCallCompleted' && 'inline' in event.data.result
      ? [event.data.result.inline]
      : [],
  );
  expect(results.sort()).toEqual([
    'forty-two',
    'seen',
    'the message was delivered to agent `helper`: an answer comes as a message while you work',
  ]);
  const linked = items.flatMap((event) => (event.type === 'ChildTurnLinked' ? [event.data] : []));
  expect(linked.map(({ agent }) => agent).sort()).toEqual(['helper', 'helper', 'lead']);
  for (const { child, agent } of linked) {
    const one = await admin.get(`/v1/turns/${child}`);
    expect(one.body).toMatchObject({ row: { agent, parent: turn.id } });
  }
});

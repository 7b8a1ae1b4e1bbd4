import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LockstepEvent } from '@lockstep/engine';
import { eventually } from '../support/eventually.ts';
import { runDaemon, type Caller, type RunningDaemon } from '../support/running-daemon.ts';

// Elsewhere what an agent was told to remember landed with whoever had told it so, in one of three ways to tell it.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const config = `
[agents.lead]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
delegates = [{ agent = "keeper", mode = "independent" }]
[agents.keeper]
provider = "local"
risk_profile = "open"
runtime_profile = "short"
[risk_profiles.open]
autonomy = "full"
[risk_profiles.open.tools]
allowed = ["memory_*", "delegate", "spawn"]
[risk_profiles.open.delegation]
mode = "allow"
spawn = true
[runtime_profiles.short]
[people.ana]
identities = ["token:ana"]
roles = ["operator"]
[people.ben]
identities = ["token:ben"]
roles = ["operator"]
[providers.local]
type = "scripted"
script = "script.yaml"
prices = "free"
`;

const keep = (what: string): string => `
  - when: "keep the ${what}"
    steps:
      - calls: [{ tool: memory_store, args: { text: "the ${what} is on the shelf" } }]
      - say: kept`;
const script = `
scenarios:
  - when: "tell it once"
    steps:
      - calls: [{ tool: delegate, args: { agent: keeper, input: "keep the plum" } }]
      - say: done
  - when: "tell it aside"
    steps:
      - calls: [{ tool: delegate, args: { agent: keeper, input: "keep the pear", background: true } }]
      - say: done
  - when: "tell both"
    steps:
      - calls:
          - { tool: delegate, args: { agent: keeper, input: "keep the fig" } }
          - { tool: delegate, args: { agent: keeper, input: "keep the kiwi" } }
      - say: done
  - when: "send somebody"
    steps:
      - calls: [{ tool: spawn, args: { input: "keep the lime" } }]
      - say: done
  - when: "ask the keeper"
    steps:
      - calls: [{ tool: delegate, args: { agent: keeper, input: "find the shelf" } }]
      - say: "{{results.0}}"
  - when: "find the shelf"
    steps:
      - calls: [{ tool: memory_recall, args: { query: "shelf" } }]
      - say: "found: {{results.0}}"
${['plum', 'pear', 'fig', 'kiwi', 'lime'].map(keep).join('')}
default: [{ say: fine }]
`;

let run: RunningDaemon;
let ana: Caller;
let ben: Caller;
beforeAll(async () => {
  run = await runDaemon(config, script);
  ana = await run.issue({ name: 'ana', roles: ['operator'] });
  ben = await run.issue({ name: 'ben', roles: ['operator'] });
});
afterAll(() => run.remove());

const say = async (caller: Caller, agent: string, input: string): Promise<string> => {
  const { body } = await caller.post(`/v1/agents/${agent}/turns`, { input, wait: true });
  const { status, reply } = body as { readonly status: string; readonly reply: string };
  expect(status).toBe('completed');
  return reply;
};
/** Rows as they were stored: of whom, for whom, what. */
const stored = async (count: number) =>
  eventually('the rows to be stored', async () => {
    const { body } = await run.admin().get('/v1/events?types=MemoryStored&limit=100');
    const { items } = body as { readonly items: readonly LockstepEvent[] };
    const rows = items.flatMap((event) =>
      event.type === 'MemoryStored' && 'inline' in event.data.text
        ? [[event.stream, event.data.person, /the (\w+) is/.exec(event.data.text.inline)?.[1]]]
        : [],
    );
    return rows.length === count ? rows.sort() : null;
  });

describe('given an agent that is told to remember something', () => {
  it('keeps it as its own, for the person who asked, however it was told', async () => {
    for (const input of ['tell it once', 'tell it aside', 'tell both', 'send somebody'])
      await say(ana, 'lead', input);
    expect(await stored(5)).toEqual([
      ['memory-keeper', 'ana', 'fig'],
      ['memory-keeper', 'ana', 'kiwi'],
      ['memory-keeper', 'ana', 'pear'],
      ['memory-keeper', 'ana', 'plum'],
      ['memory-lead', 'ana', 'lime'],
    ]);
  });

  it('finds it again through another agent for that person alone', async () => {
    expect(await say(ana, 'lead', 'ask the keeper')).toContain('the plum is on the shelf');
    expect(await say(ben, 'lead', 'ask the keeper')).not.toContain('is on the shelf');
    expect(await say(ana, 'keeper', 'find the shelf')).not.toContain('lime');
    expect(await say(ana, 'lead', 'find the shelf')).not.toContain('plum');
  });
});

describe('given people whom config does not know', () => {
  it('keeps what one of them had kept through an agent from the other', async () => {
    const one = await run.issue({ name: 'one', roles: ['operator'] });
    const two = await run.issue({ name: 'two', roles: ['operator'] });
    await say(one, 'lead', 'tell it once');
    expect(await say(one, 'lead', 'ask the keeper')).toContain('the plum is on the shelf');
    expect(await say(one, 'keeper', 'find the shelf')).toContain('the plum is on the shelf');
    expect(await say(two, 'lead', 'ask the keeper')).not.toContain('is on the shelf');
    expect(await say(two, 'keeper', 'find the shelf')).not.toContain('is on the shelf');
  });
});

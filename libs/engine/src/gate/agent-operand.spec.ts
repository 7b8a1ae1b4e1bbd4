import { describe, expect, it } from 'vitest';
import type { PolicySnapshot } from '@lockstep/policy';
import type { Operand } from '../events/parts.ts';
import { samplePolicy } from '../testing/index.ts';
import { judgeAgent } from './agent-operand.ts';

type Agent = Extract<Operand, { kind: 'agent' }>;

const base = samplePolicy();
const policy = (
  delegation: Partial<PolicySnapshot['delegation']> = {},
  agents: readonly string[] = ['peer'],
): PolicySnapshot => ({
  ...base,
  delegation: {
    mode: 'allow',
    delegates: { helper: 'bounded' },
    max_depth: 2,
    spawn: true,
    sops: [],
    ...delegation,
  },
  channels: {
    ...base.channels,
    peers: { 'webhook.desk': { inbound: [], ignore: [], agents: [...agents] } },
  },
});

const agent = (how: Agent['how'], given: string, channel: string | null = null): Agent => ({
  kind: 'agent',
  given,
  how,
  channel,
});

const ruleOf = (snapshot: PolicySnapshot, operand: Agent): string | null =>
  judgeAgent(snapshot, operand)?.rule ?? null;

describe('whom an agent may start', () => {
  it.each([
    ['delegation.mode', policy({ mode: 'forbidden' }), agent('delegate', 'helper')],
    ['delegation.mode', policy({ mode: 'forbidden' }), agent('spawn', base.agent)],
    ['delegation.delegates', policy(), agent('delegate', 'other')],
    ['delegation.delegates', policy(), agent('delegate', 'toString')],
    ['delegation.spawn', policy({ spawn: false }), agent('spawn', base.agent)],
    ['delegation.max_depth', policy({ max_depth: 0 }), agent('delegate', 'helper')],
    ['delegation.max_depth', policy({ max_depth: 0 }), agent('spawn', base.agent)],
    ['delegation.max_depth', policy({ max_depth: 0 }), agent('message', 'peer', 'webhook.desk')],
    ['channels.peers', policy(), agent('message', 'other', 'webhook.desk')],
    ['channels.peers', policy(), agent('message', 'peer', 'webhook.else')],
    ['channels.peers', policy(), agent('message', 'peer', 'constructor')],
    ['channels.peers', policy(), agent('message', 'peer')],
  ])('is refused by %s', (rule, snapshot, operand) => {
    expect(ruleOf(snapshot, operand)).toBe(rule);
  });

  it.each([
    ['an edge', policy(), agent('delegate', 'helper')],
    ['the last level but one', policy({ max_depth: 1 }), agent('delegate', 'helper')],
    ['no limit of levels', policy({ max_depth: 'unlimited' }), agent('spawn', base.agent)],
    [
      'a message, which is no delegation',
      policy({ mode: 'forbidden', delegates: {}, spawn: false }),
      agent('message', 'peer', 'webhook.desk'),
    ],
  ])('is let through by %s', (_, snapshot, operand) => {
    expect(judgeAgent(snapshot, operand)).toBe(null);
  });

  it('says which agents, and not how to widen its rights', () => {
    expect(judgeAgent(policy(), agent('message', 'other', 'webhook.desk'))).toEqual({
      rule: 'channels.peers',
      pattern: null,
      why: `agents \`${base.agent}\` and \`other\` are in no group on channel \`webhook.desk\``,
    });
  });
});

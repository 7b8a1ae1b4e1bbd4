import { enforcedKeys, type EnforcedKey, type PolicySnapshot } from '@lockstep/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEvent, type DataOf, type TurnFact } from '../events/event.ts';
import type { Meta } from '../events/envelope.ts';
import type { Operand } from '../events/parts.ts';
import { alter, policyWith, without } from './fixture/alter.ts';
import { fixturePolicy } from './fixture/policy.ts';
import { pathOperand } from './fixture/facts.ts';
import { fixtureMeta, streamOf } from './fixture/stream.ts';
import { teamSeeds } from './fixture/team-seeds.ts';
import { teamAround, teamFacts, teamMeta } from './fixture/team.ts';
import { cleanFacts, fixtureAround } from './fixture/turn.ts';
import { bitesOf, judgeTurn } from './judge-turn.ts';
import { noSurroundings, recordTurn, type Surroundings } from './recorded-turn.ts';

interface Seed {
  readonly facts: readonly TurnFact[];
  readonly around?: Surroundings;
  readonly meta?: Meta;
}

/** The clean turn as if the policy had said something else all along. */
const under = <S extends keyof PolicySnapshot>(
  surface: S,
  values: Partial<PolicySnapshot[S]>,
): Seed => ({
  facts: cleanFacts(policyWith(fixturePolicy, surface, values)),
});

/** The clean turn with the operand of one call moved, in its verdict and in its start. */
const moved = (operand: Operand, policy: PolicySnapshot = fixturePolicy): readonly TurnFact[] => {
  const judged = alter(
    cleanFacts(policy),
    'ToolCallAuthorized',
    (d) => ({ ...d, facts: { ...d.facts, operands: [operand] } }),
    'c1',
  );
  return alter(judged, 'ToolCallStarted', (d) => ({ ...d, operands: [operand] }), 'c1');
};

const completedWith = (call: string, values: Partial<DataOf<'ToolCallCompleted'>>): Seed => ({
  facts: alter(cleanFacts(), 'ToolCallCompleted', (d) => ({ ...d, ...values }), call),
});

const touchedMcp = (values: { sandboxed: boolean }): Seed => ({
  facts: alter(
    cleanFacts(),
    'ToolCallCompleted',
    (d) => ({ ...d, touched: d.touched.map((t) => (t.kind === 'mcp' ? { ...t, ...values } : t)) }),
    'c3',
  ),
});

const seeds = {
  'tools.allowed': under('tools', { allowed: [['builtin:file_*', 'mcp:files/*']] }),
  'tools.denied': under('tools', { denied: ['builtin:file_read'] }),
  'approval.autonomy': { facts: without(cleanFacts(), 'ToolCallAuthorized', 'c1') },
  'approval.auto_approve': under('approval', { auto_approve: [['builtin:time_now']] }),
  'approval.always_ask': under('approval', {
    always_ask: ['builtin:file_edit', 'builtin:file_write'],
  }),
  'approval.route.on_no_approver': under('approval', {
    route: { approver: 'inbox', on_no_approver: 'deny' },
  }),
  'approval.timeout_secs': under('approval', { timeout_secs: 60 }),
  'approval.grant_ttl_secs': under('approval', { grant_ttl_secs: 10 }),
  'budgets.max_tool_iterations': under('budgets', { max_tool_iterations: 1 }),
  'budgets.max_parallel_tools': under('budgets', { max_parallel_tools: 2 }),
  'budgets.max_tool_result_chars': under('budgets', { max_tool_result_chars: 100 }),
  'budgets.max_output_tokens': under('budgets', { max_output_tokens: 100 }),
  'budgets.loop_detection': under('budgets', { loop_detection: { window: 20, max_repeats: 1 } }),
  'budgets.max_tool_calls': under('budgets', { max_tool_calls: 5 }),
  'budgets.max_tokens_per_turn': under('budgets', { max_tokens_per_turn: 5_900 }),
  'budgets.max_cost_usd_per_turn': under('budgets', { max_cost_usd_per_turn: 1_100 }),
  'budgets.turn_timeout_secs': under('budgets', { turn_timeout_secs: 5 }),
  'budgets.tool_timeout_secs': under('budgets', { tool_timeout_secs: 30 }),
  'context.max_history_messages': under('context', { max_history_messages: 3 }),
  'context.max_context_tokens': under('context', { max_context_tokens: 800 }),
  'context.keep_tool_results_turns': under('context', { keep_tool_results_turns: 0 }),
  'context.max_system_prompt_chars': under('context', { max_system_prompt_chars: 300 }),
  'workspace.root': {
    facts: moved({ ...pathOperand('a.md', 'read'), ...at('/data/workspaces/researcher/x/a.md') }),
  },
  'workspace.workspace_only': { facts: moved(pathOperand('/srv/other/a.md', 'read')) },
  'workspace.access': { facts: moved(pathOperand('/data/workspaces/reviewer/a.md', 'read')) },
  'workspace.allowed_roots': {
    facts: alter(
      cleanFacts(),
      'ToolCallAuthorized',
      (d) => ({
        ...d,
        facts: {
          ...d.facts,
          roots: d.facts.roots && {
            ...d.facts.roots,
            allowed: [{ path: '/srv/extra', real: '/srv/extra' }],
          },
        },
      }),
      'c1',
    ),
  },
  'workspace.forbidden_paths': under('workspace', { forbidden_paths: ['**/a.md', '/etc'] }),
  'workspace.unrestricted_filesystem': {
    facts: moved(
      pathOperand('/srv/other/a.md', 'read'),
      policyWith(fixturePolicy, 'workspace', { workspace_only: false }),
    ),
  },
  'network.allowed_hosts': under('network', { allowed_hosts: [['*.example.org']] }),
  'network.block_private_addresses': completedWith('c4', {
    touched: [
      {
        kind: 'connected',
        host: 'api.example.com',
        port: 443,
        address: '10.0.0.5',
        scheme: 'https',
      },
    ],
  }),
  'mcp.bundles': under('mcp', { servers: {} }),
  'mcp.expose': under('mcp', { expose: { files: [['list_*']] } }),
  'mcp.effects': {
    facts: alter(cleanFacts(), 'ToolCallAuthorized', (d) => ({ ...d, effects: [] }), 'c3'),
  },
  'mcp.operands': {
    facts: alter(
      cleanFacts(),
      'ToolCallAuthorized',
      (d) => ({ ...d, facts: { ...d.facts, operands: [] } }),
      'c3',
    ),
  },
  'mcp.run': touchedMcp({ sandboxed: false }),
  'mcp.share': {
    facts: cleanFacts(),
    around: {
      ...fixtureAround,
      connection: () => ({ agent: 'researcher', session: 's-2', principal: 'token:tok-1' }),
    },
  },
  'secrets.unseal': under('secrets', { unseal: [[]] }),
  'output.redact': completedWith('c1', {
    result: { inline: `key AKIA${'A1B2C3D4'.repeat(2)} found` },
  }),
  'output.max_reply_chars': under('output', { max_reply_chars: 5 }),
  'output.stream': under('output', { stream: false }),
  ...teamSeeds,
} satisfies Record<EnforcedKey, Seed>;

function at(path: string) {
  return {
    kind: 'path' as const,
    access: 'read' as const,
    given: 'a.md',
    lexical: path,
    real: path,
    exists: true,
    content: null,
  };
}

const objectionsTo = ({ facts, around = fixtureAround, meta = fixtureMeta }: Seed) =>
  judgeTurn(recordTurn(streamOf(facts, meta), around));
const team = { facts: teamFacts(), around: teamAround, meta: teamMeta };

describe('given a turn in order', () => {
  it('has events that the log would accept', () => {
    for (const event of [...streamOf(cleanFacts()), ...streamOf(teamFacts(), teamMeta)])
      expect(parseEvent(JSON.parse(JSON.stringify(event)))).toMatchObject({ ok: true });
  });

  it('objects to nothing, at no point of it', () => {
    for (const clean of [{ facts: cleanFacts() }, team])
      for (let length = 0; length <= clean.facts.length; length += 1)
        expect(objectionsTo({ ...clean, facts: clean.facts.slice(0, length) })).toEqual([]);
  });

  it('claims nothing that its own stream cannot show', () => {
    expect(objectionsTo({ facts: cleanFacts(), around: noSurroundings })).toEqual([]);
    expect(objectionsTo({ ...team, around: noSurroundings })).toEqual([]);
  });
});

describe('given one violation', () => {
  it.each(enforcedKeys)('objects under %s and under no other setting', (key) => {
    const objections = objectionsTo(seeds[key]);
    expect([...new Set(objections.map((o) => `${o.key} ${o.kind}`))]).toEqual([`${key} violated`]);
  });
});

describe('given a broken history', () => {
  it('never throws, whatever the order and the gaps', () => {
    const all = enforcedKeys.flatMap((key) => [...streamOf(seeds[key].facts)]);
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { maxLength: 60 }), (events) => {
        const turn = recordTurn(events, teamAround);
        expect(Array.isArray(judgeTurn(turn))).toBe(true);
        expect(Array.isArray(bitesOf(turn))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

import type { EnforcedKey, PolicySnapshot } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import type { TurnFact } from '../events/event.ts';
import { alter, policyWith } from './fixture/alter.ts';
import { fixturePolicy } from './fixture/policy.ts';
import {
  asked,
  ended,
  judgedCall,
  modelCall,
  opening,
  pathOperand,
  refused,
  urlOperand,
} from './fixture/facts.ts';
import { streamOf } from './fixture/stream.ts';
import { calls, cleanFacts, fixtureAround } from './fixture/turn.ts';
import { judgeTurn } from './judge-turn.ts';
import { recordTurn } from './recorded-turn.ts';

const objections = (facts: readonly TurnFact[]) =>
  judgeTurn(recordTurn(streamOf(facts), fixtureAround)).map(({ key, kind }) => `${key} ${kind}`);

const readAt = (path: string) =>
  judgedCall('c1', 'builtin:file_read', { path }, [pathOperand(path, 'read')]);

const hostRule = 'network.allowed_hosts';
const fetchOf = (changes: Partial<typeof urlOperand>) => {
  const operand = { ...urlOperand, ...changes };
  return judgedCall('c4', 'builtin:http_fetch', { url: operand.given }, [operand]);
};

const inWorkspace = (values: Partial<PolicySnapshot['workspace']>) =>
  opening(policyWith(fixturePolicy, 'workspace', values));

const trim = (limit: 'context.max_history_messages', kept: number): TurnFact => ({
  type: 'ContextTrimmed',
  data: {
    modelCall: 1,
    limit,
    keptMessages: kept,
    droppedMessages: 2,
    droppedTurns: [],
    cutToolResults: [],
  },
});

describe('given a refusal that the policy did not ask for', () => {
  it.each<[EnforcedKey, readonly TurnFact[]]>([
    ['tools.allowed', [refused(calls.read, 'tools.allowed')]],
    ['tools.allowed', [...modelCall(1, [], 'x'), refused(calls.read, 'gate.not_advertised')]],
    ['tools.denied', [refused(calls.read, 'tools.denied')]],
    ['approval.autonomy', [refused(calls.read, 'approval.autonomy')]],
    ['approval.autonomy', asked(calls.read, 'approval.autonomy')],
    ['approval.auto_approve', asked(calls.write, 'approval.autonomy')],
    ['approval.route.on_no_approver', [refused(calls.fetch, 'approval.route.on_no_approver')]],
    ['budgets.max_tool_calls', [refused(calls.read, 'budgets.max_tool_calls')]],
    ['workspace.workspace_only', [refused(calls.read, 'workspace.workspace_only')]],
    ['workspace.forbidden_paths', [refused(calls.read, 'workspace.forbidden_paths')]],
    ['workspace.allowed_roots', [refused(readAt('/mnt/shared/a'), 'workspace.allowed_roots')]],
    ['network.allowed_hosts', [refused(calls.fetch, 'network.allowed_hosts')]],
    ['network.block_private_addresses', [refused(calls.fetch, 'network.block_private_addresses')]],
    ['mcp.bundles', [refused(calls.mcp, 'mcp.bundles')]],
    ['mcp.expose', [refused(calls.mcp, 'mcp.expose')]],
    ['mcp.operands', [refused(calls.mcp, 'mcp.operands')]],
    ['secrets.unseal', [refused(calls.fetch, 'secrets.unseal')]],
    ['context.max_history_messages', [trim('context.max_history_messages', 4)]],
  ])('objects under %s', (key, facts) => {
    expect(objections([...opening(), ...facts])).toEqual([`${key} narrower`]);
  });

  it.each<[string, readonly TurnFact[]]>([
    [
      'a tool that is not allowed',
      [
        ...opening(policyWith(fixturePolicy, 'tools', { allowed: [[]] })),
        refused(calls.read, 'tools.allowed'),
      ],
    ],
    [
      'a tool that was left out of the last model call',
      [
        ...opening(policyWith(fixturePolicy, 'budgets', { max_tool_iterations: 1 })),
        ...alter(modelCall(2, [], 'x'), 'ModelCallStarted', (d) => ({ ...d, final: true })),
        refused(calls.read, 'gate.not_advertised'),
      ],
    ],
    [
      'a writing tool under read_only',
      [
        ...opening(policyWith(fixturePolicy, 'approval', { autonomy: 'read_only' })),
        refused(calls.write, 'approval.autonomy'),
      ],
    ],
    ['a path outside', [...opening(), refused(readAt('/srv/x'), 'workspace.workspace_only')]],
    ['a forbidden name', [...opening(), refused(readAt('.env'), 'workspace.forbidden_paths')]],
    ['a host that has no address', [...opening(), refused(fetchOf({ addresses: [] }), hostRule)]],
    [
      'an address with a password in it',
      [...opening(), refused(fetchOf({ given: 'https://me:pw@api.example.com/v1' }), hostRule)],
    ],
    [
      'a forbidden name in other letters',
      [...opening(), refused(readAt('.ENV'), 'workspace.forbidden_paths')],
    ],
    [
      "a sibling's folder without access",
      [...opening(), refused(readAt('/data/workspaces/reviewer/a'), 'workspace.access')],
    ],
    [
      'a protected file below the data folder',
      [...opening(), refused(readAt('/data/log.sqlite'), 'workspace.forbidden_paths')],
    ],
  ])('does not object to a refusal of %s', (_, facts) => {
    expect(objections(facts)).toEqual([]);
  });

  it("objects to a sibling's folder refused though access grants it", () => {
    const facts = [
      ...inWorkspace({ access: { reviewer: 'read' }, protected: ['/data'] }),
      refused(readAt('/data/workspaces/reviewer/a'), 'workspace.access'),
    ];
    expect(objections(facts)).toEqual(['workspace.access narrower']);
  });
});

describe('given something cut or held back that fits', () => {
  it('objects under the limit that was named', () => {
    const reply = alter([...opening(), ended('x')], 'TurnCompleted', (d) => ({
      ...d,
      truncated: true,
    }));
    expect(objections(reply)).toEqual(['output.max_reply_chars narrower']);
    const result = alter(
      cleanFacts(),
      'ToolCallCompleted',
      (d) => ({ ...d, truncated: true }),
      'c2',
    );
    expect(objections(result)).toEqual(['budgets.max_tool_result_chars narrower']);
    const held = alter([...opening(), ...modelCall(1, [], 'x')], 'ModelCallStarted', (d) => ({
      ...d,
      deltas: 'withheld' as const,
    }));
    expect(objections(held)).toEqual(['output.stream narrower']);
    const final = alter([...opening(), ...modelCall(1, [], 'x')], 'ModelCallStarted', (d) => ({
      ...d,
      final: true,
    }));
    expect(objections(final)).toEqual(['budgets.max_tool_iterations narrower']);
  });
});

describe('given text of characters outside the basic plane', () => {
  it('counts each as one, so that what fits is not called too long', () => {
    const policy = policyWith(fixturePolicy, 'output', { max_reply_chars: 100 });
    const reply = (count: number) =>
      alter([...opening(policy), ended('x')], 'TurnCompleted', (d) => ({
        ...d,
        reply: { inline: '😀'.repeat(count) },
        chars: count,
      }));
    expect(objections(reply(100))).toEqual([]);
    expect(objections(reply(101))).toEqual(['output.max_reply_chars violated']);
  });
});

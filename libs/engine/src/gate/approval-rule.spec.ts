import { describe, expect, it } from 'vitest';
import type { Effect, PolicySnapshot } from '@lockstep/policy';
import type { ToolSpec } from '../events/parts.ts';
import { samplePolicy, sampleTool } from '../testing/index.ts';
import { mcpSpec } from '../tools/mcp-spec.ts';
import { approvalNeed, type ApprovalNeed } from './approval-rule.ts';

type Approval = Partial<PolicySnapshot['approval']>;

const write = sampleTool('file_write');
const need = (
  approval: Approval,
  grants: readonly string[] = [],
  tool: { spec: ToolSpec; effects: readonly Effect[] } = { spec: write, effects: write.effects },
): ApprovalNeed => approvalNeed(samplePolicy({ approval }), grants, tool);

const short = (found: ApprovalNeed): readonly unknown[] =>
  found.kind === 'none' ? [found.by, found.rule] : ['person', found.rule, found.grantable];

const mcpTool = (name: string): ToolSpec => {
  const made = mcpSpec('files', { name, inputSchema: { type: 'object' } }, samplePolicy().mcp);
  if (!made.ok) throw new TypeError(made.message);
  return made.spec;
};

describe('given several rules that speak of one tool', () => {
  const asks = { always_ask: ['builtin:file_write'] };
  const auto = { auto_approve: [['builtin:file_write']] };
  it.each<[string, Approval, readonly string[], readonly unknown[]]>([
    [
      'always_ask',
      { ...asks, ...auto, autonomy: 'full' },
      ['grant-1'],
      ['person', 'approval.always_ask', false],
    ],
    ['a grant', { ...auto, autonomy: 'full' }, ['grant-1'], ['grant', 'approval.grant_ttl_secs']],
    ['auto_approve', { ...auto, autonomy: 'full' }, [], ['auto_approve', 'approval.auto_approve']],
    ['autonomy', { autonomy: 'full' }, [], ['autonomy', 'approval.autonomy']],
    ['a person', { autonomy: 'supervised' }, [], ['person', 'approval.autonomy', true]],
  ])('lets %s decide', (_who, approval, grants, expected) => {
    expect(short(need(approval, grants))).toEqual(expected);
  });
});

describe('given supervised autonomy', () => {
  it('asks nobody for a tool that only reads', () => {
    const read = sampleTool('file_read');
    expect(short(need({}, [], { spec: read, effects: ['read'] }))).toEqual([
      'autonomy',
      'approval.autonomy',
    ]);
  });

  it('asks nobody for a tool without effects', () => {
    const ask = sampleTool('ask_user');
    expect(short(need({}, [], { spec: ask, effects: [] }))).toEqual([
      'autonomy',
      'approval.autonomy',
    ]);
  });

  it('asks for a tool that reaches the network', () => {
    const fetch = sampleTool('http_fetch');
    expect(short(need({}, [], { spec: fetch, effects: ['network'] }))).toEqual([
      'person',
      'approval.autonomy',
      true,
    ]);
  });
});

describe('given a tool whose effects nobody declared', () => {
  const spec = mcpTool('delete_all');
  const tool = { spec, effects: spec.effects };

  it.each([[[['*']]], [[['mcp:files/*']]], [[['mcp:files/delete_all'], ['mcp:*']]]])(
    'is not approved by the patterns %j',
    (auto_approve) => {
      expect(short(need({ auto_approve }, [], tool))).toEqual([
        'person',
        'approval.autonomy',
        true,
      ]);
    },
  );

  it('is approved by its exact id in every clause', () => {
    const auto_approve = [['mcp:files/delete_all', 'x'], ['mcp:files/delete_all']];
    expect(need({ auto_approve }, [], tool)).toEqual({
      kind: 'none',
      by: 'auto_approve',
      grant: null,
      rule: 'approval.auto_approve',
      pattern: 'mcp:files/delete_all',
      why: '`mcp:files/delete_all` is approved by the pattern `mcp:files/delete_all`',
    });
  });

  it('is not approved by a pattern that happens to be its own name', () => {
    const starred = mcpTool('*');
    const found = need({ auto_approve: [['mcp:files/*']] }, [], {
      spec: starred,
      effects: starred.effects,
    });
    expect(short(found)).toEqual(['person', 'approval.autonomy', true]);
  });

  it('does not take the name of an inherited property for a declaration', () => {
    const odd = mcpTool('constructor');
    const found = need({ auto_approve: [['mcp:files/*']] }, [], {
      spec: odd,
      effects: odd.effects,
    });
    expect(short(found)).toEqual(['person', 'approval.autonomy', true]);
  });
});

it('approves a tool with declared effects by a pattern', () => {
  const spec = mcpTool('read_text_file');
  const found = need({ auto_approve: [['mcp:files/*']], always_ask: [] }, [], {
    spec,
    effects: ['write'],
  });
  expect(short(found)).toEqual(['auto_approve', 'approval.auto_approve']);
});

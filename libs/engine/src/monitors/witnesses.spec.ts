import { enforcedKeys, type EnforcedKey, type PolicySnapshot } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import type { DataOf, TurnFact } from '../events/event.ts';
import { alter, policyWith } from './fixture/alter.ts';
import { fixturePolicy } from './fixture/policy.ts';
import {
  asked,
  authorized,
  ended,
  judgedCall,
  modelCall,
  opening,
  pathOperand,
  refused,
  started,
} from './fixture/facts.ts';
import { streamOf } from './fixture/stream.ts';
import { teamAround, teamFacts, teamPolicy, teamWith } from './fixture/team.ts';
import { calls, cleanFacts } from './fixture/turn.ts';
import { bitesOf } from './judge-turn.ts';
import { recordTurn } from './recorded-turn.ts';

interface Bitten {
  readonly facts: readonly TurnFact[];
  readonly note: string;
}

const refusal = (rule: EnforcedKey): Bitten => ({
  facts: [...opening(), refused(calls.read, rule)],
  note: 'refused builtin:file_read',
});

const through = (
  path: string,
  note: string,
  workspace: Partial<PolicySnapshot['workspace']> = {},
): Bitten => {
  const call = judgedCall('c1', 'builtin:file_read', { path }, [pathOperand(path, 'read')]);
  const policy = policyWith(fixturePolicy, 'workspace', workspace);
  return { facts: [...opening(policy), authorized(call)], note };
};

const trimmed = (limit: DataOf<'ContextTrimmed'>['limit'], note: string): Bitten => ({
  facts: [
    ...opening(),
    {
      type: 'ContextTrimmed',
      data: {
        modelCall: 1,
        limit,
        keptMessages: 4,
        droppedMessages: 3,
        droppedTurns: ['t-0'],
        cutToolResults: ['c1', 'c2'],
      },
    },
  ],
  note,
});

const altered = <T extends TurnFact['type']>(
  type: T,
  values: Partial<DataOf<T>>,
  note: string,
  call?: string,
): Bitten => ({ facts: alter(cleanFacts(), type, (d) => ({ ...d, ...values }), call), note });

const clean = (note: string): Bitten => ({ facts: cleanFacts(), note });

/** The team's turn, whose policy may say something else. */
const team = <S extends keyof PolicySnapshot>(
  note: string,
  surface?: S,
  values: Partial<PolicySnapshot[S]> = {},
): Bitten => ({
  facts: teamFacts(surface === undefined ? teamPolicy : teamWith(surface, values)),
  note,
});

const bitten = {
  'tools.allowed': refusal('tools.allowed'),
  'tools.denied': refusal('tools.denied'),
  'approval.autonomy': clean('asked before builtin:http_fetch'),
  'approval.auto_approve': clean('builtin:file_write was approved beforehand'),
  'approval.always_ask': clean('always asked before builtin:file_edit'),
  'approval.route.on_no_approver': clean('builtin:http_fetch was parked for an approver'),
  'approval.timeout_secs': {
    facts: [
      ...opening(),
      ...asked(calls.fetch, 'approval.autonomy'),
      { type: 'ApprovalExpired', data: { approval: 'ap-c4', call: 'c4', deadline: 1, now: 2 } },
    ],
    note: 'nobody answered in time',
  },
  'approval.grant_ttl_secs': clean('the standing grant got its end'),
  'budgets.max_tool_iterations': altered(
    'ModelCallStarted',
    { final: true },
    'the last model call was offered no tools',
  ),
  'budgets.max_parallel_tools': {
    facts: [
      ...opening(policyWith(fixturePolicy, 'budgets', { max_parallel_tools: 1 })),
      authorized(calls.read),
      authorized(calls.write),
      started(calls.read),
    ],
    note: 'others waited for one of 1 places',
  },
  'budgets.max_tool_result_chars': altered(
    'ToolCallCompleted',
    { truncated: true, chars: 60_000 },
    'a result of 60000 characters was cut',
    'c1',
  ),
  'budgets.max_output_tokens': altered(
    'ModelCallCompleted',
    { finish: 'length' },
    'the model stopped at its output limit',
  ),
  'budgets.loop_detection': {
    facts: [
      ...opening(),
      {
        type: 'LoopDetected',
        data: {
          tool: 'builtin:file_read',
          argsDigest: calls.read.argsDigest,
          repeats: 3,
          window: 20,
        },
      },
    ],
    note: 'builtin:file_read was called again and again',
  },
  'budgets.max_tool_calls': {
    facts: [
      ...opening(),
      {
        type: 'BudgetExhausted',
        data: {
          key: 'budgets.max_tool_calls',
          scope: 't-1',
          cap: 30,
          used: 30,
          wanted: 1,
          why: 'used up',
        },
      },
    ],
    note: 'the limit of 30 was reached',
  },
  'budgets.max_tokens_per_turn': altered(
    'TurnCompleted',
    { endedBy: 'budgets.max_tokens_per_turn' },
    'the work ended early at this limit',
  ),
  'budgets.max_cost_usd_per_turn': refusal('budgets.max_cost_usd_per_turn'),
  'budgets.turn_timeout_secs': {
    facts: [
      ...opening(),
      {
        type: 'TurnFailed',
        data: {
          code: 'turn_timeout',
          key: null,
          message: 'too long',
          modelCalls: 1,
          toolCalls: 0,
          tokens: 0,
          cost: 0,
          activeMs: 600_000,
        },
      },
    ],
    note: 'the active time was used up',
  },
  'budgets.tool_timeout_secs': {
    facts: [
      ...opening(),
      {
        type: 'ToolCallFailed',
        data: {
          call: 'c1',
          attempt: 1,
          error: { kind: 'timeout', message: 'too long' },
          touched: [],
          durationMs: 60_000,
        },
      },
    ],
    note: 'the tool took too long',
  },
  'context.max_history_messages': trimmed(
    'context.max_history_messages',
    '3 earlier messages were left out',
  ),
  'context.max_context_tokens': trimmed(
    'context.max_context_tokens',
    '3 earlier messages were left out',
  ),
  'context.keep_tool_results_turns': trimmed(
    'context.keep_tool_results_turns',
    '2 old tool results were cut',
  ),
  'context.max_system_prompt_chars': trimmed(
    'context.max_system_prompt_chars',
    'the system text was cut',
  ),
  'workspace.root': through('a.md', "builtin:file_read worked in the agent's own root"),
  'workspace.workspace_only': refusal('workspace.workspace_only'),
  'workspace.access': through(
    '/data/workspaces/reviewer/a.md',
    'builtin:file_read reached the workspace of reviewer',
    { access: { reviewer: 'read' }, protected: ['/data'] },
  ),
  'workspace.allowed_roots': through(
    '/mnt/shared/a.md',
    'builtin:file_read reached /mnt/shared as an allowed root',
  ),
  'workspace.forbidden_paths': refusal('workspace.forbidden_paths'),
  'workspace.unrestricted_filesystem': through(
    '/srv/other/a.md',
    'builtin:file_read reached outside the workspace, which this setting permits',
    { workspace_only: false, unrestricted_filesystem: true },
  ),
  'network.allowed_hosts': refusal('network.allowed_hosts'),
  'network.block_private_addresses': refusal('network.block_private_addresses'),
  'mcp.bundles': clean('mcp:files/read_text_file is there through a bundle'),
  'mcp.expose': {
    facts: [
      ...opening(),
      refused({ ...calls.read, tool: null, alias: 'mcp:files/write_file' }, 'gate.unknown_tool'),
    ],
    note: 'mcp:files/write_file is not exposed',
  },
  'mcp.effects': clean('mcp:files/read_text_file is declared to read only, so nobody was asked'),
  'mcp.operands': clean('mcp:files/read_text_file was judged by its operand c.md'),
  'mcp.run': clean('files ran in the sandbox'),
  'mcp.share': clean('files was reached over a connection of this session'),
  'secrets.unseal': clean('builtin:http_fetch was handed API_KEY'),
  'output.redact': altered('ToolCallCompleted', { masked: 2 }, '2 secrets were masked', 'c1'),
  'output.max_reply_chars': {
    facts: alter([...opening(), ended('x')], 'TurnCompleted', (d) => ({
      ...d,
      truncated: true,
      chars: 30_000,
    })),
    note: 'a reply of 30000 characters was cut',
  },
  'output.stream': clean('text went out while it was made'),
  'approval.approvers_required': team('let through by 2 of 2 votes'),
  'approval.four_eyes': team('`ana` was kept out of the decision'),
  'approval.route.approver': team('the question went to role:approver'),
  'budgets.max_actions_per_hour': refusal('budgets.max_actions_per_hour'),
  'budgets.max_cost_usd_per_day': altered(
    'TurnCompleted',
    { endedBy: 'budgets.max_cost_usd_per_day' },
    'the work ended early at this limit',
  ),
  'budgets.warn_at_percent': team('warned of budgets.max_tool_calls at 10 of 12'),
  'context.identity.files': team('1 identity files stand in the system text'),
  'context.identity.writable': team(
    '/data/workspaces/researcher/IDENTITY.md may be changed, though it is an identity file',
  ),
  'memory.backend': team('rows were looked for in sqlite'),
  'memory.auto_recall': team('2 rows came unasked'),
  'memory.recall_limit': team('no more than 2 rows were recalled', 'memory', { recall_limit: 2 }),
  'memory.read_memory_from': team('a row of reviewer was recalled'),
  'memory.share': team('rows of other people were left out'),
  'memory.writable': team('a row was stored'),
  'memory.retention_days': team('a row was stored for 365 days'),
  'skills.bundles': team('skill writer was read from a bundle'),
  'skills.allow_scripts': team('skill:writer/count.sh ran'),
  'skills.prompt_mode': team('1 skills stand in the system text by name and description'),
  'shell.allowed_commands': team('git status is on the list'),
  'shell.env_passthrough': team("LANG of the daemon's variables were passed on"),
  'shell.block_high_risk': refusal('shell.block_high_risk'),
  'shell.sandbox': team('git ran in the sandbox'),
  'delegation.mode': team('work may be handed to reviewer'),
  'delegation.delegates': team('work may be handed to reviewer'),
  'delegation.max_depth': refusal('delegation.max_depth'),
  'delegation.spawn': team('a sub-agent may be started'),
  'delegation.sops': team('procedure release may be started'),
  'channels.bindings': team('webhook.support led to this agent'),
  'channels.peers': team('user:ana is a peer on webhook.support'),
} satisfies Record<EnforcedKey, Bitten>;

const bites = (facts: readonly TurnFact[]) => bitesOf(recordTurn(streamOf(facts), teamAround));

describe('a setting', () => {
  it.each(enforcedKeys)('bites: %s', (key) => {
    const { facts, note } = bitten[key];
    expect(bites(facts).filter((bite) => bite.key === key)).toContainEqual(
      expect.objectContaining({ key, note }),
    );
  });

  it('does not bite where it changed nothing', () => {
    const quiet = [...opening(), ...modelCall(1, [], 'Done.'), ended('Done.')].map((fact) =>
      fact.type === 'ModelCallStarted'
        ? { ...fact, data: { ...fact.data, deltas: 'not_asked' as const } }
        : fact,
    );
    expect(bites(quiet)).toEqual([]);
  });
});

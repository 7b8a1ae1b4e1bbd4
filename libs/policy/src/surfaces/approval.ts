import { chain } from '../orders/chain.ts';
import { clauses } from '../orders/clauses.ts';
import { denyPatterns } from '../orders/deny-patterns.ts';
import { atLeast, limit } from '../orders/limit.ts';
import { own } from '../orders/own.ts';
import { trueIsNarrower } from '../orders/true-is-narrower.ts';
import { coversTools } from './covers.ts';
import { layered } from './setting.ts';
import { toolClausesOf, toolPatternsOf } from './written.ts';

const questions = {
  'approval.autonomy': layered('approval.autonomy', {
    order: chain(['read_only', 'supervised', 'full']),
    layer: 'risk',
    written: 'autonomy',
    fallback: '"supervised"',
    explain:
      'What runs without a question: `read_only` admits reading tools alone, `supervised` asks for the others, `full` asks for none.',
    pick: (tables) => tables.autonomy,
    read: (written) => written,
    default: () => 'supervised',
  }),
  'approval.auto_approve': layered('approval.auto_approve', {
    order: clauses(coversTools),
    layer: 'risk',
    fallback: '[]',
    explain: 'Tools that run without a question under `supervised`.',
    pick: (tables) => tables.approval?.auto_approve,
    read: toolClausesOf,
    default: () => [[]],
  }),
  'approval.always_ask': layered('approval.always_ask', {
    order: denyPatterns(['*']),
    layer: 'risk',
    fallback: '[]',
    explain: 'Tools that ask each time, whatever autonomy, grants and `auto_approve` say.',
    pick: (tables) => tables.approval?.always_ask,
    read: toolPatternsOf,
    default: () => [],
  }),
  'approval.approvers_required': layered('approval.approvers_required', {
    order: atLeast(10),
    layer: 'risk',
    fallback: '1',
    explain: 'How many people must say yes to one call.',
    pick: (tables) => tables.approval?.approvers_required,
    read: (written) => written,
    default: () => 1,
  }),
  'approval.four_eyes': layered('approval.four_eyes', {
    order: trueIsNarrower,
    layer: 'risk',
    fallback: 'false',
    explain: 'Whether the person who asked for the turn may not approve its calls.',
    pick: (tables) => tables.approval?.four_eyes,
    read: (written) => written,
    default: () => false,
  }),
};

const answers = {
  'approval.route.approver': layered('approval.route.approver', {
    order: own('inbox'),
    layer: 'risk',
    fallback: '"inbox"',
    explain: 'Who is asked.',
    pick: (tables) => tables.approval?.route?.approver,
    read: (written) => written,
    default: () => 'inbox',
  }),
  'approval.route.on_no_approver': layered('approval.route.on_no_approver', {
    order: chain(['deny', 'queue']),
    layer: 'risk',
    fallback: '"queue"',
    explain: 'When nobody can answer: `queue` waits until the deadline, `deny` refuses at once.',
    pick: (tables) => tables.approval?.route?.on_no_approver,
    read: (written) => written,
    default: () => 'queue',
  }),
  'approval.timeout_secs': layered('approval.timeout_secs', {
    order: limit,
    layer: 'risk',
    fallback: '900',
    explain: 'How long a question waits, in seconds, before it counts as refused.',
    pick: (tables) => tables.approval?.timeout_secs,
    read: (written) => written,
    default: () => 900,
  }),
  'approval.grant_ttl_secs': layered('approval.grant_ttl_secs', {
    order: limit,
    layer: 'risk',
    fallback: '3600',
    explain: 'How long a standing approval holds, in seconds.',
    pick: (tables) => tables.approval?.grant_ttl_secs,
    read: (written) => written,
    default: () => 3600,
  }),
};

/** Which calls a person is asked about, who is asked, and for how long. */
export const approvalSettings = { ...questions, ...answers };

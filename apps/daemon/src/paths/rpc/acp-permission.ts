import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { DecisionBody } from '../../http/schemas/approval.schema.ts';
import type { Asked } from '../shared/asked.ts';
import { kindOf } from './acp-updates.ts';

type Approval = Extract<Asked, { readonly kind: 'approval' }>;
type Choice = Approval['choices'][number];

/** Longest text that a client is trusted to show whole, in characters. What is cut can be denied here, and granted elsewhere. */
export const longestView = 20_000;

/** The question about an approval as ACP asks it. */
export const permissionRequest = (
  sessionId: string,
  approval: Approval,
): RequestPermissionRequest => {
  const { view, call, tool, id } = approval;
  const isWhole = view.length <= longestView;
  const shown = isWhole
    ? view
    : `${view.slice(0, longestView)}\n\nThis is not all of it. To grant it, look at it whole: lockstep approvals show ${id}`;
  return {
    sessionId,
    toolCall: {
      toolCallId: call,
      title: tool,
      kind: kindOf(tool),
      status: 'pending',
      content: [{ type: 'content', content: { type: 'text', text: shown } }],
    },
    options: approval.choices.filter((choice) => isWhole || choice === 'deny').map(optionOf),
    _meta: { lockstep: { approval: id, why: approval.why, turn: approval.turn } },
  };
};

const optionOf = (choice: Choice): PermissionOption => options[choice];

const options: Readonly<Record<Choice, PermissionOption>> = {
  once: { optionId: 'once', kind: 'allow_once', name: 'Allow this call' },
  always: {
    optionId: 'always',
    kind: 'allow_always',
    name: 'Allow this call with these arguments in this session',
  },
  deny: { optionId: 'deny', kind: 'reject_once', name: 'Deny' },
};

/** The decision behind a client's answer; null = it decided nothing, or with what it was not offered. */
export const decisionIn = (
  { outcome }: RequestPermissionResponse,
  { options: offered }: RequestPermissionRequest,
  { revision, shown }: Approval,
): DecisionBody | null => {
  if (outcome.outcome !== 'selected') return null;
  const option = offered.find(({ optionId }) => optionId === outcome.optionId);
  const choice = (['once', 'always', 'deny'] as const).find((name) => name === option?.optionId);
  if (choice === undefined) return null;
  return {
    choice,
    ...(choice === 'always'
      ? { scope: { kind: 'session' as const, arguments: 'exact' as const, anyone: false } }
      : {}),
    revision,
    shown,
  };
};

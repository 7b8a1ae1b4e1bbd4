import type { DataOf, TurnFact } from '../../events/event.ts';
import type { RuleId } from '../../events/parts.ts';
import type { CommandOf, PersonDecision } from '../commands.ts';
import { nothing, record, refuse, type Decision } from '../decision.ts';
import { finishIfDue } from '../finish.ts';
import { expiryAt } from '../recover.ts';
import { callsOf, type OpenTurn, type PendingCall } from '../state.ts';

/** A person's decision. The first one counts; whoever comes later is told so by the caller, who reads the stream. */
export const decideApproval = (
  { decision, now }: CommandOf<'DecideApproval'>,
  state: OpenTurn,
): Decision => {
  const call = pendingBy(state, decision.approval);
  if (call === null)
    return refuse('not_pending', `approval \`${decision.approval}\` is not pending`);
  if (decision.shown !== call.viewDigest)
    return refuse('wrong_view', 'what was shown differs from what is asked: load it again');
  return decision.choice === 'deny'
    ? record(finishIfDue(state, deny(call, decision), now))
    : grant(call, decision, { state, now });
};

/** Approvals and questions whose deadline has passed: refused, never granted. */
export const expireWaits = (
  { now, startedAt }: CommandOf<'ExpireWaits'>,
  state: OpenTurn,
): Decision => {
  const isDue = (deadline: number): boolean => expiryAt(deadline, startedAt) <= now;
  const facts = callsOf(state).flatMap((call): readonly TurnFact[] => {
    if (call.status === 'pending' && call.deadline !== 'never' && isDue(call.deadline))
      return [
        {
          type: 'ApprovalExpired',
          data: { approval: call.approval, call: call.call, deadline: call.deadline, now },
        },
        refusal(call, {
          rule: 'approval.timeout_secs',
          why: 'nobody decided before the deadline',
          shown: 'the call was not approved in time',
        }),
      ];
    if (call.status !== 'running' || call.question === null) return [];
    const { id, deadline } = call.question;
    if (deadline === 'never' || !isDue(deadline)) return [];
    return [
      { type: 'QuestionExpired', data: { question: id, call: call.call, deadline, now } },
      {
        type: 'ToolCallFailed',
        data: {
          call: call.call,
          attempt: call.attempt,
          error: { kind: 'timeout', message: 'nobody answered in time' },
          touched: [],
          durationMs: 0,
        },
      },
    ];
  });
  return facts.length === 0 ? nothing : record(finishIfDue(state, facts, now));
};

/** A person's answer to a question becomes the result of the call that asked. */
export const answerQuestion = (command: CommandOf<'AnswerQuestion'>, state: OpenTurn): Decision => {
  const call = callsOf(state).find(
    (one) => one.status === 'running' && one.question?.id === command.question,
  );
  if (call?.status !== 'running' || call.question === null)
    return refuse('not_pending', `question \`${command.question}\` is not pending`);
  const { choices } = call.question;
  if (choices.length > 0 && !choices.includes(command.text))
    return refuse(
      'invalid_choice',
      `answer with one of ${choices.map((c) => `\`${c}\``).join(', ')}`,
    );
  const text = { inline: command.text };
  return record(
    finishIfDue(
      state,
      [
        {
          type: 'QuestionAnswered',
          data: { question: command.question, call: call.call, by: command.by, text },
        },
        {
          type: 'ToolCallCompleted',
          data: {
            call: call.call,
            attempt: call.attempt,
            result: text,
            isError: false,
            chars: command.text.length,
            truncated: false,
            masked: 0,
            touched: [],
            durationMs: 0,
          },
        },
      ],
      command.now,
    ),
  );
};

/** The refusal of a call that a person was asked about. */
export const refusal = (
  call: PendingCall,
  say: { readonly rule: RuleId; readonly why: string; readonly shown: string },
): TurnFact => ({
  type: 'ToolCallRefused',
  data: { ...call.judged, rule: say.rule, why: say.why, shown: say.shown, approval: call.approval },
});

const deny = (call: PendingCall, decision: PersonDecision): readonly TurnFact[] => [
  {
    type: 'ApprovalDenied',
    data: {
      approval: call.approval,
      call: call.call,
      by: decision.by,
      guidance: decision.guidance === null ? null : { inline: decision.guidance },
      shown: decision.shown,
    },
  },
  refusal(call, {
    rule: call.judged.rule,
    why: `denied by \`${decision.by.principal}\``,
    shown: decision.guidance ?? 'the call was denied',
  }),
];

const grant = (
  call: PendingCall,
  decision: PersonDecision,
  { state, now }: { readonly state: OpenTurn; readonly now: number },
): Decision => {
  const always = decision.choice === 'always';
  if (always && (!call.grantable || decision.grant === null))
    return refuse(
      'not_grantable',
      'a standing grant is not offered for this call: approve it once',
    );
  const ttl = state.policy.approval.grant_ttl_secs;
  return record([
    {
      type: 'ApprovalGranted',
      data: {
        approval: call.approval,
        call: call.call,
        by: decision.by,
        choice: always ? 'always' : 'once',
        binding: call.binding,
        shown: decision.shown,
        grant:
          always && decision.grant !== null
            ? grantData(decision.grant, ttl === 'unlimited' ? 'never' : now + ttl * 1000)
            : null,
      },
    },
  ]);
};

const grantData = (
  { fields, ...grant }: NonNullable<PersonDecision['grant']>,
  expires: number | 'never',
): NonNullable<DataOf<'ApprovalGranted'>['grant']> => ({
  ...grant,
  ...(fields === undefined ? {} : { fields: [...fields] }),
  expires,
});

const pendingBy = (state: OpenTurn, approval: string): PendingCall | null => {
  for (const call of callsOf(state))
    if (call.status === 'pending' && call.approval === approval) return call;
  return null;
};

import type { DataOf, TurnFact } from '../../events/event.ts';
import type { RuleId } from '../../events/parts.ts';
import type { CommandOf, PersonDecision } from '../commands.ts';
import { nothing, record, refuse, type Decision } from '../decision.ts';
import { deciderName, isNamed, whyNoVote } from '../../gate/approver.ts';
import { authorize } from '../../gate/authorize.ts';
import { gateState } from './caps.ts';
import { finishIfDue } from '../finish.ts';
import { expiryAt } from '../recover.ts';
import { callsOf, type OpenTurn, type PendingCall } from '../state.ts';

/** A person's decision. The first one counts, or the last of the votes that it takes; whoever comes later is told so by the caller,
 * who reads the stream. */
export const decideApproval = (
  { decision, now }: CommandOf<'DecideApproval'>,
  state: OpenTurn,
): Decision => {
  const call = pendingBy(state, decision.approval);
  if (call === null)
    return refuse('not_pending', `approval \`${decision.approval}\` is not pending`);
  if (decision.shown !== call.viewDigest)
    return refuse('wrong_view', 'what was shown differs from what is asked: load it again');
  if (call.notBy !== null && isNamed(decision.by, call.notBy))
    return refuse('not_permitted', `\`${call.notBy}\` asked for the work and may not decide on it`);
  return decision.choice === 'deny'
    ? record(finishIfDue(state, deny(call, decision), now))
    : approve(call, decision, { state, now });
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

interface At {
  readonly state: OpenTurn;
  readonly now: number;
}

/** One refusal ends a request; a yes is a vote where it takes several. */
const approve = (call: PendingCall, decision: PersonDecision, at: At): Decision => {
  const nobody = whyNoVote(call, decision.by);
  if (nobody !== null) return refuse('not_permitted', nobody);
  const broken = whyNotGranted(call, decision);
  if (broken !== null) return broken;
  if (call.required === 1)
    return grant(call, decision, { ...at, always: decision.choice === 'always' });
  const mine = deciderName(decision.by);
  if (call.votes.some(({ by }) => deciderName(by) === mine)) return nothing;
  const { approval, by } = decision;
  const choice = decision.choice === 'always' ? 'always' : 'once';
  const voted: TurnFact = { type: 'ApprovalVoted', data: { approval, by, choice } };
  if (call.votes.length + 1 < call.required) return record([voted]);
  const always = [...call.votes, { choice }].every((vote) => vote.choice === 'always');
  const granted = grant(call, decision, { ...at, always });
  return granted.kind === 'record' ? record([voted, ...granted.facts]) : granted;
};

const whyNotGranted = (call: PendingCall, decision: PersonDecision): Decision | null => {
  const { choice, grant: wish, edited, cut = [] } = decision;
  const always = choice === 'always';
  if (edited === undefined && (call.cut || cut.length > 0))
    return refuse(
      'not_whole',
      'the request was not shown whole: it can be denied here, not granted',
    );
  if (always && (!call.grantable || wish === null))
    return refuse(
      'not_grantable',
      'a standing grant is not offered for this call: approve it once',
    );
  if (call.required === 1) return null;
  if (edited !== undefined)
    return refuse(
      'not_grantable',
      'what several people decide on cannot be edited: deny it instead',
    );
  // A vote says nothing of the scope, so the last one could widen what the others agreed to.
  const isNarrowest = wish?.scope === 'session' && wish.arguments === 'exact' && !wish.anyone;
  return always && !isNarrowest
    ? refuse('not_grantable', 'several people grant no more than this session and these arguments')
    : null;
};

const grant = (
  call: PendingCall,
  decision: PersonDecision,
  { state, now, always }: At & { readonly always: boolean },
): Decision => {
  const { approval, by, shown, cut = [] } = decision;
  const ttl = state.policy.approval.grant_ttl_secs;
  const edited = decision.edited === undefined ? null : judgeEdited(decision.edited, state);
  if (edited?.ok === false) return refuse('invalid_arguments', edited.why);
  return record([
    {
      type: 'ApprovalGranted',
      data: {
        approval,
        call: call.call,
        by,
        choice: always ? 'always' : 'once',
        binding: edited?.binding ?? call.binding,
        shown,
        ...(edited === null ? {} : { edited: edited.edited }),
        ...(cut.length === 0 ? {} : { cut: [...cut] }),
        grant:
          always && decision.grant !== null
            ? grantData(decision.grant, ttl === 'unlimited' ? 'never' : now + ttl * 1000)
            : null,
      },
    },
  ]);
};

type Edited =
  | {
      readonly ok: true;
      readonly binding: string;
      readonly edited: NonNullable<DataOf<'ApprovalGranted'>['edited']>;
    }
  | { readonly ok: false; readonly why: string };

/** Arguments of a person pass the same gate as the model's. What it refuses is not granted, and the request goes on waiting. */
const judgeEdited = (
  { args, prepared }: NonNullable<PersonDecision['edited']>,
  state: OpenTurn,
): Edited => {
  // No cap is asked here: the call takes its place when it starts, and is judged again then.
  const facts = { ...prepared.facts, caps: [] };
  const verdict = authorize(prepared.call, facts, gateState(state, null));
  if (verdict.kind === 'refuse') return { ok: false, why: verdict.why };
  const { argsDigest } = prepared.call;
  return {
    ok: true,
    binding: verdict.binding,
    edited: { args: { inline: args }, argsDigest, facts },
  };
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

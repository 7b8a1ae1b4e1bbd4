import type { Content, DecidedBy, LockstepEvent } from '@lockstep/engine';
import { digestOfText, type Principal } from '@lockstep/policy';
import type { Inside } from '../outside.ts';
import type { ApprovalDecision } from '../turns/turns.port.ts';
import type { Attack } from './attacks/attack.ts';

type Answers = NonNullable<Attack['answers']>;

/** Something that waits for a person. */
export interface Asked {
  readonly id: string;
  readonly kind: 'approval' | 'question';
  readonly revision: number;
  /** Digest of what is shown. */
  readonly shown: string;
  readonly grantable: boolean;
  readonly required: number;
  readonly choices: readonly string[];
}

/** What an event asks of a person; null = nothing. */
export const askedBy = (event: LockstepEvent): Asked | null => {
  const { revision } = event;
  if (event.type === 'ApprovalRequested') {
    const { approval: id, view, grantable, required = 1 } = event.data;
    const shown = shownOf(view);
    return { id, kind: 'approval', revision, shown, grantable, required, choices: [] };
  }
  if (event.type === 'SopGateOpened') {
    const { gate: id, shown, required } = event.data;
    return { id, kind: 'approval', revision, shown, grantable: false, required, choices: [] };
  }
  if (event.type !== 'QuestionAsked') return null;
  const { question: id, choices } = event.data;
  return { id, kind: 'question', revision, shown: '', grantable: false, required: 1, choices };
};

/** What an event answers; null = nothing. */
export const settledBy = (event: LockstepEvent): string | null => {
  if (event.type === 'QuestionAnswered' || event.type === 'QuestionExpired')
    return event.data.question;
  if (event.type === 'SopGateDecided') return event.data.gate;
  const isDecided =
    event.type === 'ApprovalGranted' ||
    event.type === 'ApprovalDenied' ||
    event.type === 'ApprovalExpired' ||
    event.type === 'ApprovalClosed';
  return isDecided ? event.data.approval : null;
};

const shownOf = (view: Content): string => {
  if ('inline' in view) return digestOfText(view.inline);
  return 'artifact' in view ? view.artifact : view.sealed.commitment;
};

/** People of a probe: enough for every policy. */
const decider = (n: number): DecidedBy => ({
  principal: `token:probe-${n}`,
  // Where different people are wanted, an identity of nobody has no vote.
  person: `probe-${n}`,
  surface: 'rest',
});

const rights = {
  roles: new Set(['admin', 'approver', 'operator'] as const),
  scopes: { agents: ['*'], tools: ['*'] },
};

/** Answers as the attack wants, with as many votes as it takes. Who asked comes first, where that is somebody who could: it matters
 * whether that one is kept out. */
export const answer = async (
  inside: Inside,
  asked: Asked,
  { how, asker }: { readonly how: Answers; readonly asker: Principal | null },
): Promise<void> => {
  if (how === 'never') return;
  if (asked.kind === 'question') {
    const text = asked.choices[0] ?? 'yes';
    await inside.turns.answerQuestion(
      asked.id,
      { text, revision: asked.revision },
      decider(1),
      rights,
    );
    return;
  }
  const choice = how === 'always' && !asked.grantable ? 'once' : how;
  const decision: ApprovalDecision = {
    choice,
    scope: choice === 'always' ? { kind: 'session', arguments: 'exact', anyone: false } : null,
    guidance: choice === 'deny' ? 'not in a probe' : null,
    revision: asked.revision,
    shown: asked.shown,
  };
  const own = asker === null || asker.kind === 'job' || asker.kind === 'agent' ? [] : [asker];
  const people = [
    ...own.map((one) => ({
      ...decider(0),
      principal: `${one.kind}:${one.id}`,
      person: one.person,
    })),
    ...Array.from({ length: asked.required }, (_, n) => decider(n + 1)),
  ];
  for (const by of people) {
    const taken = await inside.turns.decide(asked.id, decision, by, rights);
    if (taken.kind === 'decided' && taken.votes === undefined) return;
  }
};

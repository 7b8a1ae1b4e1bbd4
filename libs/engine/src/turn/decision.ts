import type { TurnFact } from '../events/event.ts';

/** Why a command is not valid now. Nothing is recorded. */
export interface Refusal {
  readonly code:
    | 'not_started'
    | 'already_started'
    | 'ended'
    | 'not_pending'
    | 'wrong_view'
    | 'not_grantable'
    | 'not_whole'
    | 'not_permitted'
    | 'invalid_arguments'
    | 'invalid_choice'
    | 'out_of_order';
  readonly message: string;
}

/** What follows from a command: facts to record, nothing (a repeat), or a refusal. */
export type Decision =
  | { readonly kind: 'record'; readonly facts: readonly [TurnFact, ...TurnFact[]] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refuse'; readonly refusal: Refusal };

export const nothing: Decision = { kind: 'nothing' };

/** A decision to record these facts; none of them means nothing. */
export const record = (facts: readonly TurnFact[]): Decision => {
  const [first, ...rest] = facts;
  return first === undefined ? nothing : { kind: 'record', facts: [first, ...rest] };
};

/** A decision that the command is not valid now. */
export const refuse = (code: Refusal['code'], message: string): Decision => ({
  kind: 'refuse',
  refusal: { code, message },
});

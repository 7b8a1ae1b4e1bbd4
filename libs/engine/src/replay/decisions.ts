import type { EventOf } from '../events/event.ts';
import type { PersonDecision } from '../turn/commands.ts';
import { readCall, unsealedIn } from '../turn/read-call.ts';
import { callsOf, type OpenTurn, type PendingCall } from '../turn/state.ts';
import { command, inOpenTurn, withFed, type Cursor, type Next } from './cursor.ts';
import { fed, missing, type Fed } from './fed.ts';

/** A person's yes, as recorded. */
export const granted = (cursor: Cursor, event: EventOf<'ApprovalGranted'>): Next =>
  inOpenTurn(cursor, (state) => decided(cursor, state, event));

/** One vote of several; the last of them stands before the decision that it brings. */
export const voted = (cursor: Cursor, event: EventOf<'ApprovalVoted'>): Next =>
  inOpenTurn(cursor, (state) => {
    const { approval, by, choice } = event.data;
    const last = broughtBy(cursor, approval);
    const shown = last?.data.shown ?? pendingOf(state, approval)?.viewDigest ?? '';
    const { grant = null } = last?.data ?? {};
    // Several people grant no more than this.
    const narrowest = { id: '', scope: 'session', arguments: 'exact', anyone: false } as const;
    return command({
      type: 'DecideApproval',
      now: last === null ? event.time : decidedAt(last, state),
      decision: {
        approval,
        by,
        choice,
        guidance: null,
        shown,
        grant: choice === 'always' ? { ...narrowest, id: grant?.id ?? '' } : null,
        ...(last?.data.cut === undefined ? {} : { cut: last.data.cut }),
      },
    });
  });

/** The decision that the vote at the cursor brings, or null while more are wanted. */
const broughtBy = (cursor: Cursor, approval: string): EventOf<'ApprovalGranted'> | null => {
  const next = cursor.events[cursor.at + 1];
  return next?.type === 'ApprovalGranted' && next.data.approval === approval ? next : null;
};

const decided = (cursor: Cursor, state: OpenTurn, event: EventOf<'ApprovalGranted'>): Next => {
  const { approval, by, choice, shown, grant, cut } = event.data;
  return withFed(editedOf(cursor, state, event), (edited) =>
    command({
      type: 'DecideApproval',
      now: decidedAt(event, state),
      decision: {
        approval,
        by,
        choice,
        guidance: null,
        shown,
        grant: grant === null ? null : wishOf(grant),
        ...(edited === null ? {} : { edited }),
        ...(cut === undefined ? {} : { cut }),
      },
    }),
  );
};

type Grant = NonNullable<EventOf<'ApprovalGranted'>['data']['grant']>;

const wishOf = ({
  id,
  scope,
  arguments: args,
  fields,
  anyone,
}: Grant): PersonDecision['grant'] => ({
  id,
  scope,
  arguments: args,
  ...(fields === undefined ? {} : { fields }),
  anyone,
});

/** The end of a standing grant says when it was decided. */
const decidedAt = ({ data, time }: EventOf<'ApprovalGranted'>, { policy }: OpenTurn): number => {
  const ttl = policy.approval.grant_ttl_secs;
  const expires = data.grant?.expires ?? 'never';
  return expires === 'never' || ttl === 'unlimited' ? time : expires - ttl * 1000;
};

/** The call with a person's arguments; what its verdict read stands with them. */
const editedOf = (
  { recording }: Cursor,
  state: OpenTurn,
  { data }: EventOf<'ApprovalGranted'>,
): Fed<NonNullable<PersonDecision['edited']> | null> => {
  const { edited, approval } = data;
  if (edited === undefined) return fed(null);
  const call = pendingOf(state, approval);
  if (call === null || edited.facts.spec === null)
    return missing(`the call that \`${approval}\` is about`);
  const args = recording.textOf(edited.args);
  if (!args.ok) return args;
  const spec = recording.spec(edited.facts.spec);
  if (!spec.ok) return spec;
  const { caps: _caps, ...facts } = edited.facts;
  const gateCall = readCall(call, args.value, spec.value);
  return fed({
    args: args.value,
    prepared: {
      call: gateCall,
      facts,
      ids: { approval: '', question: '' },
      before: null,
      unsealed: unsealedIn(state, gateCall),
    },
  });
};

const pendingOf = (state: OpenTurn, approval: string): PendingCall | null => {
  for (const call of callsOf(state))
    if (call.status === 'pending' && call.approval === approval) return call;
  return null;
};

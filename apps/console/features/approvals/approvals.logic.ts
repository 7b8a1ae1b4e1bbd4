import {
  approvalsInbox,
  type DecidedBy,
  type GrantField,
  type InboxRow,
  type LockstepEvent,
} from '@lockstep/engine';
import { shortId } from '../../lib/format.ts';
import { diffLines, type DiffLine } from '../../ui/diff.logic.ts';

/** A request as the daemon shows it: its text in full, or null where the reader's role does not show it. */
export type Request = Omit<InboxRow, 'view'> & { readonly view: string | null };

export interface RequestPage {
  readonly items: readonly Request[];
  readonly next: string | null;
}

/** The inbox after one more event. Requests keep their places; a new one stands last, and what is decided stays with its end.
 * A text that stands outside the event must be read from the daemon. */
export const foldRequests = (
  page: RequestPage,
  event: LockstepEvent,
): RequestPage | 'read again' => {
  const key = approvalsInbox.keyOf(event);
  if (key === null) return page;
  const known = page.items.find(({ id }) => id === key) ?? null;
  const before = known === null ? null : { ...known, view: { inline: known.view ?? '' } };
  const after = approvalsInbox.fold(before, event);
  if (after === null || after === before) return page;
  if (known === null) {
    if (!('inline' in after.view)) return 'read again';
    return { ...page, items: [...page.items, { ...after, view: after.view.inline }] };
  }
  const next: Request = { ...after, view: known.view };
  return { ...page, items: page.items.map((row) => (row === known ? next : row)) };
};

/** A new reading of what waits, over what was there: what was decided meanwhile stays in its place until it is put away. */
export const mergeRequests = (before: RequestPage, read: RequestPage): RequestPage => {
  const fresh = new Map(read.items.map((row) => [row.id, row]));
  const kept = before.items
    .map((row) => fresh.get(row.id) ?? row)
    .filter((row) => row.state !== 'pending' || fresh.has(row.id));
  const known = new Set(kept.map(({ id }) => id));
  return { ...read, items: [...kept, ...read.items.filter(({ id }) => !known.has(id))] };
};

/** The request that is looked at: the one named, wherever it moved; else the first that waits. */
export const selectedOf = (rows: readonly Request[], id: string | null): Request | null =>
  id === null
    ? (rows.find(({ state }) => state === 'pending') ?? rows[0] ?? null)
    : (rows.find((row) => row.id === id) ?? null);

/** The id next to the one that is looked at; it stops at the ends. */
export const neighbour = (
  rows: readonly Request[],
  id: string | null,
  step: 1 | -1,
): string | null => {
  const at = rows.findIndex((row) => row.id === id);
  return rows[Math.min(Math.max(at + step, 0), rows.length - 1)]?.id ?? null;
};

/** A choice that waits to be confirmed. It holds what was on the screen when it was made. */
export interface Armed {
  readonly id: string;
  readonly revision: number;
  readonly shown: string;
  readonly choice: 'once' | 'always' | 'deny' | 'edit';
}

/** A choice made while this request was looked at; null where the request does not offer it. `edit` is a yes to other arguments: what is
 * too long to be shown whole can be edited too. */
export const arm = (row: Request, choice: Armed['choice']): Armed | null =>
  row.state === 'pending' && row.kind !== 'question' && offers(row, choice)
    ? { id: row.id, revision: row.revision, shown: row.shown, choice }
    : null;

/** Whether a request takes a choice. What several people decide on is not edited: they would not have seen the same. */
export const offers = (row: Request, choice: Armed['choice']): boolean =>
  choice === 'edit' ? row.kind === 'approval' && row.votes === null : row.choices.includes(choice);

/** Whether a choice may still be confirmed: the same request, unchanged and undecided, is the one looked at. */
export const isArmedFor = (armed: Armed | null, row: Request | null): armed is Armed =>
  armed !== null &&
  row?.id === armed.id &&
  row.revision === armed.revision &&
  row.shown === armed.shown &&
  row.state === 'pending';

export interface GrantScope {
  readonly kind: 'session' | 'agent';
  readonly arguments: 'exact' | 'any' | 'fields';
  /** With `fields` only. */
  readonly fields: readonly GrantField[];
  /** Not only for who asked. */
  readonly anyone: boolean;
}

/** The narrowest standing approval: what a person widens is chosen aloud. */
export const narrowestScope: GrantScope = {
  kind: 'session',
  arguments: 'exact',
  fields: [],
  anyone: false,
};

const scopeBody = ({ fields, ...rest }: GrantScope): Readonly<Record<string, unknown>> =>
  rest.arguments === 'fields' ? { ...rest, fields } : rest;

/** The body of a decision. */
export const decisionBody = (
  armed: Armed,
  more: {
    readonly scope: GrantScope;
    readonly guidance: string;
    /** With `edit`: what runs in place of the model's arguments. */
    readonly edited: Readonly<Record<string, unknown>>;
  },
): Readonly<Record<string, unknown>> => {
  const { choice, revision, shown } = armed;
  const guidance = more.guidance.trim();
  return {
    choice: choice === 'edit' ? 'once' : choice,
    revision,
    shown,
    ...(choice === 'edit' ? { arguments: more.edited } : {}),
    ...(choice === 'always' ? { scope: scopeBody(more.scope) } : {}),
    ...(choice === 'deny' && guidance !== '' ? { guidance } : {}),
  };
};

/** Time to the deadline: how it reads, and whether it presses. */
export const countdown = (
  deadline: number | 'never',
  now: number,
): { readonly leftMs: number | null; readonly urgency: 'calm' | 'soon' | 'over' } => {
  if (deadline === 'never') return { leftMs: null, urgency: 'calm' };
  const leftMs = deadline - now;
  if (leftMs <= 0) return { leftMs: 0, urgency: 'over' };
  return { leftMs, urgency: leftMs < 120_000 ? 'soon' : 'calm' };
};

/** Who decided and where, in words. A token that acts for no person has only an id. */
export const deciderText = (by: DecidedBy | null): string => {
  if (by === null) return 'nobody';
  const { person, principal, surface } = by;
  const name = person ?? (principal.length > 12 ? `token ${shortId(principal)}` : principal);
  return `${name} (${surface})`;
};

/** The lines of a request's text. Only what stands under its own line `change:` is a diff: no value starts a line of its own. */
export const viewLines = (view: string): readonly DiffLine[] => {
  const lines = view.split('\n');
  const from = lines.indexOf('change:');
  if (from < 0) return lines.map((text) => ({ kind: 'same', text }));
  return [
    ...lines.slice(0, from + 1).map((text): DiffLine => ({ kind: 'same', text })),
    ...diffLines(lines.slice(from + 1).join('\n')),
  ];
};

/** Whom a request asks, in words. */
export const routeText = (route: string | null): string => {
  const [kind = '', ...rest] = (route ?? 'inbox').split(':');
  const name = rest.join(':');
  switch (kind) {
    case 'people':
      return `${name}, and nobody else`;
    case 'role':
      return `whoever holds the role ${name}`;
    case 'channel':
      return `whoever may approve in the conversation ${name}`;
    default:
      return 'any approver';
  }
};

/** How many said yes, and who. */
export const votesText = ({ required, by }: NonNullable<Request['votes']>): string => {
  const given = `${by.length} of ${required}`;
  return by.length === 0 ? given : `${given}: ${by.map(deciderText).join(', ')}`;
};

/** Why the one who looks may not decide, as far as the request says it; null when it says nothing against it. The daemon judges. */
export const whyNotMe = (
  row: Request,
  me: { readonly principal: string; readonly person: string | null },
): string | null => {
  const named = (name: string): boolean =>
    name === me.person || name === me.principal || name.endsWith(`:${me.principal}`);
  if (row.notBy !== null && named(row.notBy))
    return 'You asked for this work, so you may not decide on it: four eyes are wanted.';
  const voted = row.votes?.by.some(({ person, principal }) =>
    person === null ? principal === me.principal : person === me.person,
  );
  if (voted === true) return 'You said yes already. Others are still wanted.';
  const [kind, name] = (row.route ?? '').split(':', 2);
  if (kind === 'people' && name !== me.person)
    return `This is for ${name ?? 'somebody'} to decide.`;
  return kind === 'channel' ? 'This is decided in its conversation, not here.' : null;
};

import type { LockstepEvent } from '@lockstep/engine';

/** Stands for content that the reader's role does not show. */
export const hidden = '«hidden»';

/** Keys whose text is an id, a name of the config or a word of a closed list: states, not somebody's words. All else is hidden. */
const plainKeys: ReadonlySet<string> = new Set(
  `access action advertised agent agents alias approval as attempt backend by call choice code connection cost daemon deadline deltas
  effects endedBy expires finish grant grants history how id idempotencyKey incarnation key keys kind limit limits model name names pattern
  person policy principal provider question reason roles route rule scope scopes server session spec state surface
  token tokens tool tools trigger turn version widens gate outcome run schedule sop step timezone`.split(
    /\s+/,
  ),
);

/** These hold the policy, which says what an agent may do and nothing of what it did. */
const policyTypes: ReadonlySet<string> = new Set(['PolicyResolved', 'PolicyNarrowed']);
const policyKeys: ReadonlySet<string> = new Set(['snapshot', 'narrowing', 'narrowings', 'client']);

/** An event without inputs, replies, arguments, results and what the calls touched. Of the same shape, so that it still parses. */
export const hideContent = (event: LockstepEvent): LockstepEvent => {
  if (policyTypes.has(event.type)) return event;
  return { ...event, data: strip(event.data, null, 0) } as LockstepEvent;
};

const strip = (value: unknown, key: string | null, depth: number): unknown => {
  if (typeof value === 'string') return isPlain(value, key, depth) ? value : hidden;
  if (Array.isArray(value)) return value.map((item: unknown) => strip(item, key, depth));
  if (typeof value !== 'object' || value === null) return value;
  if (isContent(value)) return { inline: hidden };
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      policyKeys.has(name) ? part : strip(part, name, depth + 1),
    ]),
  );
};

const isPlain = (value: string, key: string | null, depth: number): boolean => {
  if (/^[0-9a-f]{64}$/.test(value) || literals.has(value)) return true;
  if (key === null) return false;
  // At the top it is the construction path; below, a file's.
  return plainKeys.has(key) || (key === 'path' && depth === 1);
};

const literals: ReadonlySet<string> = new Set([
  ...['unlimited', 'never', 'unknown', 'none'],
  // Why a row of memory went.
  ...['asked', 'expired', 'erased', 'removed_outside'],
  // Why a time of a job was skipped.
  ...['missed', 'overlap', 'stopped', 'adopted', 'refused'],
]);

const isContent = (value: object): boolean =>
  ('inline' in value && typeof value.inline === 'string') ||
  ('artifact' in value && 'bytes' in value) ||
  'sealed' in value;

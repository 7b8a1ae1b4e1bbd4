import type { EnforcedKey, PolicySnapshot } from '@lockstep/policy';
import type { TurnEvent } from '../events/event.ts';
import type { Objection } from '../projections/parity-matrix.view.ts';
import type { At, RecordedTurn } from './recorded-turn.ts';

/** An independent check of one setting over one recorded turn, or over the part of it that is there so far: it never objects to
 * what a later event may still bring. */
export type Monitor = (turn: RecordedTurn) => readonly Objection[];

/** Tells, of one event of these types, whether the setting changed the outcome there: a sentence for a person, or null. */
export interface Witness {
  readonly on: readonly TurnEvent['type'][];
  readonly note: (at: At, turn: RecordedTurn) => string | null;
  /** Of several joined as one: those, in order. */
  readonly parts?: readonly Witness[];
}

/** An event with the policy that was in force. */
export type Governed<T extends TurnEvent['type']> = At<T> & { readonly policy: PolicySnapshot };

/** The events of one type that a known policy governs. */
export const governed = <T extends TurnEvent['type']>(
  turn: RecordedTurn,
  type: T,
): readonly Governed<T>[] => {
  const lists = governedOf(turn);
  return lists[type] ?? [];
};

type GovernedLists = { readonly [T in TurnEvent['type']]?: readonly Governed<T>[] };

/** A witness over one event type with its policy known. */
export const witness = <T extends TurnEvent['type']>(
  type: T,
  note: (at: Governed<T>, turn: RecordedTurn) => string | null,
): Witness => ({
  on: [type],
  note: (at, turn) => (isGoverned(at, type) ? note(at, turn) : null),
});

/** Several witnesses of one setting as one: the first that has something to say. */
export const anyOf = (...witnesses: readonly Witness[]): Witness => {
  const parts = witnesses.flatMap((w) => w.parts ?? [w]);
  return {
    on: [...new Set(parts.flatMap((w) => w.on))],
    note: (at, turn) => {
      for (const part of parts) {
        const note = part.on.includes(at.event.type) ? part.note(at, turn) : null;
        if (note !== null) return note;
      }
      return null;
    },
    parts,
  };
};

/** A call was refused under this setting's rule. */
export const refusedUnder = (key: EnforcedKey): Witness =>
  witness('ToolCallRefused', ({ event }) =>
    event.data.rule === key ? `refused ${event.data.tool ?? event.data.alias}` : null,
  );

/** A witness that nothing shows. */
export const never: Witness = { on: [], note: () => null };

interface Placed {
  readonly event: { readonly id: string };
}

/** Derives something of a turn once, however many monitors ask. */
export const perTurn = <T>(derive: (turn: RecordedTurn) => T): ((turn: RecordedTurn) => T) => {
  const known = new WeakMap<RecordedTurn, { readonly value: T }>();
  return (turn) => {
    const found = known.get(turn);
    if (found !== undefined) return found.value;
    const value = derive(turn);
    known.set(turn, { value });
    return value;
  };
};

/** Builds the objections of one monitor. */
export const objector = (key: EnforcedKey) => ({
  /** The policy forbids what happened. */
  violated: (at: Placed, why: string): Objection => ({
    key,
    kind: 'violated',
    event: at.event.id,
    why,
  }),
  /** The policy allows what was withheld. */
  narrower: (at: Placed, why: string): Objection => ({
    key,
    kind: 'narrower',
    event: at.event.id,
    why,
  }),
});

/** Only saves work: many monitors ask for the same events. */
const governedOf = perTurn((turn): GovernedLists => {
  const lists: Partial<Record<TurnEvent['type'], At[]>> = {};
  for (const at of turn.events) if (at.policy !== null) (lists[at.event.type] ??= []).push(at);
  return lists as GovernedLists;
});

const isGoverned = <T extends TurnEvent['type']>(at: At, type: T): at is Governed<T> =>
  at.event.type === type && at.policy !== null;

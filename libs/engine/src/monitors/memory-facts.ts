import type { Limit, PolicySnapshot } from '@lockstep/policy';
import { governed, type Governed } from './monitor.ts';
import type { RecordedTurn } from './recorded-turn.ts';

/** A limit as a number; no limit is infinite. */
export const size = (limit: Limit): number => (limit === 'unlimited' ? Infinity : limit);

/** Recalls of a turn, unasked and by the tool. */
export const recallsOf = (turn: RecordedTurn): readonly Governed<'MemoryRecalled'>[] =>
  governed(turn, 'MemoryRecalled');

/** Whose rows the agent may read. */
export const readers = (policy: PolicySnapshot): readonly string[] => [
  policy.agent,
  ...policy.memory.read_memory_from,
];

/** Whom rows may name in a turn of this principal: nobody, its person, or itself where no person stands behind it. */
export const ownPeople = ({ principal }: RecordedTurn): readonly (string | null)[] => {
  if (principal === null) return [null];
  const { person, kind, id, behind } = principal;
  if (person !== null) return [null, person];
  return behind === undefined ? [null, id, `${kind}:${id}`] : [null, behind];
};

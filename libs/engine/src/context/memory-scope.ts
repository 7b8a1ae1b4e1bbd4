import type { Limit, PolicySnapshot, Principal } from '@lockstep/policy';
import type { MemoryScope } from '../events/turn-parts.ts';
import type { MemoryKeeper } from '../ports/memory.ts';

/** What says whose a row is. */
export interface OwnedRow {
  readonly agent: string;
  readonly person: string | null;
}

/** Whose words a turn hears: the entry of `[people]`, else the identity itself, or the one that an agent acts for. A job is nobody. */
export const personOf = ({ kind, id, person, behind }: Principal): string | null => {
  if (kind === 'job') return null;
  return person ?? (behind === undefined ? `${kind}:${id}` : behind);
};

/** For whom an agent acts in what it starts itself, when this principal asked it. */
export const actsFor = (principal: Principal): Pick<Principal, 'person' | 'behind'> =>
  principal.person === null
    ? { person: null, behind: personOf(principal) }
    : { person: principal.person };

/** The rows that a policy lets a turn of this principal see; null = it has no memory. */
export const memoryScopeOf = (
  { agent, memory }: Pick<PolicySnapshot, 'agent' | 'memory'>,
  principal: Principal,
): MemoryScope | null =>
  memory.backend === 'none'
    ? null
    : {
        backend: memory.backend,
        agents: [...new Set([agent, ...memory.read_memory_from])].sort(),
        person:
          memory.share === 'agent'
            ? { kind: 'anyone' }
            : { kind: 'person', id: personOf(principal) },
      };

/** How rows of the acting agent are kept. */
export const memoryKeeperOf = ({ agent, memory, output }: PolicySnapshot): MemoryKeeper => ({
  agent,
  retentionDays: memory.retention_days,
  redact: output.redact,
});

/** Until when a row of today is kept. */
export const expiryOf = (retentionDays: Limit, now: number): number | 'never' =>
  retentionDays === 'unlimited' ? 'never' : now + retentionDays * 24 * 60 * 60 * 1000;

/** Whether a scope holds a row: of one of its agents, and of nobody or of its person. */
export const isInMemoryScope = (scope: MemoryScope, row: OwnedRow): boolean =>
  scope.agents.includes(row.agent) &&
  (scope.person.kind === 'anyone' || row.person === null || row.person === scope.person.id);

/** Whether rows are given to the model unasked. */
export const recallsUnasked = ({ memory }: Pick<PolicySnapshot, 'memory'>): boolean =>
  memory.backend !== 'none' && memory.auto_recall && memory.recall_limit !== 0;

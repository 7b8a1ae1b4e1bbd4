import type { EnforcedKey } from '@lockstep/policy';
import { ownPeople, size } from './memory-facts.ts';
import { startOf } from './calls.ts';
import { anyOf, refusedUnder, witness, type Witness } from './monitor.ts';

/** Events in which a memory setting decided. */
export const memoryWitnesses = {
  'memory.backend': anyOf(
    refusedUnder('memory.backend'),
    witness('MemoryRecalled', ({ event }) => `rows were looked for in ${event.data.scope.backend}`),
    witness('ToolCallCompleted', ({ event, policy }) =>
      event.data.touched.some(({ kind }) => kind === 'stored')
        ? `a row was stored in ${policy.memory.backend}`
        : null,
    ),
  ),
  'memory.auto_recall': anyOf(
    witness('MemoryRecalled', ({ event }) =>
      event.data.by === 'auto' ? `${event.data.rows.length} rows came unasked` : null,
    ),
    witness('ModelCallStarted', ({ event, index, policy }, turn) => {
      const { backend, auto_recall } = policy.memory;
      if (auto_recall || backend === 'none' || event.data.modelCall !== 1) return null;
      const came = turn.all('MemoryRecalled').some((recall) => recall.index < index);
      return came ? null : 'nothing was recalled unasked';
    }),
  ),
  'memory.recall_limit': anyOf(
    refusedUnder('memory.recall_limit'),
    witness('MemoryRecalled', ({ event, policy }) =>
      event.data.rows.length > 0 && event.data.rows.length === size(policy.memory.recall_limit)
        ? `no more than ${event.data.rows.length} rows were recalled`
        : null,
    ),
  ),
  'memory.read_memory_from': anyOf(
    refusedUnder('memory.read_memory_from'),
    witness('MemoryRecalled', ({ event }, turn) => {
      const other = event.data.rows.find(({ agent }) => agent !== turn.agent);
      if (other !== undefined) return `a row of ${other.agent} was recalled`;
      return event.data.scope.agents.length === 1 ? 'only rows of its own were looked for' : null;
    }),
  ),
  'memory.share': witness('MemoryRecalled', ({ event, policy }, turn) => {
    if (policy.memory.share === 'person') return 'rows of other people were left out';
    const other = event.data.rows.some(({ person }) => !ownPeople(turn).includes(person));
    return other ? 'a row of another person was recalled' : null;
  }),
  'memory.writable': anyOf(
    refusedUnder('memory.writable'),
    witness('ToolCallCompleted', ({ event }) => {
      const wrote = event.data.touched.find(({ kind }) => kind === 'stored' || kind === 'forgot');
      if (wrote === undefined) return null;
      return wrote.kind === 'stored' ? 'a row was stored' : 'a row was dropped';
    }),
  ),
  'memory.retention_days': anyOf(
    witness('MemoryRecalled', ({ event, policy }) => {
      const days = policy.memory.retention_days;
      if (event.data.rows.length === 0 || days === 'unlimited') return null;
      return `no row that is older than ${days} days was recalled`;
    }),
    witness('ToolCallCompleted', ({ event, index }, turn) => {
      const start = startOf(turn, event.data.call, index);
      const stored = event.data.touched.flatMap((t) => (t.kind === 'stored' ? t.rows : []));
      for (const id of start === null ? [] : stored) {
        const row = turn.around.row(id);
        if (row === null || row === 'unknown') continue;
        return row.expires === 'never'
          ? 'a row was stored for good'
          : `a row was stored for ${Math.round((row.expires - row.stored) / 86_400_000)} days`;
      }
      return null;
    }),
  ),
} satisfies Record<Extract<EnforcedKey, `memory.${string}`>, Witness>;

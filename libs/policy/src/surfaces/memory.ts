import { limit } from '../orders/limit.ts';
import { own } from '../orders/own.ts';
import { set } from '../orders/set.ts';
import { trueIsWider } from '../orders/true-is-wider.ts';
import type { Limit, PolicySnapshot } from '../snapshot.ts';
import { layered } from './setting.ts';

type Memory = PolicySnapshot['memory'];

/** What an agent remembers, and whose memory it reads. */
export const memorySettings = {
  'memory.backend': layered('memory.backend', {
    order: own<Memory['backend']>('none'),
    layer: 'runtime',
    fallback: '"sqlite"',
    explain: 'Where memory rows are kept, or none.',
    pick: (tables) => tables.memory?.backend,
    read: (written) => written,
    default: () => 'sqlite',
  }),
  'memory.auto_recall': layered('memory.auto_recall', {
    order: trueIsWider,
    layer: 'runtime',
    fallback: 'true',
    explain: 'Whether rows that fit the input are given to the model unasked.',
    pick: (tables) => tables.memory?.auto_recall,
    read: (written) => written,
    default: () => true,
  }),
  'memory.recall_limit': layered('memory.recall_limit', {
    order: limit,
    layer: 'runtime',
    fallback: '5',
    explain: 'Rows that one recall gives.',
    pick: (tables) => tables.memory?.recall_limit,
    read: (written) => written,
    default: () => 5,
  }),
  'memory.read_memory_from': layered('memory.read_memory_from', {
    order: set,
    layer: 'runtime',
    fallback: '[]',
    explain: 'Agents whose rows may be read too.',
    pick: (tables) => tables.memory?.read_memory_from,
    read: (written) => written,
    default: () => [],
  }),
  'memory.share': layered('memory.share', {
    order: own<Memory['share']>('person'),
    layer: 'runtime',
    fallback: '"person"',
    explain: 'Whether rows of one person are recalled for others.',
    pick: (tables) => tables.memory?.share,
    read: (written) => written,
    default: () => 'person',
  }),
  'memory.writable': layered('memory.writable', {
    order: trueIsWider,
    layer: 'runtime',
    fallback: 'true',
    explain: 'Whether the agent may store and forget rows.',
    pick: (tables) => tables.memory?.writable,
    read: (written) => written,
    default: () => true,
  }),
  'memory.retention_days': layered('memory.retention_days', {
    order: own<Limit>(0),
    layer: 'runtime',
    fallback: '365',
    explain: 'Days after which a row is dropped.',
    pick: (tables) => tables.memory?.retention_days,
    read: (written) => written,
    default: () => 365,
  }),
};

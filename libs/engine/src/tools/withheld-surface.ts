import type { PolicySnapshot } from '@lockstep/policy';
import type { Withheld } from './withheld.ts';

type Rule = (policy: PolicySnapshot) => Withheld['rule'] | null;

const closed = ({ delegation }: PolicySnapshot): Withheld['rule'] | null => {
  if (delegation.mode === 'forbidden') return 'delegation.mode';
  return delegation.max_depth === 0 ? 'delegation.max_depth' : null;
};

const isEmpty = (map: Readonly<Record<string, unknown>>): boolean => Object.keys(map).length === 0;

/** Tools that a setting can close altogether, whatever their arguments say. */
const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['builtin:memory_recall', ({ memory }) => (memory.backend === 'none' ? 'memory.backend' : null)],
  ['builtin:memory_store', (policy) => writing(policy)],
  ['builtin:memory_forget', (policy) => writing(policy)],
  [
    'builtin:delegate',
    (policy) =>
      closed(policy) ?? (isEmpty(policy.delegation.delegates) ? 'delegation.delegates' : null),
  ],
  [
    'builtin:spawn',
    (policy) => closed(policy) ?? (policy.delegation.spawn ? null : 'delegation.spawn'),
  ],
  [
    'builtin:sop_start',
    (policy) => closed(policy) ?? (policy.delegation.sops.length === 0 ? 'delegation.sops' : null),
  ],
  [
    'builtin:message_peer',
    ({ channels }) =>
      Object.values(channels.peers).every(({ agents }) => agents.length === 0)
        ? 'channels.peers'
        : null,
  ],
  ['builtin:skill_read', ({ skills }) => (skills.bundles.length === 0 ? 'skills.bundles' : null)],
  [
    'builtin:shell',
    ({ shell }) =>
      shell.allowed_commands.some((clause) => clause.length === 0)
        ? 'shell.allowed_commands'
        : null,
  ],
]);

const writing = ({ memory }: PolicySnapshot): Withheld['rule'] | null => {
  if (memory.backend === 'none') return 'memory.backend';
  return memory.writable ? null : 'memory.writable';
};

/** Why, for the operator. */
const reasons: Readonly<Partial<Record<Withheld['rule'], string>>> = {
  'memory.backend': 'this agent keeps no memory',
  'memory.writable': 'the memory of this agent is not to be changed',
  'delegation.mode': 'this agent may not start turns',
  'delegation.delegates': 'there is no agent that this one may delegate to',
  'delegation.max_depth': 'no level of turns is left below this one',
  'delegation.spawn': 'this agent may not start sub-agents',
  'delegation.sops': 'there is no procedure that this agent may start',
  'channels.peers': 'this agent has no peer on any channel',
  'skills.bundles': 'this agent has no skills',
  'shell.allowed_commands': 'this agent may run no command',
};

/** Whether the surface that a built-in tool works on is closed to the agent: nothing that cannot act is offered. */
export const withheldBySurface = (policy: PolicySnapshot, id: string): Withheld | null => {
  const rule = rules.get(id)?.(policy) ?? null;
  return rule === null
    ? null
    : { rule, pattern: null, why: reasons[rule] ?? 'it has nothing to do' };
};

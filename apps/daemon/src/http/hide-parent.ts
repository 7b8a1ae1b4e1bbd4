import { digestOf } from '@lockstep/policy';
import { seesAgent, type Caller } from '../access/caller.ts';
import { hidden } from './hide-content.ts';

/** What shows of a policy that is not the reader's to see. */
interface HiddenPolicy {
  readonly hidden: typeof hidden;
  readonly digest: string;
}

/** The same value, in which the policy of a parent turn whose agent the caller does not see is its digest alone. Wherever a recorded
 * parent stands in it, however deep. */
export const hideParents = <T>(value: T, caller: Caller): T =>
  caller.scopes.agents.includes('*') ? value : (walk(value, caller) as T);

const walk = (value: unknown, caller: Caller): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => walk(item, caller));
  if (typeof value !== 'object' || value === null) return value;
  if (isBelowParent(value))
    return { ...value, recorded: shut(value, 'recorded'), replayed: shut(value, 'replayed') };
  return Object.fromEntries(
    Object.entries(value).map(([name, part]: [string, unknown]) => [
      name,
      name === 'parent' ? withoutPolicy(part, caller) : walk(part, caller),
    ]),
  );
};

/** A place where two records differ: it holds a piece of the parent, which does not say whose it is. */
const isBelowParent = (value: object): boolean =>
  'path' in value &&
  typeof value.path === 'string' &&
  'recorded' in value &&
  'replayed' in value &&
  /^records(?:\.parent(?:[.[]|$)|$)/.test(value.path);

const shut = (value: object, side: 'recorded' | 'replayed'): typeof hidden | null =>
  (value as Partial<Record<typeof side, unknown>>)[side] === null ? null : hidden;

const withoutPolicy = (parent: unknown, caller: Caller): unknown => {
  if (typeof parent !== 'object' || parent === null || !('snapshot' in parent)) return parent;
  const agent = agentOf(parent.snapshot);
  if (agent !== null && seesAgent(caller, agent)) return parent;
  const snapshot: HiddenPolicy = { hidden, digest: digestOf(parent.snapshot) };
  return { ...parent, snapshot };
};

const agentOf = (snapshot: unknown): string | null =>
  typeof snapshot === 'object' &&
  snapshot !== null &&
  'agent' in snapshot &&
  typeof snapshot.agent === 'string'
    ? snapshot.agent
    : null;

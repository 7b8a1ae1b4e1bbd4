import type { InboxRow, SopRunRow } from '@lockstep/engine';
import type { ShownRow } from './turns.logic.ts';

/** A request that a turn waits for though it did not ask it: a turn below it did, or a procedure that it started stands at a gate. */
export interface WaitBelow {
  readonly request: string;
  readonly kind: 'approval' | 'question' | 'gate';
  readonly agent: string;
  /** The turn that asked; of a gate, the run of the procedure. */
  readonly by: string;
  readonly since: number;
}

type Asked = Pick<InboxRow, 'id' | 'kind' | 'agent' | 'turn' | 'askedAt' | 'state'>;
type Run = Pick<SopRunRow, 'id' | 'parent'>;
type Open = Pick<ShownRow, 'id' | 'parent'>;

/** What a turn waits for below itself, oldest first. `open` are the turns that have not ended; `apart` are children that nothing waits
 * for. */
export const waitsBelow = (
  id: string,
  {
    inbox,
    open,
    runs,
    apart,
  }: {
    readonly inbox: readonly Asked[];
    readonly open: readonly Open[];
    readonly runs: readonly Run[];
    readonly apart: ReadonlySet<string>;
  },
): readonly WaitBelow[] => {
  const parents = new Map<string, string | null>([
    ...open.map((row) => [row.id, row.parent] as const),
    ...runs.map((run) => [run.id, run.parent?.turn ?? null] as const),
  ]);
  return inbox
    .filter(({ state, turn }) => state === 'pending' && holdsUp(id, turn, parents, apart))
    .map(({ id: request, kind, agent, turn, askedAt }) => ({
      request,
      kind,
      agent,
      by: turn,
      since: askedAt,
    }))
    .sort((a, b) => a.since - b.since);
};

/** Whether what happens in `below` is waited for above it, up to `id`. */
const holdsUp = (
  id: string,
  below: string,
  parents: ReadonlyMap<string, string | null>,
  apart: ReadonlySet<string>,
): boolean => {
  const seen = new Set<string>();
  let at: string | null | undefined = below;
  while (typeof at === 'string' && at !== id) {
    if (apart.has(at) || seen.has(at)) return false;
    seen.add(at);
    at = parents.get(at);
  }
  return at === id && below !== id;
};

/** What it waits for, in words. */
export const waitText = ({ kind, agent }: WaitBelow): string => {
  switch (kind) {
    case 'approval':
      return `${agent} asks for approval`;
    case 'question':
      return `${agent} asks a question`;
    case 'gate':
      return `a procedure stands at a gate before a step of ${agent}`;
  }
};

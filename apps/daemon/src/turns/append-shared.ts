import type { EventStore, ExpectedRevision, Fact, NewEvent, NewMeta } from '@lockstep/engine';
import type { DaemonIdentity } from '../tokens.ts';

/** Meta of a fact that belongs to no turn. */
export const plainMeta = (
  identity: DaemonIdentity,
  { id, agent }: { readonly id: string; readonly agent: string | null },
): NewMeta => ({
  agent,
  path: null,
  trigger: null,
  principal: null,
  session: null,
  turn: null,
  root: null,
  parent: null,
  chain: [],
  correlation: id,
  causation: null,
  attempt: 1,
  daemon: identity.id,
  build: identity.build,
});

/** Appends a fact to a stream that others write too, after whatever stands there. With an id that was recorded before it is a repeat.
 * @returns false when the log takes no writes */
export const appendShared = async (
  store: EventStore,
  stream: string,
  { id, meta, ...fact }: Fact & { readonly id: string; readonly meta: NewMeta },
): Promise<boolean> => {
  const event: NewEvent = { ...fact, id, schema: 1, meta };
  let expected: ExpectedRevision = 'no-stream';
  for (;;) {
    const result = await store.append(stream, [event], expected);
    if (result.ok) return true;
    if (result.reason !== 'conflict') return false;
    expected = result.actual;
  }
};

import { artifactStream, type LockstepEvent } from '@lockstep/engine';
import { gatherHistory, type Streams } from '../gather-history.ts';

/** The history of a turn with every config version of the log, in log order.
 * @returns empty when there is no such turn */
export const gatherVersions = async (
  store: Streams,
  turn: string,
): Promise<readonly LockstepEvent[]> => {
  const own = await gatherHistory(store, turn);
  if (own.length === 0) return [];
  const versions = (await store.readStream('config')).filter(
    (event) => event.type === 'ConfigApplied',
  );
  const contents = await Promise.all(
    versions.flatMap(({ data: { content } }) =>
      'artifact' in content ? [store.readStream(artifactStream(content.artifact))] : [],
    ),
  );
  const byId = new Map([...own, ...versions, ...contents.flat()].map((event) => [event.id, event]));
  return [...byId.values()].sort((a, b) => (a.position < b.position ? -1 : 1));
};

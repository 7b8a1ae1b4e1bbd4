import { inlineLimitBytes, type Content, type NewEvent } from '@lockstep/engine';
import { readableConfig, type AppliedConfig } from '@lockstep/policy';
import { systemClock } from '../adapters/clock/system-clock.ts';
import { uuidV7Ids } from '../adapters/ids.ts';
import { openArtifacts } from '../store/open-artifacts.ts';
import { openSqliteLog } from '../store/sqlite/sqlite-log.ts';

const daemon = { id: 'probes', build: 'probes' };

/** Writes a config that is in force elsewhere into an empty log, under the version that it has there.
 * @throws Error when the folder takes no log */
export const layConfig = async (folder: string, applied: AppliedConfig): Promise<void> => {
  const ids = uuidV7Ids(systemClock);
  const { store } = await openSqliteLog({ folder, clock: systemClock });
  try {
    const { version, digest, host, config } = applied;
    const { text } = readableConfig(config);
    const content = await contentOf(text, openArtifacts(store, ids, daemon));
    const data = { version, content, digest, by: 'probes', diff: [], widens: [], host };
    const id = ids.next();
    const event: NewEvent = { type: 'ConfigApplied', data, id, schema: 1, meta: metaOf(id) };
    const done = await store.append('config', [event], 'no-stream');
    if (!done.ok) throw new Error(`the config cannot be laid into \`${folder}\`: ${done.reason}`);
  } finally {
    await store.close();
  }
};

const contentOf = async (
  text: string,
  artifacts: ReturnType<typeof openArtifacts>,
): Promise<Content> => {
  if (Buffer.byteLength(text, 'utf8') <= inlineLimitBytes) return { inline: text };
  const { digest, bytes } = await artifacts.put(text);
  return { artifact: digest, bytes };
};

const metaOf = (id: string): NewEvent['meta'] => ({
  agent: null,
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
  daemon: daemon.id,
  build: daemon.build,
});

import { createHash } from 'node:crypto';
import { artifactsOver, type Artifacts, type EventStore, type Ids } from '@lockstep/engine';
import type { DaemonIdentity } from '../tokens.ts';

/** Texts of artifacts kept in memory, in characters. */
const artifactCacheChars = 4 * 1024 * 1024;

/** Lower-case hex SHA-256 of the UTF-8 bytes of a text. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Artifacts in the log of this daemon. */
export const openArtifacts = (store: EventStore, ids: Ids, daemon: DaemonIdentity): Artifacts =>
  artifactsOver({
    store,
    ids,
    digest: sha256Hex,
    daemon: daemon.id,
    build: daemon.build,
    cacheChars: artifactCacheChars,
  });

import { artifactPartBytes } from '../events/content.ts';
import type { NewMeta } from '../events/envelope.ts';
import type { EventOf, LockstepEvent, NewEvent } from '../events/event.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Ids } from '../ports/clock.ts';
import type { EventStore, ExpectedRevision } from '../ports/event-store.ts';
import { utf8Bytes } from './size.ts';

export interface ArtifactsOptions {
  readonly store: EventStore;
  readonly ids: Ids;
  /** Lower-case hex SHA-256 of a text. */
  readonly digest: (text: string) => string;
  readonly daemon: string;
  readonly build: string;
  /** Texts kept in memory, in characters together. */
  readonly cacheChars: number;
}

/** The stream that holds an artifact. */
export const artifactStream = (digest: string): string => `artifact-${digest}`;

/** Cuts a text at code points into parts whose JSON form fits one event. An empty text is one empty part. */
export const splitArtifact = (text: string, limitBytes = artifactPartBytes): readonly string[] => {
  const parts: string[] = [];
  let start = 0;
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const point = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const size = jsonBytes(point);
    if (bytes + size > limitBytes) {
      parts.push(text.slice(start, at));
      start = at;
      bytes = 0;
    }
    bytes += size;
    at += point.length;
  }
  parts.push(text.slice(start));
  return parts;
};

/** What is wrong with the recorded parts of an artifact, or its text. */
export const joinArtifact = (
  digest: string,
  parts: readonly EventOf<'ArtifactRecorded'>[],
  digestOf: (text: string) => string,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string } => {
  const wanted = parts[0]?.data.parts ?? 1;
  if (parts.length < wanted)
    return {
      ok: false,
      why: `artifact \`${digest}\` has ${parts.length} of ${wanted} parts`,
    };
  const text = parts
    .slice(0, wanted)
    .map((part) => part.data.text)
    .join('');
  const actual = digestOf(text);
  if (actual === digest) return { ok: true, text };
  return { ok: false, why: `the parts of artifact \`${digest}\` have digest \`${actual}\`` };
};

/** Artifacts in the streams of an event store. `put` rejects with code `store_unavailable` when the log may not be written,
 * `get` with code `artifact_damaged` when the recorded parts do not give the digest. */
export const artifactsOver = (options: ArtifactsOptions): Artifacts => {
  const cache = textCache(options.cacheChars);
  return {
    put: async (text) => {
      const digest = options.digest(text);
      const bytes = utf8Bytes(text);
      if (cache.get(digest) === undefined) {
        await record(options, { digest, bytes, text });
        cache.set(digest, text);
      }
      return { digest, bytes };
    },
    get: async (digest) => {
      const known = cache.get(digest);
      if (known !== undefined) return known;
      const parts = (await options.store.readStream(artifactStream(digest))).filter(isPart);
      const first = parts[0];
      // Parts of a put that never ended were cited by nobody: nothing of that digest was recorded.
      if (first === undefined || parts.length < first.data.parts) return null;
      const joined = joinArtifact(digest, parts, options.digest);
      if (!joined.ok) throw coded(joined.why, 'artifact_damaged');
      cache.set(digest, joined.text);
      return joined.text;
    },
  };
};

interface Wanted {
  readonly digest: string;
  readonly bytes: number;
  readonly text: string;
}

/** Parts per append, so that an append stays under its limit. */
const partsPerAppend = 3;

const isPart = (event: LockstepEvent): event is EventOf<'ArtifactRecorded'> =>
  event.type === 'ArtifactRecorded';

const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });

const record = async (options: ArtifactsOptions, wanted: Wanted): Promise<void> => {
  const stream = artifactStream(wanted.digest);
  const texts = splitArtifact(wanted.text);
  let expected: ExpectedRevision = 'no-stream';
  let done = 0;
  while (done < texts.length) {
    const [first, ...rest] = texts
      .slice(done, done + partsPerAppend)
      .map((text, i) => partEvent(options, wanted, { part: done + i, parts: texts.length, text }));
    if (first === undefined) return;
    const result = await options.store.append(stream, [first, ...rest], expected);
    if (result.ok) done += 1 + rest.length;
    else if (result.reason === 'conflict')
      // Somebody else recorded the same content, in whole or in part: go on from what is there.
      done = result.actual === 'no-stream' ? 0 : result.actual + 1;
    else
      throw coded(
        result.reason === 'unavailable' ? result.message : 'an artifact part is too large',
        result.reason === 'unavailable' ? 'store_unavailable' : 'artifact_too_large',
      );
    expected = done === 0 ? 'no-stream' : done - 1;
  }
};

const partEvent = (
  options: ArtifactsOptions,
  wanted: Wanted,
  part: { readonly part: number; readonly parts: number; readonly text: string },
): NewEvent => {
  const id = options.ids.next();
  const meta: NewMeta = {
    agent: null,
    path: null,
    trigger: null,
    principal: null,
    session: null,
    turn: null,
    root: null,
    parent: null,
    chain: [],
    correlation: wanted.digest,
    causation: null,
    attempt: 1,
    daemon: options.daemon,
    build: options.build,
  };
  const { digest, bytes } = wanted;
  return { id, type: 'ArtifactRecorded', schema: 1, meta, data: { digest, bytes, ...part } };
};

/** Bytes that one code point takes inside JSON text. */
const jsonBytes = (point: string): number => {
  const code = point.charCodeAt(0);
  if (code >= 0x20 && code < 0x7f) return point === '"' || point === '\\' ? 2 : 1;
  return utf8Bytes(JSON.stringify(point)) - 2;
};

interface TextCache {
  get(digest: string): string | undefined;
  set(digest: string, text: string): void;
}

const textCache = (limit: number): TextCache => {
  const texts = new Map<string, string>();
  let chars = 0;
  const drop = (digest: string): void => {
    chars -= texts.get(digest)?.length ?? 0;
    texts.delete(digest);
  };
  return {
    get: (digest) => {
      const text = texts.get(digest);
      if (text !== undefined) {
        texts.delete(digest);
        texts.set(digest, text);
      }
      return text;
    },
    set: (digest, text) => {
      drop(digest);
      if (text.length > limit) return;
      texts.set(digest, text);
      chars += text.length;
      for (const oldest of texts.keys()) {
        if (chars <= limit) break;
        drop(oldest);
      }
    },
  };
};

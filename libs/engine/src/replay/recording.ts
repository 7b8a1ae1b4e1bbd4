import {
  digestOfText,
  parseStoredConfig,
  policySnapshotSchema,
  type AppliedConfig,
} from '@lockstep/policy';
import type { Content } from '../events/content.ts';
import type { EventOf, LockstepEvent } from '../events/event.ts';
import { toolSpecSchema, type ToolSpec } from '../events/parts.ts';
import { artifactStream, joinArtifact } from '../log/artifacts-over.ts';
import type { RecordedFact } from '../turn/evolve.ts';
import { toolList, type ToolList } from '../turn/model-input.ts';
import { damaged, fed, missing, type Fed } from './fed.ts';

/** Everything that a history holds, ready to be looked up. What is looked up is checked once. */
export interface Recording {
  /** Ids of the turns, in the order in which they began. */
  readonly turns: readonly string[];
  /** Events of a stream as they stand in the history; empty = there is none. */
  stream(name: string): readonly LockstepEvent[];
  text(digest: string): Fed<string>;
  textOf(content: Content): Fed<string>;
  config(ref: { readonly version: number; readonly digest: string | null }): Fed<AppliedConfig>;
  spec(digest: string): Fed<ToolSpec>;
  tools(digest: string): Fed<ToolList>;
  /** The event with its snapshot and its text inline, as the state is folded from it. */
  hydrated(event: LockstepEvent): Fed<RecordedFact>;
  /** Texts looked up so far, by digest. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Where the events of a history are found. */
export interface RecordingSource {
  /** Ids of the turns, in the order in which they began. */
  readonly turns: readonly string[];
  /** Events of a stream, by revision; empty = there is none. */
  stream(name: string): readonly LockstepEvent[];
}

/** Indexes a history once, for all its turns. */
export const recordingOf = (events: readonly LockstepEvent[]): Recording => {
  const streams = new Map<string, LockstepEvent[]>();
  const turns: string[] = [];
  for (const event of events) {
    const known = streams.get(event.stream);
    if (known !== undefined) known.push(event);
    else {
      streams.set(event.stream, [event]);
      if (event.stream.startsWith('turn-')) turns.push(event.stream.slice('turn-'.length));
    }
  }
  return recordingOver({ turns, stream: (name) => streams.get(name) ?? [] });
};

/** The same over events that are looked up when they are asked for. It keeps what it has read, so that it is for some turns and then
 * thrown away. */
export const recordingOver = (source: RecordingSource): Recording => {
  const { turns } = source;
  const stream = (name: string): readonly LockstepEvent[] => source.stream(name);
  const texts = new Map<string, string>();
  const text = (digest: string): Fed<string> => {
    const known = texts.get(digest);
    if (known !== undefined) return fed(known);
    const found = readArtifact(stream(artifactStream(digest)), digest);
    if (found.ok) texts.set(digest, found.value);
    return found;
  };
  const textOf = (content: Content): Fed<string> => {
    if ('inline' in content) return fed(content.inline);
    return 'artifact' in content ? text(content.artifact) : fed('[erased]');
  };
  const configs = memo((version: number) => readConfig(stream('config'), version, textOf));
  return {
    turns,
    stream,
    text,
    textOf,
    texts,
    config: ({ version, digest }) => sameConfig(configs(version), { version, digest }),
    spec: memo((digest: string) => readSpec(text(digest), digest)),
    tools: memo((digest: string) => readTools(text(digest))),
    hydrated: (event) => hydrate(event, text),
  };
};

const memo = <K, V>(make: (key: K) => V): ((key: K) => V) => {
  const known = new Map<K, V>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
};

const readArtifact = (parts: readonly LockstepEvent[], digest: string): Fed<string> => {
  const where = artifactStream(digest);
  const found = parts.filter(
    (event): event is EventOf<'ArtifactRecorded'> => event.type === 'ArtifactRecorded',
  );
  if (found.length === 0) return missing(`the artifact \`${digest}\``);
  const out = found.find((part, index) => part.data.part !== index);
  if (out !== undefined)
    return damaged(`${where}@${out.revision}`, `part ${out.data.part} stands in the wrong place`);
  const joined = joinArtifact(digest, found, digestOfText);
  return joined.ok ? fed(joined.text) : damaged(where, joined.why);
};

const readConfig = (
  events: readonly LockstepEvent[],
  version: number,
  textOf: (content: Content) => Fed<string>,
): Fed<AppliedConfig> => {
  const event = events.find(
    (one): one is EventOf<'ConfigApplied'> =>
      one.type === 'ConfigApplied' && one.data.version === version,
  );
  if (event === undefined) return missing(`config version ${version}`);
  const where = `config@${event.revision}`;
  const text = textOf(event.data.content);
  if (!text.ok) return text;
  const { digest, host } = event.data;
  if (digestOfText(text.value) !== digest)
    return damaged(where, `the recorded config does not have its digest \`${digest}\``);
  const read = parseStoredConfig(text.value);
  if (!read.ok) return damaged(where, read.message);
  return fed({ version, digest, config: read.config, host });
};

const sameConfig = (
  found: Fed<AppliedConfig>,
  ref: { readonly version: number; readonly digest: string | null },
): Fed<AppliedConfig> =>
  found.ok && ref.digest !== null && found.value.digest !== ref.digest
    ? damaged(
        'config',
        `config version ${ref.version} has digest \`${found.value.digest}\` and the turn cites \`${ref.digest}\`: it is another log's`,
      )
    : found;

const readSpec = (text: Fed<string>, digest: string): Fed<ToolSpec> => {
  if (!text.ok) return text;
  // The alias is no part of what a tool is, and the gate never looks at it.
  const read = toolSpecSchema.safeParse(withAlias(parsed(text.value), digest));
  return read.success
    ? fed(read.data)
    : damaged(artifactStream(digest), 'this artifact is cited as a tool and is none');
};

const withAlias = (value: unknown, digest: string): unknown =>
  typeof value === 'object' && value !== null ? { ...value, alias: 'any', digest } : value;

const listSchema = toolSpecSchema
  .pick({ id: true, alias: true, description: true, inputSchema: true })
  .array();

const readTools = (text: Fed<string>): Fed<ToolList> => {
  if (!text.ok) return text;
  const read = listSchema.safeParse(parsed(text.value));
  return read.success
    ? fed(toolList(read.data))
    : damaged('artifact', 'an artifact is cited as a list of tools and is none');
};

const hydrate = (
  event: LockstepEvent,
  text: (digest: string) => Fed<string>,
): Fed<RecordedFact> => {
  const fact = event as RecordedFact;
  if (fact.type === 'PolicyResolved' || fact.type === 'PolicyNarrowed') {
    const ref = fact.data.snapshot;
    if ('inline' in ref) return fed(fact);
    const found = text(ref.artifact);
    if (!found.ok) return found;
    const read = policySnapshotSchema.safeParse(parsed(found.value));
    if (!read.success)
      return damaged(`${event.stream}@${event.revision}`, 'the cited snapshot is none');
    return fed({
      ...fact,
      data: { ...fact.data, snapshot: { inline: read.data } },
    } as RecordedFact);
  }
  if (fact.type !== 'ModelCallCompleted' || !('artifact' in fact.data.text)) return fed(fact);
  const found = text(fact.data.text.artifact);
  if (!found.ok) return found;
  return fed({ ...fact, data: { ...fact.data, text: { inline: found.value } } });
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

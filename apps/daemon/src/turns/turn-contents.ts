import {
  inlineLimitBytes,
  utf8Bytes,
  type Artifacts,
  type CallState,
  type Content,
  type LockstepEvent,
  type OpenTurn,
  type RecordedFact,
  type TurnFact,
  type TurnState,
} from '@lockstep/engine';
import { canonicalJson, policySnapshotSchema, type PolicySnapshot } from '@lockstep/policy';

/** Texts of artifacts that this turn cites, by digest. */
export type Texts = Map<string, string>;

/** Moves contents that are too large for an event into artifacts. Resolves when those are durable. */
export const hoist = async (
  fact: TurnFact,
  artifacts: Artifacts,
  texts: Texts,
): Promise<TurnFact> => {
  const large = largeFields(fact.data);
  if (large.length === 0) return fact;
  const data: Record<string, unknown> = { ...fact.data };
  for (const { key, text } of large)
    if (key !== 'calls') data[key] = await asArtifact(text, artifacts, texts);
  if (fact.type === 'ModelCallCompleted')
    data['calls'] = await Promise.all(
      fact.data.calls.map(async (call) => ({
        ...call,
        args: await smaller(call.args, artifacts, texts),
      })),
    );
  return { ...fact, data } as TurnFact;
};

/** Whether `hoist` has work to do. */
export const needsHoist = (fact: TurnFact): boolean => largeFields(fact.data).length > 0;

/** The fact as `evolve` needs it: snapshots and texts of the model inline. */
export const hydrate = async (
  event: LockstepEvent,
  artifacts: Artifacts,
  texts: Texts,
): Promise<RecordedFact> => {
  const fact = event as RecordedFact;
  if (fact.type === 'PolicyResolved' || fact.type === 'PolicyNarrowed') {
    const ref = fact.data.snapshot;
    if ('inline' in ref) return fact;
    const text = await load(ref.artifact, artifacts, texts);
    const snapshot: PolicySnapshot = policySnapshotSchema.parse(JSON.parse(text));
    return { ...fact, data: { ...fact.data, snapshot: { inline: snapshot } } } as RecordedFact;
  }
  if (fact.type !== 'ModelCallCompleted' || !('artifact' in fact.data.text)) return fact;
  const text = await load(fact.data.text.artifact, artifacts, texts);
  return { ...fact, data: { ...fact.data, text: { inline: text } } };
};

/** Whether `hydrate` has work to do. */
export const needsHydration = (event: LockstepEvent): boolean => {
  if (event.type === 'PolicyResolved' || event.type === 'PolicyNarrowed')
    return 'artifact' in event.data.snapshot;
  return event.type === 'ModelCallCompleted' && 'artifact' in event.data.text;
};

/** Loads every text that the messages of a turn are built from. */
export const loadTexts = async (
  state: TurnState,
  artifacts: Artifacts,
  texts: Texts,
): Promise<void> => {
  const open = state.status === 'open' ? state : state.status === 'ended' ? state.before : null;
  if (open === null) return;
  for (const content of contentsOf(open))
    if ('artifact' in content) await load(content.artifact, artifacts, texts);
};

const contentsOf = (open: OpenTurn): readonly Content[] => [
  open.input,
  ...open.earlier.map(({ text }) => text),
  ...(open.recalled?.rows ?? []).map(({ text }) => text),
  ...[...(open.made?.identity ?? []), ...(open.made?.skills ?? [])].map(({ digest }): Content => ({
    artifact: digest,
    bytes: 0,
  })),
  ...open.steered,
  ...open.transcript.flatMap((item) =>
    item.kind === 'step' ? [item.text, ...item.calls.flatMap(contentsOfCall)] : [item.text],
  ),
];

const contentsOfCall = (call: CallState): readonly Content[] =>
  call.status === 'ended' ? [call.args, call.result] : [call.args];

const load = async (digest: string, artifacts: Artifacts, texts: Texts): Promise<string> => {
  const known = texts.get(digest);
  if (known !== undefined) return known;
  const text = await artifacts.get(digest);
  if (text === null) throw new Error(`artifact \`${digest}\` is cited and was not recorded`);
  texts.set(digest, text);
  return text;
};

interface Large {
  readonly key: string;
  readonly text: string;
}

const largeFields = (data: object): readonly Large[] => {
  const large: Large[] = [];
  for (const [key, value] of Object.entries(data)) {
    if (key === 'calls' && Array.isArray(value)) {
      if (value.some((call) => isLargeCall(call))) large.push({ key, text: '' });
      continue;
    }
    const text = inlineOf(value);
    if (text !== null && isLarge(text)) large.push({ key, text });
  }
  return large;
};

const isLargeCall = (call: unknown): boolean => {
  if (typeof call !== 'object' || call === null || !('args' in call)) return false;
  const text = inlineOf(call.args);
  return text !== null && isLarge(text);
};

const inlineOf = (value: unknown): string | null => {
  if (typeof value !== 'object' || value === null || !('inline' in value)) return null;
  return typeof value.inline === 'string' ? value.inline : snapshotText(value.inline);
};

const snapshots = new WeakMap<object, string>();

/** Snapshots are long-lived and shared by many turns: their text is made once. */
const snapshotText = (snapshot: unknown): string | null => {
  if (typeof snapshot !== 'object' || snapshot === null) return null;
  const known = snapshots.get(snapshot);
  if (known !== undefined) return known;
  const text = canonicalJson(snapshot);
  snapshots.set(snapshot, text);
  return text;
};

const isLarge = (text: string): boolean =>
  text.length * 3 > inlineLimitBytes && utf8Bytes(text) > inlineLimitBytes;

const smaller = (
  content: Content,
  artifacts: Artifacts,
  texts: Texts,
): Promise<Content> | Content =>
  'inline' in content && isLarge(content.inline)
    ? asArtifact(content.inline, artifacts, texts)
    : content;

const asArtifact = async (
  text: string,
  artifacts: Artifacts,
  texts: Texts,
): Promise<{ readonly artifact: string; readonly bytes: number }> => {
  const { digest, bytes } = await artifacts.put(text);
  texts.set(digest, text);
  return { artifact: digest, bytes };
};

/** Loads the reply of an ended turn. */
export const loadReply = async (
  state: TurnState,
  artifacts: Artifacts,
  texts: Texts,
): Promise<void> => {
  const reply = state.status === 'ended' ? state.reply : null;
  if (reply !== null && 'artifact' in reply) await load(reply.artifact, artifacts, texts);
};

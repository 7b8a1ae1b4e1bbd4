import {
  contentSchema,
  decideSop,
  evolveSop,
  initialSop,
  inlineLimitBytes,
  utf8Bytes,
  type Artifacts,
  type Content,
  type ExpectedRevision,
  type LockstepEvent,
  type NewEvent,
  type NewMeta,
  type SopCommand,
  type SopDecision,
  type SopFact,
  type SopState,
} from '@lockstep/engine';
import { contentText } from '../shared/content-text.ts';
import type { SopParts } from './sop-parts.ts';

export type SopPosted =
  | { readonly kind: 'recorded'; readonly position: string }
  | { readonly kind: 'nothing' }
  | ({ readonly kind: 'refused' } & Extract<SopDecision, { ok: false }>)
  /** The log takes no events now, or somebody else wrote there. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** The stream `sop-<run>`: commands are decided on and recorded one after the other. */
export class SopLog {
  readonly run: string;
  readonly #parts: SopParts;
  #meta: NewMeta | null = null;
  #state: SopState = initialSop;
  #expected: ExpectedRevision = 'no-stream';
  #tail: Promise<unknown> = Promise.resolve();

  constructor(parts: SopParts, run: string) {
    this.#parts = parts;
    this.run = run;
  }

  get state(): SopState {
    return this.#state;
  }

  get meta(): NewMeta | null {
    return this.#meta;
  }

  /** Folds what the stream holds. */
  async load(): Promise<void> {
    for (const event of await this.#parts.store.readStream(`sop-${this.run}`))
      await this.#fold(event);
  }

  /** Decides on a command and records what follows from it, in one append.
   * @param meta of the first event: later ones are of the same run */
  post(command: SopCommand, meta?: NewMeta): Promise<SopPosted> {
    const mine = this.#tail.then(() => this.#post(command, meta));
    this.#tail = mine.catch(() => undefined);
    return mine;
  }

  async #post(command: SopCommand, meta?: NewMeta): Promise<SopPosted> {
    const decision = decideSop(command, this.#state);
    if (!decision.ok) return { kind: 'refused', ...decision };
    const by = meta ?? this.#meta;
    if (decision.facts.length === 0 || by === null) return { kind: 'nothing' };
    const events = await Promise.all(decision.facts.map((fact) => this.#envelope(fact, by)));
    const [first, ...rest] = events;
    if (first === undefined) return { kind: 'nothing' };
    const result = await this.#parts.store.append(
      `sop-${this.run}`,
      [first, ...rest],
      this.#expected,
    );
    if (!result.ok)
      return {
        kind: 'unavailable',
        message: result.reason === 'unavailable' ? result.message : `${result.reason} of the log`,
      };
    for (const event of result.events) await this.#fold(event);
    return { kind: 'recorded', position: result.position };
  }

  async #fold(event: LockstepEvent): Promise<void> {
    this.#expected = event.revision;
    this.#meta ??= metaAgain(event, this.#parts.identity);
    const fact = event as LockstepEvent & SopFact;
    this.#state = evolveSop(this.#state, await withTexts(fact, this.#parts.artifacts));
  }

  async #envelope(fact: SopFact, meta: NewMeta): Promise<NewEvent> {
    const small = await smaller(fact, this.#parts.artifacts);
    const { data } = fact;
    // A step and its gate are their agent's.
    const agent = 'agent' in data ? data.agent : meta.agent;
    const turn = 'turn' in data ? data.turn : meta.turn;
    const { attempt } = { attempt: 1, ...data };
    return {
      ...small,
      id: this.#parts.ids.next(),
      schema: 1,
      meta: { ...meta, agent, turn, attempt },
    };
  }
}

const metaAgain = (event: LockstepEvent, { id, build }: SopParts['identity']): NewMeta => {
  const { agentSeq: _, epoch: __, ...meta } = event.meta;
  return { ...meta, daemon: id, build };
};

/** Every text of a run's facts, by field. */
const textFields = ['definition', 'input', 'view', 'prompt', 'output'] as const;

/** Moves texts that are too large for an event into artifacts. Resolves when those are durable. */
const smaller = async (fact: SopFact, artifacts: Artifacts): Promise<SopFact> => {
  const changed: Record<string, Content> = {};
  for (const [field, content] of contentsOf(fact)) {
    if (!('inline' in content) || utf8Bytes(content.inline) <= inlineLimitBytes) continue;
    const { digest, bytes } = await artifacts.put(content.inline);
    changed[field] = { artifact: digest, bytes };
  }
  return { ...fact, data: { ...fact.data, ...changed } } as SopFact;
};

/** The fact as the engine folds it: every text inline. */
const withTexts = async (fact: SopFact, artifacts: Artifacts): Promise<SopFact> => {
  const changed: Record<string, Content> = {};
  for (const [field, content] of contentsOf(fact))
    if (!('inline' in content))
      changed[field] = { inline: (await contentText(content, artifacts)) ?? '' };
  return { ...fact, data: { ...fact.data, ...changed } } as SopFact;
};

const contentsOf = ({ data }: SopFact): [string, Content][] => {
  const fields: Readonly<Record<string, unknown>> = data;
  return textFields.flatMap((field): [string, Content][] => {
    const read = contentSchema.safeParse(fields[field]);
    return read.success ? [[field, read.data]] : [];
  });
};

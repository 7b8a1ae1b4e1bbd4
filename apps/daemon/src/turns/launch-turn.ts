import type { CommandOf, DataOf, NewMeta, ReplyTo } from '@lockstep/engine';
import { whyRefused } from '@lockstep/engine';
import {
  resolve,
  type AppliedConfig,
  type Narrowing,
  type Resolution,
  type ResolveRequest,
} from '@lockstep/policy';
import { acceptMessage, dropMessage, lookUp } from './accept-message.ts';
import { DispatchTurn, type Dispatch } from './dispatch-turn.command.ts';
import { originPath } from './origin-path.ts';
import type { FoundRecords, Records } from './records-of.ts';
import { idsOf, ownSession, type RequestIds } from './request-ids.ts';
import { contentOf, maskedText, textsOf } from './request-texts.ts';
import { SessionQueues } from './session-queues.ts';
import { metaBelow, metaOf } from './turn-meta.ts';
import type { TurnParts } from './turn-parts.ts';
import type { LaunchResult, TurnRequest } from './turns.port.ts';

/** A turn that is to begin. */
interface Beginning {
  readonly session: string;
  readonly turn: string;
  readonly message: string | null;
  readonly request: ResolveRequest;
  /** Masked. */
  readonly input: string;
  readonly listening: boolean;
  readonly replyTo?: ReplyTo | undefined;
  /** Masked. */
  readonly earlier?: DataOf<'TurnRequested'>['earlier'];
}

/** A turn whose message is durable and that has not begun. */
export interface QueuedTurn extends Beginning {
  readonly message: string;
}

/** A turn of somebody else's making: its id is fixed, it takes no session and does not queue. */
interface FixedTurn extends Beginning {
  readonly parent: TurnRequest['parent'];
  readonly spawn: Narrowing;
}

/** Takes requests in, and starts their turns in the order of their session. The only builder of StartTurn. */
export class LaunchTurn {
  readonly queues: SessionQueues<QueuedTurn>;
  readonly #parts: TurnParts;
  readonly #records: Records;
  readonly #dispatch: Dispatch;
  /** Turns that have left their queue and do not run yet. */
  readonly #starting = new Map<
    string,
    { readonly queued: QueuedTurn; readonly done: Promise<void> }
  >();
  /** Turns of fixed ids that begin just now. */
  readonly #beginning = new Map<string, Promise<LaunchResult>>();
  /** The last resolution, for the usual case that a turn begins right after its message came in. */
  #last: (Resolved & { readonly request: ResolveRequest }) | null = null;
  #stopping = false;

  constructor(parts: TurnParts, records: Records, dispatch: Dispatch) {
    this.#parts = parts;
    this.#records = records;
    this.#dispatch = dispatch;
    this.queues = new SessionQueues((queued) => {
      const { turn } = queued;
      const done = this.#start(queued)
        .catch((error: unknown) => {
          parts.report({ turn, error });
        })
        .finally(() => this.#starting.delete(turn));
      this.#starting.set(turn, { queued, done });
    });
  }

  /** Takes no more requests, and begins no queued turn. */
  stop(): void {
    this.#stopping = true;
  }

  /** A turn that was accepted and does not run yet, or null. */
  find(turn: string): QueuedTurn | null {
    return this.queues.find(turn) ?? this.#starting.get(turn)?.queued ?? null;
  }

  /** Resolves once a turn that leaves its queue just now runs. */
  async started(turn: string): Promise<void> {
    await this.#starting.get(turn)?.done;
  }

  /** Takes back a turn that has not begun. False when it has, or was never accepted. */
  async drop(turn: string, by: string, why: string): Promise<boolean> {
    const queued = this.queues.remove(turn);
    if (queued === null) return false;
    const { session, message } = queued;
    const said = `cancelled by ${by}: ${why}`;
    return dropMessage(this.#parts, { session, message, why: said, meta: this.#meta(queued) });
  }

  launch(asked: TurnRequest): Promise<LaunchResult> {
    if (this.#stopping)
      return Promise.resolve(refusal('stopped', 'the daemon is stopping: try again later', null));
    // A turn of a fixed id is a part of something that is recorded already.
    const closed = this.#parts.intake?.(asked.turn === undefined ? 'new' : 'part') ?? null;
    if (closed !== null) return Promise.resolve(refusal(closed.code, closed.message, null));
    return asked.turn === undefined ? this.#message(asked) : this.#fixed(asked, asked.turn);
  }

  /** A message of a session: durable, then queued. */
  async #message(asked: TurnRequest): Promise<LaunchResult> {
    const id = idsOf(asked, this.#parts.ids);
    if (id === null) return sessionMisnamed(asked.session ?? '');
    const idempotency = asked.idempotency;
    const early = lookUp(this.#parts.ledger, {
      session: id.session,
      agent: asked.agent,
      owner: asked.owner ?? asked.principal,
      data: { message: id.message, idempotency },
    });
    if (early !== null) return this.#known(early, id.session);
    if (idempotency !== null && this.#isKeyOfAnother(id)) return { kind: 'key_reused' };
    const request = requestOf(asked, id.session);
    const resolved = await this.#resolve(request, asked.spawn ?? {});
    const begun = { ...id, request, listening: asked.listening, replyTo: asked.replyTo };
    if (!resolved.resolution.ok || this.#isStopped(asked.agent))
      return this.#refuse(asked, { ...begun, message: null }, resolved);
    const { redact } = resolved.resolution.policy.parts.snapshot.output;
    const queued: QueuedTurn = { ...begun, ...(await textsOf(this.#parts, asked, redact)) };
    const accepted = await acceptMessage(this.#parts, {
      session: id.session,
      agent: asked.agent,
      owner: asked.owner ?? asked.principal,
      data: {
        message: id.message,
        turn: id.turn,
        text: await contentOf(this.#parts, queued.input),
        idempotency,
        request: { origin: asked.origin, client: asked.client },
        ...(asked.replyTo === undefined ? {} : { replyTo: asked.replyTo }),
        ...(queued.earlier === undefined ? {} : { earlier: queued.earlier }),
      },
      meta: this.#meta(queued),
    });
    if (accepted.kind === 'unavailable') return refusal('disk_full', accepted.message, null);
    if (accepted.kind !== 'accepted') return this.#known(accepted, id.session);
    this.#last = { ...resolved, request };
    this.queues.add(queued);
    const { turn, session } = id;
    return { kind: 'accepted', turn, session, position: accepted.position, repeat: false };
  }

  /** A turn of a fixed id begins at once, and once, however often it is asked for. */
  async #fixed(asked: TurnRequest, turn: string): Promise<LaunchResult> {
    const busy = this.#beginning.get(turn);
    if (busy !== undefined) {
      const result = await busy;
      return result.kind === 'accepted' ? { ...result, repeat: true } : result;
    }
    const work = this.#begin(asked, turn).finally(() => this.#beginning.delete(turn));
    this.#beginning.set(turn, work);
    return work;
  }

  async #begin(asked: TurnRequest, turn: string): Promise<LaunchResult> {
    const session = ownSession(asked.agent, turn);
    const known = await this.#begun(turn, session, true);
    if (known !== null) return known;
    if (asked.parent !== undefined && (await this.#records.isStopped(asked.parent.turn)))
      return refusal('stopped', 'the turn that starts this one was stopped', null);
    const { listening, replyTo, parent, spawn = {} } = asked;
    const request = requestOf(asked, session);
    const resolved = await this.#resolve(request, spawn);
    const begun = { turn, session, message: null, request, listening, replyTo, parent, spawn };
    if (!resolved.resolution.ok || this.#isStopped(asked.agent))
      return this.#refuse(asked, begun, resolved);
    const { redact } = resolved.resolution.policy.parts.snapshot.output;
    const texts = await textsOf(this.#parts, asked, redact);
    await this.#dispatchStart({ ...begun, ...texts }, resolved.resolution, 'first-facts');
    const full = 'the log takes no events now: try again later';
    return (await this.#begun(turn, session, false)) ?? refusal('disk_full', full, null);
  }

  /** What the log says of a turn that was asked for by its id; null = it has not begun. */
  async #begun(turn: string, session: string, repeat: boolean): Promise<LaunchResult | null> {
    const [first, second] = await this.#parts.store.readStream(`turn-${turn}`, { limit: 2 });
    if (first === undefined) return null;
    if (second?.type !== 'TurnRefused')
      return { kind: 'accepted', turn, session, position: first.position, repeat };
    const { code, shown, problems } = second.data;
    return { kind: 'refused', code, turn, message: shown, problems };
  }

  /** A key stands for one request: with another session or agent it is another body. Ids of messages without a key are new. */
  #isKeyOfAnother(id: RequestIds): boolean {
    const session = this.#parts.ledger.sessionOfKey(id.message);
    return session !== null && session !== id.session;
  }

  async #known(
    known: NonNullable<ReturnType<typeof lookUp>>,
    session: string,
  ): Promise<LaunchResult> {
    if (known.kind !== 'repeat') return known;
    const position = await this.#parts.store.head();
    return { kind: 'accepted', turn: known.turn, session, position, repeat: true };
  }

  /** Begins a queued turn: the policy is resolved now, under the config in force now. */
  async #start(queued: QueuedTurn): Promise<void> {
    if (this.#stopping) return;
    const { request } = queued;
    const last = this.#last?.request === request ? this.#last : null;
    this.#last = null;
    const resolved = await this.#resolve(request, {}, last);
    const { resolution } = resolved;
    if (!resolution.ok || this.#isStopped(request.agent))
      await this.#dispatchRefusal(queued, resolved);
    else await this.#dispatchStart(queued, resolution, 'nothing');
  }

  async #dispatchStart(
    begun: Beginning | FixedTurn,
    { policy }: Extract<Resolution, { ok: true }>,
    until: DispatchTurn['until'],
  ): Promise<void> {
    const { turn, session, input, message, listening } = begun;
    const limit = policy.parts.snapshot.context.max_history_messages;
    const earlier = (this.#parts.ledger.session(session)?.turns ?? []).filter((id) => id !== turn);
    // Every turn has at least one message: more turns than messages are never needed.
    const history = limit === 'unlimited' ? earlier : earlier.slice(-(limit + 1));
    const command: CommandOf<'StartTurn'> = {
      type: 'StartTurn',
      policy,
      input,
      message,
      history,
      ...arrivedWith(begun),
      ...(begun.earlier === undefined ? {} : { earlier: begun.earlier }),
    };
    const { path, trigger } = policy.parts;
    const meta = { ...(await this.#metaBelow(begun)), path, trigger };
    await this.#dispatch(new DispatchTurn({ turn, command, meta, listening, until }));
  }

  async #resolve(
    request: ResolveRequest,
    spawn: Narrowing,
    last: Resolved | null = null,
  ): Promise<Resolved> {
    const found = await this.#records.of(request.origin, spawn);
    const applied = this.#parts.config.current();
    // resolve() is a function of these two alone: the same ones give the same policy.
    if (last?.applied === applied && isSameRows(last.found, found)) return last;
    return { applied, found, resolution: resolve(applied, request, found.records) };
  }

  #isStopped(agent: string): boolean {
    const { stopped, paused } = this.#parts.ledger.flags(agent);
    return stopped || paused;
  }

  /** Who a turn's facts are of, for one that no other turn started. */
  #meta({ request, session, turn, message }: Beginning): NewMeta {
    const { agent, principal } = request;
    const who = { agent, principal, session, turn, message, ...originPath(request.origin) };
    return metaOf(this.#parts.identity, who);
  }

  async #metaBelow(begun: Beginning | FixedTurn): Promise<NewMeta> {
    const meta = this.#meta(begun);
    if (!('parent' in begun) || begun.parent === undefined) return meta;
    const above = await this.#records.meta(begun.parent.turn);
    return above === null ? meta : metaBelow(meta, above, begun.parent);
  }

  /** A refused request never gets into a session, but it is recorded. */
  async #refuse(
    asked: TurnRequest,
    begun: Omit<Beginning | FixedTurn, 'input'>,
    resolved: Resolved,
  ): Promise<LaunchResult> {
    const input = maskedText(this.#parts, asked, { text: asked.input, formats: true });
    const command = await this.#dispatchRefusal({ ...begun, input }, resolved);
    const { code, shown: message, problems } = command;
    return { kind: 'refused', code, turn: begun.turn, message, problems };
  }

  async #dispatchRefusal(
    begun: Beginning | FixedTurn,
    { applied, found, resolution }: Resolved,
  ): Promise<CommandOf<'RefuseTurn'>> {
    const { request, turn, input, message } = begun;
    const problems = resolution.ok ? [] : resolution.problems;
    const command: CommandOf<'RefuseTurn'> = {
      type: 'RefuseTurn',
      request,
      records: found.records,
      config: { version: applied.version, digest: applied.digest },
      ...originPath(request.origin),
      input,
      message,
      problems,
      ...whyRefused(request.agent, problems),
      ...arrivedWith(begun),
    };
    const below = await this.#metaBelow(begun);
    // A request that was refused as it came in got into no session.
    const meta = message === null && !('parent' in begun) ? { ...below, session: null } : below;
    await this.#dispatch(new DispatchTurn({ turn, command, meta, listening: false, until: 'end' }));
    return command;
  }
}

interface Resolved {
  readonly applied: AppliedConfig;
  readonly found: FoundRecords;
  readonly resolution: Resolution;
}

const isSameRows = ({ rows: before }: FoundRecords, { rows }: FoundRecords): boolean =>
  before !== null &&
  rows !== null &&
  before.length === rows.length &&
  before.every((row, at) => row === rows[at]);

const requestOf = (asked: TurnRequest, session: string): ResolveRequest => ({
  agent: asked.agent,
  principal: asked.principal,
  session,
  origin: asked.origin,
  client: asked.client,
});

/** What only some paths bring along. */
const arrivedWith = (
  begun: Beginning | FixedTurn,
): { readonly replyTo?: ReplyTo; readonly call?: string } => ({
  ...(begun.replyTo === undefined ? {} : { replyTo: begun.replyTo }),
  ...('parent' in begun && begun.parent !== undefined ? { call: begun.parent.call } : {}),
});

const refusal = (
  code: Extract<LaunchResult, { kind: 'refused' }>['code'],
  message: string,
  turn: string | null,
): LaunchResult => ({ kind: 'refused', code, turn, message, problems: [] });

const sessionMisnamed = (session: string): LaunchResult => ({
  kind: 'session_refused',
  message: `\`${session}\` is no session of this agent: leave it out to open a new one`,
});

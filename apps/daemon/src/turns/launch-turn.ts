import type { CommandOf, ConnectionRecord, Content, Ledger, ReplyTo } from '@lockstep/engine';
import { utf8Bytes, inlineLimitBytes, whyRefused } from '@lockstep/engine';
import {
  digestOf,
  resolve,
  type AppliedConfig,
  type Origin,
  type Resolution,
  type ResolveRecords,
  type ResolveRequest,
} from '@lockstep/policy';
import { acceptMessage, dropMessage, lookUp } from './accept-message.ts';
import { DispatchTurn, type Dispatch } from './dispatch-turn.command.ts';
import { originPath } from './origin-path.ts';
import { SessionQueues } from './session-queues.ts';
import { metaOf } from './turn-meta.ts';
import type { TurnParts } from './turn-parts.ts';
import type { LaunchResult, TurnRequest } from './turns.port.ts';

/** A turn whose message is durable and that has not begun. */
export interface QueuedTurn {
  readonly session: string;
  readonly turn: string;
  readonly message: string;
  readonly request: ResolveRequest;
  /** Masked. */
  readonly input: string;
  readonly listening: boolean;
  readonly replyTo?: ReplyTo | undefined;
}

/** Takes requests in, and starts their turns in the order of their session. The only builder of StartTurn. */
export class LaunchTurn {
  readonly queues: SessionQueues<QueuedTurn>;
  readonly #parts: TurnParts;
  readonly #dispatch: Dispatch;
  /** The last resolution, for the usual case that a turn begins right after its message came in. */
  #last: (Resolved & { readonly request: ResolveRequest }) | null = null;
  #stopping = false;

  constructor(parts: TurnParts, dispatch: Dispatch) {
    this.#parts = parts;
    this.#dispatch = dispatch;
    this.queues = new SessionQueues((queued) => {
      this.#start(queued).catch((error: unknown) => {
        parts.report({ turn: queued.turn, error });
      });
    });
  }

  /** Takes no more requests, and begins no queued turn. */
  stop(): void {
    this.#stopping = true;
  }

  /** Takes back a turn that has not begun. False when it has, or was never accepted. */
  async drop(turn: string, by: string, why: string): Promise<boolean> {
    const queued = this.queues.remove(turn);
    if (queued === null) return false;
    const { session, message, request } = queued;
    const { agent, principal } = request;
    const who = { agent, principal, session, turn, message, ...originPath(request.origin) };
    const meta = metaOf(this.#parts.identity, who);
    const said = `cancelled by ${by}: ${why}`;
    return dropMessage(this.#parts, { session, message, why: said, meta });
  }

  async launch(asked: TurnRequest): Promise<LaunchResult> {
    if (this.#stopping) return refusal('stopped', 'the daemon is stopping: try again later', null);
    const id = idsOf(asked, this.#parts);
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
    const request: ResolveRequest = {
      agent: asked.agent,
      principal: asked.principal,
      session: id.session,
      origin: asked.origin,
      client: asked.client,
    };
    const resolved = this.#resolve(request);
    if (!resolved.resolution.ok || this.#isStopped(asked.agent))
      return this.#refuse(asked, { request, resolved, turn: id.turn });
    const { output } = resolved.resolution.policy.parts.snapshot;
    const input = this.#mask(asked, output.redact);
    const { path, trigger } = originPath(asked.origin);
    const accepted = await acceptMessage(this.#parts, {
      session: id.session,
      agent: asked.agent,
      owner: asked.owner ?? asked.principal,
      data: {
        message: id.message,
        turn: id.turn,
        text: await this.#content(input),
        idempotency,
        request: { origin: asked.origin, client: asked.client },
        ...(asked.replyTo === undefined ? {} : { replyTo: asked.replyTo }),
      },
      meta: metaOf(this.#parts.identity, {
        agent: asked.agent,
        path,
        trigger,
        principal: asked.principal,
        session: id.session,
        turn: id.turn,
        message: id.message,
      }),
    });
    if (accepted.kind === 'unavailable') return refusal('disk_full', accepted.message, null);
    if (accepted.kind !== 'accepted') return this.#known(accepted, id.session);
    const { session, turn, message } = id;
    this.#last = { ...resolved, request };
    const { listening, replyTo } = asked;
    this.queues.add({ session, turn, message, request, input, listening, replyTo });
    return { kind: 'accepted', turn, session, position: accepted.position, repeat: false };
  }

  /** A key stands for one request: with another session or agent it is another body. Ids of messages without a key are new. */
  #isKeyOfAnother(id: { readonly session: string; readonly message: string }): boolean {
    const { ledger } = this.#parts;
    return ledger
      .sessions()
      .some((one) => one.id !== id.session && ledger.message(one.id, id.message) !== null);
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
    const { request, turn, message, session, input, listening } = queued;
    const last = this.#last?.request === request ? this.#last : null;
    this.#last = null;
    const resolved = this.#resolve(request, last);
    const { resolution } = resolved;
    if (!resolution.ok || this.#isStopped(request.agent)) {
      await this.#dispatchRefusal({ request, resolved, turn, input, session, message });
      return;
    }
    const { policy } = resolution;
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
      ...(queued.replyTo === undefined ? {} : { replyTo: queued.replyTo }),
    };
    const { path, trigger } = policy.parts;
    const { agent, principal } = request;
    const meta = metaOf(this.#parts.identity, {
      agent,
      path,
      trigger,
      principal,
      session,
      turn,
      message,
    });
    await this.#dispatch(new DispatchTurn({ turn, command, meta, listening }));
  }

  #resolve(request: ResolveRequest, last: Resolved | null = null): Resolved {
    const applied = this.#parts.config.current();
    const token = tokenOf(request.origin);
    const record =
      token === null
        ? connectionOf(request.origin, this.#parts.ledger)
        : this.#parts.ledger.tokenById(token);
    // resolve() is a function of these two alone: the same ones give the same policy.
    if (last !== null && last.applied === applied && last.record === record) return last;
    const records = recordsOf(record);
    return { applied, record, records, resolution: resolve(applied, request, records) };
  }

  #isStopped(agent: string): boolean {
    const { stopped, paused } = this.#parts.ledger.flags(agent);
    return stopped || paused;
  }

  #mask(asked: TurnRequest, formats: boolean): string {
    return this.#parts.masker.mask(asked.input.toWellFormed(), { formats, agent: asked.agent })
      .text;
  }

  async #content(text: string): Promise<Content> {
    if (text.length * 3 <= inlineLimitBytes || utf8Bytes(text) <= inlineLimitBytes)
      return { inline: text };
    const { digest, bytes } = await this.#parts.artifacts.put(text);
    return { artifact: digest, bytes };
  }

  /** A refused request never gets into a session, but it is recorded. */
  async #refuse(
    asked: TurnRequest,
    found: {
      readonly request: ResolveRequest;
      readonly resolved: Resolved;
      readonly turn: string;
    },
  ): Promise<LaunchResult> {
    const input = this.#mask(asked, true);
    const command = await this.#dispatchRefusal({ ...found, input, session: null, message: null });
    return {
      kind: 'refused',
      code: command.code,
      turn: found.turn,
      message: command.shown,
      problems: command.problems,
    };
  }

  async #dispatchRefusal(refused: {
    readonly request: ResolveRequest;
    readonly resolved: Resolved;
    readonly turn: string;
    readonly input: string;
    readonly session: string | null;
    readonly message: string | null;
  }): Promise<CommandOf<'RefuseTurn'>> {
    const { request, resolved, turn, input, session, message } = refused;
    const { applied, records, resolution } = resolved;
    const { path, trigger } = originPath(request.origin);
    const problems = resolution.ok ? [] : resolution.problems;
    const command: CommandOf<'RefuseTurn'> = {
      type: 'RefuseTurn',
      request,
      records,
      config: { version: applied.version, digest: applied.digest },
      path,
      trigger,
      input,
      message,
      problems,
      ...whyRefused(request.agent, problems),
    };
    const { agent, principal } = request;
    const meta = metaOf(this.#parts.identity, {
      agent,
      path,
      trigger,
      principal,
      session,
      turn,
      message,
    });
    await this.#dispatch(new DispatchTurn({ turn, command, meta, listening: false }));
    return command;
  }
}

interface Resolved {
  readonly applied: AppliedConfig;
  readonly record: unknown;
  readonly records: ResolveRecords;
  readonly resolution: Resolution;
}

type KnownRecord = ReturnType<Ledger['tokenById']> | ConnectionRecord;

const recordsOf = (record: KnownRecord): ResolveRecords => {
  if (record === null) return {};
  const { id } = record;
  if ('narrowing' in record) return { connection: { id, narrowing: record.narrowing } };
  return { token: { id, name: record.name, roles: record.roles, scopes: record.scopes } };
};

const connectionOf = (origin: Origin, ledger: Ledger): ConnectionRecord | null =>
  'connection' in origin ? ledger.connection(origin.connection) : null;

const tokenOf = (origin: Origin): string | null => ('token' in origin ? origin.token : null);

const refusal = (
  code: Extract<LaunchResult, { kind: 'refused' }>['code'],
  message: string,
  turn: string | null,
): LaunchResult => ({ kind: 'refused', code, turn, message, problems: [] });

const sessionMisnamed = (session: string): LaunchResult => ({
  kind: 'session_refused',
  message: `\`${session}\` is no session of this agent: leave it out to open a new one`,
});

/** Ids of a request. With an idempotency key they follow from it, so that a repeat is the same message, session and turn. Null = the
 * session's name is not one of this agent's. */
const idsOf = (
  asked: TurnRequest,
  { ids }: TurnParts,
): { readonly session: string; readonly message: string; readonly turn: string } | null => {
  const key = asked.idempotency?.key;
  const made = key === undefined ? ids.next() : digestOf(['session', key]).slice(0, 32);
  const session = sessionName(asked, made);
  if (session === null) return null;
  return key === undefined
    ? { session, message: ids.next(), turn: ids.next() }
    : { session, message: key, turn: digestOf(['turn', session, key]).slice(0, 32) };
};

const sessionName = (asked: TurnRequest, made: string): string | null => {
  const prefix = `session-${asked.agent}-`;
  if (asked.session === null) return `${prefix}${made}`;
  const id = asked.session.startsWith(prefix) ? asked.session.slice(prefix.length) : asked.session;
  // A full name of somebody else's session is no new name here.
  if (id.startsWith('session-')) return null;
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id) ? `${prefix}${id}` : null;
};

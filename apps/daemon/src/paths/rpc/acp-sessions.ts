import { randomUUID } from 'node:crypto';
import { isAbsolute } from 'node:path';
import {
  methods,
  RequestError,
  type AgentContext,
  type ContentBlock,
  type LoadSessionRequest,
  type NewSessionRequest,
  type PromptRequest,
  type PromptResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { LockstepEvent } from '@lockstep/engine';
import type { Caller } from '../../access/caller.ts';
import type { DryRun } from '../../http/dry-run.ts';
import { ProblemError } from '../../http/problem.ts';
import { askedBy, type Asked } from '../shared/asked.ts';
import { Desk, type DeskParts } from '../shared/desk.ts';
import { followTurn } from '../shared/follow-turn.ts';
import { stopReasonOf } from './acp-end.ts';
import { decisionIn, permissionRequest } from './acp-permission.ts';
import { AcpUpdates, said } from './acp-updates.ts';
import { parseAcp, type PromptBlock } from './acp.path.ts';
import type { RecordedConnection } from './connection-records.ts';
import { realFolder } from './real-folder.ts';

export interface AcpSessionsParts extends DeskParts {
  readonly caller: () => Caller;
  /** Says before the first prompt whether the client's folder is inside the agent's. */
  readonly dryRun: Pick<DryRun, 'policy'>;
}

interface Opened {
  readonly agent: string;
  readonly record: RecordedConnection;
  readonly client: AgentContext;
}

interface Session {
  readonly cwd: string;
  /** The turn of the prompt that is being answered. */
  turn: string | null;
  busy: boolean;
  /** The client cancelled its prompt before the turn was there. */
  cancelled: boolean;
  /** A question that a prompt ended with: the next prompt answers it. */
  question: { readonly asked: Question; readonly position: string } | null;
}

type Question = Extract<Asked, { readonly kind: 'question' }>;
type Folders = Pick<NewSessionRequest, 'cwd' | 'mcpServers' | 'additionalDirectories'>;

/** The sessions that one client of ACP has open. */
export class AcpSessions {
  readonly #parts: AcpSessionsParts;
  readonly #opened: Opened;
  readonly #desk: Desk;
  readonly #sessions = new Map<string, Session>();
  readonly #gone = new AbortController();
  /** Updates go out in the order in which they were made. */
  #sending: Promise<void> = Promise.resolve();

  constructor(parts: AcpSessionsParts, opened: Opened) {
    this.#parts = parts;
    this.#opened = opened;
    this.#desk = new Desk(parts, parts.caller, 'acp');
  }

  close(): void {
    this.#gone.abort();
  }

  async open(params: NewSessionRequest): Promise<{ sessionId: string }> {
    const cwd = await this.#folder(params);
    const sessionId = `session-${this.#opened.agent}-${randomUUID()}`;
    this.#keep(sessionId, cwd);
    return { sessionId };
  }

  /** Takes a session up again, and tells what was said in it. */
  async load(params: LoadSessionRequest): Promise<Record<string, never>> {
    const { sessionId } = params;
    const known = this.#parts.ledger.session(sessionId);
    const { principal } = this.#parts.caller();
    const isOwn = known?.owner.kind === principal.kind && known.owner.id === principal.id;
    if (known === null || !isOwn || known.agent !== this.#opened.agent || known.closed)
      throw RequestError.sessionNotFound(sessionId);
    const cwd = await this.#folder(params);
    for (const turn of known.turns) {
      const updates = new AcpUpdates(turn, this.#parts.artifacts, true);
      for (const event of await this.#parts.store.readStream(`turn-${turn}`))
        for (const update of await updates.event(event)) this.#send(sessionId, update);
    }
    await this.#sending;
    this.#keep(sessionId, cwd);
    return {};
  }

  async prompt({ sessionId, prompt }: PromptRequest): Promise<PromptResponse> {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw RequestError.sessionNotFound(sessionId);
    if (session.busy)
      throw RequestError.invalidRequest(undefined, 'a prompt of this session is being answered');
    session.busy = true;
    session.cancelled = false;
    try {
      return await this.#answered(sessionId, session, prompt.map(blockOf));
    } finally {
      session.busy = false;
      session.turn = null;
    }
  }

  async cancel(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return;
    session.cancelled = session.busy;
    if (session.turn !== null) await this.#cancel(session.turn);
  }

  async #cancel(turn: string): Promise<void> {
    const { principal } = this.#parts.caller();
    await this.#parts.turns.cancel(turn, principal.id, 'cancelled by the client');
  }

  async #answered(
    sessionId: string,
    session: Session,
    prompt: readonly PromptBlock[],
  ): Promise<PromptResponse> {
    const { agent, record } = this.#opened;
    const { principal } = this.#parts.caller();
    const wire = { connection: record.id, principal, agent, sessionId, cwd: session.cwd, prompt };
    const request = parseAcp(wire);
    if (request.input === '')
      throw RequestError.invalidParams({ code: 'invalid_body' }, 'the prompt has no text');
    const question = session.question;
    session.question = null;
    if (question !== null && this.#parts.ledger.approval(question.asked.id)?.state === 'pending') {
      const { id, revision, turn } = question.asked;
      session.turn = turn;
      await this.#desk.answer(id, { text: request.input, revision });
      return this.#followed(sessionId, session, { turn, after: question.position });
    }
    const { turn, position } = await this.#desk.start(request);
    session.turn = turn;
    record.began(turn);
    if (session.cancelled) await this.#cancel(turn);
    return this.#followed(sessionId, session, { turn, after: position });
  }

  /** Tells of the turn until it ends or asks what only the next prompt can answer. */
  async #followed(
    sessionId: string,
    session: Session,
    from: { readonly turn: string; readonly after: string },
  ): Promise<PromptResponse> {
    const { turn, after } = from;
    const updates = new AcpUpdates(turn, this.#parts.artifacts, false);
    const enough = new AbortController();
    const signal = AbortSignal.any([enough.signal, this.#gone.signal]);
    let last: LockstepEvent | null = null;
    const options = { turn, session: sessionId, after, deltas: true, signal };
    const answer = await followTurn(this.#parts, options, (followed) => {
      if (followed.kind === 'delta') {
        this.#send(sessionId, updates.delta(followed.delta));
        return;
      }
      const { event } = followed;
      if (event.meta.turn === turn) last = event;
      this.#after(async () => {
        for (const update of await updates.event(event)) await this.#notify(sessionId, update);
        const asked = await askedBy(event, this.#parts.artifacts);
        if (asked?.kind === 'approval') void this.#ask(sessionId, asked);
        if (asked?.kind !== 'question') return;
        session.question = { asked, position: event.position };
        await this.#notify(sessionId, said('agent_message_chunk', wordsOf(asked)));
        enough.abort();
      });
    });
    await this.#sending;
    if (session.question !== null) return { stopReason: 'end_turn' };
    if (answer === null) throw new ProblemError('internal', `the turn \`${turn}\` is lost`);
    return { stopReason: stopReasonOf(answer, last), _meta: { lockstep: { turn } } };
  }

  /** Asks the client. No answer, a late one and a broken one decide nothing: the request stays with the others that wait. */
  async #ask(
    sessionId: string,
    asked: Extract<Asked, { readonly kind: 'approval' }>,
  ): Promise<void> {
    const request = permissionRequest(sessionId, asked);
    try {
      const answer = await this.#opened.client.request(
        methods.client.session.requestPermission,
        request,
      );
      const decision = decisionIn(answer, request, asked);
      if (decision !== null) await this.#desk.decide(asked.id, decision);
    } catch (thrown) {
      if (this.#gone.signal.aborted) return;
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      const words = `\nThe call of ${asked.tool} still waits (${why}): lockstep approvals show ${asked.id}\n`;
      this.#send(sessionId, said('agent_message_chunk', words));
    }
  }

  /** The client's own servers and folders would widen what the agent has. */
  async #folder({ cwd, mcpServers, additionalDirectories }: Folders): Promise<string> {
    if (mcpServers.length > 0)
      throw RequestError.invalidParams(
        { code: 'forbidden' },
        'tool servers of the client are not taken: an agent has those of its config',
      );
    if ((additionalDirectories ?? []).length > 0)
      throw RequestError.invalidParams(
        { code: 'forbidden' },
        'further folders of the client are not taken: an agent has those of its config',
      );
    if (!isAbsolute(cwd))
      throw RequestError.invalidParams({ code: 'invalid_body' }, '`cwd` must be absolute');
    const folder = await realFolder(cwd);
    const client = { 'workspace.root': folder };
    const way = { trigger: 'acp' as const, client };
    const resolved = this.#parts.dryRun.policy(this.#opened.agent, way, this.#parts.caller());
    const outside = resolved.ok
      ? undefined
      : resolved.problems.find(({ code }) => code === 'widening_refused');
    if (outside !== undefined)
      throw RequestError.invalidParams(
        { code: 'forbidden' },
        `\`${cwd}\` is not inside the workspace of \`${this.#opened.agent}\`: open a folder there`,
      );
    return folder;
  }

  #keep(sessionId: string, cwd: string): void {
    this.#sessions.set(sessionId, {
      cwd,
      turn: null,
      busy: false,
      cancelled: false,
      question: null,
    });
  }

  #send(sessionId: string, update: SessionUpdate): void {
    this.#after(() => this.#notify(sessionId, update));
  }

  #after(work: () => Promise<void>): void {
    this.#sending = this.#sending.then(work).catch(() => undefined);
  }

  async #notify(sessionId: string, update: SessionUpdate): Promise<void> {
    if (this.#gone.signal.aborted) return;
    await this.#opened.client.notify(methods.client.session.update, { sessionId, update });
  }
}

/** @throws RequestError for what is no text */
const blockOf = (block: ContentBlock): PromptBlock => {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'resource_link')
    return { type: 'resource_link', name: block.name, uri: block.uri };
  throw RequestError.invalidParams(
    { code: 'invalid_body' },
    `a block of type \`${block.type}\` is not taken: send text`,
  );
};

const wordsOf = ({ text, choices }: Question): string =>
  `\n${text}\n${choices.map((choice) => `- ${choice}\n`).join('')}`;

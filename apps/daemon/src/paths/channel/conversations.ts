import type { DecidedBy } from '@lockstep/engine';
import { channelOf } from '@lockstep/policy';
import type { DecisionResult } from '../../turns/turns.port.ts';
import type { ChannelMessage } from './channel-message.ts';
import type { ChannelParts } from './channel-parts.ts';
import type { Received } from './channel.port.ts';
import type { ChatCommand } from './commands.ts';
import type { Asked } from './asked.ts';
import type { Question } from './questions.ts';
import { peerOf } from './turn-request.ts';

type Decision = Extract<ChatCommand, { readonly code: string }>;

/** Does what people of a conversation say beside their messages to the agent. */
export class Conversations {
  readonly #parts: ChannelParts;
  readonly #asked: Asked;

  constructor(parts: ChannelParts, asked: Asked) {
    this.#parts = parts;
    this.#asked = asked;
  }

  async command(message: ChannelMessage, command: ChatCommand, session: string): Promise<Received> {
    switch (command.kind) {
      case 'stop':
        return said(await this.#stop(message, session));
      case 'status':
        return said(await this.#status(message, session));
      case 'approve':
      case 'deny':
      case 'answer':
      case 'choose':
        return said(await this.#decide(message, command));
    }
  }

  async #stop({ binding, sender }: ChannelMessage, session: string): Promise<string> {
    const turn = this.#running(session);
    if (turn === null) return 'nothing is running here';
    const by = `${binding}/${sender}`;
    const cancelled = await this.#parts.turns.cancel(turn, by, 'stopped in the conversation');
    return cancelled === 'requested' ? 'stopping' : 'nothing is running here';
  }

  async #status(message: ChannelMessage, session: string): Promise<string> {
    const { ledger, turns } = this.#parts;
    const turn = this.#running(session);
    const queued = ledger.waitingMessages().filter((one) => one.session === session).length;
    const open = this.#asked.in(message).map(({ code }) => code);
    const status = turn === null ? null : (await turns.answer(turn))?.status;
    return [
      status ?? 'idle',
      ...(queued === 0 ? [] : [`${queued} waiting in line`]),
      ...(open.length === 0 ? [] : [`open requests: ${open.join(', ')}`]),
    ].join('; ');
  }

  #running(session: string): string | null {
    const { ledger } = this.#parts;
    const turns = ledger.session(session)?.turns ?? [];
    const open = new Set(ledger.openTurns().map(({ turn }) => turn));
    return turns.findLast((turn) => open.has(turn)) ?? null;
  }

  async #decide(message: ChannelMessage, command: Decision): Promise<string> {
    const question = this.#asked.find(message, command.code);
    const none = `no request \`${command.code.slice(0, 20)}\` is open in this conversation`;
    if (question === null) return none;
    const by = this.#decider(message);
    if (question.kind === 'question') return this.#answer(question, command, by);
    if (command.kind === 'answer' || command.kind === 'choose')
      return `\`${question.code}\` is an approval: use /approve or /deny`;
    const barred = await this.#bar(message, question);
    if (barred !== null) return barred;
    const deny = command.kind === 'deny';
    const decided = await this.#parts.turns.decide(
      question.id,
      {
        choice: deny ? 'deny' : 'once',
        scope: null,
        guidance: command.kind === 'deny' ? command.guidance : null,
        revision: question.revision,
        shown: question.shown,
        ...(this.#asked.isCut(question) ? { cut: ['view'] } : {}),
      },
      by,
    );
    return outcome(decided, { done: deny ? 'denied' : 'approved', none });
  }

  async #answer(question: Question, command: Decision, by: DecidedBy): Promise<string> {
    const text = answerText(question, command);
    if (text === null)
      return `\`${question.code}\` is a question: use /answer ${question.code} <text>`;
    const given = { text, revision: question.revision };
    const decided = await this.#parts.turns.answerQuestion(question.id, given, by);
    return outcome(decided, { done: 'answered', none: 'the question is no longer open' });
  }

  #decider(message: ChannelMessage): DecidedBy {
    const { binding, conversation, sender } = message;
    return {
      principal: `${binding}/${sender}`,
      person: peerOf(message, this.#parts.config.current().config).person,
      surface: 'channel',
      where: `${binding}/${conversation}`,
    };
  }

  /** A channel whose sender anybody with its key can write down decides nothing, unless config says that it may. */
  async #bar({ binding, sender }: ChannelMessage, { id }: Question): Promise<string | null> {
    const channel = channelOf(this.#parts.config.current().config, binding);
    if (channel === null || !('sender_may_approve' in channel)) return null;
    if (channel.sender_may_approve) return null;
    const why = 'approvals cannot be answered on this channel';
    const data = { principal: `${binding}/${sender}`, action: `decide ${id}`, why, count: 1 };
    await this.#parts.recorder.record('access', [{ type: 'AccessDenied', data }], {
      principal: { kind: 'peer', id: data.principal, person: null },
    });
    return why;
  }
}

const said = (text: string): Received => ({ kind: 'command', text });

const answerText = (question: Question, command: Decision): string | null => {
  switch (command.kind) {
    case 'answer':
      return command.text;
    case 'choose':
      return question.choices[command.choice - 1] ?? null;
    case 'approve':
    case 'deny':
      return null;
  }
};

/** What the person is told. */
const outcome = (
  result: DecisionResult,
  say: { readonly done: string; readonly none: string },
): string => {
  switch (result.kind) {
    case 'decided':
      return result.votes === undefined || result.votes.given >= result.votes.required
        ? say.done
        : `your vote counts: ${result.votes.given} of ${result.votes.required}`;
    case 'repeat':
      return `${say.done} already`;
    case 'already_decided':
      return `it was decided before: ${result.how}${result.by === null ? '' : ` by ${result.by.person ?? result.by.principal}`}`;
    case 'stale_revision':
      return 'the request has changed since it was shown';
    case 'forbidden':
    case 'invalid':
      return result.message;
    case 'not_found':
      return say.none;
  }
};

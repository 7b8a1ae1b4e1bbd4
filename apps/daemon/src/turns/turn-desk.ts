import {
  askUser,
  decide,
  promisedGrants,
  type CommandOf,
  type Decision,
  type EventOf,
  type LockstepEvent,
  type ModelInput,
  type OpenTurn,
  type PreparedCall,
  type TurnCommand,
} from '@lockstep/engine';
import { issueGrant } from './issue-grant.ts';
import { performModel, performTool } from './perform.ts';
import type { RunnerParts } from './runner-parts.ts';
import type { TurnLog } from './turn-log.ts';

type Outcome = CommandOf<'EndToolCall'> | CommandOf<'EndModelCall'>;

/** Where one turn's facts are decided on and recorded, and its effects begin: only here, and only from an acknowledged intent. */
export class TurnDesk {
  readonly log: TurnLog;
  /** What the model is sent next: set before its call is begun. */
  input: ModelInput | null = null;
  readonly #parts: RunnerParts;
  readonly #onOutcome: (outcome: Outcome) => void;
  readonly #prepared = new Map<string, PreparedCall>();
  readonly #running = new Map<string, AbortController>();

  /** @param onOutcome told of every effect that came to its end */
  constructor(parts: RunnerParts, log: TurnLog, onOutcome: (outcome: Outcome) => void) {
    this.#parts = parts;
    this.log = log;
    this.#onOutcome = onOutcome;
  }

  /** Whether nothing is at work. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** A call as it was looked at: what its intent starts. */
  prepare(call: PreparedCall): void {
    this.#prepared.set(call.call.call, call);
  }

  decide(command: TurnCommand): Decision {
    const decision = decide(command, this.log.state);
    if (decision.kind === 'record') this.log.add(decision.facts);
    return decision;
  }

  /** Records what was decided, then starts the effects whose intents were acknowledged. */
  async flush(): Promise<void> {
    const events = await this.log.flush();
    const { state } = this.log;
    if (state.status !== 'open') {
      for (const controller of this.#running.values()) controller.abort();
      return;
    }
    for (const event of events) this.#start(state, event);
    if (events.some((event) => event.type === 'ApprovalGranted')) await this.issueGrants(state);
  }

  async issueGrants(state: OpenTurn): Promise<void> {
    for (const call of promisedGrants(state))
      await issueGrant(this.#parts.store, state, { call, meta: this.log.meta });
  }

  #start(state: OpenTurn, event: LockstepEvent): void {
    if (event.type === 'ModelCallStarted') this.#startModel(state, event);
    if (event.type === 'ToolCallStarted' && event.data.tool !== askUser)
      this.#startTool(state, event);
  }

  #startModel(state: OpenTurn, event: EventOf<'ModelCallStarted'>): void {
    if (this.input === null) return;
    const controller = new AbortController();
    const work = { event, input: this.input, controller };
    this.#await('model', controller, performModel(this.#parts, state, work));
  }

  #startTool(state: OpenTurn, event: EventOf<'ToolCallStarted'>): void {
    const call = this.#prepared.get(event.data.call)?.call;
    if (call?.spec == null) return;
    const controller = new AbortController();
    const args = call.args.ok ? call.args.value : null;
    const work = { event, spec: call.spec, args, controller };
    this.#await(event.data.call, controller, performTool(this.#parts, state, work));
  }

  #await(key: string, controller: AbortController, outcome: Promise<Outcome>): void {
    this.#running.set(key, controller);
    void outcome.then((command) => {
      this.#running.delete(key);
      this.#onOutcome(command);
    });
  }
}

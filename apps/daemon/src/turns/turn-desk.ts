import {
  askUser,
  childTools,
  decide,
  emergencyStop,
  promisedGrants,
  type CommandOf,
  type Decision,
  type EventOf,
  type GateCall,
  type LockstepEvent,
  type ModelInput,
  type OpenTurn,
  type PreparedCall,
  type TurnCommand,
  type TurnState,
} from '@lockstep/engine';
import { issueGrant } from './issue-grant.ts';
import { performModel, performTool } from './perform.ts';
import type { RunnerParts } from './runner-parts.ts';
import type { TurnLog } from './turn-log.ts';
import { flagsOf } from './turn-prepare.ts';

interface AtWork {
  readonly controller: AbortController;
  /** It waits for turns below this one. */
  readonly isBelow: boolean;
}

export interface DeskListener {
  /** An effect came to its end. */
  readonly outcome: (outcome: Outcome) => void;
  /** The turn is about to end without its word; resolves when nothing below it goes on. */
  readonly stopping: (why: string) => Promise<void>;
}

/** Why a turn that has ended comes to no reply; null = it is open, or has one. */
const whyStopped = (state: TurnState): string | null => {
  if (state.status !== 'ended' || state.end === 'completed' || state.before === null) return null;
  return state.reason ?? state.end;
};

type Outcome = CommandOf<'EndToolCall'> | CommandOf<'EndModelCall'>;

/** Where one turn's facts are decided on and recorded, and its effects begin: only here, and only from an acknowledged intent. */
export class TurnDesk {
  readonly log: TurnLog;
  /** What the model is sent next: set before its call is begun. */
  input: ModelInput | null = null;
  readonly #parts: RunnerParts;
  readonly #on: DeskListener;
  readonly #prepared = new Map<string, PreparedCall>();
  readonly #running = new Map<string, AtWork>();

  constructor(parts: RunnerParts, log: TurnLog, on: DeskListener) {
    this.#parts = parts;
    this.log = log;
    this.#on = on;
  }

  /** Whether nothing is at work but turns below this one, which stand for themselves. */
  get isIdle(): boolean {
    return [...this.#running.values()].every(({ isBelow }) => isBelow);
  }

  /** A call as it was looked at: what its intent starts. */
  prepare(call: PreparedCall): void {
    this.#prepared.set(call.call.call, call);
  }

  /** What is read of the world beside the command is read here, in the same moment: stops, pauses and what is left of shared caps. */
  decide(command: TurnCommand): Decision {
    const { log } = this;
    const { state } = log;
    const decision = decide(state.status === 'open' ? this.#told(command, state) : command, state);
    if (decision.kind === 'record') {
      log.add(decision.facts);
      this.#parts.spending.hold(log.meta.turn ?? '', log.meta, decision.facts);
    }
    return decision;
  }

  /** The turn's cancellation, where an emergency stop reaches it; null = none does. */
  stopped(): TurnCommand | null {
    const { state } = this.log;
    if (state.status !== 'open') return null;
    const { stopped: stop } = this.#parts.ledger.flagsOf(state.turn, state.policy.agent);
    if (stop === null) return null;
    const why = `stopped by ${stop.by}: ${stop.why}`;
    return { type: 'Cancel', now: this.#parts.clock.now(), by: emergencyStop, why };
  }

  /** Whether the agent is paused: then nothing is begun. */
  get isPaused(): boolean {
    return this.#parts.ledger.flags(this.log.meta.agent ?? '').paused;
  }

  /** Cancels what runs, without waiting for the word that ends the turn. */
  abort(): void {
    for (const { controller } of this.#running.values()) controller.abort();
  }

  #told(command: TurnCommand, state: OpenTurn): TurnCommand {
    if (command.type !== 'BeginModelCall' && command.type !== 'JudgeCalls') return command;
    const stop = this.stopped();
    if (stop !== null) return stop;
    const outside = this.#parts.spending.outside(state, this.log.meta);
    if (command.type === 'BeginModelCall') return { ...command, outside };
    const flags = flagsOf(state, this.#parts);
    const calls = command.calls.map((one) => ({ ...one, facts: { ...one.facts, ...flags } }));
    return { ...command, outside, calls };
  }

  /** Records what was decided, then starts the effects whose intents were acknowledged. What hangs below a turn that is stopped is
   * stopped before it. */
  async flush(): Promise<void> {
    const why = whyStopped(this.log.state);
    if (why !== null && !this.log.isClean) await this.#on.stopping(why);
    const events = await this.#record();
    const { state } = this.log;
    if (state.status !== 'open') {
      for (const { controller } of this.#running.values()) controller.abort();
      return;
    }
    // INVARIANT: no effect begins whose intent stands after the stop that reaches it, though it was decided on before.
    if (this.stopped() !== null) return;
    for (const event of events) this.#start(state, event);
    if (events.some((event) => event.type === 'ApprovalGranted')) await this.issueGrants(state);
  }

  async #record(): Promise<readonly LockstepEvent[]> {
    try {
      return await this.log.flush();
    } finally {
      this.#parts.spending.release(this.log.meta.turn ?? '');
    }
  }

  async issueGrants(state: OpenTurn): Promise<void> {
    for (const call of promisedGrants(state))
      await issueGrant(this.#parts.store, state, { call, meta: this.log.meta });
  }

  /** Waits again for the turns that a call of an earlier run of the daemon started. */
  takeUp(state: OpenTurn, event: EventOf<'ToolCallStarted'>, call: GateCall): void {
    this.#startTool(state, event, call);
  }

  /** Waits no longer for turns below this one. They go on. */
  leave(): void {
    for (const { controller, isBelow } of this.#running.values()) if (isBelow) controller.abort();
  }

  #start(state: OpenTurn, event: LockstepEvent): void {
    if (event.type === 'ModelCallStarted') this.#startModel(state, event);
    if (event.type !== 'ToolCallStarted' || event.data.tool === askUser) return;
    const call = this.#prepared.get(event.data.call)?.call;
    if (call !== undefined) this.#startTool(state, event, call);
  }

  #startModel(state: OpenTurn, event: EventOf<'ModelCallStarted'>): void {
    if (this.input === null) return;
    const controller = new AbortController();
    const work = { event, input: this.input, controller };
    this.#await('model', { controller, isBelow: false }, performModel(this.#parts, state, work));
  }

  #startTool(state: OpenTurn, event: EventOf<'ToolCallStarted'>, call: GateCall): void {
    if (call.spec === null) return;
    const controller = new AbortController();
    const args = call.args.ok ? call.args.value : null;
    const work = { event, spec: call.spec, args, controller };
    const isBelow = childTools.has(event.data.tool);
    this.#await(event.data.call, { controller, isBelow }, performTool(this.#parts, state, work));
  }

  #await(key: string, work: AtWork, outcome: Promise<Outcome>): void {
    this.#running.set(key, work);
    void outcome.then((command) => {
      this.#running.delete(key);
      this.#on.outcome(command);
    });
  }
}

import {
  currentStep,
  expiryAt,
  nextSopEffect,
  type EndedSop,
  type NewMeta,
  type OpenSop,
  type RunningStep,
  type SopCommand,
  type SopEffect,
} from '@lockstep/engine';
import type { LaunchResult } from '../../turns/turns.port.ts';
import { gateApproval, gateFacts } from './gate-facts.ts';
import type { SopLog, SopPosted } from './sop-log.ts';
import type { SopParts } from './sop-parts.ts';
import { parseStep } from './step.path.ts';

interface Cancelling {
  readonly by: string;
  readonly why: string;
}

/** One run under way: asks what comes next, does it, records it, and asks again. */
export class RunningSop {
  readonly log: SopLog;
  readonly #parts: SopParts;
  readonly #startedAt: number;
  readonly #stopping: AbortSignal;
  #cancelling: Cancelling | null = null;
  /** The step's turn was asked for: it can be cancelled. */
  #launched: string | null = null;
  #wake: () => void = () => undefined;
  /** Something changed since the last look at a gate. */
  #changed = false;

  /** @param options.startedAt when the daemon started, in ms since the epoch */
  constructor(
    parts: SopParts,
    log: SopLog,
    options: { readonly startedAt: number; readonly stopping: AbortSignal },
  ) {
    this.#parts = parts;
    this.log = log;
    this.#startedAt = options.startedAt;
    this.#stopping = options.stopping;
  }

  /** Resolves with the end, or with null when the daemon stops before. */
  async work(): Promise<EndedSop | null> {
    const stop = (): void => {
      this.#wake();
    };
    this.#stopping.addEventListener('abort', stop);
    try {
      while (!this.#stopping.aborted) {
        const { state } = this.log;
        if (state.status === 'ended') return state;
        if (!(await this.#step())) await this.#pause(this.#parts.clock.now() + retryMs);
      }
      return null;
    } finally {
      // The daemon lives longer than its runs.
      this.#stopping.removeEventListener('abort', stop);
    }
  }

  /** Takes a command from outside the loop, as a person's decision, and goes on. */
  async post(command: SopCommand, meta?: NewMeta): Promise<SopPosted> {
    const posted = await this.log.post(command, meta);
    this.#wake();
    return posted;
  }

  /** Config or a stop has changed: what waits is looked at again. */
  look(): void {
    this.#changed = true;
    this.#wake();
  }

  /** Ends the run as soon as it can: a running step first. */
  async cancel(by: string, why: string): Promise<void> {
    this.#cancelling ??= { by, why };
    if (this.#launched !== null) await this.#parts.turns.cancel(this.#launched, by, why);
    this.#wake();
  }

  /** Does the next thing. False when the log took nothing: it is tried again in a while. */
  async #step(): Promise<boolean> {
    const { state } = this.log;
    const cancelling = this.#cancelling;
    if (cancelling !== null && state.status === 'open' && state.running === null)
      return this.#record({ type: 'CancelRun', ...cancelling });
    const effect = nextSopEffect(state);
    switch (effect.kind) {
      case 'none':
        return true;
      case 'give-up':
        return this.#record({ type: 'RefuseRun', message: effect.message });
      case 'open-gate': {
        if (state.status !== 'open') return true;
        const facts = await gateFacts(this.#parts, state, effect);
        const recorded = await this.#record(
          facts.ok ? facts.command : { type: 'RefuseRun', message: facts.message },
        );
        if (recorded && state.parent !== null) this.#parts.turns.askedBelow(state.parent.turn);
        return recorded;
      }
      case 'wait-gate':
        return this.#waitAtGate(effect);
      case 'begin-step':
        return this.#record({ type: 'BeginStep' });
      case 'run-step':
        return this.#runStep(effect.running);
    }
  }

  /** Looks whether a person may still let the step begin, then waits for one. */
  async #waitAtGate({ gate, deadline }: WaitGate): Promise<boolean> {
    const { state } = this.log;
    const step = state.status === 'open' ? currentStep(state) : null;
    if (state.status !== 'open' || step === null) return true;
    this.#changed = false;
    if (this.#parts.ledger.flags(step.agent).stopped) {
      const why = `agent \`${step.agent}\` was stopped`;
      return this.#record({ type: 'CloseGate', gate, code: 'stopped', why });
    }
    const judged = await gateApproval(this.#parts, state, step);
    if (!judged.ok)
      return this.#record({ type: 'CloseGate', gate, code: 'refused', why: judged.message });
    const at = deadline === 'never' ? null : expiryAt(deadline, this.#startedAt);
    const now = this.#parts.clock.now();
    if (this.#hasChanged()) return true;
    if (at === null || at > now) {
      await this.#pause(at);
      return true;
    }
    return this.#record({ type: 'ExpireGate', now, startedAt: this.#startedAt });
  }

  /** Whether flags or config changed since the gate was looked at. */
  #hasChanged(): boolean {
    return this.#changed;
  }

  /** Starts the turn of a step under its fixed id, or goes on with it, and records its end. */
  async #runStep(running: RunningStep): Promise<boolean> {
    const { state } = this.log;
    if (state.status !== 'open') return true;
    const { step, agent, turn } = running;
    const prompt = 'inline' in running.prompt ? running.prompt.inline : '';
    const { run, by, parent } = state;
    const request = parseStep({ run, step, agent, prompt, turn, by, parent });
    const launched = await this.#parts.turns.launch(request);
    if (launched.kind !== 'accepted') return this.#notBegun(launched, { turn, parent });
    if (parent !== null) {
      const child = { call: parent.call, turn, agent, background: false };
      await this.#parts.turns.link(parent.turn, child);
    }
    return this.#awaitStep(turn);
  }

  /** The turn of a step did not begin: it begins later, or the step ends so. */
  #notBegun(
    launched: Exclude<LaunchResult, { kind: 'accepted' }>,
    { turn, parent }: { readonly turn: string; readonly parent: OpenSop['parent'] },
  ): Promise<boolean> {
    const end = { ...endOfStep, turn };
    if (launched.kind !== 'refused') {
      const why = 'the turn of the step could not be started';
      return this.#record({ ...end, outcome: 'refused', why });
    }
    const { code, message: why } = launched;
    if (this.#stopping.aborted) return Promise.resolve(true);
    if (launched.turn !== null) {
      const stopped = code === 'stopped';
      return this.#record({ ...end, outcome: 'refused', why, stopped });
    }
    // The log takes nothing.
    if (code === 'disk_full' || parent === null) return Promise.resolve(false);
    return this.#record({ ...end, outcome: 'cancelled', why, by: parent.turn });
  }

  async #awaitStep(turn: string): Promise<boolean> {
    this.#launched = turn;
    const before = this.#cancelling;
    if (before !== null) await this.#parts.turns.cancel(turn, before.by, before.why);
    const answer = await this.#parts.turns.ended(turn, this.#stopping);
    if (this.#stopping.aborted || answer === null) return true;
    const { status: outcome, reply, reason } = answer;
    if (outcome === 'queued' || outcome === 'running' || outcome === 'waiting') return false;
    this.#launched = null;
    return this.#record({
      ...endOfStep,
      turn,
      outcome,
      reply: reply ?? '',
      why: outcome === 'completed' ? null : reason,
      by: outcome === 'cancelled' ? (this.#cancelling?.by ?? null) : null,
    });
  }

  async #record(command: SopCommand): Promise<boolean> {
    const posted = await this.log.post(command);
    return posted.kind === 'recorded' || posted.kind === 'nothing';
  }

  /** Until a time, or until something comes from outside. */
  #pause(until: number | null): Promise<void> {
    return new Promise((resolve) => {
      let takeBack = (): void => undefined;
      const done = (): void => {
        takeBack();
        resolve();
      };
      this.#wake = done;
      if (until !== null) takeBack = this.#parts.alarms.at(until, done);
      if (this.#stopping.aborted) done();
    });
  }
}

type WaitGate = Extract<SopEffect, { kind: 'wait-gate' }>;

const retryMs = 5_000;

const endOfStep = { type: 'EndStep', reply: '', by: null, stopped: false } as const;

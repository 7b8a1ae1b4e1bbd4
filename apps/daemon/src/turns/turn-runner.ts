import {
  decide,
  nextEffect,
  timeCaps,
  type Decision,
  type OpenTurn,
  type PreparedCall,
  type TurnCommand,
  type TurnEffect,
  type TurnState,
} from '@lockstep/engine';
import type { Posted, RunnerParts } from './runner-parts.ts';
import { TurnDesk } from './turn-desk.ts';
import { isHalt, type TurnLog } from './turn-log.ts';
import { TurnSteps } from './turn-steps.ts';
import { wakeTimes } from './wake-times.ts';

export interface RunnerOptions {
  /** Somebody waits for text while it is made. */
  readonly listening: boolean;
  /** Called whenever the turn has come to rest: it waits for people, has ended, or has halted. */
  readonly onRest: (runner: TurnRunner) => void;
  /** Stops all that hangs below the turn, before it ends without its word. */
  readonly stopBelow: (why: string) => Promise<void>;
  /** Ends a turn above whose active time is up. False = it runs no more. */
  readonly timeUp: (turn: string) => boolean;
  /** Whether the turns that it waits for wait for people themselves. */
  readonly isWaiting: (runner: TurnRunner) => boolean;
}

/** A new turn, one that an earlier run of the daemon left, or one of those whose parent was stopped meanwhile. */
export type RunMode = 'new' | 'recovered' | 'stopped';

interface Item {
  readonly command: TurnCommand | 'check-config' | 'check-flags' | 'check-time';
  readonly done: ((posted: Posted) => void) | null;
}

/** What a paused agent does not begin. */
const begins: ReadonlySet<TurnEffect['kind']> = new Set<TurnEffect['kind']>([
  'recall-memory',
  'call-model',
  'retry-model',
  'judge-calls',
]);

/** Pause before a turn above is told once more that its time is up. */
const tellAgainMs = 1_000;

/** How often a turn that the disk holds up looks again. */
const lookMs = 2_000;

/** Runs one turn: the only loop that performs effects. Commands are decided on one after the other; every intent is durable
 * before its effect starts. */
export class TurnRunner {
  readonly log: TurnLog;
  readonly #parts: RunnerParts;
  readonly #options: RunnerOptions;
  readonly #inbox: Item[] = [];
  readonly #desk: TurnDesk;
  readonly #steps: TurnSteps;
  /** A turn above was told that its time is up, and gets until then to end. */
  #toldUntil = 0;
  /** The time for which the alarm was set that ended the last sleep; 0 = something else did. */
  #passed = 0;
  #wake: (() => void) | null = null;
  #draining = false;
  #rest: 'working' | 'waiting' | 'ended' | 'halted' = 'working';

  constructor(parts: RunnerParts, log: TurnLog, options: RunnerOptions) {
    this.#parts = parts;
    this.log = log;
    this.#options = options;
    this.#desk = new TurnDesk(parts, log, {
      outcome: (command) => {
        this.#push({ command, done: null });
      },
      stopping: options.stopBelow,
    });
    this.#steps = new TurnSteps(parts, this.#desk, options.listening);
  }

  get rest(): 'working' | 'waiting' | 'ended' | 'halted' {
    return this.#rest;
  }

  get state(): TurnState {
    return this.log.state;
  }

  /** Sends a command; resolves when what follows from it is durable. */
  post(command: TurnCommand): Promise<Posted> {
    if (this.#rest === 'halted') return Promise.resolve({ kind: 'halted' });
    return new Promise((resolve) => {
      this.#push({ command, done: resolve });
    });
  }

  /** The turn that started this one was stopped. */
  stop(): Promise<Posted> {
    return this.post(this.#stopped());
  }

  /** A newer config is in force. */
  checkConfig(): void {
    this.#push({ command: 'check-config', done: null });
  }

  /** A stop or a pause was set or taken back. What a stop reaches ends at once, whatever else this turn is about. */
  checkFlags(): void {
    if (this.#desk.stopped() !== null) this.#desk.abort();
    this.#push({ command: 'check-flags', done: null });
  }

  /** The active time of this turn and those below it is up. */
  checkTime(): void {
    this.#push({ command: 'check-time', done: null });
  }

  /** A call that waits for a person, as it would be with other arguments; null = no such call waits. */
  lookAt(call: string, args: string): Promise<PreparedCall | null> {
    return this.#steps.lookAt(call, args);
  }

  /** Begins nothing more; what runs is awaited. The turn is taken up at the next start. */
  drain(): void {
    this.#draining = true;
    this.#wake?.();
  }

  /** Runs until the turn has ended or the log takes no more. Never rejects. */
  async run(mode: RunMode): Promise<void> {
    try {
      if (mode === 'recovered') await this.#steps.recover();
      if (mode === 'stopped') this.#desk.decide(this.#stopped());
      await this.#loop();
      this.#settle(this.state.status === 'ended' ? 'ended' : 'halted');
    } catch (error) {
      if (!isHalt(error)) await this.#fail(error);
      this.#settle(this.state.status === 'ended' ? 'ended' : 'halted');
    }
  }

  /** A mistake of ours must not hold the session for ever. */
  async #fail(error: unknown): Promise<void> {
    this.#parts.report({ turn: this.#turn, error });
    try {
      const message = 'an internal error ended the turn';
      this.#desk.decide({ type: 'Fail', now: this.#parts.clock.now(), message });
      await this.#desk.flush();
    } catch {
      // The log takes nothing either: the next start takes the turn up.
    }
  }

  #stopped(): TurnCommand {
    const why = 'the turn that started it was stopped';
    const by = `turn:${this.log.meta.parent ?? ''}`;
    return { type: 'Cancel', now: this.#parts.clock.now(), by, why };
  }

  get #turn(): string {
    return this.log.meta.turn ?? '';
  }

  async #loop(): Promise<void> {
    for (;;) {
      await this.#takeInbox();
      const stopped = this.#desk.stopped();
      if (stopped !== null) this.#desk.decide(stopped);
      const { state } = this.log;
      const effect = nextEffect(state);
      if (state.status === 'open' && (await this.#act(state, effect))) continue;
      await this.#desk.flush();
      if (this.log.state.status !== 'open') return;
      if (this.#inbox.length > 0) continue;
      if (this.#draining && this.#desk.isIdle) return;
      const waits = effect.kind === 'wait' || this.#options.isWaiting(this);
      this.#rest = waits ? 'waiting' : 'working';
      if (this.#rest === 'waiting') this.#options.onRest(this);
      await this.#sleep(this.log.state, effect);
      this.#rest = 'working';
    }
  }

  /** Does what is due. False when there is nothing to do but to wait. */
  async #act(state: OpenTurn, effect: TurnEffect): Promise<boolean> {
    if (begins.has(effect.kind) && (this.#desk.isPaused || this.#draining || this.#isFull()))
      return false;
    switch (effect.kind) {
      case 'recall-memory':
        return this.#steps.recall();
      case 'call-model':
        return this.#steps.callModel(effect.final);
      case 'retry-model':
        return (
          Math.max(this.#parts.clock.now(), this.#passed) >= effect.at &&
          this.#steps.callModel(effect.final)
        );
      case 'judge-calls':
        return this.#steps.judge(state, effect.calls);
      case 'finish':
        this.#desk.decide({ type: 'Finish', now: this.#parts.clock.now() });
        return true;
      case 'await-model':
      case 'await-tools':
      case 'wait':
      case 'none':
        return false;
    }
  }

  /** The disk is too full for a further step. */
  #isFull(): boolean {
    return (this.#parts.intake?.('step') ?? null) !== null;
  }

  async #takeInbox(): Promise<void> {
    for (let item = this.#inbox.shift(); item !== undefined; item = this.#inbox.shift()) {
      if (item.command === 'check-flags') {
        const stopped = this.#desk.stopped();
        if (stopped !== null) this.#desk.decide(stopped);
        continue;
      }
      if (item.command === 'check-time') {
        this.#timeOut(this.#parts.clock.now());
        continue;
      }
      if (item.command === 'check-config') {
        await this.#steps.narrow();
        continue;
      }
      await this.#take(item.command, item.done);
    }
  }

  async #take(command: TurnCommand, done: Item['done']): Promise<void> {
    const decision = this.#desk.decide(command);
    if (done === null) return;
    try {
      if (decision.kind === 'record') await this.#desk.flush();
      done(this.#posted(decision));
    } catch (error) {
      done({ kind: 'halted' });
      throw error;
    }
  }

  #posted(decision: Decision): Posted {
    switch (decision.kind) {
      case 'record':
        return { kind: 'recorded', position: this.log.position };
      case 'nothing':
        return { kind: 'nothing' };
      case 'refuse':
        return { kind: 'refused', ...decision.refusal };
    }
  }

  #push(item: Item): void {
    this.#inbox.push(item);
    this.#wake?.();
  }

  /** Waits for the inbox, or for the nearest of: a deadline, the next try of a model call, the end of active time. */
  async #sleep(state: OpenTurn, effect: TurnEffect): Promise<void> {
    const times = this.#parts.spending.times(state, this.log.meta);
    const { expiry, timeout, retry } = wakeTimes(state, effect, { ...this.#parts, times });
    const look =
      begins.has(effect.kind) && this.#isFull() ? this.#parts.clock.now() + lookMs : Infinity;
    const until = Math.min(expiry, Math.max(timeout, this.#toldUntil), retry, look);
    let stop = (): void => undefined;
    const rang = await new Promise<boolean>((resolve) => {
      this.#wake = () => {
        resolve(false);
      };
      if (until !== Infinity)
        stop = this.#parts.alarms.at(until, () => {
          resolve(true);
        });
    });
    this.#wake = null;
    stop();
    // The time has passed, whatever a clock says that was put back meanwhile.
    this.#passed = rang ? until : 0;
    const now = Math.max(this.#parts.clock.now(), rang ? until : 0);
    if (now >= expiry)
      this.#desk.decide({ type: 'ExpireWaits', now, startedAt: this.#parts.startedAt });
    if (now >= timeout) this.#timeOut(now);
  }

  /** Where it is the time of a turn above that is up, that turn ends, and this one with it; one that has ended ends nothing any more. */
  #timeOut(now: number): void {
    const { state, meta } = this.log;
    if (state.status !== 'open' || now < this.#toldUntil) return;
    const outside = this.#parts.spending.times(state, meta);
    const above = timeCaps(state, outside, now).filter(
      ({ scope, cap, used }) =>
        scope !== state.turn && cap !== 'unlimited' && used !== 'unknown' && used >= cap,
    );
    const told = above.filter(({ scope }) => this.#options.timeUp(scope));
    if (told.length > 0) this.#toldUntil = now + tellAgainMs;
    else this.#desk.decide({ type: 'TimeOut', now, outside });
  }

  #settle(rest: 'ended' | 'halted'): void {
    this.#rest = rest;
    this.#desk.leave();
    for (const item of this.#inbox.splice(0))
      item.done?.(rest === 'halted' ? { kind: 'halted' } : this.#late(item));
    this.#options.onRest(this);
  }

  /** A command that came while the turn ended. */
  #late({ command }: Item): Posted {
    return typeof command === 'string'
      ? { kind: 'nothing' }
      : this.#posted(decide(command, this.log.state));
  }
}

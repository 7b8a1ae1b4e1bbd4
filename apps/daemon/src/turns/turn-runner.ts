import {
  callsOf,
  decide,
  nextEffect,
  askUser,
  promisedGrants,
  recoverySteps,
  type CommandOf,
  type ConversationTurn,
  type Decision,
  type LockstepEvent,
  type ModelInput,
  type OpenTurn,
  type PreparedCall,
  type TurnCommand,
  type TurnEffect,
  type TurnState,
} from '@lockstep/engine';
import { cite, citeSpec } from './cite.ts';
import { issueGrant } from './issue-grant.ts';
import { narrowTurn } from './narrow-turn.ts';
import { performModel, performTool } from './perform.ts';
import type { Catalog } from './tool-catalog.ts';
import { isHalt, type TurnLog } from './turn-log.ts';
import type { Posted, RunnerParts } from './runner-parts.ts';
import { looksFar, prepareCalls, prepareModelCall, scopeOf } from './turn-prepare.ts';
import { wakeTimes } from './wake-times.ts';

export interface RunnerOptions {
  /** Somebody waits for text while it is made. */
  readonly listening: boolean;
  /** Called whenever the turn has come to rest: it waits for people, has ended, or has halted. */
  readonly onRest: (runner: TurnRunner) => void;
}

interface Item {
  readonly command: TurnCommand | 'check-config';
  readonly done: ((posted: Posted) => void) | null;
}

/** Runs one turn: the only loop that performs effects. Commands are decided on one after the other; every intent is durable
 * before its effect starts. */
export class TurnRunner {
  readonly log: TurnLog;
  readonly #parts: RunnerParts;
  readonly #options: RunnerOptions;
  readonly #inbox: Item[] = [];
  readonly #prepared = new Map<string, PreparedCall>();
  readonly #running = new Map<string, AbortController>();
  #input: ModelInput | null = null;
  #history: readonly ConversationTurn[] | null = null;
  #seenConfig = 0;
  #wake: (() => void) | null = null;
  #draining = false;
  #rest: 'working' | 'waiting' | 'ended' | 'halted' = 'working';

  constructor(parts: RunnerParts, log: TurnLog, options: RunnerOptions) {
    this.#parts = parts;
    this.log = log;
    this.#options = options;
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

  /** A newer config is in force. */
  checkConfig(): void {
    this.#push({ command: 'check-config', done: null });
  }

  /** Begins nothing more; what runs is awaited. The turn is taken up at the next start. */
  drain(): void {
    this.#draining = true;
    this.#wake?.();
  }

  /** Runs until the turn has ended or the log takes no more. Never rejects. */
  async run(mode: 'new' | 'recovered'): Promise<void> {
    try {
      if (mode === 'recovered') await this.#recover();
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
      this.#decide({ type: 'Fail', now: this.#parts.clock.now(), message });
      await this.#flush();
    } catch {
      // The log takes nothing either: the next start takes the turn up.
    }
  }

  get #turn(): string {
    return this.log.meta.turn ?? '';
  }

  async #loop(): Promise<void> {
    for (;;) {
      await this.#takeInbox();
      const { state } = this.log;
      const effect = nextEffect(state);
      if (state.status === 'open' && (await this.#act(state, effect))) continue;
      await this.#flush();
      if (this.log.state.status !== 'open') return;
      if (this.#inbox.length > 0) continue;
      if (this.#draining && this.#running.size === 0) return;
      this.#rest = effect.kind === 'wait' ? 'waiting' : 'working';
      if (this.#rest === 'waiting') this.#options.onRest(this);
      await this.#sleep(this.log.state, effect);
      this.#rest = 'working';
    }
  }

  /** Does what is due. False when there is nothing to do but to wait. */
  async #act(state: OpenTurn, effect: TurnEffect): Promise<boolean> {
    switch (effect.kind) {
      case 'call-model':
        return !this.#draining && (await this.#callModel(effect.final));
      case 'retry-model':
        if (this.#draining || this.#parts.clock.now() < effect.at) return false;
        return this.#callModel(effect.final);
      case 'judge-calls':
        return !this.#draining && (await this.#judge(state, effect.calls));
      case 'finish':
        this.#decide({ type: 'Finish', now: this.#parts.clock.now() });
        return true;
      case 'await-model':
      case 'await-tools':
      case 'wait':
      case 'none':
        return false;
    }
  }

  async #callModel(final: boolean): Promise<boolean> {
    if (await this.#narrow()) return true;
    const { state } = this.log;
    if (state.status !== 'open') return true;
    const catalog = await this.#catalog(state);
    this.#history ??= await this.#parts.past.of(state.history);
    const built = prepareModelCall(state, {
      catalog,
      final,
      history: this.#history,
      texts: this.log.texts,
    });
    await cite(this.#parts, built.prepared, built.cites);
    this.#input = built.input;
    const { stream } = state.policy.output;
    const listened = this.#options.listening || this.#parts.deltas.hasListeners(this.#turn);
    const deltas = !listened ? 'not_asked' : stream ? 'sent' : 'withheld';
    const now = this.#parts.clock.now();
    const { prepared } = built;
    const decision = this.#decide({ type: 'BeginModelCall', now, prepared, deltas });
    if (decision.kind !== 'record') throw new Error('a model call that was due led to nothing');
    await this.#flush();
    return true;
  }

  async #judge(before: OpenTurn, calls: readonly string[]): Promise<boolean> {
    if (await this.#narrow()) return true;
    const { state } = this.log;
    if (state.status !== 'open') return true;
    const catalog = await this.#catalog(state);
    if (looksFar(before, calls, catalog)) await this.#flush();
    const decision = await this.#judgeWith(catalog, calls);
    if (decision?.kind !== 'record') throw new Error('a verdict that was due led to nothing');
    return true;
  }

  async #judgeWith(catalog: Catalog, calls: readonly string[]): Promise<Decision | null> {
    const { state } = this.log;
    if (state.status !== 'open') return null;
    const prepared = await prepareCalls(state, calls, {
      parts: this.#parts,
      catalog,
      texts: this.log.texts,
    });
    for (const one of prepared) {
      this.#prepared.set(one.call.call, one);
      await citeSpec(this.#parts, one.call.spec);
    }
    const now = this.#parts.clock.now();
    const decision = this.#decide({ type: 'JudgeCalls', now, calls: prepared });
    await this.#flush();
    return decision;
  }

  /** Takes over a newer config. True when that changed what is due. */
  async #narrow(): Promise<boolean> {
    const { state } = this.log;
    const { version } = this.#parts.config.current();
    if (state.status !== 'open' || version <= Math.max(this.#seenConfig, state.config.version))
      return false;
    this.#seenConfig = version;
    const narrowing = narrowTurn(state, this.#parts.config);
    if (narrowing.kind === 'cancel') {
      const now = this.#parts.clock.now();
      this.#decide({ type: 'Cancel', now, by: 'config', why: narrowing.why });
      return true;
    }
    if (this.#decide(narrowing.command).kind === 'nothing') return false;
    const pending = callsOf(state).filter((call) => call.status === 'pending');
    if (pending.length > 0) {
      const after = this.log.state;
      if (after.status !== 'open') return true;
      await this.#judgeWith(
        await this.#catalog(after),
        pending.map((call) => call.call),
      );
    }
    return true;
  }

  async #takeInbox(): Promise<void> {
    for (let item = this.#inbox.shift(); item !== undefined; item = this.#inbox.shift()) {
      if (item.command === 'check-config') {
        await this.#narrow();
        continue;
      }
      await this.#take(item.command, item.done);
    }
  }

  async #take(command: TurnCommand, done: Item['done']): Promise<void> {
    const decision = this.#decide(command);
    if (done === null) return;
    try {
      if (decision.kind === 'record') await this.#flush();
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

  #decide(command: TurnCommand): Decision {
    const decision = decide(command, this.log.state);
    if (decision.kind === 'record') this.log.add(decision.facts);
    return decision;
  }

  /** Records what was decided, then starts the effects whose intents were acknowledged. */
  async #flush(): Promise<void> {
    const events = await this.log.flush();
    const { state } = this.log;
    if (state.status !== 'open') {
      for (const controller of this.#running.values()) controller.abort();
      return;
    }
    for (const event of events) this.#start(state, event);
    if (events.some((event) => event.type === 'ApprovalGranted')) await this.#issueGrants(state);
  }

  #start(state: OpenTurn, event: LockstepEvent): void {
    const controller = new AbortController();
    if (event.type === 'ModelCallStarted' && this.#input !== null) {
      const work = { event, input: this.#input, controller };
      this.#await('model', controller, performModel(this.#parts, state, work));
    }
    if (event.type !== 'ToolCallStarted' || event.data.tool === askUser) return;
    const call = this.#prepared.get(event.data.call)?.call;
    if (call?.spec == null) return;
    const args = call.args.ok ? call.args.value : null;
    const work = { event, spec: call.spec, args, controller };
    this.#await(event.data.call, controller, performTool(this.#parts, state, work));
  }

  #await(
    key: string,
    controller: AbortController,
    outcome: Promise<CommandOf<'EndToolCall'> | CommandOf<'EndModelCall'>>,
  ): void {
    this.#running.set(key, controller);
    void outcome.then((command) => {
      this.#running.delete(key);
      this.#push({ command, done: null });
    });
  }

  async #issueGrants(state: OpenTurn): Promise<void> {
    for (const call of promisedGrants(state))
      await issueGrant(this.#parts.store, state, { call, meta: this.log.meta });
  }

  async #recover(): Promise<void> {
    const { state } = this.log;
    if (state.status !== 'open') return;
    await this.#issueGrants(state);
    const now = this.#parts.clock.now();
    for (const step of recoverySteps(state)) {
      switch (step.kind) {
        case 'interrupt-model': {
          const outcome = { ok: false, kind: 'interrupted' } as const;
          this.#decide({ type: 'EndModelCall', now, outcome, durationMs: 0, masked: 0 });
          break;
        }
        case 'lose-call':
          this.#decide({ type: 'LoseToolCall', now, call: step.call, why: step.why });
          break;
        case 'run-again':
          await this.#narrow();
          if (this.log.state.status === 'open')
            await this.#judgeWith(await this.#catalog(this.log.state), step.calls);
      }
    }
    await this.#flush();
  }

  /** The tools of the turn. What takes longer than a tick is not waited for with decided facts unrecorded. */
  async #catalog(state: OpenTurn): Promise<Catalog> {
    const listed = this.#parts.catalogs.of(scopeOf(state), state.policyDigest);
    if (this.log.isClean) return listed;
    const tick = new Promise<null>((resolve) => {
      setImmediate(resolve, null);
    });
    if ((await Promise.race([listed, tick])) === null) await this.#flush();
    return listed;
  }

  #push(item: Item): void {
    this.#inbox.push(item);
    this.#wake?.();
  }

  /** Waits for the inbox, or for the nearest of: a deadline, the next try of a model call, the end of active time. */
  async #sleep(state: OpenTurn, effect: TurnEffect): Promise<void> {
    const { expiry, timeout, retry } = wakeTimes(state, effect, this.#parts);
    const until = Math.min(expiry, timeout, retry);
    let stop = (): void => undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (until !== Infinity) stop = this.#parts.alarms.at(until, resolve);
    });
    this.#wake = null;
    stop();
    const now = this.#parts.clock.now();
    if (now >= expiry) this.#decide({ type: 'ExpireWaits', now, startedAt: this.#parts.startedAt });
    if (now >= timeout) this.#decide({ type: 'TimeOut', now });
  }

  #settle(rest: 'ended' | 'halted'): void {
    this.#rest = rest;
    for (const item of this.#inbox.splice(0))
      item.done?.(rest === 'halted' ? { kind: 'halted' } : this.#late(item));
    this.#options.onRest(this);
  }

  /** A command that came while the turn ended. */
  #late({ command }: Item): Posted {
    return command === 'check-config'
      ? { kind: 'nothing' }
      : this.#posted(decide(command, this.log.state));
  }
}

import {
  callsOf,
  readCall,
  recoverySteps,
  textFrom,
  type ConversationTurn,
  type Decision,
  type OpenTurn,
  type PreparedCall,
} from '@lockstep/engine';
import { cite, citeSpec } from './cite.ts';
import { narrowTurn } from './narrow-turn.ts';
import { recallFor } from './recall-memory.ts';
import type { RunnerParts } from './runner-parts.ts';
import { madeFor } from './system-made.ts';
import type { Catalog } from './tool-catalog.ts';
import type { TurnDesk } from './turn-desk.ts';
import { looksFar, prepareCall, prepareCalls, prepareModelCall, scopeOf } from './turn-prepare.ts';

/** What a turn does by itself, step by step: it gathers what a decision reads and has it decided. */
export class TurnSteps {
  readonly #parts: RunnerParts;
  readonly #desk: TurnDesk;
  /** Somebody waits for text while it is made. */
  readonly #listening: boolean;
  #history: readonly ConversationTurn[] | null = null;
  #seenConfig = 0;

  constructor(parts: RunnerParts, desk: TurnDesk, listening: boolean) {
    this.#parts = parts;
    this.#desk = desk;
    this.#listening = listening;
  }

  /** Looks into memory before the first model call. Always true: there is more to do. */
  async recall(): Promise<boolean> {
    if (await this.narrow()) return true;
    const { state, texts } = this.#desk.log;
    if (state.status !== 'open') return true;
    this.#desk.decide(await recallFor(this.#parts, state, texts));
    return true;
  }

  /** Makes the model call that is due. Always true: there is more to do. */
  async callModel(final: boolean): Promise<boolean> {
    if (await this.narrow()) return true;
    const desk = this.#desk;
    const { log } = desk;
    const { state } = log;
    if (state.status !== 'open') return true;
    const catalog = await this.#catalog(state);
    const history = (this.#history ??= await this.#parts.past.of(state.history));
    const found = await madeFor(this.#parts, state, log.texts);
    if (!found.ok) {
      const { key, message } = found;
      desk.decide({ type: 'Fail', now: this.#parts.clock.now(), message, key });
      return true;
    }
    const { made } = found;
    const built = prepareModelCall(state, { catalog, final, history, texts: log.texts, made });
    await cite(this.#parts, built.prepared, built.cites);
    desk.input = built.input;
    const deltas = this.#deltas(state);
    const now = this.#parts.clock.now();
    const { prepared } = built;
    const decision = desk.decide({ type: 'BeginModelCall', now, prepared, deltas });
    if (decision.kind !== 'record') throw new Error('a model call that was due led to nothing');
    await desk.flush();
    return true;
  }

  /** Has the verdicts made that are due. Always true: there is more to do. */
  async judge(before: OpenTurn, calls: readonly string[]): Promise<boolean> {
    if (await this.narrow()) return true;
    const { state } = this.#desk.log;
    if (state.status !== 'open') return true;
    const catalog = await this.#catalog(state);
    if (looksFar(before, calls, catalog)) await this.#desk.flush();
    const decision = await this.#judgeWith(catalog, calls);
    if (decision?.kind !== 'record') throw new Error('a verdict that was due led to nothing');
    return true;
  }

  /** Takes over a newer config. True when that changed what is due. */
  async narrow(): Promise<boolean> {
    const { state } = this.#desk.log;
    const { version } = this.#parts.config.current();
    if (state.status !== 'open' || version <= Math.max(this.#seenConfig, state.config.version))
      return false;
    this.#seenConfig = version;
    const records = await this.#parts.records.now(state);
    const narrowing = records.ok
      ? narrowTurn(state, this.#parts.config, records.records)
      : ({ kind: 'cancel', by: aboveOf(state), why: records.why } as const);
    if (narrowing.kind === 'cancel') {
      const now = this.#parts.clock.now();
      this.#desk.decide({ type: 'Cancel', now, by: narrowing.by, why: narrowing.why });
      return true;
    }
    if (this.#desk.decide(narrowing.command).kind === 'nothing') return false;
    await this.#judgePending();
    return true;
  }

  /** Deals with the items that an earlier run of the daemon left open. */
  async recover(): Promise<void> {
    const desk = this.#desk;
    const { state } = desk.log;
    if (state.status !== 'open') return;
    await desk.issueGrants(state);
    const now = this.#parts.clock.now();
    for (const step of recoverySteps(state)) {
      switch (step.kind) {
        case 'interrupt-model': {
          const outcome = { ok: false, kind: 'interrupted' } as const;
          desk.decide({ type: 'EndModelCall', now, outcome, durationMs: 0, masked: 0 });
          break;
        }
        case 'take-up':
          await this.#takeUp(step.calls);
          break;
        case 'lose-call':
          desk.decide({ type: 'LoseToolCall', now, call: step.call, why: step.why });
          break;
        case 'run-again':
          await this.narrow();
          if (desk.log.state.status === 'open')
            await this.#judgeWith(await this.#catalog(desk.log.state), step.calls);
      }
    }
    await desk.flush();
  }

  /** Calls that started other turns go on waiting for them: what was recorded of them is performed again, and finds those turns. */
  async #takeUp(calls: readonly string[]): Promise<void> {
    const desk = this.#desk;
    const { state, texts } = desk.log;
    if (state.status !== 'open') return;
    const catalog = await this.#catalog(state);
    const textOf = textFrom(texts);
    for (const call of callsOf(state).filter((one) => calls.includes(one.call))) {
      const read = readCall(call, textOf(call.args), catalog.find(call.alias));
      const event = desk.log.startedCall(call.call);
      if (event !== null && read.spec?.id === event.data.tool) desk.takeUp(state, event, read);
      else
        desk.decide({
          type: 'LoseToolCall',
          now: this.#parts.clock.now(),
          call: call.call,
          why: 'the tool of the call is there no more',
        });
    }
  }

  /** The call as it would be with other arguments; null = no such call waits. Looks; decides nothing. */
  async lookAt(id: string, args: string): Promise<PreparedCall | null> {
    const { state } = this.#desk.log;
    const call =
      state.status === 'open' ? callsOf(state).find((one) => one.call === id) : undefined;
    if (state.status !== 'open' || call?.status !== 'pending') return null;
    const catalog = await this.#parts.catalogs.of(scopeOf(state), state.policyDigest);
    const read = readCall(call, args, catalog.find(call.alias));
    await citeSpec(this.#parts, read.spec);
    return prepareCall(state, read, { parts: this.#parts });
  }

  /** Calls that wait for a person are judged under the narrower policy. */
  async #judgePending(): Promise<void> {
    const { state } = this.#desk.log;
    if (state.status !== 'open') return;
    const pending = callsOf(state).filter((call) => call.status === 'pending');
    if (pending.length === 0) return;
    const calls = pending.map((call) => call.call);
    await this.#judgeWith(await this.#catalog(state), calls);
  }

  async #judgeWith(catalog: Catalog, calls: readonly string[]): Promise<Decision | null> {
    const desk = this.#desk;
    const { state, texts } = desk.log;
    if (state.status !== 'open') return null;
    const prepared = await prepareCalls(state, calls, { parts: this.#parts, catalog, texts });
    for (const one of prepared) {
      desk.prepare(one);
      await citeSpec(this.#parts, one.call.spec);
    }
    const now = this.#parts.clock.now();
    const decision = desk.decide({ type: 'JudgeCalls', now, calls: prepared });
    await desk.flush();
    return decision;
  }

  #deltas({ turn, policy }: OpenTurn): 'sent' | 'withheld' | 'not_asked' {
    if (!this.#listening && !this.#parts.deltas.hasListeners(turn)) return 'not_asked';
    return policy.output.stream ? 'sent' : 'withheld';
  }

  /** The tools of the turn. What takes longer than a tick is not waited for with decided facts unrecorded. */
  async #catalog(state: OpenTurn): Promise<Catalog> {
    const listed = this.#parts.catalogs.of(scopeOf(state), state.policyDigest);
    if (this.#desk.log.isClean) return listed;
    const tick = new Promise<null>((resolve) => {
      setImmediate(resolve, null);
    });
    if ((await Promise.race([listed, tick])) === null) await this.#desk.flush();
    return listed;
  }
}

/** Who stops a turn whose starter may not go on. */
const aboveOf = ({ records }: OpenTurn): string => `turn:${records.parent?.turn ?? ''}`;

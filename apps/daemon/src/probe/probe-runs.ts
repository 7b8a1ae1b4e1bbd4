import type { Artifacts, EventStore, Ids, Ledger } from '@lockstep/engine';
import type { AppliedConfig, Principal } from '@lockstep/policy';
import type { CurrentConfig } from '../config/current-config.port.ts';
import type { FactRecorder } from '../record-fact.ts';
import type { Intake } from '../turns/intake.port.ts';
import { readProbedTurn } from './probed-turn.ts';
import { probeRunOf } from './probe-run-state.ts';
import type {
  ProbedTurn,
  ProbeProgress,
  ProbeRun,
  Probes,
  ProbesAsked,
  StartedProbes,
} from './probes.port.ts';
import { recordTrial, streamOf } from './record-trial.ts';
import { runApart, type RunApart } from './run-apart.ts';

export interface ProbeRunsParts {
  readonly store: EventStore;
  readonly ledger: Ledger;
  readonly artifacts: Artifacts;
  readonly recorder: FactRecorder;
  readonly ids: Ids;
  readonly config: CurrentConfig;
  readonly intake: Intake;
  /** Absent = as the build does. */
  readonly run?: RunApart;
}

interface Running {
  readonly id: string;
  readonly abort: AbortController;
  progress: ProbeProgress;
  ended: Promise<void>;
}

const mostKept = 20;

/** Probes of the config in force, one run at a time: tried in a daemon of their own, recorded here apart from everything else. */
export class ProbeRuns implements Probes {
  readonly #parts: ProbeRunsParts;
  readonly #ids: string[] = [];
  #running: Running | null = null;

  constructor(parts: ProbeRunsParts) {
    this.#parts = parts;
  }

  async start(asked: ProbesAsked, by: Principal): Promise<StartedProbes> {
    const closed = this.#closed(asked);
    if (closed !== null) return { kind: 'refused', ...closed };
    if (this.#running !== null) return { kind: 'busy', run: this.#running.id };
    const { ids, config, recorder } = this.#parts;
    const id = ids.next();
    const running: Running = {
      id,
      abort: new AbortController(),
      progress: { done: 0, of: 0, what: 'the probes start' },
      ended: Promise.resolve(),
    };
    this.#running = running;
    const applied = config.current();
    const { version, digest } = applied;
    try {
      const data = { by: by.id, ...asked, config: { version, digest } };
      const context = { principal: by, probe: id };
      await recorder.record(streamOf(id), [{ type: 'ProbesStarted', data }], context);
    } catch (thrown) {
      this.#running = null;
      throw thrown;
    }
    this.#ids.unshift(id);
    this.#ids.length = Math.min(this.#ids.length, mostKept);
    running.ended = this.#run(running, asked, applied).finally(() => {
      this.#running = null;
    });
    const run = await this.get(id);
    if (run === null) throw new Error(`the run of probes \`${id}\` is not in the log`);
    return { kind: 'started', run };
  }

  async get(id: string): Promise<ProbeRun | null> {
    // What runs is looked up first: a run that ends in between has its end in the stream.
    const live = this.#running?.id === id ? this.#running.progress : null;
    return probeRunOf(id, await this.#parts.store.readStream(streamOf(id)), live);
  }

  async list(): Promise<readonly ProbeRun[]> {
    const runs = await Promise.all(this.#ids.map((id) => this.get(id)));
    return runs.filter((run) => run !== null);
  }

  turn(id: string): Promise<ProbedTurn | null> {
    return readProbedTurn(this.#parts, id);
  }

  async close(): Promise<void> {
    this.#running?.abort.abort(new Error('the daemon stopped'));
    await this.#running?.ended;
  }

  async #run(running: Running, asked: ProbesAsked, applied: AppliedConfig): Promise<void> {
    const { recorder, run = runApart } = this.#parts;
    const { id, abort } = running;
    const context = { principal: null, probe: id };
    let recorded = 0;
    try {
      const order = { ...asked, applied };
      const { turns, problems } = await run(
        order,
        {
          onProgress: (progress) => {
            running.progress = progress;
            this.#requireOpen(asked);
          },
          onTrial: async (trial) => {
            recorded += await recordTrial(this.#parts, id, trial);
          },
        },
        abort.signal,
      );
      const data = { tried: turns, recorded, problems: [...problems] };
      await recorder.record(streamOf(id), [{ type: 'ProbesCompleted', data }], context);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      // A log that takes nothing more is why: then the run has no end in it.
      await recorder
        .record(streamOf(id), [{ type: 'ProbesFailed', data: { why } }], context)
        .catch(() => undefined);
    }
  }

  #requireOpen(asked: ProbesAsked): void {
    const closed = this.#closed(asked);
    if (closed !== null) throw new Error(closed.message);
  }

  /** Why nothing is probed now; null = it is. */
  #closed({ agent }: ProbesAsked): Omit<StartedProbes & { kind: 'refused' }, 'kind'> | null {
    const closed = this.#parts.intake('new');
    if (closed !== null) return closed;
    const stop = this.#parts.ledger
      .allFlags()
      .find((flag) => flag.kind === 'stop' && (agent === null || (flag.agent ?? agent) === agent));
    if (stop === undefined) return null;
    const what = stop.agent === null ? 'every agent is stopped' : `\`${stop.agent}\` is stopped`;
    return { code: 'stopped', message: `${what} by ${stop.by}: take the stop back first` };
  }
}

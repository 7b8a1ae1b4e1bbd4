import type { Clock } from '@lockstep/engine';
import { LogUnavailableError, type FactRecorder } from '../../record-fact.ts';

const windowMs = 60_000;

interface Counted {
  last: number;
  count: number;
  why: string;
  timer: NodeJS.Timeout | null;
}

/** Records what channels do not let in. Anybody can cause these, so they are counted: one event a minute for each source at most.
 * Sources are configured channels, so that their number is bounded. */
export class InboundLog {
  readonly #recorder: FactRecorder;
  readonly #clock: Clock;
  readonly #sources = new Map<string, Counted>();

  constructor(parts: { readonly recorder: FactRecorder; readonly clock: Clock }) {
    this.#recorder = parts.recorder;
    this.#clock = parts.clock;
  }

  /** Resolves when it is recorded, or counted for later. */
  async refused(source: string, why: string): Promise<void> {
    const known = this.#sources.get(source) ?? fresh();
    this.#sources.set(source, known);
    known.count += 1;
    known.why = why;
    const wait = known.last + windowMs - this.#clock.now();
    if (wait <= 0) return this.#flush(source, known);
    known.timer ??= setTimeout(() => {
      this.#flush(source, known).catch(() => undefined);
    }, wait).unref();
  }

  /** Records what was counted so far. */
  async flush(): Promise<void> {
    for (const [source, counted] of this.#sources) await this.#flush(source, counted);
  }

  async #flush(source: string, counted: Counted): Promise<void> {
    if (counted.timer !== null) clearTimeout(counted.timer);
    counted.timer = null;
    const { count, why } = counted;
    if (count === 0) return;
    counted.count = 0;
    counted.last = this.#clock.now();
    try {
      await this.#recorder.record(
        'access',
        [{ type: 'InboundRefused', data: { source, why, count } }],
        { principal: null },
      );
    } catch (thrown) {
      // What is not let in stays out, whether or not that can be recorded.
      if (!(thrown instanceof LogUnavailableError)) throw thrown;
      counted.count += count;
    }
  }
}

const fresh = (): Counted => ({
  last: Number.NEGATIVE_INFINITY,
  count: 0,
  why: '',
  timer: null,
});

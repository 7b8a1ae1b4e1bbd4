import type { Clock } from '@lockstep/engine';
import type { Alarms } from '../../turns/alarms.ts';
import type { Intake } from '../../turns/intake.port.ts';
import { sweepLimit, type MemoryService } from './memory-service.ts';

const everyMs = 10 * 60 * 1000;
/** Pause before the next part of a long sweep. */
const nextMs = 1_000;

export interface SweepParts {
  readonly alarms: Alarms;
  readonly clock: Clock;
  readonly report: (problem: unknown) => void;
  /** A log that takes no further steps takes no word of forgotten rows; absent = it does. */
  readonly intake?: Intake;
}

/** Has rows forgotten that are past their time, a bounded number at once. They are not recalled from that time on in any case. */
export class RetentionSweep {
  readonly #memory: Pick<MemoryService, 'sweep'>;
  readonly #parts: SweepParts;
  #cancel: () => void = () => undefined;
  #stopped = false;

  constructor(memory: Pick<MemoryService, 'sweep'>, parts: SweepParts) {
    this.#memory = memory;
    this.#parts = parts;
  }

  start(): void {
    this.#arm(nextMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #arm(inMs: number): void {
    if (this.#stopped) return;
    const { alarms, clock } = this.#parts;
    this.#cancel = alarms.at(clock.now() + inMs, () => void this.#sweep());
  }

  async #sweep(): Promise<void> {
    let swept = 0;
    try {
      if ((this.#parts.intake?.('step') ?? null) === null) swept = await this.#memory.sweep();
    } catch (error) {
      this.#parts.report(error);
    }
    this.#arm(swept >= sweepLimit ? nextMs : everyMs);
  }
}

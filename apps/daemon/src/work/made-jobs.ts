import type { Ledger } from '@lockstep/engine';

/** How many jobs of its own making an agent may have at once: each goes on for ever, so a loop that makes them must come to an end. */
export const mostMadeJobs = 50;

/** Places for jobs that tools make. One that is about to be recorded has its place already. */
export class MadeJobs {
  readonly #ledger: Pick<Ledger, 'jobs'>;
  readonly #adding = new Map<string, number>();

  constructor(ledger: Pick<Ledger, 'jobs'>) {
    this.#ledger = ledger;
  }

  /** Records one more job of an agent in its place; null = there is none left. */
  async inPlace<T>(agent: string, record: () => Promise<T>): Promise<T | null> {
    const adding = this.#adding.get(agent) ?? 0;
    const made = this.#ledger.jobs().filter((job) => job.agent === agent).length;
    if (made + adding >= mostMadeJobs) return null;
    this.#adding.set(agent, adding + 1);
    try {
      return await record();
    } finally {
      const left = (this.#adding.get(agent) ?? 1) - 1;
      if (left === 0) this.#adding.delete(agent);
      else this.#adding.set(agent, left);
    }
  }
}

import { randomUUID } from 'node:crypto';
import type { DataOf, Ledger } from '@lockstep/engine';
import type { Principal } from '@lockstep/policy';
import type { FactRecorder } from '../../record-fact.ts';
import type { Turns } from '../../turns/turns.port.ts';

/** A client's connection as the log has it. */
export interface RecordedConnection {
  readonly id: string;
  /** A turn was started here: until it has ended, the record stands. */
  began(turn: string): void;
  /** Resolves when the end is recorded, or cannot be. */
  close(why: string): Promise<void>;
}

/** Records what clients chose when they connected, before their first turn, and when they went. */
export class ConnectionRecords {
  readonly #recorder: FactRecorder;
  readonly #turns: Turns;
  readonly #stopping = new AbortController();

  constructor(parts: { readonly recorder: FactRecorder; readonly turns: Turns }) {
    this.#recorder = parts.recorder;
    this.#turns = parts.turns;
  }

  /** Resolves when the record is durable.
   * @throws LogUnavailableError when the log takes no writes */
  async open(chosen: Omit<DataOf<'ConnectionOpened'>, 'connection'>): Promise<RecordedConnection> {
    const id = randomUUID();
    const { principal } = chosen;
    const data = { connection: id, ...chosen };
    await this.#recorder.record('access', [{ type: 'ConnectionOpened', data }], { principal });
    const began = new Set<string>();
    return {
      id,
      began: (turn) => void began.add(turn),
      close: async (why) => {
        // A turn that waits in its session is resolved when it starts, under what its client chose.
        for (const turn of began) await this.#turns.ended(turn, this.#stopping.signal);
        if (this.#stopping.signal.aborted && (await this.#hasOpen(began))) return;
        await this.#closed({ id, principal }, why);
      },
    };
  }

  /** Records the end of connections that an earlier run of the daemon left, once the turns that it left have ended: they may need
   * what their client chose. */
  async closeLeft(ledger: Ledger): Promise<void> {
    const left = ledger.connections();
    if (left.length === 0) return;
    const turns = [...ledger.openTurns(), ...ledger.waitingMessages()].map(({ turn }) => turn);
    for (const turn of turns) await this.#turns.ended(turn, this.#stopping.signal);
    if (this.#stopping.signal.aborted) return;
    for (const connection of left) await this.#closed(connection, 'the daemon was stopped');
  }

  /** From now on nobody waits for turns to end: those that are open go on after the next start, and their record stands. */
  stop(): void {
    this.#stopping.abort();
  }

  async #closed(
    { id, principal }: { readonly id: string; readonly principal: Principal },
    why: string,
  ): Promise<void> {
    const data = { connection: id, why };
    await this.#recorder
      .record('access', [{ type: 'ConnectionClosed', data }], { principal })
      .catch(() => undefined);
  }

  async #hasOpen(turns: ReadonlySet<string>): Promise<boolean> {
    for (const turn of turns) {
      const answer = await this.#turns.answer(turn);
      if (answer === null || ['queued', 'running', 'waiting'].includes(answer.status)) return true;
    }
    return false;
  }
}

import type { DataOf } from '../events/event.ts';

/** One step of a run, as far as it has come. */
export interface SopStepRow {
  readonly name: string;
  readonly agent: string;
  readonly state:
    | 'waiting'
    | 'gate'
    | 'running'
    | DataOf<'SopStepCompleted'>['outcome']
    | DataOf<'SopGateDecided'>['outcome'];
  /** The last gate before it: its id in the inbox. */
  readonly gate: string | null;
  /** Turns of its tries, in order. */
  readonly turns: readonly string[];
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** What was wrong, when something was. */
  readonly why: string | null;
}

/** One run of a procedure. */
export interface SopRunRow {
  readonly id: string;
  readonly sop: string;
  /** Agent of the first step. */
  readonly agent: string;
  readonly status: 'running' | 'waiting' | 'completed' | 'failed';
  readonly trigger: DataOf<'SopRunStarted'>['trigger'];
  readonly live: boolean;
  readonly by: string;
  readonly parent: { readonly turn: string; readonly call: string } | null;
  readonly configVersion: number;
  readonly steps: readonly SopStepRow[];
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** First line of the input. */
  readonly input: string;
  /** First line of what the last step said; null while there is none. */
  readonly output: string | null;
  /** Why it failed, by code and in words. */
  readonly failure: {
    readonly code: DataOf<'SopRunFailed'>['code'];
    readonly message: string;
  } | null;
}

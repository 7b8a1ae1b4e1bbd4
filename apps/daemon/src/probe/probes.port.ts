import type { TurnAnswer, TurnDetail } from '@lockstep/engine';
import type { PathName, Principal, SettingKey, Trigger } from '@lockstep/policy';
import type { Closed } from '../turns/intake.port.ts';

/** What is to be probed; null = all. */
export interface ProbesAsked {
  readonly agent: string | null;
  readonly path: PathName | null;
  /** Record only what shows something of this one. */
  readonly setting: SettingKey | null;
}

/** A run of probes as it stands. */
export interface ProbeRun extends ProbesAsked {
  readonly id: string;
  readonly status: 'running' | 'completed' | 'failed';
  readonly by: string;
  readonly configVersion: number;
  /** Ms since the epoch. */
  readonly started: number;
  readonly ended: number | null;
  /** Attacks done, of how many; `of` is 0 until that is known. */
  readonly progress: ProbeProgress;
  readonly tried: number;
  readonly recorded: number;
  readonly problems: readonly string[];
  readonly failure: string | null;
  /** Recorded turns that played an attack. */
  readonly turns: readonly {
    readonly turn: string;
    readonly agent: string;
    readonly trigger: Trigger;
    readonly attack: string;
  }[];
}

export interface ProbeProgress {
  readonly done: number;
  readonly of: number;
  readonly what: string;
}

/** A recorded turn of a probe. It is in no list of turns. */
export interface ProbedTurn {
  readonly run: string;
  readonly detail: TurnDetail;
  readonly answer: TurnAnswer;
}

export type StartedProbes =
  | { readonly kind: 'started'; readonly run: ProbeRun }
  /** One run at a time. */
  | { readonly kind: 'busy'; readonly run: string }
  | {
      readonly kind: 'refused';
      readonly code: Closed['code'] | 'stopped';
      readonly message: string;
    };

/** Probes of the config in force, on demand. */
export interface Probes {
  start(asked: ProbesAsked, by: Principal): Promise<StartedProbes>;
  get(run: string): Promise<ProbeRun | null>;
  /** Runs since the daemon started, newest first. */
  list(): Promise<readonly ProbeRun[]>;
  turn(id: string): Promise<ProbedTurn | null>;
  /** Ends what runs. */
  close(): Promise<void>;
}

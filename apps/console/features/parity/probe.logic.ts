/** A run of probes as the daemon answers it. */
export interface ProbeRun {
  readonly id: string;
  readonly status: 'running' | 'completed' | 'failed';
  readonly agent: string | null;
  readonly path: string | null;
  readonly setting: string | null;
  readonly started: number;
  readonly ended: number | null;
  readonly progress: { readonly done: number; readonly of: number; readonly what: string };
  readonly tried: number;
  readonly recorded: number;
  readonly problems: readonly string[];
  readonly failure: string | null;
  readonly turns: readonly {
    readonly turn: string;
    readonly agent: string;
    readonly trigger: string;
    readonly attack: string;
  }[];
}

interface Aim {
  readonly agent: string | null;
  readonly path: string;
  readonly setting: string;
}

/** Whether a run says something of a cell: it was aimed at all, or at just that. */
export const concernsCell = (run: ProbeRun, { agent, path, setting }: Aim): boolean =>
  (run.path === null || run.path === path) &&
  (run.setting === null || run.setting === setting) &&
  (agent === null || run.agent === null || run.agent === agent);

/** How far a run is, in words. */
export const progressOf = ({ status, progress, tried, recorded, failure }: ProbeRun): string => {
  switch (status) {
    case 'running':
      return progress.of === 0
        ? 'the probes are being laid out'
        : `${progress.done} of ${progress.of} attacks done: ${progress.what}`;
    case 'completed':
      return `${tried} turns tried, ${recorded} kept as evidence`;
    case 'failed':
      return `the probes failed: ${failure ?? 'the daemon does not say why'}`;
  }
};

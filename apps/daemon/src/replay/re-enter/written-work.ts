import type { Config, ResolveRecords } from '@lockstep/policy';

type Job = NonNullable<ResolveRecords['job']>;
type Step = Config['sops'][string]['steps'][number];

const patternsOf = (written: '*' | readonly string[]): string[] =>
  written === '*' ? ['*'] : [...written];

/** What the log says of a job that stands in config. */
export const jobOf = (name: string, job: Config['cron'][string]): Job => ({
  name,
  agent: job.agent,
  tools: job.tools === undefined ? null : patternsOf(job.tools),
  usesMemory: job.uses_memory,
  narrowing: {},
  depth: 0,
});

/** The tools that a step leaves; null = it takes nothing away. */
export const scopeOf = ({ tools }: Pick<Step, 'tools'>): string[] | null =>
  tools === undefined || tools === '*' ? null : [...tools];

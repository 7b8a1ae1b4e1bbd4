import type { Content, Job, Ledger } from '@lockstep/engine';
import { digestOf, type Config } from '@lockstep/policy';
import type { CurrentConfig } from '../config/current-config.port.ts';
import { heartbeatName } from '../paths/loop/heartbeat.path.ts';
import { startedBy } from '../paths/sop/channel-start.ts';
import { cronTiming, durationMs, steadyTiming, type Timing } from './timing.ts';

/** A job as it is kept to now, whoever made it. */
export interface BookedJob {
  readonly name: string;
  readonly kind: 'config' | 'tool' | 'heartbeat';
  readonly agent: string;
  readonly prompt: Content;
  /** As it is written: cron fields, or a length of time. */
  readonly schedule: string;
  readonly timezone: string;
  readonly enabled: boolean;
  readonly missed: 'skip' | 'run_once';
  readonly overlap: 'skip' | 'queue';
  /** What a time of it starts instead of a turn of its agent. */
  readonly sop: string | null;
  /** Null = the schedule cannot be read. */
  readonly timing: Timing | null;
  /** No time up to here is its own: it was not there, or timed otherwise. In ms since the epoch. */
  readonly from: number;
  /** Who made it, when a tool did. */
  readonly made: Job | null;
}

/** All jobs, of config, of tools and heartbeats, as config and log hold them now. */
export class JobBook {
  readonly #config: CurrentConfig;
  readonly #ledger: Ledger;
  #fixed: { readonly version: number; readonly jobs: ReadonlyMap<string, BookedJob> } | null = null;
  readonly #made = new Map<string, { readonly row: Job; readonly job: BookedJob }>();

  constructor(parts: { readonly config: CurrentConfig; readonly ledger: Ledger }) {
    this.#config = parts.config;
    this.#ledger = parts.ledger;
  }

  find(name: string): BookedJob | null {
    const fixed = this.#fixedJobs().get(name);
    if (fixed !== undefined) return fixed;
    const row = this.#ledger.job(name);
    return row === null ? null : this.#madeJob(row);
  }

  all(): readonly BookedJob[] {
    const fixed = this.#fixedJobs();
    // A job of config stands before one of that name that a tool made.
    const made = this.#ledger.jobs().filter(({ name }) => !fixed.has(name));
    return [...fixed.values(), ...made.map((row) => this.#madeJob(row))];
  }

  #fixedJobs(): ReadonlyMap<string, BookedJob> {
    const { version, config } = this.#config.current();
    if (this.#fixed?.version === version) return this.#fixed.jobs;
    const jobs = new Map<string, BookedJob>();
    for (const [name, written] of Object.entries(config.cron))
      jobs.set(name, cronJob({ name, written, config, from: this.#since('cron', name) }));
    for (const [agent, written] of Object.entries(config.heartbeat)) {
      const job = heartbeatJob({ agent, written, from: this.#since('heartbeat', agent) });
      jobs.set(job.name, job);
    }
    this.#fixed = { version, jobs };
    return jobs;
  }

  #madeJob(row: Job): BookedJob {
    const known = this.#made.get(row.name);
    if (known?.row === row) return known.job;
    const job = toolJob(row);
    this.#made.set(row.name, { row, job });
    return job;
  }

  /** When the times of an entry came to be as they are: since the first of the config versions that agree on them. */
  #since(kind: 'cron' | 'heartbeat', name: string): number {
    const { version } = this.#config.current();
    const times = new Map(this.#ledger.configVersions().map((one) => [one.version, one.time]));
    const timed = timesText(this.#config.current().config, kind, name);
    let first = version;
    while (first > 1) {
      const before = this.#config.version(first - 1);
      if (before === null || timesText(before.config, kind, name) !== timed) break;
      first -= 1;
    }
    return times.get(first) ?? 0;
  }
}

/** What of an entry decides its times. */
const timesText = (config: Config, kind: 'cron' | 'heartbeat', name: string): string => {
  if (kind === 'heartbeat') {
    const beat = Object.hasOwn(config.heartbeat, name) ? config.heartbeat[name] : undefined;
    return digestOf([beat?.every ?? null]);
  }
  const job = Object.hasOwn(config.cron, name) ? config.cron[name] : undefined;
  return digestOf(job === undefined ? null : [job.schedule, job.timezone, job.enabled]);
};

const cronJob = (entry: {
  readonly name: string;
  readonly written: Config['cron'][string];
  readonly config: Config;
  readonly from: number;
}): BookedJob => {
  const { name, written, config, from } = entry;
  const { agent, prompt, schedule, timezone, enabled, missed, overlap } = written;
  const read = cronTiming(schedule, timezone, 'five or six');
  const timing = read.ok ? read.timing : null;
  const times = { schedule, timezone, enabled, missed, overlap, timing, from };
  const sop = startedBy(config, `cron:${name}`);
  return { name, kind: 'config', agent, prompt: { inline: prompt }, ...times, sop, made: null };
};

const heartbeatJob = (entry: {
  readonly agent: string;
  readonly written: Config['heartbeat'][string];
  readonly from: number;
}): BookedJob => ({
  name: heartbeatName(entry.agent),
  kind: 'heartbeat',
  agent: entry.agent,
  prompt: { inline: entry.written.prompt },
  schedule: entry.written.every,
  timezone: 'UTC',
  enabled: true,
  missed: 'skip',
  overlap: 'skip',
  sop: null,
  timing: steadyTiming(durationMs(entry.written.every)),
  from: entry.from,
  made: null,
});

/** Only a job of config starts a procedure: what an agent calls its job must not decide that. */
const toolJob = (row: Job): BookedJob => {
  const { name, agent, prompt, schedule, timezone } = row;
  const read = cronTiming(schedule, timezone, 'five');
  return {
    name,
    kind: 'tool',
    agent,
    prompt,
    schedule,
    timezone,
    enabled: true,
    missed: 'skip',
    overlap: 'skip',
    sop: null,
    timing: read.ok ? read.timing : null,
    from: 0,
    made: row,
  };
};

import { digestOf } from './canonical.ts';
import { configSchema } from './config/config.schema.ts';
import type { Host, ResolveRequest } from './request.ts';
import type { AppliedConfig } from './resolution.ts';

/** Where the example machine keeps its files. */
export const exampleHost: Host = {
  home: '/home/ana',
  base: '/srv/team',
  data: '/srv/team/.lockstep',
  config: '/srv/team/lockstep.toml',
  program: ['/opt/lockstep/apps', '/opt/lockstep/libs'],
};

/** A config of the shape that a file has, applied. */
export const applied = (config: unknown, version = 1): AppliedConfig => {
  const parsed = configSchema.parse(config);
  return { version, digest: digestOf(parsed), config: parsed, host: exampleHost };
};

/** The parts that every agent needs to be complete. */
export const complete = {
  provider: 'local',
  risk_profile: 'careful',
  runtime_profile: 'short',
} as const;

export const profiles = {
  providers: { local: { type: 'scripted', script: 'scripts/a.yaml' } },
  risk_profiles: { careful: {} },
  runtime_profiles: { short: {} },
} as const;

/** A config of one complete agent `a` with these tables inline. */
export const oneAgent = (tables: Record<string, unknown> = {}): AppliedConfig =>
  applied({ ...profiles, agents: { a: { ...complete, ...tables } } });

/** A request of a person at the machine itself. */
export const runRequest = (agent = 'a'): ResolveRequest => ({
  agent,
  principal: { kind: 'local', id: 'local', person: null },
  session: 's1',
  origin: { kind: 'run' },
  client: 'none',
});

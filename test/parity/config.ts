import { configSchema, readableConfig, type AppliedConfig } from '@lockstep/policy';

/** Tables that one agent writes itself. */
export type Fragment = Readonly<Record<string, unknown>>;

/** A config of two agents; the first, `ada`, writes the fragment, the other one, `ben`, the second. */
export const configWith = (
  agent: Fragment,
  rest: Fragment = {},
  second: Fragment = {},
): AppliedConfig => {
  const complete = { provider: 'local', risk_profile: 'careful', runtime_profile: 'short' };
  const config = configSchema.parse({
    providers: { local: { type: 'scripted', script: 'a.yaml' } },
    risk_profiles: { careful: {} },
    runtime_profiles: { short: {} },
    ...rest,
    agents: { ada: { ...complete, ...agent }, ben: { ...complete, ...second } },
  });
  return {
    version: 1,
    digest: readableConfig(config).digest,
    config,
    host: {
      home: '/home/ana',
      base: '/srv/team',
      data: '/srv/team/.lockstep',
      config: '/srv/team/lockstep.toml',
      program: [],
    },
  };
};

import type { ResolveRequest, Trigger } from '@lockstep/policy';
import type { Expected } from './expectations.ts';
import type { ParityState, Variant } from './parity-state.ts';
import { appliedConfig, latestVersion } from './surroundings.ts';

/** The plain request of a trigger: from somebody whom nothing is taken away. Null for a trigger whose requests always name a
 * record of their own (a parent, a job, a run). */
export const plainRequest = (agent: string, trigger: Trigger): Variant | null => {
  const ask = (principal: ResolveRequest['principal'], origin: ResolveRequest['origin']) => ({
    agent,
    principal,
    session: '-',
    origin,
    client: 'none' as const,
  });
  if (trigger === 'rest' || trigger === 'websocket' || trigger === 'openai')
    return {
      request: ask({ kind: 'token', id: '-', person: null }, { kind: trigger, token: '-' }),
      records: {
        token: { id: '-', name: '-', roles: ['admin'], scopes: { agents: ['*'], tools: ['*'] } },
      },
    };
  if (trigger === 'run')
    return {
      request: ask({ kind: 'local', id: 'local', person: null }, { kind: 'run' }),
      records: {},
    };
  return null;
};

/** What the plain request of a trigger gets under a config version, the latest by default. */
export const baselineOf = (
  state: ParityState,
  agent: string,
  trigger: Trigger,
  version = latestVersion(state),
): Expected => {
  const variant = plainRequest(agent, trigger);
  const applied = version === null ? null : appliedConfig(state, version);
  if (applied === null) return { ok: false, why: 'no config was applied yet' };
  if (variant === null) return { ok: false, why: 'no request of this kind was seen' };
  return state.expectations.first(applied, variant);
};

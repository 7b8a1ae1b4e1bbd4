import { resolve, type AppliedConfig, type PolicySnapshot, type Trigger } from '@lockstep/policy';

/** Starts a turn of an agent under a config over one trigger and answers the policy that was recorded for it. */
export type Driver = (applied: AppliedConfig, agent: string) => Promise<PolicySnapshot>;

/** The seam itself, asked as each trigger asks it. */
export const seamDrivers = {
  rest: (applied: AppliedConfig, agent: string) =>
    answered(
      resolve(
        applied,
        {
          agent,
          principal: { kind: 'token', id: 'tok-1', person: null },
          session: 's-1',
          origin: { kind: 'rest', token: 'tok-1' },
          client: 'none',
        },
        {
          token: {
            id: 'tok-1',
            name: 'ci',
            roles: ['operator'],
            scopes: { agents: ['*'], tools: ['*'] },
          },
        },
      ),
    ),
  run: (applied: AppliedConfig, agent: string) =>
    answered(
      resolve(
        applied,
        {
          agent,
          principal: { kind: 'local', id: 'local', person: null },
          session: 's-1',
          origin: { kind: 'run' },
          client: 'none',
        },
        {},
      ),
    ),
} satisfies Partial<Record<Trigger, Driver>>;

const answered = (found: ReturnType<typeof resolve>): Promise<PolicySnapshot> =>
  found.ok
    ? Promise.resolve(found.policy.parts.snapshot)
    : Promise.reject(new Error(found.problems.map(({ message }) => message).join('; ')));

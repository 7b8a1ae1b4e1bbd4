import { configSchema, triggersByPath, type AppliedConfig, type Trigger } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import { parityMatrix, parityView } from '../parity-matrix.ts';
import { configApplied, fixtureConfig } from './fixture.ts';

const triggers: readonly Trigger[] = Object.values(triggersByPath).flat();
const matrix = parityMatrix({ supportedTriggers: triggers });

/** A team of two: one may do everything, the other is worked with. */
const team = (rest: Record<string, unknown> = {}): AppliedConfig => {
  const complete = { provider: 'local', risk_profile: 'open', runtime_profile: 'short' };
  const config = configSchema.parse({
    providers: { local: { type: 'scripted', script: 'a.yaml' } },
    risk_profiles: {
      open: {
        tools: { allowed: '*' },
        delegation: { mode: 'allow', spawn: true, sops: ['release'] },
      },
    },
    runtime_profiles: { short: {} },
    agents: {
      researcher: {
        ...complete,
        channels: ['webhook.support'],
        delegates: [{ agent: 'reviewer', mode: 'bounded' }],
      },
      reviewer: complete,
    },
    channels: { webhook: { support: { secret: { env: 'SECRET' } } } },
    peer_groups: {
      support: {
        channel: 'webhook.support',
        agents: ['researcher', 'reviewer'],
        external_peers: ['user:ana'],
      },
    },
    cron: { morning: { agent: 'researcher', schedule: '0 7 * * *', prompt: 'Look.' } },
    heartbeat: { researcher: { every: '30m', prompt: 'Look.' } },
    sops: {
      release: { triggers: ['manual', 'tool'], steps: [{ agent: 'reviewer', prompt: 'Check.' }] },
    },
    ...rest,
  });
  return { ...fixtureConfig(1), config };
};

/** State and reason of a setting for an agent over every trigger. */
const cells = (applied: AppliedConfig, agent: string, setting = 'tools.allowed') => {
  const state = matrix.fold(matrix.initial(), configApplied(applied));
  const row = parityView(state, { agent }).rows.find((r) => r.setting === setting);
  const all = Object.values(row?.cells ?? {}).flatMap((cell) => Object.entries(cell.triggers));
  return Object.fromEntries(all.map(([trigger, cell]) => [trigger, cell.reason ?? cell.state]));
};

describe('given every trigger', () => {
  it('waits for a turn where config opens it, and says what closes the others', () => {
    const closed = (kind: string) => `config cannot start \`researcher\` here: ${kind}`;
    expect(cells(team(), 'researcher')).toEqual({
      telegram: closed('`researcher` owns no telegram channel'),
      slack: closed('`researcher` owns no slack channel'),
      discord: closed('`researcher` owns no discord channel'),
      mqtt: closed('`researcher` owns no mqtt channel'),
      webhook: 'unobserved',
      peer: 'unobserved',
      'json-rpc': 'unobserved',
      acp: 'unobserved',
      rest: 'unobserved',
      websocket: 'unobserved',
      openai: 'unobserved',
      cron: 'unobserved',
      heartbeat: 'unobserved',
      subagent: 'unobserved',
      run: 'unobserved',
      bounded: closed('no bounded edge that can be used leads to `researcher`'),
      independent: closed('no independent edge that can be used leads to `researcher`'),
      live: closed('no procedure with a step of `researcher` can be started here'),
      headless: closed('no procedure with a step of `researcher` can be started here'),
    });
    const reviewer = cells(team(), 'reviewer');
    expect([reviewer['bounded'], reviewer['live'], reviewer['headless'], reviewer['peer']]).toEqual(
      Array.from({ length: 4 }, () => 'unobserved'),
    );
    expect(reviewer['webhook']).toBe(
      'config cannot start `reviewer` here: `reviewer` owns no webhook channel',
    );
    expect(reviewer['heartbeat']).toBe(
      'config cannot start `reviewer` here: `reviewer` has no heartbeat',
    );
  });

  it('leads channels that nobody owns to the first agent', () => {
    const complete = { provider: 'local', risk_profile: 'open', runtime_profile: 'short' };
    const applied = team({ agents: { researcher: complete, reviewer: complete } });
    expect(cells(applied, 'researcher')['webhook']).toBe('unobserved');
    expect(cells(applied, 'reviewer')['webhook']).toMatch(/owns no webhook channel/);
  });

  it('closes every way to an agent that is disabled, with one reason', () => {
    const reasons = new Set(
      Object.values(
        cells(team({ agents: { researcher: { enabled: false }, reviewer: {} } }), 'researcher'),
      ),
    );
    expect(reasons.size).toBe(1);
    expect([...reasons][0]).toMatch(/config cannot start `researcher` here: .*disabled/);
  });

  it('closes a sub-agent where none may be started', () => {
    const none = team({
      risk_profiles: { open: { tools: { allowed: '*' }, delegation: { mode: 'allow' } } },
    });
    expect(cells(none, 'researcher')['subagent']).toBe(
      'config cannot start `researcher` here: `delegation.spawn` is false',
    );
  });
});

describe('given a stronger rule', () => {
  it('calls the ownership of channels n/a on every path but theirs', () => {
    const found = cells(team(), 'researcher', 'channels.bindings');
    expect([found['webhook'], found['rest'], found['cron']]).toEqual([
      'unobserved',
      'only what comes in on a channel is judged by it',
      'only what comes in on a channel is judged by it',
    ]);
  });

  it('calls memory n/a for a job that uses none, and not for the others', () => {
    const found = cells(team(), 'researcher', 'memory.share');
    expect([found['cron'], found['rest']]).toEqual([
      '`memory.backend` is `none`: there are no rows',
      'unobserved',
    ]);
  });

  it.each([
    ['shell.sandbox', '`shell.allowed_commands` is empty and decides first'],
    ['skills.prompt_mode', '`skills.bundles` is empty: there is no skill'],
    ['context.identity.writable', '`context.identity.files` is empty: there is no such file'],
  ])('says what decides before %s', (setting, reason) => {
    expect(cells(team(), 'researcher', setting)['rest']).toBe(reason);
  });
});

import { describe, expect, it } from 'vitest';
import { live, machineOf, type Life, type Machine } from '../../work/work.fixture.ts';

const sops = {
  release: {
    triggers: ['manual'],
    steps: [{ name: 'ship', agent: 'alpha', prompt: 'Ship {{input}}', gate: 'approval' }],
  },
};
const riskProfiles = (approval: Record<string, unknown>) => ({
  risk_profiles: { careful: { approval } },
});

const atGate = async (
  tables: Record<string, unknown> = {},
): Promise<{ readonly machine: Machine; readonly life: Life }> => {
  const machine = machineOf({ sops, ...tables }, () => 'done');
  const life = await live(machine);
  await life.sops.start({
    sop: 'release',
    input: 'it',
    run: 'r1',
    by: { kind: 'local', id: 'local', person: null },
    from: { kind: 'manual', origin: { kind: 'run' } },
  });
  await life.settle();
  return { machine, life };
};
const ends = (life: Life): readonly unknown[] =>
  life
    .ofType('Sop')
    .flatMap(({ type, data }) =>
      type === 'SopGateDecided' || type === 'SopRunFailed'
        ? [[type, 'outcome' in data ? data.outcome : 'code' in data ? data.code : null]]
        : [],
    );
const closed = (code: string) => [
  ['SopGateDecided', 'closed'],
  ['SopRunFailed', code],
];

describe('given a gate that waits for a person', () => {
  it.each([['alpha'], [null]])('is closed by a stop of `%s`', async (agent) => {
    const { life, machine } = await atGate();
    expect(life.memory.ledger.pending().length).toBe(1);
    await life.halt(agent);
    expect(ends(life)).toEqual(closed('stopped'));
    expect(life.memory.ledger.pending()).toEqual([]);
    expect(machine.turns.begun.size).toBe(0);
  });

  it('stays open when another agent is stopped', async () => {
    const { life } = await atGate();
    await life.halt('beta');
    expect(ends(life)).toEqual([]);
    expect(life.memory.ledger.pending().length).toBe(1);
  });

  it('is closed by a config under which its step may not run', async () => {
    const { life } = await atGate();
    const off = { provider: 'local', risk_profile: 'careful', runtime_profile: 'short' };
    await life.apply({ sops, agents: { alpha: { ...off, enabled: false }, beta: off } });
    expect(ends(life)).toEqual(closed('refused'));
  });

  it('is closed by a config under which nobody is asked', async () => {
    const { life } = await atGate();
    await life.apply({ sops, ...riskProfiles({ route: { on_no_approver: 'deny' } }) });
    expect(ends(life)).toEqual(closed('refused'));
  });

  it('stays open under a config that changes nothing about it', async () => {
    const { life } = await atGate();
    await life.apply({ sops, ...riskProfiles({ timeout_secs: 60 }) });
    expect(ends(life)).toEqual([]);
  });

  it('is closed after a restart when the stop was set by the run of the daemon before', async () => {
    const { life, machine } = await atGate();
    life.sops.stop();
    await life.halt('alpha');
    expect(ends(life)).toEqual([]);
    life.die();
    expect(ends(await live(machine))).toEqual(closed('stopped'));
  });
});

describe('given a step whose agent asks nobody', () => {
  it('opens no gate: the run is refused at once', async () => {
    const { life, machine } = await atGate(riskProfiles({ route: { on_no_approver: 'deny' } }));
    expect(life.ofType('Sop').map(({ type }) => type)).toEqual(['SopRunStarted', 'SopRunFailed']);
    expect(machine.turns.begun.size).toBe(0);
  });
});

describe('given a gate under four eyes', () => {
  const by = (principal: string, person: string | null = null) =>
    ({ principal, person, surface: 'rest' }) as const;

  it('keeps out the identity that started the run, though config knows no person behind it', async () => {
    const { life } = await atGate(riskProfiles({ four_eyes: true }));
    const [record] = life.memory.ledger.pending();
    if (record === undefined) throw new Error('nothing waits');
    expect(record.notBy).toBe('local:local');
    const [opened] = life.ofType('SopGateOpened');
    if (opened?.type !== 'SopGateOpened') throw new Error('no gate');
    const { shown } = opened.data;
    const decision = {
      choice: 'once',
      scope: null,
      guidance: null,
      revision: record.revision,
      shown,
    } as const;
    expect((await life.sops.decideGate(record, decision, by('local'))).kind).toBe('forbidden');
    expect((await life.sops.decideGate(record, decision, by('01a22d98'))).kind).toBe('forbidden');
    expect((await life.sops.decideGate(record, decision, by('t2', 'ben'))).kind).toBe('decided');
  });
});

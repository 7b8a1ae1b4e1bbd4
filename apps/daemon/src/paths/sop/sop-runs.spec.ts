import { describe, expect, it } from 'vitest';
import type { DecidedBy, LockstepEvent } from '@lockstep/engine';
import type { TurnRequest } from '../../turns/turns.port.ts';
import { live, machineOf, type Life, type Machine } from '../../work/work.fixture.ts';
import type { SopStart } from './sop-runs.port.ts';
import { parseStep } from './step.path.ts';

const two = {
  triggers: ['manual', 'tool', 'channel:webhook.support'],
  steps: [
    { agent: 'alpha', prompt: 'Draft {{input}}' },
    { name: 'check', agent: 'beta', prompt: 'Check {{steps.step1}}', gate: 'approval' },
  ],
};
const tables = (sop: Record<string, unknown> = two): Record<string, unknown> => ({
  sops: { release: sop },
});
const local = { kind: 'local', id: 'local', person: null } as const;
const manual = (more: Partial<SopStart> = {}): SopStart => ({
  sop: 'release',
  input: 'the notes',
  run: 'r1',
  by: local,
  from: { kind: 'manual', origin: { kind: 'run' } },
  ...more,
});
const ofTool = (turn = 'p1'): SopStart =>
  manual({
    by: { kind: 'agent', id: 'alpha', person: null },
    from: { kind: 'tool', agent: 'alpha', parent: { turn, call: 'c1' } },
  });
const replies = ({ agent }: { readonly agent: string }): string => `${agent} did it`;
const ana: DecidedBy = { principal: 't2', person: 'ana', surface: 'rest' };

const types = (life: Life): readonly string[] => life.ofType('Sop').map(({ type }) => type);
const failure = (life: Life): unknown =>
  life.ofType('SopRunFailed').map(({ data }) => ('code' in data ? data.code : null))[0];
const decide = async (life: Life, choice: 'once' | 'deny', by = ana) => {
  const [record] = life.memory.ledger.pending();
  if (record === undefined) throw new Error('nothing waits');
  const shown = life.ofType('SopGateOpened').map(({ data }) => ('shown' in data ? data.shown : ''));
  const result = await life.sops.decideGate(
    record,
    {
      choice,
      scope: null,
      guidance: null,
      revision: record.revision,
      shown: String(shown.at(-1)),
    },
    by,
  );
  await life.settle();
  return result;
};
const started = async (
  start: SopStart,
  sop: Record<string, unknown> = two,
  reply: (request: TurnRequest) => string | null = replies,
) => {
  const machine = machineOf(tables(sop), reply);
  const life = await live(machine);
  const result = await life.sops.start(start);
  await life.settle();
  return { machine, life, result };
};
const only = { triggers: ['manual', 'tool'], steps: [{ agent: 'alpha', prompt: 'Do {{input}}' }] };
const stepOfNobody = {
  run: 'r0',
  step: 's',
  agent: 'alpha',
  prompt: 'x',
  turn: 'p1',
  by: local,
  parent: null,
} as const;
const never = (): null => null;
const runningTurn = ({ turns }: Machine): string =>
  [...turns.begun].find(([, { status }]) => status === 'running')?.[0] ?? '';

describe('given a procedure that is started', () => {
  it('lets each step be a turn of its agent in a session of its own', async () => {
    const { machine, life } = await started(manual(), only);
    const [turn = '', begun] = [...machine.turns.begun][0] ?? [];
    expect(begun?.request).toEqual({
      agent: 'alpha',
      principal: local,
      session: null,
      origin: { kind: 'sop', run: 'r1', step: 'step1', parent: 'none' },
      client: 'none',
      input: 'Do the notes',
      idempotency: null,
      listening: false,
      turn,
    });
    expect(types(life)).toEqual([
      'SopRunStarted',
      'SopStepStarted',
      'SopStepCompleted',
      'SopRunCompleted',
    ]);
    expect(life.ofType('SopRunStarted')[0]?.meta).toMatchObject({
      agent: 'alpha',
      path: 'sop',
      trigger: 'headless',
      principal: local,
    });
  });

  it('is the same run when it is started again under its id', async () => {
    const { life, machine } = await started(manual());
    expect(await life.sops.start(manual())).toEqual({ kind: 'started', run: 'r1', repeat: true });
    expect(machine.turns.begun.size).toBe(1);
  });

  it('is refused where its triggers do not name what starts it', async () => {
    const { result } = await started(
      manual({ from: { kind: 'cron', job: 'nightly', agent: 'alpha' } }),
    );
    expect(result).toEqual({
      kind: 'refused',
      code: 'not_permitted',
      message:
        'procedure `release` is not started by `cron:nightly`: its triggers are `manual`, `tool`, `channel:webhook.support`',
    });
    const { result: none } = await started(manual({ sop: 'other' }));
    expect(none).toMatchObject({ code: 'not_found' });
  });

  it('keeps to the definition that it began with', async () => {
    const { life, machine } = await started(manual());
    const others = two.steps.map((step) => ({ ...step, prompt: 'Something else' }));
    await life.apply(tables({ ...two, steps: others }));
    await decide(life, 'once');
    expect([...machine.turns.begun.values()].map(({ request }) => request.input)).toEqual([
      'Draft the notes',
      'Check <untrusted 1 from step:step1>\nalpha did it\n</untrusted 1>',
    ]);
    expect(types(life).at(-1)).toBe('SopRunCompleted');
  });

  it('fails with its step when the agent of it is off', async () => {
    const sop = { triggers: ['manual'], steps: [{ agent: 'off', prompt: 'Do' }] };
    const { life } = await started(manual(), sop);
    expect(failure(life)).toBe('refused');
  });
});

describe('given a gate before a step', () => {
  it('ends the run when a newer config has no such step for the agent', async () => {
    const { life } = await started(manual());
    await life.apply(tables({ ...two, steps: [{ agent: 'alpha', prompt: 'Something else' }] }));
    expect(life.memory.ledger.pending()).toEqual([]);
    expect(failure(life)).toBe('refused');
  });

  it('waits in the inbox until the deadline of the agent whose step it is', async () => {
    const { life, machine } = await started(manual());
    const [record] = life.memory.ledger.pending();
    expect(record).toEqual({
      id: record?.id,
      kind: 'gate',
      turn: 'r1',
      agent: 'beta',
      session: '',
      call: 'check',
      revision: 3,
      deadline: machine.clock.now() + 900_000,
      state: 'pending',
      tool: 'builtin:sop_start',
      route: 'inbox',
      notBy: null,
    });
    expect(machine.turns.begun.size).toBe(1);
  });

  it('lets the step begin once a person grants it', async () => {
    const { life, machine } = await started(manual());
    expect(await decide(life, 'once')).toMatchObject({ kind: 'decided' });
    expect(machine.turns.begun.size).toBe(2);
    expect(types(life).slice(3)).toEqual([
      'SopGateOpened',
      'SopGateDecided',
      'SopStepStarted',
      'SopStepCompleted',
      'SopRunCompleted',
    ]);
    expect(life.memory.ledger.pending()).toEqual([]);
  });

  it('counts one of many decisions; the others hear whose', async () => {
    const { life } = await started(manual());
    const [record] = life.memory.ledger.pending();
    if (record === undefined) throw new Error('nothing waits');
    const opened = life.ofType('SopGateOpened')[0]?.data;
    const shown = opened !== undefined && 'shown' in opened ? String(opened.shown) : '';
    const decision = {
      choice: 'once',
      scope: null,
      guidance: null,
      revision: record.revision,
      shown,
    } as const;
    const people = ['ana', 'bea', 'cleo'];
    const results = await Promise.all(
      people.map((person) =>
        life.sops.decideGate(record, decision, { ...ana, principal: person, person }),
      ),
    );
    expect(results.map(({ kind }) => kind)).toEqual([
      'decided',
      'already_decided',
      'already_decided',
    ]);
    expect(life.ofType('SopGateDecided').length).toBe(1);
  });

  it('ends the run when it is denied or when nobody decides', async () => {
    const denied = await started(manual());
    await decide(denied.life, 'deny');
    expect(failure(denied.life)).toBe('gate_denied');
    const expired = await started(manual());
    await expired.life.move(900_000);
    expect(failure(expired.life)).toBe('gate_expired');
    expect(expired.machine.turns.begun.size).toBe(1);
  });

  it('takes no decision about what stood there before', async () => {
    const { life } = await started(manual());
    const [record] = life.memory.ledger.pending();
    if (record === undefined) throw new Error('nothing waits');
    const decision = { choice: 'once', scope: null, guidance: null } as const;
    const old = { ...decision, revision: 1, shown: 'f'.repeat(64) };
    expect(await life.sops.decideGate(record, old, ana)).toEqual({
      kind: 'stale_revision',
      revision: 3,
    });
    const other = { ...decision, revision: 3, shown: 'f'.repeat(64) };
    expect((await life.sops.decideGate(record, other, ana)).kind).toBe('invalid');
  });
});

describe('given a run that is a part of a turn', () => {
  it('is a step of that turn, and its principal the agent that called', async () => {
    const { machine, life } = await started(ofTool(), only);
    const request = [...machine.turns.begun.values()][0]?.request;
    expect(request).toMatchObject({
      principal: { kind: 'agent', id: 'alpha', person: null },
      origin: { kind: 'sop', run: 'r1', step: 'step1', parent: 'p1' },
      parent: { turn: 'p1', call: 'c1' },
    });
    expect(life.ofType('SopRunStarted')[0]?.meta.trigger).toBe('live');
  });

  const below = async (): Promise<{ machine: Machine; life: Life }> => {
    const machine = machineOf(tables(only), never);
    await machine.turns.port.launch({ ...parseStep(stepOfNobody), turn: 'p1' });
    const life = await live(machine);
    await life.sops.start(ofTool());
    await life.settle();
    return { machine, life };
  };

  it('ends with that turn', async () => {
    const { machine, life } = await below();
    machine.turns.end('p1', 'cancelled');
    await life.settle();
    expect(failure(life)).toBe('cancelled');
    expect(machine.turns.cancelled.length).toBe(1);
  });

  it('ends after a restart when that turn has ended meanwhile', async () => {
    const { machine, life } = await below();
    life.die();
    machine.turns.end('p1', 'failed');
    const next = await live(machine);
    await next.settle();
    expect(failure(next)).toBe('cancelled');
  });
});

describe('given a run that is cancelled', () => {
  it('cancels the running step first, and ends with it', async () => {
    const { life, machine } = await started(manual(), only, never);
    const turn = runningTurn(machine);
    const done = life.sops.cancel('r1', 'ana', 'enough');
    await life.settle();
    expect(await done).toBe('cancelled');
    expect(machine.turns.cancelled).toEqual([`${turn} by ana`]);
    expect(life.ofType('SopRunFailed')[0]?.data).toMatchObject({ code: 'cancelled', by: 'ana' });
    expect(await life.sops.cancel('r1', 'ana', 'enough')).toBe('ended');
    expect(await life.sops.cancel('none', 'ana', 'enough')).toBe('not_found');
  });
});

describe('given a daemon that dies after any append', () => {
  it('begins no step twice, loses none, and comes to the same end', async () => {
    const end = (events: readonly LockstepEvent[]): readonly string[] =>
      events
        .filter(({ stream }) => stream === 'sop-r1')
        .map(({ type, data }) => ('turn' in data ? `${type} ${data.turn}` : type));
    const whole = await started(manual());
    await decide(whole.life, 'once');
    const expected = end(whole.life.memory.events());
    expect(expected.length).toBe(8);
    for (let appends = 0; appends <= 7; appends += 1) {
      const machine = machineOf(tables(), replies);
      const first = await live(machine, appends);
      await first.sops.start(manual());
      await first.settle();
      if (first.memory.ledger.pending().length > 0) await decide(first, 'once');
      first.die();
      const second = await live(machine);
      await second.sops.start(manual());
      await second.settle();
      if (second.memory.ledger.pending().length > 0) await decide(second, 'once');
      expect(end(second.memory.events()), `after ${appends} appends`).toEqual(expected);
      expect(machine.turns.begun.size, `after ${appends} appends`).toBe(2);
      expect([...first.problems, ...second.problems]).toEqual([]);
      second.die();
    }
  });
});

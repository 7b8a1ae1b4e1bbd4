import { describe, expect, it } from 'vitest';
import { mostMadeJobs } from './made-jobs.ts';
import { live, machineOf, monday, toolJob, type Life, type Machine } from './work.fixture.ts';

const hour = 3_600_000;
const minute = 60_000;
const job = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  cron: { morning: { agent: 'alpha', schedule: '0 * * * *', prompt: 'Look', ...more } },
});
const running = ({ turns }: Machine): string[] =>
  [...turns.begun].filter(([, { status }]) => status === 'running').map(([turn]) => turn);

/** Moves to a time step by step, as a clock that nobody touches does. */
const walk = async (life: Life, ms: number): Promise<void> => {
  for (let gone = 0; gone < ms; gone += 30_000) await life.move(30_000);
};

describe('given a job whose time comes', () => {
  it('fixes the time in the log, then starts its turn, then records the outcome', async () => {
    const machine = machineOf(job());
    const life = await live(machine);
    await walk(life, hour);
    const [turn = ''] = running(machine);
    expect(life.ofJob('morning')).toEqual(['due 03-02T07:00']);
    expect(machine.turns.begun.get(turn)?.request).toEqual({
      agent: 'alpha',
      principal: { kind: 'job', id: 'morning', person: null },
      session: null,
      origin: { kind: 'cron', job: 'morning' },
      client: 'none',
      input: 'Look',
      idempotency: null,
      listening: false,
      turn,
    });
    machine.turns.end(turn, 'completed');
    await life.settle();
    expect(life.ofJob('morning')).toEqual(['due 03-02T07:00', 'completed 03-02T07:00']);
    expect(life.ofType('JobDue')[0]).toMatchObject({
      data: {
        name: 'morning',
        agent: 'alpha',
        due: monday + hour,
        now: monday + hour,
        late: false,
        turn,
        sop: null,
        by: 'schedule',
      },
      meta: { agent: 'alpha', path: 'loop', trigger: 'cron', turn },
    });
  });

  it('is refused and recorded where its agent is off', async () => {
    const machine = machineOf(job({ agent: 'off' }));
    const life = await live(machine);
    await walk(life, hour);
    expect(life.ofJob('morning')).toEqual(['refused 03-02T07:00']);
    expect([...machine.turns.begun.values()].map(({ status }) => status)).toEqual(['refused']);
  });

  it('is skipped while everything is stopped', async () => {
    const machine = machineOf(job());
    const life = await live(machine);
    await life.memory.store.append(
      'daemon',
      [
        {
          type: 'EmergencyStopSet',
          id: '00000000-0000-7000-8000-00000000ffff',
          schema: 1,
          data: { agent: null, by: 'ana', why: 'enough' },
          meta: {
            agent: null,
            path: null,
            trigger: null,
            principal: null,
            session: null,
            turn: null,
            root: null,
            parent: null,
            chain: [],
            correlation: 'c',
            causation: null,
            attempt: 1,
            daemon: 'd',
            build: 'test',
          },
        },
      ],
      'no-stream',
    );
    await walk(life, hour);
    expect(life.ofJob('morning')).toEqual(['stopped 03-02T07:00']);
    expect(machine.turns.begun.size).toBe(0);
  });
});

describe('given a run that still works when the next time comes', () => {
  it('skips the time', async () => {
    const machine = machineOf(job());
    const life = await live(machine);
    await walk(life, 2 * hour);
    expect(life.ofJob('morning')).toEqual(['due 03-02T07:00', 'overlap 03-02T08:00']);
  });

  it('lets one time wait where the job says so, and no more', async () => {
    const machine = machineOf(job({ overlap: 'queue' }));
    const life = await live(machine);
    await walk(life, 3 * hour);
    expect(life.ofJob('morning')).toEqual([
      'due 03-02T07:00',
      'due 03-02T08:00',
      'overlap 03-02T09:00',
    ]);
    expect(machine.turns.begun.size).toBe(1);
    machine.turns.endAll();
    await life.settle();
    expect(machine.turns.begun.size).toBe(2);
    machine.turns.endAll();
    await life.settle();
    expect(life.ofJob('morning').slice(3)).toEqual([
      'completed 03-02T07:00',
      'completed 03-02T08:00',
    ]);
  });
});

describe('given times that passed while the daemon was down', () => {
  const away = async (missed: 'skip' | 'run_once'): Promise<readonly string[]> => {
    const machine = machineOf(job({ missed }), () => 'done');
    const first = await live(machine);
    await walk(first, hour);
    first.die();
    machine.clock.advance(3 * hour + 10 * minute);
    const second = await live(machine);
    await walk(second, hour);
    return second.ofJob('morning').slice(2);
  };

  it('skips them, and says how many there were', async () => {
    expect(await away('skip')).toEqual([
      'missed 03-02T08:00 +2',
      'due 03-02T11:00',
      'completed 03-02T11:00',
    ]);
  });

  it('runs once for all of them where the job says so', async () => {
    expect(await away('run_once')).toEqual([
      'missed 03-02T08:00 +1',
      'due 03-02T10:00 late',
      'completed 03-02T10:00',
      'due 03-02T11:00',
      'completed 03-02T11:00',
    ]);
  });

  it('counts from when the job came to be, not from the epoch', async () => {
    const machine = machineOf(job({ missed: 'run_once' }), () => 'done');
    const first = await live(machine);
    first.die();
    machine.clock.advance(2 * hour + minute);
    const second = await live(machine);
    expect(second.ofJob('morning')).toEqual([
      'missed 03-02T07:00',
      'due 03-02T08:00 late',
      'completed 03-02T08:00',
    ]);
  });
});

describe('given a clock that is put', () => {
  it('back: takes no time twice', async () => {
    const machine = machineOf(job(), () => 'done');
    const life = await live(machine);
    await walk(life, hour + 10 * minute);
    machine.clock.advance(-30 * minute);
    await walk(life, hour);
    expect(life.ofType('JobDue').length).toBe(1);
    await walk(life, hour);
    expect(life.ofJob('morning').filter((one) => one.startsWith('due'))).toEqual([
      'due 03-02T07:00',
      'due 03-02T08:00',
    ]);
  });

  it('forward: the times in between were missed', async () => {
    const machine = machineOf(job(), () => 'done');
    const life = await live(machine);
    await walk(life, hour);
    await life.move(5 * hour + 30 * minute);
    await walk(life, 30 * minute);
    expect(life.ofJob('morning').slice(2)).toEqual([
      'missed 03-02T08:00 +4',
      'due 03-02T13:00',
      'completed 03-02T13:00',
    ]);
  });

  it('back after times were skipped: the next ones come', async () => {
    const machine = machineOf(job(), () => 'done');
    const life = await live(machine);
    await life.move(5 * hour + 30 * minute);
    machine.clock.advance(-4 * hour);
    await walk(life, 5 * hour);
    expect(life.ofJob('morning')).toEqual([
      'missed 03-02T07:00 +4',
      'due 03-02T12:00',
      'completed 03-02T12:00',
    ]);
  });
});

describe('given a config that changes', () => {
  it('keeps to the new times, and holds no earlier time against them', async () => {
    const machine = machineOf(job(), () => 'done');
    const life = await live(machine);
    await walk(life, hour);
    await life.apply(job({ schedule: '15 * * * *', missed: 'run_once' }));
    await walk(life, hour);
    expect(life.ofJob('morning').slice(2)).toEqual(['due 03-02T07:15', 'completed 03-02T07:15']);
  });

  it('takes no more times of a job that is gone or off', async () => {
    const machine = machineOf(job(), () => 'done');
    const life = await live(machine);
    await life.apply({});
    await walk(life, hour);
    await life.apply(job({ enabled: false }));
    await walk(life, hour);
    expect(life.ofType('Job')).toEqual([]);
    expect(life.jobs.find('morning')?.next).toEqual([]);
  });
});

describe('given a heartbeat', () => {
  const beat = { heartbeat: { alpha: { every: '30m', prompt: 'Anything open?' } } };

  it('comes at its pace, as its agent alone', async () => {
    const machine = machineOf(beat, () => 'done');
    const life = await live(machine);
    await walk(life, hour);
    expect(life.ofJob('heartbeat-alpha')).toEqual([
      'due 03-02T06:30',
      'completed 03-02T06:30',
      'due 03-02T07:00',
      'completed 03-02T07:00',
    ]);
    expect([...machine.turns.begun.values()][0]?.request.origin).toEqual({ kind: 'heartbeat' });
  });

  it('is skipped while the last one still works', async () => {
    const machine = machineOf(beat);
    const life = await live(machine);
    await walk(life, hour);
    expect(life.ofJob('heartbeat-alpha')).toEqual(['due 03-02T06:30', 'overlap 03-02T07:00']);
  });
});

describe('given a job that a tool made', () => {
  it('makes no more than so many of one agent, those on their way counted, and another once one has ended', async () => {
    const life = await live(machineOf({}));
    const wanted = Array.from({ length: mostMadeJobs + 5 }, (_, n) =>
      toolJob({ name: `mine-${n}` }),
    );
    const added = await Promise.all(wanted.map((one) => life.jobs.add(one)));
    expect(added.filter(({ kind }) => kind === 'done').length).toBe(mostMadeJobs);
    expect(added.at(-1)).toEqual({
      kind: 'refused',
      message: 'you have 50 jobs, which is as many as may be: end one first',
    });
    expect(life.jobs.list('alpha').length).toBe(mostMadeJobs);
    expect(await life.jobs.add(toolJob({ name: 'theirs', agent: 'beta' }))).toEqual({
      kind: 'done',
    });
    await life.jobs.remove('mine-0', 'alpha', 'ana');
    expect(await life.jobs.add(toolJob({ name: 'one-more' }))).toEqual({ kind: 'done' });
  });

  it('is made once, by one agent, and not beside one of config', async () => {
    const machine = machineOf(job(), () => 'done');
    const life = await live(machine);
    const results = await Promise.all([
      life.jobs.add(toolJob()),
      life.jobs.add(toolJob({ agent: 'beta' })),
      life.jobs.add(toolJob({ name: 'morning' })),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['done', 'refused', 'refused']);
    expect(life.ofType('JobAdded').map(({ data }) => data)).toEqual([toolJob()]);
  });

  it('runs after a restart, and ends for good when it is removed', async () => {
    const machine = machineOf({}, () => 'done');
    const first = await live(machine);
    await first.jobs.add(toolJob());
    first.die();
    const second = await live(machine);
    await walk(second, hour);
    expect(second.ofJob('mine')).toEqual(['JobAdded', 'due 03-02T07:00', 'completed 03-02T07:00']);
    expect(await second.jobs.remove('mine', 'beta', 't1')).toEqual({
      kind: 'refused',
      message: 'you have no job `mine`',
    });
    expect(await second.jobs.remove('mine', 'alpha', 't1')).toEqual({ kind: 'done' });
    second.die();
    const third = await live(machine);
    await third.move(24 * hour);
    expect(third.ofType('JobDue').length).toBe(1);
  });

  it('starts no procedure, whatever it is called', async () => {
    const steps = [{ agent: 'beta', prompt: 'Do it' }];
    const machine = machineOf({ sops: { release: { triggers: ['cron:mine'], steps } } });
    const life = await live(machine);
    await life.jobs.add(toolJob());
    await walk(life, hour);
    expect(life.ofType('SopRunStarted')).toEqual([]);
    expect([...machine.turns.begun.values()].map(({ request }) => request.agent)).toEqual([
      'alpha',
    ]);
  });
});

describe('given a job that a person starts', () => {
  it('runs now, and its schedule goes on', async () => {
    const machine = machineOf(job(), () => 'done');
    const life = await live(machine);
    const started = await life.jobs.runNow('morning');
    expect(started).toMatchObject({ kind: 'started', due: monday, queued: false, sop: null });
    await walk(life, hour);
    expect(life.ofJob('morning')).toEqual([
      'due 03-02T06:00',
      'completed 03-02T06:00',
      'due 03-02T07:00',
      'completed 03-02T07:00',
    ]);
  });

  it('is busy while its last run works', async () => {
    const machine = machineOf(job());
    const life = await live(machine);
    await life.jobs.runNow('morning');
    expect((await life.jobs.runNow('morning')).kind).toBe('busy');
    expect((await life.jobs.runNow('none')).kind).toBe('not_found');
  });
});

describe('given a daemon that dies after any append', () => {
  const tables = {
    cron: {
      morning: { agent: 'alpha', schedule: '0 * * * *', prompt: 'Look', overlap: 'queue' },
      release: { agent: 'alpha', schedule: '0 * * * *', prompt: 'Ship', missed: 'run_once' },
    },
    sops: {
      ship: {
        triggers: ['cron:release'],
        steps: [
          { agent: 'alpha', prompt: 'Draft {{input}}' },
          { agent: 'beta', prompt: 'Check {{steps.step1}}' },
        ],
      },
    },
  };

  it('starts each recorded time exactly once, and every run comes to its end', async () => {
    for (let appends = 0; appends <= 12; appends += 1) {
      const machine = machineOf(tables, (request) => (request.agent === 'beta' ? 'fine' : null));
      const first = await live(machine, appends);
      await first.move(hour);
      machine.turns.endAll();
      await first.settle();
      first.die();
      const second = await live(machine);
      for (let n = 0; n < 6; n += 1) {
        machine.turns.endAll();
        await second.move(30_000);
      }
      const dues = second.ofType('JobDue');
      const runs = second.ofType('JobRun');
      const names = (events: typeof dues): unknown[] =>
        events.map(({ data }) => ('turn' in data ? data.turn : null)).sort();
      expect(names(runs), `after ${appends} appends`).toEqual(names(dues));
      // One turn of the job, and one for each step of the procedure: none twice, none lost.
      const sops = second.ofType('SopRunStarted').length;
      const plain = dues.filter(({ data }) => 'sop' in data && data.sop === null).length;
      expect(machine.turns.begun.size, `after ${appends} appends`).toBe(plain + 2 * sops);
      expect(second.ofType('SopRunCompleted').length).toBe(sops);
      expect(second.ofType('SopStepStarted').length).toBe(2 * sops);
      expect([...first.problems, ...second.problems]).toEqual([]);
      second.die();
    }
  });
});

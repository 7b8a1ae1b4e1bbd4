import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideSop, type SopCommand } from './decide-sop.ts';
import { sopDefinition, type WrittenSop } from './definition.ts';
import { evolveSop } from './evolve-sop.ts';
import { nextSopEffect, stepTurn } from './next-sop-effect.ts';
import { renderPrompt } from './render-prompt.ts';
import { initialSop, type SopFact, type SopState } from './state.ts';

const written: WrittenSop = {
  triggers: ['manual'],
  steps: [
    { agent: 'alpha', prompt: 'Draft {{input}}', gate: 'none', retries: 0 },
    { name: 'check', agent: 'beta', prompt: 'Check {{steps.step1}}', gate: 'none', retries: 0 },
  ],
};
const gated: WrittenSop = {
  triggers: ['manual'],
  steps: [{ agent: 'alpha', prompt: 'Ship {{input}}', gate: 'approval', retries: 0 }],
};
const schema = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } };
const typed: WrittenSop = {
  triggers: ['manual'],
  steps: [{ agent: 'alpha', prompt: 'Judge', gate: 'none', output: schema, retries: 1 }],
};

const ana = { kind: 'token', id: 't1', person: 'ana' } as const;
const config = { version: 1, digest: 'a'.repeat(64) };
const begin = (sop: WrittenSop): SopCommand => ({
  type: 'StartRun',
  run: 'r1',
  sop: 'release',
  config,
  definition: sopDefinition(sop),
  input: 'the notes',
  by: ana,
  trigger: 'manual',
  parent: null,
  narrowings: [],
  depth: 0,
  origin: { kind: 'run' },
});
const end = (
  attempt: number,
  step: string,
  reply: string,
  more: Partial<Extract<SopCommand, { type: 'EndStep' }>> = {},
): SopCommand => ({
  type: 'EndStep',
  turn: stepTurn('r1', step, attempt),
  outcome: 'completed',
  reply,
  why: null,
  by: null,
  stopped: false,
  ...more,
});
const by = { principal: 't2', person: 'bea', surface: 'rest' } as const;
const shown = 'b'.repeat(64);
const openGate = (more: { required?: number; notBy?: string | null } = {}): SopCommand => ({
  type: 'OpenGate',
  gate: 'g1',
  view: { inline: 'ship it' },
  shown,
  route: 'inbox',
  deadline: 2_000,
  required: 1,
  notBy: null,
  ...more,
});
const decideGate = (choice: 'once' | 'deny', person = 'bea'): SopCommand => ({
  type: 'DecideGate',
  gate: 'g1',
  by: { ...by, person },
  choice,
  shown,
  guidance: null,
});

/** The state and the facts after commands, each of which must be taken. */
const after = (...commands: readonly SopCommand[]): { state: SopState; facts: SopFact[] } => {
  let state: SopState = initialSop;
  const facts: SopFact[] = [];
  for (const command of commands) {
    const decision = decideSop(command, state);
    if (!decision.ok) throw new Error(decision.message);
    facts.push(...decision.facts);
    state = decision.facts.reduce(evolveSop, state);
  }
  return { state, facts };
};
const last = (n: number, ...commands: readonly SopCommand[]): readonly SopFact[] => {
  const { facts } = after(...commands);
  const before = after(...commands.slice(0, -1)).facts.length;
  expect(facts.length - before).toBe(n);
  return facts.slice(before);
};

describe('given a run that has not begun', () => {
  it('records what it keeps to: the definition, who started it and whose its steps are', () => {
    expect(after(begin(written)).facts).toEqual([
      {
        type: 'SopRunStarted',
        data: {
          run: 'r1',
          sop: 'release',
          config,
          definition: {
            inline:
              '{"steps":[{"agent":"alpha","gate":"none","name":"step1","output":null,"prompt":"Draft {{input}}","retries":0,"tools":null},{"agent":"beta","gate":"none","name":"check","output":null,"prompt":"Check {{steps.step1}}","retries":0,"tools":null}],"triggers":["manual"]}',
          },
          input: { inline: 'the notes' },
          by: ana,
          trigger: 'manual',
          parent: null,
          narrowings: [],
          depth: 0,
          origin: { kind: 'run' },
          scopes: [
            { step: 'step1', agent: 'alpha', tools: null },
            { step: 'check', agent: 'beta', tools: null },
          ],
        },
      },
    ]);
  });

  it('takes nothing else', () => {
    expect(decideSop({ type: 'BeginStep' }, initialSop)).toEqual({
      ok: false,
      code: 'not_started',
      message: 'the run has not begun',
    });
  });

  it('begins once, however often it is started', () => {
    expect(last(0, begin(written), begin(gated))).toEqual([]);
  });
});

describe('given steps one after the other', () => {
  it('begins the first under a turn fixed by run, step and try', () => {
    expect(last(1, begin(written), { type: 'BeginStep' })).toEqual([
      {
        type: 'SopStepStarted',
        data: {
          run: 'r1',
          step: 'step1',
          index: 0,
          attempt: 1,
          agent: 'alpha',
          turn: stepTurn('r1', 'step1', 1),
          prompt: { inline: 'Draft the notes' },
        },
      },
    ]);
  });

  it('hands a reply to the next step as untrusted text', () => {
    const [fact] = last(
      1,
      begin(written),
      { type: 'BeginStep' },
      end(1, 'step1', 'a draft {{input}}'),
      { type: 'BeginStep' },
    );
    expect(fact?.type === 'SopStepStarted' ? fact.data.prompt : null).toEqual({
      inline: 'Check <untrusted 1 from step:step1>\na draft {{input}}\n</untrusted 1>',
    });
  });

  it('ends with the reply of the last step, in the same append', () => {
    expect(
      last(
        2,
        begin(written),
        { type: 'BeginStep' },
        end(1, 'step1', 'a draft'),
        { type: 'BeginStep' },
        end(1, 'check', 'fine'),
      ).map((fact) => [fact.type, 'output' in fact.data ? fact.data.output : null]),
    ).toEqual([
      ['SopStepCompleted', { inline: 'fine' }],
      ['SopRunCompleted', { inline: 'fine' }],
    ]);
  });

  it('takes the end of another turn for nothing', () => {
    const started = [begin(written), { type: 'BeginStep' }] as const;
    expect(last(0, ...started, end(2, 'step1', 'late'))).toEqual([]);
  });
});

describe('given a step that does not complete', () => {
  const started = [begin(written), { type: 'BeginStep' }] as const;
  const ended = (more: Parameters<typeof end>[3]): readonly unknown[] =>
    last(2, ...started, end(1, 'step1', '', more)).map(({ type, data }) =>
      'code' in data ? [type, data.code, data.message, data.by] : [type],
    );

  it('fails the run with the step and why', () => {
    expect(ended({ outcome: 'failed', why: 'the model was gone' })).toEqual([
      ['SopStepCompleted'],
      ['SopRunFailed', 'step_failed', 'step `step1` failed: the model was gone', null],
    ]);
  });

  it('tells a refusal from the emergency stop', () => {
    expect(ended({ outcome: 'refused', why: 'not available' })[1]).toEqual([
      'SopRunFailed',
      'refused',
      'step `step1` was refused: not available',
      null,
    ]);
    expect(ended({ outcome: 'refused', why: 'stopped', stopped: true })[1]).toEqual([
      'SopRunFailed',
      'stopped',
      'step `step1` was refused: stopped',
      null,
    ]);
  });

  it('is cancelled with whoever cancelled it', () => {
    expect(ended({ outcome: 'cancelled', why: 'enough', by: 'ana' })[1]).toEqual([
      'SopRunFailed',
      'cancelled',
      'step `step1` was cancelled: enough',
      'ana',
    ]);
  });
});

describe('given a step whose reply must hold a schema', () => {
  const started = [begin(typed), { type: 'BeginStep' }] as const;

  it('completes with a reply that holds it', () => {
    expect(last(2, ...started, end(1, 'step1', '{"ok":true}'))[1]?.type).toBe('SopRunCompleted');
  });

  it('tries again with what was wrong, as often as it may, then fails', () => {
    const [first] = last(1, ...started, end(1, 'step1', 'fine!'));
    expect(first?.type === 'SopStepCompleted' ? first.data : null).toMatchObject({
      outcome: 'invalid_output',
      why: 'the reply must be JSON and nothing else',
    });
    const again = [...started, end(1, 'step1', 'fine!'), { type: 'BeginStep' }] as const;
    const [second] = last(1, ...again);
    expect(second?.type === 'SopStepStarted' ? second.data : null).toMatchObject({
      attempt: 2,
      turn: stepTurn('r1', 'step1', 2),
      prompt: {
        inline:
          'Judge\n\nThe last try did not do: the reply must be JSON and nothing else. Do it again and mind that.',
      },
    });
    expect(last(2, ...again, end(2, 'step1', '{}')).map(({ type }) => type)).toEqual([
      'SopStepCompleted',
      'SopRunFailed',
    ]);
  });

  it('does not follow a reply that nests without end', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const [fact] = last(1, ...started, end(1, 'step1', deep));
    expect(fact?.type === 'SopStepCompleted' ? fact.data.why : null).toBe(
      'the reply nests more than 64 levels',
    );
  });
});

describe('given a gate before a step', () => {
  const waiting = [begin(gated), openGate()] as const;

  it('asks before the step begins, and begins nothing meanwhile', () => {
    expect(nextSopEffect(after(begin(gated)).state)).toEqual({
      kind: 'open-gate',
      step: sopDefinition(gated).steps[0],
      prompt: 'Ship the notes',
    });
    expect(last(0, begin(gated), { type: 'BeginStep' })).toEqual([]);
    expect(last(0, ...waiting, { type: 'BeginStep' })).toEqual([]);
    expect(nextSopEffect(after(...waiting).state)).toEqual({
      kind: 'wait-gate',
      gate: 'g1',
      deadline: 2_000,
    });
  });

  it('opens once', () => {
    expect(last(0, ...waiting, openGate())).toEqual([]);
  });

  it('lets the step begin when a person grants it', () => {
    expect(last(1, ...waiting, decideGate('once'))).toEqual([
      {
        type: 'SopGateDecided',
        data: {
          run: 'r1',
          step: 'step1',
          gate: 'g1',
          outcome: 'granted',
          by,
          shown,
          why: 'approved by `bea`',
        },
      },
    ]);
    expect(nextSopEffect(after(...waiting, decideGate('once')).state)).toEqual({
      kind: 'begin-step',
    });
  });

  it('ends the run when a person denies it', () => {
    expect(last(2, ...waiting, decideGate('deny'))[1]).toEqual({
      type: 'SopRunFailed',
      data: {
        run: 'r1',
        code: 'gate_denied',
        step: 'step1',
        message: 'denied by `bea`',
        by: 'bea',
      },
    });
  });

  it('ends the run when nobody decides in time, but not before people had a minute after a start', () => {
    const expire = (now: number, startedAt: number): SopCommand => ({
      type: 'ExpireGate',
      now,
      startedAt,
    });
    expect(last(0, ...waiting, expire(1_999, 0))).toEqual([]);
    expect(last(0, ...waiting, expire(9_000, 5_000))).toEqual([]);
    expect(last(2, ...waiting, expire(2_000, 0)).map(({ type }) => type)).toEqual([
      'SopGateDecided',
      'SopRunFailed',
    ]);
    expect(last(2, ...waiting, expire(65_000, 5_000))[1]?.data).toMatchObject({
      code: 'gate_expired',
    });
  });

  it('takes no decision about another view', () => {
    const { state } = after(...waiting);
    const other = { ...decideGate('once'), shown: 'c'.repeat(64) } as SopCommand;
    expect(decideSop(other, state)).toEqual({
      ok: false,
      code: 'wrong_view',
      message: 'what was shown differs from what is asked: load it again',
    });
  });

  it('takes no second decision', () => {
    const { state } = after(...waiting, decideGate('once'));
    expect(decideSop(decideGate('deny', 'cleo'), state)).toMatchObject({ code: 'not_pending' });
  });

  it('keeps out who asked where four eyes are wanted, for granting', () => {
    const { state } = after(begin(gated), openGate({ notBy: 'ana' }));
    expect(decideSop(decideGate('once', 'ana'), state)).toMatchObject({ code: 'not_permitted' });
    expect(decideSop(decideGate('deny', 'ana'), state)).toMatchObject({ ok: true });
  });

  it('keeps out an identity without a person that asked, too', () => {
    const { state } = after(begin(gated), openGate({ notBy: 'token:t1' }));
    const own = decideGate('once') as Extract<SopCommand, { type: 'DecideGate' }>;
    const by = { principal: 't1', person: null, surface: 'rest' } as const;
    expect(decideSop({ ...own, by }, state)).toMatchObject({ code: 'not_permitted' });
  });

  it('wants as many different people as are required', () => {
    const two = [begin(gated), openGate({ required: 2 })] as const;
    expect(last(1, ...two, decideGate('once')).map(({ type }) => type)).toEqual(['SopGateVoted']);
    expect(last(0, ...two, decideGate('once'), decideGate('once'))).toEqual([]);
    expect(
      last(2, ...two, decideGate('once'), decideGate('once', 'cleo')).map(({ type }) => type),
    ).toEqual(['SopGateVoted', 'SopGateDecided']);
  });

  it('is closed with a run that is cancelled', () => {
    expect(last(2, ...waiting, { type: 'CancelRun', by: 'ana', why: 'enough' })).toEqual([
      {
        type: 'SopGateDecided',
        data: {
          run: 'r1',
          step: 'step1',
          gate: 'g1',
          outcome: 'closed',
          by: null,
          shown: null,
          why: 'enough',
        },
      },
      {
        type: 'SopRunFailed',
        data: { run: 'r1', code: 'cancelled', step: 'step1', message: 'enough', by: 'ana' },
      },
    ]);
  });
});

describe('given a run that is cancelled', () => {
  it('ends no run whose step still runs: the step ends first', () => {
    const started = [begin(written), { type: 'BeginStep' }] as const;
    expect(last(0, ...started, { type: 'CancelRun', by: 'ana', why: 'enough' })).toEqual([]);
  });

  it('hears that it has ended', () => {
    const { state } = after(begin(gated), openGate(), decideGate('deny'));
    expect(decideSop({ type: 'CancelRun', by: 'ana', why: 'x' }, state)).toMatchObject({
      code: 'ended',
    });
  });
});

describe('given a recorded definition that cannot be read', () => {
  const [started] = after(begin(written)).facts;
  it('gives up and runs nothing', () => {
    if (started?.type !== 'SopRunStarted') throw new Error('no start');
    const broken: SopFact = {
      ...started,
      data: { ...started.data, definition: { inline: '{"steps":[]}' } },
    };
    const state = evolveSop(initialSop, broken);
    expect(nextSopEffect(state)).toEqual({
      kind: 'give-up',
      message: 'the recorded definition cannot be read',
    });
    expect(decideSop({ type: 'BeginStep' }, state)).toEqual({ ok: true, facts: [] });
  });
});

describe('given a template', () => {
  it('puts texts in once, and never reads them as templates', () => {
    const piece = fc.constantFrom('{{input}}', '{{steps.a}}', '{{', '}}', 'x', '$&', '$1', ' ');
    const text = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (input, reply) => {
        const steps = new Map([['a', reply]]);
        expect(renderPrompt('1 {{input}} 2', { input, steps })).toBe(`1 ${input} 2`);
        expect(renderPrompt('{{ steps.a }}', { input, steps })).toContain(`\n${reply}\n`);
      }),
    );
  });

  it('leaves a place that stands for nothing as it is', () => {
    const texts = { input: 'x', steps: new Map<string, string>() };
    expect(renderPrompt('{{steps.none}} {{other}}', texts)).toBe('{{steps.none}} {{other}}');
  });
});

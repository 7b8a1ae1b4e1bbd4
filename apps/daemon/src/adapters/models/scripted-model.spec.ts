import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelInput, ModelMessage, ModelOutcome } from '@lockstep/engine';
import { digestOf, type ProviderConfig } from '@lockstep/policy';
import { describe, expect, it } from 'vitest';
import { startedModel } from '../../../../../test/support/started-calls.ts';
import { createModelPorts, modelFor, type ModelContext } from './model-ports.ts';
import { parseScript } from './parse-script.ts';
import { playScript } from './scripted-model.ts';

const never = new AbortController().signal;
const tool = (id: string, alias: string): ModelInput['tools'][number] => ({
  id,
  alias,
  description: '',
  inputSchema: {},
});
const tools = [
  tool('builtin:file_list', 'file_list'),
  tool('mcp:files/read_text_file', 'mcp_files_read_text_file'),
];

const scriptOf = (text: string) => {
  const parsed = parseScript(text, 'script.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.script;
};

const tidy = `
scenarios:
  - when: "tidy the notes"
    steps:
      - calls:
          - { tool: file_list, args: { path: "." } }
          - { tool: "mcp:files/read_text_file", args: { path: a.md } }
      - say: "Read {{results.1}} of {{results.0.files.0}}; {{results.7}}"
        usage: { input: 5, output: 3 }
  - when: "/^wr[a-z]+ (now|later)$/"
    steps: [{ calls: [{ tool: shell, args: { command: "ls" } }], say: "writing" }]
default: [{ say: "No scenario matches." }, { say: "Still none." }]
`;

/** Plays a whole turn: every answer of the model goes into the messages, each call gets its result. */
const play = async (
  script: string,
  text: string,
  turns: readonly { attempt?: number; results?: readonly string[] }[],
): Promise<readonly ModelOutcome[]> => {
  const port = playScript(scriptOf(script));
  const messages: ModelMessage[] = [{ role: 'user', text }];
  const outcomes: ModelOutcome[] = [];
  let modelCall = 1;
  for (const { attempt = 1, results = [] } of turns) {
    const outcome = await port.call(
      startedModel({ system: '', tools, messages: [...messages] }, { modelCall, attempt }),
      {
        signal: never,
        onDelta: null,
      },
    );
    outcomes.push(outcome);
    if (!outcome.ok) continue;
    modelCall += 1;
    messages.push({ role: 'assistant', text: outcome.text, calls: outcome.calls });
    outcome.calls.forEach((c, n) =>
      messages.push({
        role: 'tool',
        call: c.call,
        alias: c.alias,
        text: results[n] ?? '',
        isError: false,
      }),
    );
  }
  return outcomes;
};

const says = (outcomes: readonly ModelOutcome[]): readonly string[] =>
  outcomes.map((o) => (o.ok ? o.text : o.kind));

describe('given a scenario whose `when` is part of the last user message', () => {
  it('makes the calls of a step at once, by the advertised aliases', async () => {
    expect(await play(tidy, 'please tidy the notes today', [{}])).toEqual([
      {
        ok: true,
        text: '',
        calls: [
          { call: 'm1a1s0c0', alias: 'file_list', args: '{"path":"."}' },
          { call: 'm1a1s0c1', alias: 'mcp_files_read_text_file', args: '{"path":"a.md"}' },
        ],
        finish: 'tool_calls',
        usage: { inputTokens: 7, outputTokens: 2, cachedInputTokens: 0 },
      },
    ]);
  });

  it('fills in results of the step before by 0-based index, and fields of JSON results', async () => {
    const outcomes = await play(tidy, 'tidy the notes', [
      { results: ['{"files":["a.md"]}', 'alpha'] },
      {},
    ]);
    expect(outcomes[1]).toEqual({
      ok: true,
      text: 'Read alpha of a.md; {{results.7}}',
      calls: [],
      finish: 'stop',
      usage: { inputTokens: 5, outputTokens: 3, cachedInputTokens: 0 },
    });
  });

  it('plays the default from its start past the last step', async () => {
    expect(says(await play(tidy, 'tidy the notes', [{}, {}, {}, {}, {}])).slice(2)).toEqual([
      'No scenario matches.',
      'Still none.',
      'No scenario matches.',
    ]);
  });
});

describe('given other ways to match', () => {
  it('takes a pattern between slashes, and asks for a tool that is not offered by its canonical id', async () => {
    expect(await play(tidy, 'write later', [{}])).toMatchObject([
      { text: 'writing', calls: [{ alias: 'builtin:shell', args: '{"command":"ls"}' }] },
    ]);
  });

  it('plays the default when nothing matches', async () => {
    expect(says(await play(tidy, 'write tomorrow', [{}]))).toEqual(['No scenario matches.']);
  });

  it('judges a pattern in linear time, whatever the pattern', async () => {
    const evil = 'scenarios: [{ when: "/^(a+)+$/", steps: [{ say: all }] }]';
    const outcomes = await play(evil, `${'a'.repeat(50_000)}!`, [{}]);
    expect(says(outcomes)).toEqual(['No scenario matches.']);
  });
});

describe('given steps that fail', () => {
  const script = `
scenarios:
  - when: go
    steps:
      - fail: { status: 503, message: busy }
      - calls: [{ tool: file_list }]
      - fail: { status: 429 }
      - say: done
`;

  it('takes one step for each attempt, and goes on after what was played', async () => {
    const outcomes = await play(script, 'go', [{}, { attempt: 2 }, {}, { attempt: 2 }]);
    expect(says(outcomes)).toEqual(['unavailable', '', 'rate_limited', 'done']);
    expect(outcomes[0]).toEqual({
      ok: false,
      kind: 'unavailable',
      status: 503,
      message: 'busy',
      retryable: true,
      retryAfterMs: null,
    });
  });

  it('counts an attempt whose answer was lost', async () => {
    const three =
      'scenarios: [{ when: go, steps: [{ calls: [{ tool: file_list }] }, { calls: [{ tool: shell }] }, { say: end }] }]';
    expect(says(await play(three, 'go', [{ attempt: 2 }, {}]))).toEqual(['', 'end']);
  });
});

describe('given a step that waits', () => {
  const port = playScript(scriptOf('default: [{ say: late, wait_ms: 3600000 }]'));
  const started = startedModel({ system: '', tools: [], messages: [{ role: 'user', text: 'x' }] });

  it('stops waiting when the call is cancelled', async () => {
    const controller = new AbortController();
    const outcome = port.call(started, { signal: controller.signal, onDelta: null });
    controller.abort();
    expect(await outcome).toMatchObject({ ok: false, kind: 'cancelled' });
  });
});

describe('given somebody who listens', () => {
  it('sends the text in a few pieces that never cut a character', async () => {
    const text = '😀'.repeat(30);
    const port = playScript(scriptOf(`default: [{ say: "${text}" }]`));
    const pieces: string[] = [];
    await port.call(startedModel({ system: '', tools: [], messages: [] }), {
      signal: never,
      onDelta: (piece) => pieces.push(piece),
    });
    expect(pieces).toEqual(['😀'.repeat(24), '😀'.repeat(6)]);
  });
});

describe('given a script with errors', () => {
  const problems = (text: string) => {
    const parsed = parseScript(text, 's.yaml');
    return parsed.ok ? [] : parsed.problems.map((p) => `${p.line} ${p.path} ${p.message}`);
  };

  it('names file, line and key of everything that it does not know', () => {
    const text =
      'scenarios:\n  - when: a\n    step: 1\n    steps:\n      - say: x\n        sya: y\n';
    expect(problems(text)).toEqual([
      '6 scenarios.0.steps.0.sya unknown key `sya`',
      '3 scenarios.0.step unknown key `step`',
    ]);
  });

  it.each([
    ['a step that does nothing', 'default:\n  - wait_ms: 1\n', /^2 default\.0 a step needs/],
    [
      'a duplicate key',
      'default: [{ say: a }]\ndefault: [{ say: b }]\n',
      /^2 {2}Map keys must be unique/,
    ],
    ['broken YAML', 'default: [\n', /^\d/],
    ['an unknown tag', 'default: [{ say: !x y }]\n', /^1 {2}Unresolved tag/],
    [
      'a status that is no failure',
      'default: [{ fail: { status: 200 } }]',
      /^1 default\.0\.fail\.status/,
    ],
    [
      'a pattern that is broken',
      'scenarios: [{ when: "/(/", steps: [{ say: x }] }]',
      /^1 scenarios\.0\.when `\/\(\/`/,
    ],
    [
      'a pattern that looks back',
      String.raw`scenarios: [{ when: '/(a)\1/', steps: [{ say: x }] }]`,
      /^1 scenarios\.0\.when/,
    ],
  ])('refuses %s', (_, text, message) => {
    const found = problems(text);
    expect(found[0]).toMatch(message);
  });

  it('refuses one that nests too deep before anything recurses into it', () => {
    expect(parseScript('[{a: '.repeat(12_000), 'deep.yaml')).toEqual({
      ok: false,
      problems: [
        { file: 'deep.yaml', line: 1, path: '', message: 'a script nests at most 100 levels' },
      ],
    });
  });
});

describe('given a provider entry', () => {
  const base = mkdtempSync(join(tmpdir(), 'scripts-'));
  const context: ModelContext = {
    secrets: { env: {}, base },
    know: () => undefined,
    mask: (text) => text,
  };
  const provider: ProviderConfig = {
    type: 'scripted',
    script: 'play.yaml',
    timeout_secs: 5,
    max_attempts: 1,
  };
  const started = startedModel({ system: '', tools: [], messages: [{ role: 'user', text: 'x' }] });
  const options = { signal: never, onDelta: null };

  it('reads the script beside the config, and fails the call with file and line when it is wrong', async () => {
    writeFileSync(join(base, 'play.yaml'), 'default:\n  - sya: x\n');
    const port = modelFor(provider, context);
    expect(await port.call(started, options)).toEqual({
      ok: false,
      kind: 'rejected',
      status: null,
      message:
        'play.yaml:2: default.0.sya: unknown key `sya`; play.yaml:2: default.0: a step needs `say`, `calls` or `fail`',
      retryable: false,
      retryAfterMs: null,
    });
    writeFileSync(join(base, 'play.yaml'), 'default: [{ say: hello }]\n');
    expect(await port.call(started, options)).toMatchObject({ ok: true, text: 'hello' });
    writeFileSync(join(base, 'play.yaml'), 'default: [{ say: goodbye }]\n');
    expect(await port.call(started, options)).toMatchObject({ ok: true, text: 'goodbye' });
  });

  it('is found by alias and digest, and fails each call when it is gone', async () => {
    const config = { providers: { local: provider } };
    const ports = createModelPorts(() => [config as never], context);
    expect(ports.for('local', digestOf(provider))).toBe(ports.for('local', digestOf(provider)));
    expect(await ports.for('local', 'other').call(started, options)).toMatchObject({
      ok: false,
      kind: 'rejected',
      message: 'provider `local` is not in the config any more',
    });
  });
});

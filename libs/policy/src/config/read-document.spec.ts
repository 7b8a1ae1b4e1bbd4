import fc from 'fast-check';
import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { parseConfig } from './parse-config.ts';
import { configFormats, readDocument } from './read-document.ts';
import { complete, host, problemsIn } from './parse-config.fixture.ts';

describe('a text of any format', () => {
  it.each(configFormats)('never makes the reader throw: %s', (format) => {
    const pieces = fc
      .array(
        fc.oneof(
          fc.constantFrom('[', ']', '{', '}', '=', ':', '"', "'", '\n', ' ', '-', '&a ', '*a', '.'),
          fc.constantFrom('agents', '__proto__', '<<', 'true', '1', ',', '#', '!!x ', '\\u', '|'),
          fc.string({ unit: 'binary', maxLength: 5 }),
        ),
        { maxLength: 25 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(pieces, (text) => {
        const parsed = parseConfig({ text, format, file: 'x', host });
        expect(parsed.ok || parsed.problems.length > 0).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  it('never makes the reader throw when it is any JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const asJson = parseConfig({ text, format: 'json', file: 'x', host });
        const asYaml = parseConfig({ text, format: 'yaml', file: 'x', host });
        expect(asYaml.ok).toBe(asJson.ok);
      }),
      { numRuns: 1000 },
    );
  });

  it('is read to the same values from JSON and YAML', () => {
    const key = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/).filter((name) => name !== 'prototype');
    const { table } = fc.letrec<{ table: Record<string, unknown>; value: unknown }>((tie) => ({
      table: fc.dictionary(
        key.filter((name) => name !== 'constructor'),
        tie('value'),
      ),
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('table'),
      ),
    }));
    fc.assert(
      fc.property(table, (value) => {
        const texts = { json: JSON.stringify(value, null, 1), yaml: stringify(value) };
        for (const format of ['json', 'yaml'] as const) {
          const read = readDocument({ text: texts[format], format, file: 'x' });
          if (JSON.stringify(value).includes('\\u0000')) return;
          expect(read.ok && read.document.value).toEqual(value);
        }
      }),
    );
  });

  it('gives the place of every key, value and item', () => {
    const texts = {
      toml: '[a.b]\nc = ["x",\n  "y"]\nd.e = 1\n[[f]]\n[[f]]\ng = { h = 2 }\n',
      yaml: 'a:\n  b:\n    c: [x,\n      y]\n    d: {e: 1}\nf:\n  - {}\n  - g: {h: 2}\n',
      json: '{"a": {"b": {\n"c": ["x",\n "y"],\n"d": {"e": 1}}},\n"f": [{},\n{"g": {"h": 2}}]}',
    };
    const places = (format: keyof typeof texts) => {
      const read = readDocument({ text: texts[format], format, file: 'x' });
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      const text = (at: { line: number; column: number } | null) =>
        at === null ? '-' : `${at.line}:${at.column}`;
      return [
        text(read.document.keyAt(['a', 'b', 'c'])),
        text(read.document.valueAt(['a', 'b', 'c', 1])),
        text(read.document.valueAt(['a', 'b', 'd', 'e'])),
        text(read.document.keyAt(['f', 1, 'g', 'h'])),
        text(read.document.valueAt(['f', 1, 'g', 'h'])),
        text(read.document.keyAt(['f', 1, 'g', 'nothing'])),
      ];
    };
    expect(places('toml')).toEqual(['2:1', '3:3', '4:7', '7:7', '7:11', '7:1']);
    expect(places('yaml')).toEqual(['3:5', '4:7', '5:12', '8:9', '8:12', '8:5']);
    expect(places('json')).toEqual(['2:1', '3:2', '4:12', '6:8', '6:13', '6:2']);
  });

  it('may begin with a byte order mark and be empty', () => {
    expect(problemsIn('\uFEFF[agentz]')).toEqual([
      '1:2 agentz unknown_key: unknown key `agentz`, did you mean `agents`?',
    ]);
    for (const format of configFormats)
      expect(problemsIn(format === 'json' ? '{}' : '', format)).toEqual([]);
  });
});

describe('a text that no section could mean is refused', () => {
  it.each([
    [
      'toml',
      '[agents.a]\nprovider "x"\n',
      '2:10  syntax: this is no TOML: expected equal (=) token',
    ],
    ['toml', 'a = 1\na = 2', '2:1  duplicate_key: this key was set before, keep one of the two'],
    [
      'toml',
      '[agents.__proto__]\nenabled = true',
      '1:9 agents.__proto__ reserved_key: `__proto__` is a reserved word, choose another name',
    ],
    [
      'toml',
      'gateway.host = 2020-01-01',
      '1:16 gateway.host invalid_value: no setting is a date, write a text in quotes',
    ],
    ['yaml', 'a: 1\na: 2', '2:1  duplicate_key: this key was set before, keep one of the two'],
    ['yaml', 'a: !x 1', '1:4  syntax: this is no YAML: unresolved tag: !x'],
    [
      'yaml',
      'agents: {constructor: {}}',
      '1:10 agents.constructor reserved_key: `constructor` is a reserved word, choose another name',
    ],
    ['yaml', '- a', '1:1  syntax: the file must be a table'],
    ['json', '{"a": 1,}', '1:9  syntax: this is no JSON: expected a key in double quotes here'],
    ['json', '{"a" 1}', '1:6  syntax: this is no JSON: expected a colon after the key here'],
    ['json', '{"a": 01}', '1:7  syntax: this is no JSON: expected a value here'],
    ['json', '{"a": 1} x', '1:10  syntax: this is no JSON: expected the end of the file here'],
    ['json', '', '1:1  syntax: this is no JSON: expected a value here'],
    [
      'json',
      '{"a": 1,\n "a": 2}',
      '2:2  duplicate_key: this key was set before, keep one of the two',
    ],
    ['json', '{"a": "\\ud800"}', '1:7 a syntax: the text holds half a Unicode character'],
    ['json', '{"a": "\\u0000"}', '1:7 a syntax: the text holds a NUL character'],
  ] as const)('%s %j', (format, text, problem) => {
    expect(problemsIn(text, format)).toEqual([problem]);
  });

  it('when it is too long', () => {
    expect(problemsIn(`# ${'x'.repeat(131_071)}`)).toEqual([
      '-:-  too_large: the file is longer than 131072 characters',
    ]);
    expect(problemsIn(`# ${'x'.repeat(65_535)}`, 'yaml')).toEqual([
      '-:-  too_large: the file is longer than 65536 characters',
    ]);
  });

  it('when one table has too many entries', () => {
    const entries = Array.from({ length: 501 }, (_, n) => `a${n} = 1`).join('\n');
    expect(problemsIn(`[agents]\n${entries}`)).toEqual([
      '502:1 agents too_large: this table has more than 500 entries',
    ]);
  });

  it('when it has too many keys and values', () => {
    const list = `[${'1,'.repeat(10_000)}1]`;
    expect(problemsIn(`a = ${list}\nb = ${list}`).map((line) => line.replace(/^.*: /, ''))).toEqual(
      ['the file has more than 20000 keys and values'],
    );
  });

  it('when an alias has no anchor before it', () => {
    expect(problemsIn('a: *b\nc: &b 1', 'yaml')).toEqual([
      '1:4  syntax: no anchor `b` stands before this',
    ]);
  });

  it.each([
    ['anchors', Array.from({ length: 5_000 }, (_, n) => `a${n}: &a${n} 1`).join('\n')],
    ['aliases', `a: &a x\nb: [${'*a,'.repeat(20_000)}]`],
    ['keys', Array.from({ length: 7_000 }, (_, n) => `k${n}: 1`).join('\n')],
  ])('without looking at each pair of its %s', (_, text) => {
    const since = performance.now();
    problemsIn(text, 'yaml');
    expect(performance.now() - since).toBeLessThan(5_000);
  });

  it('when it holds half a character', () => {
    expect(problemsIn('# \uD800')).toEqual([
      '-:-  syntax: the file is no well-formed Unicode text',
    ]);
  });

  it.each([
    ['toml', `a = ${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['toml', `[${'a.'.repeat(5000)}b]`],
    ['toml', `a = ${'['.repeat(40)}${']'.repeat(40)}`],
    ['toml', `a = ${'['.repeat(60_000)}`],
    ['toml', `${'"a".'.repeat(5_000)}b = 1`],
    ['yaml', '['.repeat(3000)],
    ['yaml', '- '.repeat(30_000)],
    ['yaml', '[{a: '.repeat(12_000)],
    ['yaml', Array.from({ length: 300 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
    ['yaml', '&a [*a]'],
    ['json', '['.repeat(5000)],
  ] as const)('when it is nested too deeply: %s', (format, text) => {
    expect(problemsIn(text, format).map((line) => line.split(' ')[2]?.slice(0, -1))).toContain(
      'too_large',
    );
  });

  it('when its aliases multiply', () => {
    const levels = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, index, all) => {
      const inner = index === 0 ? '1' : `*${all[index - 1] ?? ''}`;
      return `${name}: &${name} [${Array.from({ length: 10 }, () => inner).join(', ')}]`;
    });
    expect(problemsIn(levels.join('\n'), 'yaml')).toEqual([
      '5:8  too_large: the aliases of this file add up to too much',
    ]);
  });

  it('without touching any prototype', () => {
    problemsIn('[__proto__]\npolluted = true');
    problemsIn('{"__proto__": {"polluted": true}}', 'json');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

describe('the same config', () => {
  it('is read to the same values from all three formats', () => {
    const parsed = parseConfig({ text: complete, format: 'toml', file: 'x', host });
    if (!parsed.ok) throw new Error('the example is refused');
    const value = {
      agents: { a: { provider: 'local', risk_profile: 'careful', runtime_profile: 'short' } },
      providers: { local: { type: 'scripted', script: 'scripts/a.yaml' } },
      runtime_profiles: { short: {} },
      risk_profiles: { careful: {} },
    };
    const json = parseConfig({ text: JSON.stringify(value), format: 'json', file: 'x', host });
    const yaml = parseConfig({ text: stringify(value), format: 'yaml', file: 'x', host });
    expect(json).toEqual(parsed);
    expect(yaml).toEqual(parsed);
  });
});

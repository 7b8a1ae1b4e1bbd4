import { describe, expect, it } from 'vitest';
import { samplePath } from '../testing/index.ts';
import { approvalView, type ApprovalViewInput } from './approval-view.ts';

const input = (change: Partial<ApprovalViewInput> = {}): ApprovalViewInput => ({
  agent: 'ada',
  principal: 'token:ana',
  session: 'session-ada-1',
  tool: 'builtin:file_write',
  effects: ['write'],
  args: { path: 'a.md', content: 'one\n2\n' },
  operands: [samplePath('a.md', { access: 'write', exists: true, content: 'a'.repeat(64) })],
  why: 'the autonomy is supervised',
  before: 'one\ntwo\n',
  ...change,
});

it('shows who asks, what for, and what changes', () => {
  expect(approvalView(input())).toEqual({
    text: [
      'tool: builtin:file_write',
      'agent: ada',
      'for: token:ana, in session-ada-1',
      'effects: write',
      'why asked: the autonomy is supervised',
      'operands:',
      '  write "/ws/ada/a.md", exists',
      'arguments:',
      '{',
      '  "path": "a.md",',
      '  "content": "one\\n2\\n"',
      '}',
      'change:',
      '@@ -1,2 +1,2 @@',
      ' one',
      '-two',
      '+2',
    ].join('\n'),
    cut: false,
    masked: 0,
  });
});

describe('given something that hides', () => {
  it('makes bidi and invisible characters visible in arguments, operands and change', () => {
    const { text } = approvalView(
      input({
        args: { path: 'a\u202Ecod.exe', content: 'x\u200By\n' },
        operands: [samplePath('a\u202Ecod.exe', { access: 'write' })],
        before: null,
      }),
    );
    expect(text.match(/⟨U\+202E⟩/g)).toHaveLength(2);
    expect(text.match(/⟨U\+200B⟩/g)).toHaveLength(2);
    expect(text).not.toMatch(/[\u202E\u200B]/);
  });

  it('keeps a value from starting a line of its own', () => {
    const { text } = approvalView(input({ why: 'x\neffects: none' }));
    expect(text).toContain('why asked: x⟨U+000A⟩effects: none');
    expect(text.split('\n').filter((line) => line.startsWith('effects:'))).toEqual([
      'effects: write',
    ]);
  });

  it('shows where a link leads', () => {
    const { text } = approvalView(
      input({ operands: [samplePath('a.md', { access: 'write', real: '/ws/ada/b.md' })] }),
    );
    expect(text).toContain('  write "/ws/ada/a.md", leads to "/ws/ada/b.md", does not exist');
  });
});

describe('given something that is not shown whole', () => {
  it('marks a cut of the arguments', () => {
    const view = approvalView(
      input({ args: { path: 'a.md', content: 'x'.repeat(110_000) }, before: null }),
    );
    expect(view.cut).toBe(true);
    expect(view.text).toMatch(/\[cut: \d+ characters are not shown\]/);
  });

  it('counts and marks masked secrets', () => {
    const view = approvalView(
      input({
        args: { path: 'a.md', content: '«secret:KEY» «sealed:1»' },
        operands: [],
        before: null,
      }),
    );
    expect(view.masked).toBe(2);
    expect(view.text.endsWith('masked: 2 secret values stand as placeholders')).toBe(true);
  });

  it('says when the content that is replaced cannot be shown', () => {
    expect(approvalView(input({ before: null })).text).toContain(
      'change:\nthe content that is replaced is not shown',
    );
  });
});

it('names addresses and undeclared operands', () => {
  const { text } = approvalView(
    input({
      tool: 'builtin:http_fetch',
      args: { url: 'https://api.example.com/x' },
      operands: [
        {
          kind: 'url',
          given: 'https://api.example.com/x',
          scheme: 'https',
          host: 'api.example.com',
          port: 443,
          method: 'POST',
          addresses: [{ address: '93.184.216.34', private: false }],
        },
        { kind: 'undeclared' },
      ],
    }),
  );
  expect(text).toContain(
    '  POST "https://api.example.com/x" at https://api.example.com:443 (93.184.216.34)',
  );
  expect(text).toContain('  not declared: the tool may touch anything that it can reach');
});

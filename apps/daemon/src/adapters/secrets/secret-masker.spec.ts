import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretMasker } from './secret-masker.ts';
import { readSecret } from './secret-ref.ts';
import { createUnsealer } from './unsealer.ts';
import { Vault } from './vault.ts';

const key = 'h7/Kq+"9 zü-value';
const masker = (value = key) => new SecretMasker(new Vault(null), [{ name: 'KEY', value }]);
const idOf = (placeholder: string): string => placeholder.slice('«sealed:'.length, -1);
const github = `ghp_${'a1B2'.repeat(9)}`;
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJlLWJ5dGVz';
const pem = `-----BEGIN RSA PRIVATE KEY-----\nMIIB\nAAAA\n-----END RSA PRIVATE KEY-----`;

describe('given a known secret', () => {
  it.each([
    ['as it is', key],
    ['escaped for a URL', encodeURIComponent(key)],
    ['escaped for a form', encodeURIComponent(key).replaceAll('%20', '+')],
    ['escaped for JSON', JSON.stringify(key).slice(1, -1)],
    ['in hex', Buffer.from(key).toString('hex')],
  ])('masks it %s', (_, form) => {
    expect(masker().mask(`<${form}>`, { formats: false })).toEqual({
      text: '<«secret:KEY»>',
      masked: 1,
    });
  });

  it.each(['', 'u', 'us', 'user:'])('masks it in base64 behind `%s`', (head) => {
    const encoded = Buffer.from(`${head}${key}!tail`).toString('base64');
    const out = masker().mask(encoded, { formats: false });
    expect(out.masked).toBe(1);
    const plain = Buffer.from(out.text.replace('«secret:KEY»', ''), 'base64').toString();
    expect(plain).not.toContain(key.slice(2, -2));
  });

  const values = fc
    .string({
      minLength: 4,
      maxLength: 20,
      unit: fc.constantFrom('a', 'b', '/', '-', 'é', '"', '.'),
    })
    .filter((v) => !'«secret:KEY»«sealed:»'.includes(v));

  it('lets no value survive, whatever the text', () => {
    fc.assert(
      fc.property(values, fc.array(fc.oneof(fc.string(), fc.constant(null))), (value, parts) => {
        const text = parts.map((p) => p ?? value).join('');
        const out = masker(value).mask(text, { formats: true }).text;
        expect(out.includes(value)).toBe(false);
      }),
    );
  });

  it('lets no value survive in any chunking, and loses no other text', () => {
    const filler = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', ' ', '-', 'z') });
    fc.assert(
      fc.property(
        values,
        fc.array(fc.oneof(filler, fc.constant(null)), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (value, parts, sizes) => {
          const text = parts.map((p) => p ?? value).join('');
          const subject = masker(value);
          const stream = subject.stream({ formats: true });
          let out = '';
          for (let at = 0, n = 0; at < text.length; n += 1) {
            const size = sizes[n % sizes.length] ?? 1;
            out += stream.push(text.slice(at, at + size));
            at += size;
          }
          out += stream.end();
          expect(out).toBe(subject.mask(text, { formats: true }).text);
          expect(out.includes(value)).toBe(false);
        },
      ),
    );
  });
});

describe('given exact token formats', () => {
  it.each([
    ['AWS', 'AKIAIOSFODNN7EXAMPLE'],
    ['GitHub', github],
    ['Slack', 'xoxb-123456789012-abcdefGHIJ'],
    ['JWT', jwt],
    ['PEM', pem],
    ['OpenAI-like', 'sk-proj-abcdefghijklmnopqrstuvwx'],
  ])('seals a token of %s', (_, token) => {
    const out = masker().mask(`see ${token}, please`, { formats: true });
    expect(out.text).toMatch(/^see «sealed:[0-9a-f]{24}», please$/);
    expect(out.masked).toBe(1);
  });

  it('leaves them alone without `formats`, and leaves ordinary text alone always', () => {
    expect(masker().mask(github, { formats: false }).text).toBe(github);
    const plain = 'the sk-ill of a desk-bound akita, task-1234567890123456789012345';
    expect(masker().mask(plain, { formats: true })).toEqual({ text: plain, masked: 0 });
  });

  it.each([1, 2, 3, 7, 50])('seals them in a stream of pieces of %s characters', (size) => {
    const subject = masker();
    const text = `a ${github} b ${jwt} c ${pem} -- d -----BEG`;
    const stream = subject.stream({ formats: true });
    let out = '';
    for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size));
    out += stream.end();
    expect(out).toBe(subject.mask(text, { formats: true }).text);
    expect(out.match(/«sealed:/g)).toHaveLength(3);
  });
});

describe('given placeholders in the arguments of a tool', () => {
  const setting = () => {
    const vault = new Vault(null);
    const subject = new SecretMasker(vault, [{ name: 'KEY', value: key }]);
    const sealed = subject.mask(github, { formats: true, agent: 'writer' }).text;
    return { subject, sealed, unsealer: createUnsealer(subject, vault) };
  };

  it('restores what this agent met', () => {
    const { subject, sealed, unsealer } = setting();
    subject.mask(key, { formats: false, agent: 'writer' });
    const args = { headers: [{ value: `Bearer ${sealed}` }], body: '«secret:KEY»', n: 1 };
    const names = unsealer.names(args, 'writer');
    expect(names).toEqual([idOf(sealed), 'KEY'].sort());
    expect(unsealer.restore(args, 'writer', names)).toEqual({
      headers: [{ value: `Bearer ${github}` }],
      body: key,
      n: 1,
    });
  });

  it('restores nothing for a forged placeholder or for another agent', () => {
    const { sealed, unsealer } = setting();
    const forged = { a: '«secret:KEY»', b: `«sealed:${'0'.repeat(24)}»`, c: sealed };
    expect(unsealer.names(forged, 'reader')).toEqual([]);
    expect(unsealer.restore(forged, 'reader', ['KEY', idOf(sealed)])).toEqual(forged);
    expect(unsealer.names({ a: '«secret:KEY»' }, 'writer')).toEqual([]);
  });
});

describe('given a vault file', () => {
  it('keeps values over a restart, readable by the owner alone', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'vault-')), 'vault.json');
    const first = new SecretMasker(new Vault(path));
    const placeholder = first.mask(github, { formats: true, agent: 'writer' }).text;
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const vault = new Vault(path);
    const again = createUnsealer(new SecretMasker(vault), vault);
    expect(again.restore(placeholder, 'writer', [idOf(placeholder)])).toBe(github);
  });

  it('refuses a broken file instead of starting over', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'vault-')), 'vault.json');
    for (const garbage of ['{}', 'no JSON at all']) {
      writeFileSync(path, garbage);
      expect(() => new Vault(path)).toThrow(
        expect.objectContaining({
          exitCode: 4,
          message: `the vault \`${path}\` is damaged: put a copy back, or remove it and accept that what «sealed:…» stands for in the log is lost`,
        }),
      );
      expect(readFileSync(path, 'utf8')).toBe(garbage);
    }
  });
});

describe('given references', () => {
  const base = mkdtempSync(join(tmpdir(), 'refs-'));
  const source = { env: { KEY: 'value-of-key', SHORT: 'abc' }, base };

  it('reads a variable, and a file without its last line end', () => {
    writeFileSync(join(base, 'token'), 'from-a-file\n');
    expect(readSecret({ env: 'KEY' }, source)).toEqual({
      ok: true,
      name: 'KEY',
      value: 'value-of-key',
    });
    expect(readSecret({ file: 'token' }, source)).toEqual({
      ok: true,
      name: 'token',
      value: 'from-a-file',
    });
  });

  it('names the reference when it is missing, and never shows a value', () => {
    expect(readSecret({ env: 'GONE' }, source)).toEqual({
      ok: false,
      name: 'GONE',
      message: 'the secret in environment variable `GONE` is missing or empty',
    });
    expect(readSecret({ file: 'gone' }, source)).toEqual({
      ok: false,
      name: 'gone',
      message: 'the secret in file `gone` is missing or empty',
    });
    expect(readSecret({ env: 'SHORT' }, source)).toEqual({
      ok: false,
      name: 'SHORT',
      message:
        'the secret in environment variable `SHORT` is shorter than 4 characters and cannot be masked',
    });
  });
});

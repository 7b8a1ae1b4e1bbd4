import { describe, expect, it } from 'vitest';
import { digestOf } from '../canonical.ts';
import { complete, host } from './parse-config.fixture.ts';
import { parseConfig } from './parse-config.ts';
import { parseStoredConfig, readableConfig } from './stored-config.ts';

const read = (text: string) => {
  const parsed = parseConfig({ text, format: 'toml', file: 'x', host });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
};

describe('a recorded config', () => {
  it('is read back as it was, with the digest of what it holds', () => {
    const config = read(complete);
    const { text, digest } = readableConfig(config);
    expect(parseStoredConfig(text)).toEqual({ ok: true, config });
    expect(digest).toBe(digestOf(config));
  });

  it('is the same text however the file was written', () => {
    const sorted = complete.split('\n').slice(0, 4).reverse();
    const other = `[agents.a]\n${sorted.slice(0, 3).join('\n')}\n${complete.split('\n').slice(4).join('\n')}[gateway]\nport = 7420\n`;
    expect(readableConfig(read(other))).toEqual(readableConfig(read(complete)));
  });

  it('keeps secrets as references', () => {
    const text = `${complete}[providers.o]\ntype = "openai"\nmodel = "m"\napi_key = { env = "KEY" }\nprices = "free"`;
    expect(readableConfig(read(text)).text).toContain('"api_key":{"env":"KEY"}');
  });

  it.each([
    ['', 'the recorded config is no JSON table'],
    ['[1]', 'the recorded config is no JSON table'],
    ['{"agents":{"a":{"x":1}}}', 'the recorded config does not fit this build at `agents.a`'],
    ['{"gateway":{"port":-1}}', 'the recorded config does not fit this build at `gateway.port`'],
  ])('that does not fit is refused: %j', (text, message) => {
    expect(parseStoredConfig(text)).toEqual({ ok: false, message });
  });
});

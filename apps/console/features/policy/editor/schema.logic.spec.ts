import { describe, expect, it } from 'vitest';
import { choicesAt, explained, type SchemaNode } from './schema.logic.ts';
import { pathsIn, placeAt } from './toml-place.logic.ts';

const schema: SchemaNode = {
  type: 'object',
  properties: {
    agents: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: {
          enabled: { type: 'boolean', default: true, description: 'A disabled agent is refused.' },
          provider: { type: 'string', description: 'The entry of [providers] that answers.' },
          tools: {
            type: 'object',
            properties: {
              allowed: {
                description: 'Tools that may be called.',
                anyOf: [{ const: '*' }, { type: 'array', items: { type: 'string' } }],
              },
            },
          },
          delegates: {
            type: 'array',
            items: { type: 'object', properties: { mode: { enum: ['bounded', 'independent'] } } },
          },
        },
      },
    },
    providers: {
      type: 'object',
      additionalProperties: {
        oneOf: [
          { type: 'object', properties: { type: { const: 'scripted' } } },
          {
            type: 'object',
            properties: { type: { const: 'openai' }, host: { $ref: '#/$defs/host' } },
          },
        ],
      },
    },
  },
  $defs: { host: { type: 'string', description: 'A host.' } },
};

const offered = (marked: string): readonly string[] => {
  const cursor = marked.indexOf('|');
  const text = marked.replace('|', '');
  const place = placeAt(text, cursor);
  return place === null ? [] : choicesAt(schema, place, pathsIn(text)).map((one) => one.text);
};

describe('given a schema and a cursor', () => {
  it.each([
    ['|', ['agents = ', 'providers = ']],
    ['[|]', ['agents', 'providers']],
    ['[agents.writer.|]', ['tools', 'delegates']],
    ['[agents.writer]\n|', ['enabled = ', 'provider = ', 'tools = ', 'delegates = ']],
    ['[agents.writer]\nenabled = true\n|', ['provider = ', 'tools = ', 'delegates = ']],
    ['[agents.writer]\nenabled = |', ['true', 'false']],
    ['[agents.writer.tools]\nallowed = |', ['"*"']],
    ['[agents.writer]\ndelegates = [{ mode = "|" }]', ['"bounded"', '"independent"']],
    ['[providers.a]\ntype = |', ['"scripted"', '"openai"']],
    ['[agents.writer]\nprovider = |\n[providers.a]\n[providers.b]', ['"a"', '"b"']],
    ['[nothing.here]\n|', []],
  ])('offers what may stand at %j', (marked, texts) => {
    expect(offered(marked)).toEqual(texts);
  });

  it('says what a key is for, through references and alternatives', () => {
    expect([
      explained(schema, ['agents', 'any', 'tools', 'allowed']),
      explained(schema, ['providers', 'a', 'host']),
      explained(schema, ['agents']),
    ]).toEqual(['Tools that may be called.', 'A host.', null]);
  });

  it('names the kind of what a key holds', () => {
    const place = placeAt('[agents.a]\n', 11);
    const kinds = place === null ? [] : choicesAt(schema, place, []).map(({ detail }) => detail);
    expect(kinds).toEqual(['boolean', 'string', 'table', 'list']);
  });
});

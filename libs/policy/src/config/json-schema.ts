import { z } from 'zod';
import { enforcedKeys } from '../setting-key.ts';
import { registry } from '../surfaces/registry.ts';
import { configSchema } from './config.schema.ts';
import { isTable } from './document.ts';
import type { SchemaNode } from './schema-nodes.ts';

/** JSON Schema (draft 2020-12) of a config file, for editors: every key with what it does. */
export const configJsonSchema = (): SchemaNode => {
  built ??= build();
  return built;
};

let built: SchemaNode | undefined;

const build = (): SchemaNode => {
  const schema = z.toJSONSchema(configSchema, { io: 'input', target: 'draft-2020-12' });
  for (const key of enforcedKeys) explain(schema, key);
  return { ...schema, title: 'Lockstep config' };
};

const explain = (schema: SchemaNode, key: (typeof enforcedKeys)[number]): void => {
  const setting = registry[key];
  for (const section of ['agents', 'risk_profiles', 'runtime_profiles']) {
    const place = [section, '*', ...setting.written.split('.')];
    const node = place.reduce<SchemaNode | null>(
      (at, part) => (at === null ? null : childOf(at, part)),
      schema,
    );
    if (node !== null && setting.layer !== 'agent')
      node.description = `${setting.explain} Default: ${setting.fallback}.`;
  }
};

const childOf = (node: SchemaNode, key: string): SchemaNode | null => {
  const child = key === '*' ? node.additionalProperties : propertiesOf(node)[key];
  return isTable(child) ? child : null;
};

const propertiesOf = (node: SchemaNode): Record<string, unknown> => node.properties ?? {};

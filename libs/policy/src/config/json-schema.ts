import { z } from 'zod';
import { enforcedKeys } from '../setting-key.ts';
import { registry } from '../surfaces/registry.ts';
import { configSchema } from './config.schema.ts';
import { isTable } from './document.ts';
import { laterPlaces } from './later-places.ts';
import type { SchemaNode } from './schema-nodes.ts';

/** JSON Schema (draft 2020-12) of a config file, for editors: every key with what it does, and nothing that is not supported yet. */
export const configJsonSchema = (): SchemaNode => {
  built ??= build();
  return built;
};

let built: SchemaNode | undefined;

const build = (): SchemaNode => {
  const schema = z.toJSONSchema(configSchema, { io: 'input', target: 'draft-2020-12' });
  for (const place of laterPlaces) leaveOut(schema, place);
  for (const key of enforcedKeys) explain(schema, key);
  const store = schema.properties?.['store'];
  const type = isTable(store) && isTable(store['properties']) ? store['properties']['type'] : null;
  if (isTable(type)) type['enum'] = ['sqlite'];
  return { ...schema, title: 'Lockstep config' };
};

/** Removes the property at a place, and the tables that hold no property without it. `*` is any name. */
const leaveOut = (node: SchemaNode, place: readonly string[]): void => {
  const [key, ...rest] = place;
  if (key === undefined) return;
  const child = childOf(node, key);
  if (child === null) return;
  leaveOut(child, rest);
  const emptied = Object.keys(child.properties ?? { kept: true }).length === 0;
  if (key !== '*' && (rest.length === 0 || emptied))
    Reflect.deleteProperty(propertiesOf(node), key);
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

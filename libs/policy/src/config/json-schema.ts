import { z } from 'zod';
import { configSchema } from './config.schema.ts';
import { laterPlaces } from './later-places.ts';
import { isTable } from './document.ts';
import type { SchemaNode } from './schema-nodes.ts';

/** JSON Schema (draft 2020-12) of a config file, for editors. What is not supported yet is left out. */
export const configJsonSchema = (): SchemaNode => {
  built ??= build();
  return built;
};

let built: SchemaNode | undefined;

const build = (): SchemaNode => {
  const schema = z.toJSONSchema(configSchema, { io: 'input', target: 'draft-2020-12' });
  for (const place of laterPlaces) leaveOut(schema, place);
  return { ...schema, title: 'lockstep config' };
};

/** Removes the property at a place, and the tables that hold no property without it. `*` is any name. */
const leaveOut = (node: SchemaNode, place: readonly string[]): void => {
  const [key, ...rest] = place;
  if (key === undefined) return;
  const child = key === '*' ? node.additionalProperties : node.properties?.[key];
  if (!isTable(child)) return;
  leaveOut(child, rest);
  const emptied = isTable(child['properties']) && Object.keys(child['properties']).length === 0;
  if (key !== '*' && (rest.length === 0 || emptied)) delete node.properties?.[key];
};

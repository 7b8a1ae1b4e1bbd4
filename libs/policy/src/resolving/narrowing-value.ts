import { z } from 'zod';
import { normalizeHostPattern } from '../host-patterns.ts';
import { normalPath } from '../paths.ts';
import { normalizeToolPattern } from '../patterns.ts';
import type { Narrowing } from '../request.ts';
import { settingKeys, type SettingKey } from '../setting-key.ts';
import { policySnapshotSchema } from '../snapshot.ts';
import { settings } from '../surfaces/registry.ts';
import type { Setting } from '../surfaces/setting.ts';
import { isWellFormed } from './well-formed.ts';

/** A narrowing read value by value: each in normal form, or why it is none. */
export interface ReadNarrowing {
  readonly values: ReadonlyMap<SettingKey, unknown>;
  readonly problems: readonly { readonly key: string; readonly message: string }[];
}

/** Reads what a path or caller wants to take away. */
export const readNarrowing = (narrowing: Narrowing): ReadNarrowing => {
  const values = new Map<SettingKey, unknown>();
  const problems: { key: string; message: string }[] = [];
  for (const [key, raw] of Object.entries(narrowing)) {
    const setting = byKey.get(key);
    if (setting === undefined) {
      problems.push({ key, message: `\`${key}\` is no setting` });
      continue;
    }
    const value = readValue(setting, raw);
    if (value === null)
      problems.push({ key, message: `\`${key}\` has a value that it cannot have` });
    else values.set(setting.key, value.value);
  }
  return { values, problems };
};

type AnySetting = Setting<SettingKey, unknown>;
const byKey: ReadonlyMap<string, AnySetting> = new Map(settings.map((s) => [s.key, s]));

const readValue = ({ key, order }: AnySetting, raw: unknown): { value: unknown } | null => {
  if (!isWellFormed(raw)) return null;
  const parsed = schemas.get(key)?.safeParse(raw);
  if (parsed?.success !== true) return null;
  const spelled = spell(key, parsed.data);
  return spelled === null ? null : { value: order.normal(spelled) };
};

type Spell = (value: unknown) => unknown;

const spell = (key: SettingKey, value: unknown): unknown => (spellings[key] ?? ((v) => v))(value);

const toolList = (value: unknown): string[] => (value as string[]).map(normalizeToolPattern);
const pathList = (value: unknown): string[] | null => {
  const given = value as string[];
  return given.every((path) => path.startsWith('/')) ? given.map(normalPath) : null;
};
const forbiddenList = (value: unknown): string[] | null => {
  const given = value as string[];
  const absolute = pathList(given.filter((path) => !path.startsWith('**/')));
  return absolute && [...given.filter((path) => path.startsWith('**/')), ...absolute];
};
const toolClauses: Spell = (value) => (value as string[][]).map(toolList);

/** Canonical spelling of patterns and paths; null = a path that is not absolute. */
const spellings: Partial<Record<SettingKey, Spell>> = {
  'tools.allowed': toolClauses,
  'tools.denied': toolList,
  'approval.auto_approve': toolClauses,
  'approval.always_ask': toolList,
  'secrets.unseal': toolClauses,
  'network.allowed_hosts': (value) =>
    (value as string[][]).map((clause) => clause.map(normalizeHostPattern)),
  'workspace.root': (value) => pathList([value])?.[0] ?? null,
  'workspace.allowed_roots': pathList,
  'workspace.forbidden_paths': forbiddenList,
};

const schemaAt = (key: SettingKey): z.ZodType =>
  key.split('.').reduce<z.ZodType>((schema, part) => {
    const shape: Readonly<Record<string, unknown>> =
      schema instanceof z.ZodObject ? schema.shape : {};
    const inner = shape[part];
    if (!(inner instanceof z.ZodType)) throw new TypeError(`no schema for ${key}`);
    return inner;
  }, policySnapshotSchema);

const schemas: ReadonlyMap<SettingKey, z.ZodType> = new Map(
  settingKeys.map((key) => [key, schemaAt(key)]),
);

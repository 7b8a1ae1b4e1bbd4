import { grantFieldSchema, type GrantField, type LockstepEvent } from '@lockstep/engine';

type Arguments = Readonly<Record<string, unknown>>;

export type Parsed =
  { readonly ok: true; readonly value: Arguments } | { readonly ok: false; readonly why: string };

/** Text of arguments as a person wrote them. */
export const parseArguments = (text: string): Parsed => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : 'this is no JSON' };
  }
  return isObject(value)
    ? { ok: true, value }
    : { ok: false, why: 'arguments are one JSON object, in braces' };
};

const isObject = (value: unknown): value is Arguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The arguments that the model gave a call, from the events of its turn; null where they cannot be read here. */
export const argumentsOf = (events: readonly LockstepEvent[], call: string): Arguments | null => {
  for (const event of events) {
    if (event.type !== 'ModelCallCompleted') continue;
    const asked = event.data.calls.find((one) => one.call === call);
    if (asked === undefined) continue;
    if (!('inline' in asked.args)) return null;
    const parsed = parseArguments(asked.args.inline);
    return parsed.ok ? parsed.value : null;
  }
  return null;
};

/** One line of a grant by fields, as a person edits it. */
export interface FieldDraft {
  /** JSON pointer. */
  readonly at: string;
  readonly how: 'equals' | 'below';
  /** JSON for `equals`, a folder for `below`. */
  readonly value: string;
  readonly wanted: boolean;
}

/** A draft from the call's own arguments: each of them, held to its very value. */
export const draftFields = (args: Arguments | null): readonly FieldDraft[] =>
  Object.entries(args ?? {}).map(([name, value]) => ({
    at: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    how: 'equals',
    value: JSON.stringify(value),
    wanted: false,
  }));

/** The fields that are wanted, or what is wrong with one. */
export const fieldsOf = (
  drafts: readonly FieldDraft[],
):
  | { readonly ok: true; readonly fields: readonly GrantField[] }
  | { readonly ok: false; readonly why: string } => {
  const wanted = drafts.filter((one) => one.wanted);
  if (wanted.length === 0) return { ok: false, why: 'choose at least one argument' };
  const fields: GrantField[] = [];
  for (const { at, how, value } of wanted) {
    if (how === 'below') {
      if (value.trim() === '') return { ok: false, why: `${at} needs a folder` };
      fields.push({ at, below: value });
      continue;
    }
    try {
      fields.push(grantFieldSchema.parse({ at, equals: JSON.parse(value) as unknown }));
    } catch {
      return { ok: false, why: `the value of ${at} is no JSON: a text stands in quotes` };
    }
  }
  return { ok: true, fields };
};

/** A field of a standing approval in words. */
export const fieldText = (field: GrantField): string =>
  'below' in field
    ? `${field.at} below ${field.below}`
    : `${field.at} = ${JSON.stringify(field.equals)}`;

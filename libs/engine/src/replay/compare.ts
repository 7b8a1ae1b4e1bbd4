import { canonicalJson, digestOfText } from '@lockstep/policy';
import type { TurnFact } from '../events/event.ts';
import { utf8Bytes } from '../log/size.ts';
import type { FieldDifference } from './report.ts';

/** Where two facts differ. Content counts as the same inline and as the artifact that has its digest. Empty = they are the same. */
export const differences = (recorded: TurnFact, replayed: TurnFact): readonly FieldDifference[] => {
  if (recorded.type !== replayed.type)
    return [{ path: 'type', recorded: textOf(recorded.type), replayed: textOf(replayed.type) }];
  // Nearly every fact is made again as it was: paths of fields are only named where one is not.
  if (isSame(recorded.data, replayed.data)) return [];
  const found: FieldDifference[] = [];
  compare({ recorded: recorded.data, replayed: replayed.data }, '', found);
  return found;
};

/** Whether `compare` would find nothing. */
const isSame = (recorded: unknown, replayed: unknown): boolean => {
  if (Object.is(recorded, replayed)) return true;
  if (Array.isArray(recorded) && Array.isArray(replayed))
    return (
      recorded.length === replayed.length &&
      recorded.every((value, index) => isSame(value, replayed[index]))
    );
  if (!isTable(recorded) || !isTable(replayed)) return false;
  if (isSameContent(recorded, replayed)) return true;
  for (const key in recorded) if (!isSame(recorded[key], replayed[key])) return false;
  for (const key in replayed) if (!(key in recorded) && replayed[key] !== undefined) return false;
  return true;
};

interface Pair {
  readonly recorded: unknown;
  readonly replayed: unknown;
}

const compare = ({ recorded, replayed }: Pair, path: string, found: FieldDifference[]): void => {
  if (Object.is(recorded, replayed)) return;
  if (Array.isArray(recorded) && Array.isArray(replayed)) {
    const length = Math.max(recorded.length, replayed.length);
    for (let i = 0; i < length; i += 1)
      compare({ recorded: recorded[i], replayed: replayed[i] }, `${path}[${i}]`, found);
    return;
  }
  if (isTable(recorded) && isTable(replayed)) {
    if (isSameContent(recorded, replayed)) return;
    const at = path === '' ? '' : `${path}.`;
    for (const key of Object.keys(recorded))
      if (!Object.is(recorded[key], replayed[key]))
        compare({ recorded: recorded[key], replayed: replayed[key] }, `${at}${key}`, found);
    for (const key of Object.keys(replayed))
      if (!(key in recorded))
        compare({ recorded: undefined, replayed: replayed[key] }, `${at}${key}`, found);
    return;
  }
  found.push({ path, recorded: textOf(recorded), replayed: textOf(replayed) });
};

type Table = Readonly<Record<string, unknown>>;

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSameContent = (recorded: Table, replayed: Table): boolean => {
  if (!('artifact' in recorded) || !('inline' in replayed)) return false;
  const text = contentText(replayed['inline']);
  return digestOfText(text) === recorded['artifact'] && utf8Bytes(text) === recorded['bytes'];
};

const contentText = (inline: unknown): string => {
  if (typeof inline === 'string') return inline;
  if (!isTable(inline)) return textOf(inline) ?? '';
  const known = snapshotTexts.get(inline);
  if (known !== undefined) return known;
  const text = canonicalJson(inline);
  snapshotTexts.set(inline, text);
  return text;
};

// Policies are shared by many turns: their text is made once.
const snapshotTexts = new WeakMap<object, string>();

const textOf = (value: unknown): string | null =>
  value === undefined ? null : canonicalJson(value);

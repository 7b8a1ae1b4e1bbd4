/** The texts that stand at a JSON pointer of a call's arguments, where `*` is each item of a list. Broken JSON holds none. */
export const argumentsAt = (json: string, pointer: string): readonly string[] =>
  valuesAt(json, pointer).filter((value) => typeof value === 'string');

/** Whatever stands at a JSON pointer, as `argumentsAt` reads it. */
export const valuesAt = (json: string, pointer: string): readonly unknown[] => {
  let found = [read(json)];
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    found = found.flatMap((value) => step(value, key));
  }
  return found;
};

const read = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
};

const step = (value: unknown, key: string): readonly unknown[] => {
  if (Array.isArray(value)) return key === '*' ? value : [value[Number(key)] as unknown];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return [];
  return [(value as Record<string, unknown>)[key]];
};

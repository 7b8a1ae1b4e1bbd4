import type { ModelMessage } from '@lockstep/engine';

const slot = /\{\{\s*results\.(\d{1,4})((?:\.[A-Za-z0-9_-]+)*)\s*\}\}/g;

/** Results of the last step, in call order. */
export const lastResults = (
  messages: readonly ModelMessage[],
  unfence: (text: string) => string,
): readonly string[] => {
  const last = messages.findLastIndex((m) => m.role === 'assistant');
  const step = messages[last];
  if (step?.role !== 'assistant') return [];
  return step.calls.map((c) => {
    const result = messages.slice(last + 1).find((m) => m.role === 'tool' && m.call === c.call);
    return result?.role === 'tool' ? unfence(result.text) : '';
  });
};

/** Puts results of the step before into a text: `{{results.0}}`, or a field of a JSON result, `{{results.0.items.2.name}}`. */
export const fillResults = (text: string, results: readonly string[]): string =>
  text.replaceAll(slot, (whole, index: string, path: string) => {
    const result = results[Number(index)];
    if (result === undefined) return whole;
    return path === '' ? result : (fieldOf(result, path.slice(1).split('.')) ?? whole);
  });

/** The same in every text of a JSON value. */
export const fillArgs = (value: unknown, results: readonly string[]): unknown => {
  if (typeof value === 'string') return fillResults(value, results);
  if (Array.isArray(value)) return value.map((v) => fillArgs(v, results));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, fillArgs(v, results)]));
  return value;
};

const fieldOf = (json: string, path: readonly string[]): string | null => {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
};

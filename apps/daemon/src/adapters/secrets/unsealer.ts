import type { SecretMasker } from './secret-masker.ts';
import type { Vault } from './vault.ts';

/** Hands values back to tools that the policy names, and only values that this agent's work really met. */
export interface Unsealer {
  /** Names (of `«secret:NAME»`) and ids (of `«sealed:ID»`) in the arguments that may be restored for this agent, sorted. */
  names(args: unknown, agent: string): readonly string[];
  /** The arguments with exactly these placeholders replaced by their values. */
  restore(args: unknown, agent: string, names: readonly string[]): unknown;
}

const placeholder = /«(secret|sealed):([^«»\s]{1,128})»/g;

export const createUnsealer = (masker: SecretMasker, vault: Vault): Unsealer => {
  const valueOf = (kind: string, id: string, agent: string): string | null => {
    if (!vault.isBound(`«${kind}:${id}»`, agent)) return null;
    return kind === 'secret' ? masker.valueOf(id) : vault.sealedValue(id);
  };
  return {
    names: (args, agent) => {
      const names = new Set<string>();
      for (const text of textsIn(args))
        for (const [, kind = '', id = ''] of text.matchAll(placeholder))
          if (valueOf(kind, id, agent) !== null) names.add(id);
      return [...names].sort();
    },
    restore: (args, agent, names) =>
      mapTexts(args, (text) =>
        text.replaceAll(placeholder, (whole, kind: string, id: string) =>
          names.includes(id) ? (valueOf(kind, id, agent) ?? whole) : whole,
        ),
      ),
  };
};

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return [];
};

const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]),
    );
  return value;
};

import { digestOfText } from '@lockstep/policy';
import type { ToolSpec } from '../events/parts.ts';

const longest = 64;
/** Digest characters that tell equal names apart, tried one after the other. */
const suffixes = [0, 8, 16, 32];

/** Gives every tool a name of its own that providers accept (`[a-zA-Z0-9_-]`, at most 64). The names depend on the set alone, not on
 * its order. Tools that share an id with other contents, and names that stay equal, are ambiguous and left out. */
export const aliasTools = (specs: readonly ToolSpec[]): readonly ToolSpec[] => {
  let levels = new Map(unambiguous(specs).map((spec) => [spec, 0]));
  for (;;) {
    const named = [...levels].map(([spec, level]) => ({
      spec,
      level,
      alias: aliasOf(spec.id, suffixes[level] ?? 0),
    }));
    const shared = repeated(named.map((n) => n.alias));
    if (shared.size === 0) return named.map(({ spec, alias }) => ({ ...spec, alias }));
    levels = new Map(
      named
        .map(({ spec, alias, level }) => [spec, shared.has(alias) ? level + 1 : level] as const)
        .filter(([, level]) => level < suffixes.length),
    );
  }
};

/** A provider-safe name for a canonical id: `file_read`, `files__read_text_file`. Two ids may share one; `aliasTools` parts them. */
export const aliasOf = (id: string, digits = 0): string => {
  const plain = id
    .replace(/^(builtin|mcp|skill):/, '')
    .replace('/', '__')
    .replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  if (digits === 0) return plain.slice(0, longest);
  return `${plain.slice(0, longest - 1 - digits)}_${digestOfText(id).slice(0, digits)}`;
};

const unambiguous = (specs: readonly ToolSpec[]): readonly ToolSpec[] => {
  const byId = new Map<string, ToolSpec | null>();
  for (const spec of specs) {
    const known = byId.get(spec.id);
    if (known === undefined) byId.set(spec.id, spec);
    else if (known?.digest !== spec.digest) byId.set(spec.id, null);
  }
  return [...byId.values()].filter((spec) => spec !== null).sort((a, b) => (a.id < b.id ? -1 : 1));
};

const repeated = (names: readonly string[]): ReadonlySet<string> => {
  const seen = new Set<string>();
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
};

import {
  canonicalJson,
  digestOfText,
  enforcedKeys,
  registry,
  registryVersion,
  type EnforcedKey,
  type PolicySnapshot,
} from '@lockstep/policy';
import type { GapKind } from '../parity-matrix.view.ts';

/** One setting's value: canonical JSON with its digest, and the facts that the setting needs beside it. */
export interface ValueText {
  readonly text: string;
  readonly digest: string;
  /** Names evidence under this value as the expected one, in this build's registry. */
  readonly id: string;
}

/** Names evidence under one expected value. */
export const evidenceKey = (registry: number, digest: string): string => `${registry} ${digest}`;

export type ValueTexts = Readonly<Record<EnforcedKey, ValueText>>;

/** The value of every enforced setting of a snapshot. Facts that are no settings stand with the setting they serve: siblings and
 * protected paths with the forbidden ones, servers and folders with the bundles. */
export const valueTexts = (snapshot: PolicySnapshot): ValueTexts =>
  Object.fromEntries(
    enforcedKeys.map((key) => {
      const text = canonicalJson(withFacts(key, snapshot));
      const digest = digestOfText(text);
      return [key, { text, digest, id: evidenceKey(registryVersion, digest) }];
    }),
  ) as ValueTexts;

/** How a value that differs from the expected one differs: whether it grants something more, or only less. */
export const gapBetween = (
  key: EnforcedKey,
  expected: PolicySnapshot,
  seen: PolicySnapshot,
): GapKind => {
  const { order } = registry[key] as { readonly order: Met };
  const met = order.meet(valueOf(key, seen), valueOf(key, expected));
  const grantsMore = canonicalJson(met) !== canonicalJson(order.normal(valueOf(key, seen)));
  return grantsMore || losesProtection(key, expected, seen) ? 'wider' : 'narrower';
};

interface Met {
  meet(a: unknown, b: unknown): unknown;
  normal(value: unknown): unknown;
}

const valueOf = (key: EnforcedKey, snapshot: PolicySnapshot): unknown =>
  key
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], snapshot);

const withFacts = (
  key: EnforcedKey,
  { workspace, mcp, skills, ...rest }: PolicySnapshot,
): unknown => {
  if (key === 'workspace.forbidden_paths') {
    const { forbidden_paths, protected: closed, protected_except, siblings } = workspace;
    return { forbidden_paths, protected: closed, protected_except, siblings };
  }
  if (key === 'mcp.bundles')
    return { bundles: mcp.bundles, servers: mcp.servers, repeatable: mcp.repeatable };
  if (key === 'skills.bundles')
    return { bundles: skills.bundles, directories: skills.directories ?? {} };
  return valueOf(key, { workspace, mcp, skills, ...rest });
};

/** The setting itself may be equal while a path that nothing may open is missing. */
const losesProtection = (
  key: EnforcedKey,
  expected: PolicySnapshot,
  seen: PolicySnapshot,
): boolean => {
  if (key === 'mcp.bundles')
    return Object.keys(seen.mcp.servers).some((s) => !Object.hasOwn(expected.mcp.servers, s));
  if (key !== 'workspace.forbidden_paths') return false;
  const { protected: closed, protected_except: open } = expected.workspace;
  return (
    closed.some((path) => !seen.workspace.protected.includes(path)) ||
    seen.workspace.protected_except.some((path) => !open.includes(path))
  );
};

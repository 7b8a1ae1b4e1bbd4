import { canonicalJson, digestOfText, matchesClauses } from '@lockstep/policy';
import type { ToolSpec } from '../events/parts.ts';
import type { GateCall } from '../gate/verdict.ts';
import { isDeeper } from '../tools/depth.ts';
import type { CallState, OpenTurn } from './state.ts';

/** A call as the gate sees it, from the raw text of its arguments and the tool that its name stands for. */
export const readCall = (call: CallState, raw: string, spec: ToolSpec | null): GateCall => {
  const { args, canonical } = readArguments(raw);
  return {
    call: call.call,
    alias: call.alias,
    spec,
    args,
    argsDigest: digestOfText(canonical),
  };
};

/** Deepest nesting of arguments. All that walks through them recurses, and near the end of the stack a regular expression that is
 * compiled ends the process. */
const deepest = 64;

/** Some models send nothing where a tool takes no arguments. */
export const readArguments = (
  raw: string,
): { readonly args: GateCall['args']; readonly canonical: string } => {
  if (raw.trim() === '') return { args: { ok: true, value: {} }, canonical: '{}' };
  try {
    const value: unknown = JSON.parse(raw);
    if (isDeeper(value, deepest)) {
      const message = `they nest deeper than ${deepest} levels`;
      return { args: { ok: false, message }, canonical: raw };
    }
    // What has no canonical form (a lone surrogate) is not taken either.
    const canonical = canonicalJson(value);
    return { args: { ok: true, value }, canonical };
  } catch (error) {
    const message = error instanceof Error ? error.message : 'unreadable';
    return { args: { ok: false, message }, canonical: raw };
  }
};

/** Names of the secrets whose placeholders the tool port will replace in the arguments of this call, sorted. */
export const unsealedIn = (state: OpenTurn, { spec, args }: GateCall): readonly string[] => {
  if (spec === null || !args.ok || !matchesClauses(state.policy.secrets.unseal, spec.id).ok)
    return [];
  const found = JSON.stringify(args.value).matchAll(/«(?:secret|sealed):([^»]+)»/g);
  return [...new Set([...found].flatMap((match) => match[1] ?? []))].sort();
};

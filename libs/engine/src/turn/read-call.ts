import { canonicalJson, digestOfText, matchesClauses } from '@lockstep/policy';
import type { ToolSpec } from '../events/parts.ts';
import type { GateCall } from '../gate/verdict.ts';
import type { CallState, OpenTurn } from './state.ts';

/** A call as the gate sees it, from the raw text of its arguments and the tool that its name stands for. */
export const readCall = (call: CallState, raw: string, spec: ToolSpec | null): GateCall => {
  const { args, canonical } = readArgs(raw);
  return {
    call: call.call,
    alias: call.alias,
    spec,
    args,
    argsDigest: digestOfText(canonical),
  };
};

/** Some models send nothing where a tool takes no arguments. */
const readArgs = (raw: string): { readonly args: GateCall['args']; readonly canonical: string } => {
  if (raw.trim() === '') return { args: { ok: true, value: {} }, canonical: '{}' };
  try {
    const value: unknown = JSON.parse(raw);
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

import { canonicalJson, digestOfText } from '@lockstep/policy';
import { estimatePromptTokens } from '../budget/estimate-tokens.ts';
import type { ModelMessage } from '../ports/model.ts';

/** Estimated tokens of messages, framing included. */
export const tokensOf = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + measure(message).tokens, 0);

/** SHA-256 of the canonical JSON of a message. */
export const messageDigest = (message: ModelMessage): string => {
  const measured = measure(message);
  measured.digest ??= digestOfText(canonicalJson(message));
  return measured.digest;
};

interface Measured {
  readonly tokens: number;
  digest: string | null;
}

// Messages never change, and every model call of a turn sends the earlier ones again.
const memo = new WeakMap<ModelMessage, Measured>();

const measure = (message: ModelMessage): Measured => {
  const known = memo.get(message);
  if (known !== undefined) return known;
  const tokens = estimatePromptTokens({ system: '', tools: [], messages: [message] });
  const made: Measured = { tokens, digest: null };
  memo.set(message, made);
  return made;
};

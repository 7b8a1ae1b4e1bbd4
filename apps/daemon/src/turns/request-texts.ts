import { inlineLimitBytes, utf8Bytes, type Content, type DataOf } from '@lockstep/engine';
import type { TurnParts } from './turn-parts.ts';
import type { TurnRequest } from './turns.port.ts';

/** The texts of a request as the log may hold them. */
export interface RequestTexts {
  readonly input: string;
  readonly earlier?: DataOf<'TurnRequested'>['earlier'];
}

/** Masks what a request brings along. Large texts of earlier messages become artifacts. */
export const textsOf = async (
  parts: TurnParts,
  asked: TurnRequest,
  formats: boolean,
): Promise<RequestTexts> => {
  const input = maskedText(parts, asked, { text: asked.input, formats });
  if (asked.earlier === undefined) return { input };
  const earlier = asked.earlier.map(async ({ role, text }) => ({
    role,
    text: await contentOf(parts, maskedText(parts, asked, { text, formats })),
  }));
  return { input, earlier: await Promise.all(earlier) };
};

/** A text of a request without the secrets that are known, and where `formats` holds without what looks like one. */
export const maskedText = (
  { masker }: Pick<TurnParts, 'masker'>,
  { agent }: Pick<TurnRequest, 'agent'>,
  { text, formats }: { readonly text: string; readonly formats: boolean },
): string => masker.mask(text.toWellFormed(), { formats, agent }).text;

/** A text as an event holds it: inline, or as an artifact that is recorded first. */
export const contentOf = async (
  { artifacts }: Pick<TurnParts, 'artifacts'>,
  text: string,
): Promise<Content> => {
  if (text.length * 3 <= inlineLimitBytes || utf8Bytes(text) <= inlineLimitBytes)
    return { inline: text };
  const { digest, bytes } = await artifacts.put(text);
  return { artifact: digest, bytes };
};

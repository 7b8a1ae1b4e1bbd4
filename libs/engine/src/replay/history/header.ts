import { canonicalJson } from '@lockstep/policy';
import { z } from 'zod';
import { settingKeySchema } from '../../events/parts.ts';

/** Number of the form that histories are written in. A reader refuses a newer one. */
export const historyFormat = 1;

// Half a character has no canonical form.
const text = z.string().refine((value) => value.isWellFormed(), 'this text is cut in a character');

/** What a mended build or config gives for one call of a history, as `minimize` found it out. */
export const expectedVerdictSchema = z.strictObject({
  turn: text.min(1),
  call: text.min(1),
  /** Id of the tool, as in `builtin:file_write`. */
  tool: text,
  verdict: z.enum(['allow', 'ask', 'refuse']),
  rule: text,
  key: settingKeySchema.nullable(),
  why: text,
});
export type ExpectedVerdict = Readonly<z.infer<typeof expectedVerdictSchema>>;

/** First line of a history: what the lines after it are. Lines without one are a history too, of which nobody says what it held. */
export const historyHeaderSchema = z.strictObject({
  lockstep: z.literal('history'),
  format: z.int().min(1),
  /** The build that wrote it. */
  build: text,
  /** `log` = a log from its first event on; `turns` = some turns and what they cite, a part of a log. */
  of: z.enum(['log', 'turns']),
  /** Turns that it is about, to be replayed; the others are there because these cite them. Null = all. */
  turns: z.array(text.min(1)).readonly().nullable(),
  /** How many lines follow. */
  events: z.int().min(0),
  expected: expectedVerdictSchema.optional(),
  /** SHA-256 over the canonical JSON of this line without this field and over every line that follows, each with its line feed. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type HistoryHeader = Readonly<z.infer<typeof historyHeaderSchema>>;

/** What a writer says of a history; the rest of the header follows from the lines. */
export type AboutHistory = Pick<HistoryHeader, 'build' | 'of' | 'turns' | 'expected'>;

/** What of a header is hashed before the lines. */
export const hashedHeader = ({ sha256: _digest, ...header }: HistoryHeader): string =>
  canonicalJson(header);

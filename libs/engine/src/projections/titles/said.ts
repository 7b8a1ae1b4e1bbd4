import type { Content } from '../../events/content.ts';
import type { DataOf, EventType } from '../../events/event.ts';
import type { RuleId } from '../../events/parts.ts';
import type { StepTone } from '../turn-detail.view.ts';

/** One event, in words: a short title, and what a reader may want beside it. */
export interface Said {
  readonly tone: StepTone;
  readonly title: string;
  readonly detail?: string | null;
  readonly call?: string;
  readonly tool?: string | null;
  readonly rule?: RuleId;
  readonly pattern?: string | null;
  readonly verdict?: 'allow' | 'ask' | 'refuse';
  readonly approval?: string | null;
  readonly approver?: string;
}

/** How one type of event is put. */
export type Say<T extends EventType> = (data: DataOf<T>) => Said;
/** Every type of a family has its words: a new event type without them does not compile. */
export type SayAll<T extends EventType> = { readonly [K in T]: Say<K> };

/** A tool as a person calls it: built-in tools by their bare name. */
export const toolName = (id: string): string => id.replace(/^builtin:/, '');

/** The text of a field for one line of a list, or what stands in its place. */
export const lineOf = (content: Content, most = 200): string => {
  if ('inline' in content) return shortened(content.inline, most);
  return 'artifact' in content ? `(${content.bytes} bytes, kept apart)` : '(sealed)';
};

/** The first characters of a text, cut between code points. */
export const shortened = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const cut = Array.from(text.slice(0, most * 2))
    .slice(0, most)
    .join('');
  return cut.length < text.length ? cut : text;
};

/** `1 message`, `2 messages`. */
export const many = (count: number, word: string): string =>
  `${count} ${word}${count === 1 ? '' : 's'}`;

/** Micro-dollars as dollars. */
export const dollars = (cost: number | 'unknown'): string =>
  cost === 'unknown'
    ? 'unknown cost'
    : `$${(cost / 1_000_000).toFixed(cost % 10_000 === 0 ? 2 : 4)}`;

/** Milliseconds as a person reads them. */
export const duration = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;

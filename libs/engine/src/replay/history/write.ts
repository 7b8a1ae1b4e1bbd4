import { digestOfText } from '@lockstep/policy';
import type { LockstepEvent } from '../../events/event.ts';
import { hashedHeader, historyFormat, type AboutHistory, type HistoryHeader } from './header.ts';

/** The header of lines whose digest the caller works out. `digest` is told the text before the lines. */
export const headerOf = (
  about: AboutHistory,
  events: number,
  digest: (head: string) => string,
): HistoryHeader => {
  const header: HistoryHeader = {
    lockstep: 'history',
    format: historyFormat,
    build: about.build,
    of: about.of,
    turns: about.turns,
    events,
    ...(about.expected === undefined ? {} : { expected: about.expected }),
    sha256: '',
  };
  return { ...header, sha256: digest(`${hashedHeader(header)}\n`) };
};

/** A history as text: the header, and one event as JSON on each line after it. */
export const historyText = (events: readonly LockstepEvent[], about: AboutHistory): string => {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  const header = headerOf(about, events.length, (head) => digestOfText(head + lines));
  return `${JSON.stringify(header)}\n${lines}`;
};

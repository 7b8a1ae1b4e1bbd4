import {
  inlineLimitBytes,
  utf8Bytes,
  type Artifacts,
  type Content,
  type EventOf,
  type RecalledRow,
} from '@lockstep/engine';
import type { MemoryChange, MemoryRow } from './memory-db.ts';

type MemoryEvent = EventOf<'MemoryStored' | 'MemoryForgotten' | 'MemoryImported'>;

/** Bytes of text, as JSON, that the rows of one recall hold inline; what goes beyond is cited. */
const inlineRowsBytes = 48 * 1024;

/** A text as an event holds it. Resolves when a cited one is durable. */
export const contentOf = async (text: string, artifacts: Artifacts): Promise<Content> => {
  if (utf8Bytes(text) <= inlineLimitBytes) return { inline: text };
  const { digest, bytes } = await artifacts.put(text);
  return { artifact: digest, bytes };
};

/** What one recorded event does to the rows. */
export const changeOf = async (event: MemoryEvent, artifacts: Artifacts): Promise<MemoryChange> => {
  if (event.type === 'MemoryForgotten') return { kind: 'drop', id: event.data.row };
  const { row: id, agent, person, tags, backend, expires } = event.data;
  const text = await textOf(event.data.text, artifacts);
  return {
    kind: 'put',
    found: event.type === 'MemoryImported' ? event.data.found : null,
    row: {
      id,
      agent,
      person,
      text,
      tags,
      backend,
      stored: event.time,
      expires: expires === 'never' ? null : expires,
    },
  };
};

/** Rows as a recall is recorded with them. */
export const recalledRows = async (
  rows: readonly MemoryRow[],
  artifacts: Artifacts,
): Promise<readonly RecalledRow[]> => {
  let left = inlineRowsBytes;
  const recalled: RecalledRow[] = [];
  for (const { id, agent, person, text, stored } of rows) {
    left -= utf8Bytes(JSON.stringify(text));
    const content = left >= 0 ? { inline: text } : await cited(text, artifacts);
    recalled.push({ id, agent, person, text: content, stored });
  }
  return recalled;
};

const cited = async (text: string, artifacts: Artifacts): Promise<Content> => {
  const { digest, bytes } = await artifacts.put(text);
  return { artifact: digest, bytes };
};

const textOf = async (content: Content, artifacts: Artifacts): Promise<string> => {
  if ('inline' in content) return content.inline;
  if ('sealed' in content) return '[erased]';
  const text = await artifacts.get(content.artifact);
  if (text === null)
    throw new Error(`artifact \`${content.artifact}\` is cited and was not recorded`);
  return text;
};

import { writeFileSync } from 'node:fs';
import { artifactStream, type HistoryProblem, type LockstepEvent } from '@lockstep/engine';
import { digestOfText } from '@lockstep/policy';
import type Database from 'better-sqlite3';
import { importedConfigPath } from '../../store/imported-note.ts';
import { eventOfRow, type EventRow } from '../../store/sqlite/event-row.ts';

/** Lays the newest config that an imported log holds beside it. A log without one has none, and a daemon on it must be named a config.
 * @returns what is wrong with it; null = it is as it was recorded, or there is none */
export const writeImportedConfig = (
  folder: string,
  db: Database.Database,
): HistoryProblem | null => {
  const [newest] = read(
    db,
    'SELECT * FROM events WHERE type = ? ORDER BY position DESC LIMIT 1',
    'ConfigApplied',
  );
  if (newest?.type !== 'ConfigApplied') return null;
  const { content, digest } = newest.data;
  const text =
    'inline' in content
      ? content.inline
      : 'artifact' in content
        ? stored(db, content.artifact)
        : '';
  if (text === '') return null;
  if (digestOfText(text) !== digest)
    return {
      where: `config@${newest.revision}`,
      message: `the recorded config does not have its digest \`${digest}\`: it was edited`,
    };
  writeFileSync(importedConfigPath(folder), text, { mode: 0o600 });
  return null;
};

const stored = (db: Database.Database, digest: string): string =>
  read(db, 'SELECT * FROM events WHERE stream = ? ORDER BY revision', artifactStream(digest))
    .map((event) => (event.type === 'ArtifactRecorded' ? event.data.text : ''))
    .join('');

const read = (db: Database.Database, sql: string, value: string): readonly LockstepEvent[] =>
  (db.prepare(sql).all(value) as EventRow[]).map(eventOfRow);

import { writeFileSync } from 'node:fs';
import { artifactStream, type LockstepEvent } from '@lockstep/engine';
import type Database from 'better-sqlite3';
import { importedConfigPath } from '../../store/imported-note.ts';
import { eventOfRow, type EventRow } from '../../store/sqlite/event-row.ts';

/** Lays the newest config that an imported log holds beside it. A log without one has none, and a daemon on it must be named a config. */
export const writeImportedConfig = (folder: string, db: Database.Database): void => {
  const [newest] = read(
    db,
    'SELECT * FROM events WHERE type = ? ORDER BY position DESC LIMIT 1',
    'ConfigApplied',
  );
  if (newest?.type !== 'ConfigApplied') return;
  const { content } = newest.data;
  const text =
    'inline' in content
      ? content.inline
      : 'artifact' in content
        ? stored(db, content.artifact)
        : '';
  if (text !== '') writeFileSync(importedConfigPath(folder), text, { mode: 0o600 });
};

const stored = (db: Database.Database, digest: string): string =>
  read(db, 'SELECT * FROM events WHERE stream = ? ORDER BY revision', artifactStream(digest))
    .map((event) => (event.type === 'ArtifactRecorded' ? event.data.text : ''))
    .join('');

const read = (db: Database.Database, sql: string, value: string): readonly LockstepEvent[] =>
  (db.prepare(sql).all(value) as EventRow[]).map(eventOfRow);

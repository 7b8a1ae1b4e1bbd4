import { writeFile } from 'node:fs/promises';
import { artifactStream, type EventOf } from '@lockstep/engine';
import { eventOfRow, type EventRow } from '../../store/sqlite/event-row.ts';
import { openLogForReading } from '../../store/sqlite/log-schema.ts';
import { importedConfigPath } from '../../store/imported-note.ts';

/** Lays the newest config that an imported log holds beside it. A log without one has none, and a daemon on it must be named a config. */
export const writeImportedConfig = async (folder: string, log: string): Promise<void> => {
  const db = openLogForReading(log);
  try {
    const newest = db
      .prepare('SELECT * FROM events WHERE type = ? ORDER BY position DESC LIMIT 1')
      .get('ConfigApplied') as EventRow | undefined;
    if (newest === undefined) return;
    const { content } = (eventOfRow(newest) as EventOf<'ConfigApplied'>).data;
    const text =
      'inline' in content
        ? content.inline
        : 'artifact' in content
          ? (
              db
                .prepare('SELECT * FROM events WHERE stream = ? ORDER BY revision')
                .all(artifactStream(content.artifact)) as EventRow[]
            )
              .map((row) => (eventOfRow(row) as EventOf<'ArtifactRecorded'>).data.text)
              .join('')
          : '';
    if (text !== '') await writeFile(importedConfigPath(folder), text, { mode: 0o600 });
  } finally {
    db.close();
  }
};

import { openReadModelFile } from './read-model-file.ts';
import { readModelsPath } from './read-models.ts';

/** Takes the checkpoint of one projection away, so that it is folded again from the log the next time the read models of this
 * folder are opened. They must be closed. */
export const forgetReadModel = (folder: string, name: string): void => {
  const db = openReadModelFile(readModelsPath(folder));
  try {
    db.prepare('DELETE FROM checkpoints WHERE name = ?').run(name);
  } finally {
    db.close();
  }
};

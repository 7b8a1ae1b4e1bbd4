import { MemoryDb } from './memory-db.ts';
import { rowFileDigest } from './memory-file.ts';
import { MemoryFolder } from './memory-folder.ts';
import { MemoryService, type MemoryParts } from './memory-service.ts';

/** Opens the rows of memory and folds what the log holds beyond them.
 * @param options `file`: the disposable rows; `folder`: the files of the markdown backend, outside every workspace */
export const openMemory = async (
  options: Omit<MemoryParts, 'db' | 'folder'> & { readonly file: string; readonly folder: string },
): Promise<MemoryService> => {
  const { file, folder, ...parts } = options;
  const db = new MemoryDb(file, parts.store.generation, rowFileDigest);
  const memory = new MemoryService({ ...parts, db, folder: new MemoryFolder(folder) });
  await memory.catchUp();
  return memory;
};

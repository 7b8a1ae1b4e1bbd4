import { storeError } from '../../store/store-error.ts';
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
  const db = openDb(file, parts.store.generation);
  const memory = new MemoryService({ ...parts, db, folder: new MemoryFolder(folder) });
  await memory.catchUp();
  return memory;
};

const openDb = (file: string, generation: string): MemoryDb => {
  try {
    return new MemoryDb(file, generation, rowFileDigest);
  } catch (error) {
    throw storeError(error, file);
  }
};

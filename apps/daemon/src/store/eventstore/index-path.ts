import { join } from 'node:path';

/** Path of the local index in a data folder. */
export const indexPath = (folder: string): string => join(folder, 'eventstore-index.db');

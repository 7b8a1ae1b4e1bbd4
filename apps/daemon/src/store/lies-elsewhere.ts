import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { indexPath } from './eventstore/index-path.ts';

/** Why what reads the log's file finds none in a folder whose events lie on an event store; null = they do not.
 * @param log path of the file */
export const liesElsewhere = (log: string): string | null => {
  const folder = dirname(log);
  if (existsSync(log) || !existsSync(indexPath(folder))) return null;
  return `the events of \`${folder}\` lie on an event store and this reads the file of a log: ask a running daemon about one turn with \`lockstep replay\` or \`lockstep bisect\`, or name a data folder with the store \`sqlite\``;
};

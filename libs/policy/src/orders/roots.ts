import { isWithin } from '../paths.ts';
import { sortedSet, type Order } from './order.ts';

/** Folders that grant what lies below them: two lists meet in the deeper of each nested pair. A folder below another of the list
 * adds nothing and is left out. */
export const roots: Order<string[]> = {
  name: 'folders: the deeper of each nested pair',
  bottom: [],
  normal: (value) => outermost(value),
  meet: (a, b) =>
    outermost([
      ...a.filter((folder) => b.some((other) => isWithin(other, folder))),
      ...b.filter((folder) => a.some((other) => isWithin(other, folder))),
    ]),
  within: (asked, held) => asked.every((folder) => held.some((other) => isWithin(other, folder))),
};

const outermost = (folders: readonly string[]): string[] =>
  sortedSet(folders).filter(
    (folder, _, all) => !all.some((other) => other !== folder && isWithin(other, folder)),
  );

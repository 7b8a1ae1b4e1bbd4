import { entryOf } from '../../orders/map.ts';
import { normalPath } from '../../paths.ts';
import { registry } from '../../surfaces/registry.ts';
import type { ConfigProblem } from '../problem.ts';
import { agentPlaces, atValue, pathOfText, type ConfigCheck } from './check-context.ts';

/** Workspaces of two agents that are one folder, or one inside the other, share files only where an edge says so. A granted folder
 * may hold another's workspace, which stays closed in it. */
export const checkSharedRoots: ConfigCheck = (context) => {
  const agents = agentPlaces(context).map((place) => {
    const { value, path } = registry['workspace.root'].derive(place);
    return {
      alias: place.alias,
      root: normalPath(value),
      at: path ?? `agents.${place.alias}`,
      access: registry['workspace.access'].derive(place).value,
    };
  });
  return agents.flatMap((mine) =>
    agents.flatMap((theirs): ConfigProblem[] => {
      if (theirs.alias === mine.alias || !meets(mine.root, theirs.root)) return [];
      const edge = entryOf(mine.access, theirs.alias);
      const same = mine.root === theirs.root;
      if (same ? edge === 'read_write' : edge !== null) return [];
      const how = same ? 'is also' : isIn(theirs.root, mine.root) ? 'lies in' : 'holds';
      const wanted = same ? 'read_write' : 'read';
      const message = `the workspace \`${mine.root}\` of \`${mine.alias}\` ${how} that of \`${theirs.alias}\`: give each a folder of its own, or write \`access = { ${theirs.alias} = "${wanted}" }\``;
      return [atValue(context, 'conflict', pathOfText(mine.at), message)];
    }),
  );
};

const meets = (a: string, b: string): boolean => a === b || isIn(a, b) || isIn(b, a);

/** Both without `.`, `..` and doubled slashes. */
const isIn = (outer: string, inner: string): boolean =>
  inner !== outer && inner.startsWith(outer === '/' ? '/' : `${outer}/`);

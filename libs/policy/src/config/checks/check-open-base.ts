import { isWithin } from '../../paths.ts';
import { registry } from '../../surfaces/registry.ts';
import type { Place } from '../../surfaces/setting.ts';
import type { ConfigProblem } from '../problem.ts';
import { agentPlaces, atValue, pathOfText, type ConfigCheck } from './check-context.ts';

/** Agents that may write in the folder of the config file: the file itself stays closed, but scripts, skills and identity files
 * beside it that other agents work by do not. */
export const warnOpenBase: ConfigCheck = (context) =>
  agentPlaces(context).flatMap((place) =>
    foldersOf(place)
      .filter(({ folder }) => isWithin(folder, context.host.base))
      .map(({ folder, path }): ConfigProblem => {
        const message = `\`${place.alias}\` may write in \`${folder}\`, which holds the folder of this config and what agents read from it: give it a folder apart`;
        return atValue(context, 'conflict', pathOfText(path), message);
      }),
  );

const foldersOf = (place: Place): readonly { readonly folder: string; readonly path: string }[] => {
  const root = registry['workspace.root'].derive(place);
  const more = registry['workspace.allowed_roots'].derive(place);
  return [
    { folder: root.value, path: root.path ?? `agents.${place.alias}` },
    ...more.value.map((folder) => ({ folder, path: more.path ?? `agents.${place.alias}` })),
  ];
};
